"""MarginMLPClassifier as its users meet it."""

import copy
import subprocess
import sys

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.utils.estimator_checks import parametrize_with_checks

from novikoff.neural import (
    BetaLoss,
    Constant,
    Errors,
    MarginMLPClassifier,
    Power,
    ScaleFreeInfinity,
)
from novikoff.neural.network import MLP
from novikoff.neural.training import Training


@parametrize_with_checks(
    [
        MarginMLPClassifier(max_epochs=60),
        MarginMLPClassifier(max_epochs=60, batch=Errors(8), schedule=Power(0.1, 0.4)),
    ]
)
def test_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return train_test_split((X / 16).astype(np.float32), y, test_size=0.3, random_state=0)


@pytest.mark.parametrize(
    ("batch", "rate", "schedule", "seed"),
    [
        (32, 0.2, None, 0),
        (32, 0.2, Power(0.1, 0.4), 1),
        (Errors(4), 0.025, None, 2),
        (Errors(4), 0.025, Power(0.1, 0.4), 0),
    ],
)
def test_digits(digits, batch, rate, schedule, seed):
    X, rest, y, labels = digits
    clf = MarginMLPClassifier(
        batch=batch, schedule=schedule, learning_rate=rate, max_epochs=60, random_state=seed
    )
    assert clf.fit(X, y).score(rest, labels) >= 0.97
    assert clf.n_iter_ == len(clf.history_) <= 60
    assert clf.n_updates_ == int(clf.loss_.clock) == clf.history_[-1].updates
    assert clf.stopped_ in ("max_epochs", "no errors")


@pytest.mark.parametrize("alpha", [1.02, 1.1])
def test_beta_in_units_of_the_features(digits, alpha):
    X, rest, y, labels = digits
    schedule = ScaleFreeInfinity(alpha, scale=0.1 / 32)
    clf = MarginMLPClassifier(schedule=schedule, max_epochs=30, random_state=0).fit(X, y)
    assert clf.score(rest, labels) >= 0.9
    assert clf.loss_.rho2 > 0.0


def test_all_other_options_together(digits):
    X, rest, y, labels = digits
    clf = MarginMLPClassifier(
        hidden_layer_sizes=(64, 32),
        schedule=Power(0.1, 0.4),
        batch=Errors(32),
        dropout=(0.1, 0.2),
        clocks=Power(0.001, 0.25),
        average=0.5,
        momentum=0.5,
        max_epochs=60,
        random_state=0,
    ).fit(X, y)
    assert clf.score(rest, labels) >= 0.95


def test_error_batches_take_fewer_gradients(digits):
    X, _, y, _ = digits
    fixed = MarginMLPClassifier(max_epochs=30, random_state=0).fit(X, y)
    waited = MarginMLPClassifier(max_epochs=30, batch=Errors(32), random_state=0).fit(X, y)
    count = sum(line.backpropagated for line in waited.history_)
    assert count < 0.5 * sum(line.backpropagated for line in fixed.history_)


def training(seed, X, y, batch):
    torch.manual_seed(seed)
    network = MLP(X.shape[1], (20,), 10)
    return Training(
        network=network,
        loss=BetaLoss(Power(0.1, 0.4)),
        optimizer=torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9),
        inputs=torch.as_tensor(X),
        targets=torch.as_tensor(y),
        batch=batch,
        generator=torch.Generator().manual_seed(seed),
    )


def test_a_resumed_run_goes_on_exactly(digits):
    X, _, y, _ = digits
    whole = training(0, X, y, 32)
    whole.epoch()
    state = copy.deepcopy(
        [part.state_dict() for part in (whole.network, whole.loss, whole.optimizer)]
    )
    drawn = whole.generator.get_state()
    whole.epoch()
    resumed = training(1, X, y, 32)
    for part, saved in zip((resumed.network, resumed.loss, resumed.optimizer), state, strict=True):
        part.load_state_dict(saved)
    resumed.generator.set_state(drawn)
    resumed.epoch()
    assert int(resumed.loss.clock) == int(whole.loss.clock)
    for one, other in zip(resumed.network.parameters(), whole.network.parameters(), strict=True):
        assert torch.equal(one, other)
    # Without the clock it would not be the same run.
    forgetful = training(1, X, y, 32)
    forgetful.network.load_state_dict(state[0])
    forgetful.generator.set_state(drawn)
    forgetful.epoch()
    assert int(forgetful.loss.clock) < int(whole.loss.clock)


