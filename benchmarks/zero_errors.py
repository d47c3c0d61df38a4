"""Time until no training error is left, and how many default fits end with training errors."""

import warnings
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron as Peer

from benchmarks import datasets
from benchmarks.figures import save
from benchmarks.measure import Report, in_turn
from novikoff import Perceptron
from novikoff.data import planted

PAIRS = ((0, 1), (1, 7), (0, 6))
EPOCHS = tuple(5 * 2**k for k in range(9))
SEEDS = range(20)


def errors(model: Any, X: Any, y: Any) -> int:
    return int((model.predict(X) != y).sum())


def peer_for(X: Any, y: Any) -> Peer | None:
    """scikit-learn's model without training errors after the fewest epochs, of three seeds.

    None if no number of epochs in ``EPOCHS`` suffices.
    """
    for epochs in EPOCHS:
        for seed in range(3):
            model = Peer(tol=None, max_iter=epochs, random_state=seed)
            if errors(model.fit(X, y), X, y) == 0:
                return model
    return None


def pairs(report: Report) -> None:
    for a, b in PAIRS:
        X, y = datasets.pair(a, b)
        raw = datasets.pair(a, b, "uint8").X
        models = {
            "classic": Perceptron(rule="classic", random_state=0),
            "default": Perceptron(random_state=0),
        }
        for model in models.values():
            if errors(model.fit(X, y), X, y) or not model.certificate_:
                raise RuntimeError(f"{model} did not separate {a} from {b}")
        peer = peer_for(X, y)
        if peer is None:
            report.add(f"{a}-v-{b}, scikit-learn", EPOCHS[-1], "epochs, with errors left")
            continue
        times = in_turn(
            {
                "classic": lambda m=models["classic"], X=X, y=y: m.fit(X, y),
                "default": lambda m=models["default"], X=X, y=y: m.fit(X, y),
                "bytes": lambda m=models["classic"], X=raw, y=y: m.fit(X, y),
                "peer": lambda m=peer, X=X, y=y: m.fit(X, y),
            },
            rounds=5,
        )
        note = f"scikit-learn after {peer.max_iter} epochs"
        for name in ("classic", "default"):
            report.faster(f"{a}-v-{b} float64, {name} rule", times[name], times["peer"], 5.0, note)
        report.faster(f"{a}-v-{b} uint8, classic rule", times["bytes"], times["peer"], None)


def small_margin(report: Report) -> None:
    counts: dict[str, list[int]] = {"novikoff": [], "scikit-learn": []}
    for seed in SEEDS:
        p = planted(300, 10, margin=0.01, random_state=seed)
        for name, model in (("novikoff", Perceptron()), ("scikit-learn", Peer())):
            model.set_params(random_state=seed)
            counts[name].append(errors(model.fit(p.X, p.y), p.X, p.y))
    for name, found in counts.items():
        report.add(
            f"300 x 10, margin 0.01, {name}",
            float(np.count_nonzero(found)),
            f"of {len(SEEDS)} default fits with errors",
            at_most=0.0 if name == "novikoff" else None,
            note=f"at most {max(found)} training errors",
        )
    with save("zero_errors") as axes:
        axes.bar(np.arange(len(SEEDS)) - 0.2, counts["novikoff"], 0.4, label="novikoff")
        axes.bar(np.arange(len(SEEDS)) + 0.2, counts["scikit-learn"], 0.4, label="scikit-learn")
        axes.set(
            title="Training errors of default fits, 300 x 10, margin 0.01",
            xlabel="seed",
            ylabel="training errors",
        )
        axes.legend()


def main() -> None:
    warnings.simplefilter("error")
    report = Report("zero_errors", "Time to zero training errors, whole fits")
    pairs(report)
    small_margin(report)
    report.finish()


if __name__ == "__main__":
    main()