def test_stops_where_nothing_is_wrong():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    y = ["low", "low", "high", "high"]
    clf = MarginMLPClassifier(batch=2, patience=3, random_state=0, learning_rate=0.2).fit(X, y)
    assert clf.stopped_ == "no errors"
    assert [line.mistakes for line in clf.history_[-3:]] == [0, 0, 0]
    waiting = MarginMLPClassifier(batch=Errors(2), patience=10**6, random_state=0).fit(X, y)
    assert waiting.stopped_ == "no active loss"
    assert waiting.predict(X).tolist() == y


def test_stops_by_validation(digits):
    X, _, y, _ = digits
    clf = MarginMLPClassifier(validation_fraction=0.2, patience=3, random_state=0).fit(X, y)
    assert clf.stopped_ == "validation"
    errors = [line.held_out_error for line in clf.history_]
    assert min(errors[-3:]) >= min(errors[:-3])


def test_ctrl_c_leaves_the_model_so_far(digits, monkeypatch):
    X, _, y, _ = digits
    epoch = Training.epoch

    def interrupted(self):
        if len(self.history) == 2:
            raise KeyboardInterrupt
        return epoch(self)

    monkeypatch.setattr(Training, "epoch", interrupted)
    clf = MarginMLPClassifier(random_state=0)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    assert clf.stopped_ == "interrupted"
    assert clf.n_iter_ == 2
    assert clf.score(X, y) > 0.5


def test_the_global_generator_is_given_back(digits):
    X, _, y, _ = digits
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    MarginMLPClassifier(max_epochs=1, random_state=0).fit(X, y)
    assert torch.rand(1) == expected


def test_progress_is_shown(digits, capsys):
    X, _, y, _ = digits
    MarginMLPClassifier(max_epochs=2, random_state=0, verbose=1).fit(X, y)
    out = capsys.readouterr()
    assert "epoch 2" in out.err
    assert out.out == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hidden_layer_sizes": (0,)}, "hidden_layer_sizes"),
        ({"hidden_layer_sizes": 100}, "hidden_layer_sizes"),
        ({"batch": 0}, "batch"),
        ({"batch": "all"}, "batch"),
        ({"max_epochs": 0}, "max_epochs"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"dropout": (0.0, 1.0)}, "dropout"),
        ({"validation_fraction": 1.0}, "validation_fraction"),
        ({"device": "tpu"}, "device"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        MarginMLPClassifier(**options).fit(np.eye(2), [0, 1])


def test_a_diverging_run_is_named(digits):
    X, _, y, _ = digits
    with pytest.raises(ValueError, match="learning rate"):
        MarginMLPClassifier(learning_rate=1e30, random_state=0).fit(X, y)


def test_cross_entropy_trains_by_fixed_batches_only(digits):
    X, _, y, _ = digits
    with pytest.raises(ValueError, match="BetaLoss"):
        Training(
            network=MLP(64, (5,), 10),
            loss=torch.nn.CrossEntropyLoss(),
            optimizer=None,
            inputs=torch.as_tensor(X),
            targets=torch.as_tensor(y),
            batch=Errors(4),
            generator=torch.Generator(),
        )


def test_without_pytorch_there_is_a_message():
    code = "import sys; sys.modules['torch'] = None; import novikoff.neural"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 1
    assert "pip install torch" in found.stderr.splitlines()[-1]


def test_beta_sets_the_scale_of_the_outputs(digits):
    X, _, y, _ = digits
    zero = MarginMLPClassifier(schedule=Constant(0.0), max_epochs=20, random_state=0).fit(X, y)
    one = MarginMLPClassifier(schedule=Constant(1.0), max_epochs=20, random_state=0).fit(X, y)
    lengths = [np.abs(clf.decision_function(X)).mean() for clf in (zero, one)]
    assert 3 * lengths[0] < lengths[1]
