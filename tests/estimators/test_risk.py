"""Bounds on new data of fitted models: the perceptron's support, and what is refused."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits

import novikoff
from novikoff import MaxMargin, MaxMarginCV, Perceptron
from novikoff.certificate import CertificateError, Status
from novikoff.estimators.risk import NoRiskError, optimum_risk
from novikoff.theory import compression_bound


def on_a_sphere(rng, m, d):
    X = rng.standard_normal((m, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    u = rng.standard_normal(d)
    return X, X @ u > 0, u / np.linalg.norm(u)


def test_a_perceptron_is_carried_by_its_support():
    X, y, _ = on_a_sphere(np.random.default_rng(0), 500, 5)
    clf = Perceptron(max_iter=10**5, min_margin=0.0, random_state=0).fit(X, y)
    risk = clf.risk_certificate(X, y)
    assert risk.scheme == "rerun"
    assert set(risk.support.tolist()) == set(clf.support_.tolist())
    expected = float(compression_bound(len(y), len(clf.support_)))
    assert risk.bound == pytest.approx(expected, rel=1e-9)
    # A rule that asks for a margin bounds the share of small margins.
    assert 0.0 < risk.margin < clf.margin_


def test_a_mean_has_no_margin_of_its_rule():
    """The threshold is that of the last iterate, which is not the model."""
    X, y, _ = on_a_sphere(np.random.default_rng(0), 500, 5)
    clf = Perceptron(max_iter=10**5, min_margin=0.0, average=True, random_state=0).fit(X, y)
    assert clf.status_ is Status.CONVERGED
    assert clf.risk_certificate(X, y).margin is None


def test_what_the_mean_of_a_satisfied_run_gets_wrong_counts_too():
    rng, more = np.random.default_rng(1), 0
    for seed in range(20):
        X, y, _ = on_a_sphere(rng, 300, 4)
        clf = Perceptron(
            rule="classic", average=True, min_margin=0.0, max_iter=10**5, random_state=seed
        ).fit(X, y)
        assert clf.status_ is Status.CONVERGED
        risk = clf.risk_certificate(X, y)
        wrong = np.flatnonzero(clf.predict(X) != y)
        assert set(risk.support.tolist()) == {*clf.support_.tolist(), *wrong.tolist()}
        more += len(risk.support) > len(clf.support_)
    assert more > 0


def test_of_several_classes_the_supports_are_joined():
    X, y = load_digits(n_class=3, return_X_y=True)
    clf = Perceptron(rule="classic", random_state=1, multi_class="ovr").fit(X, y)
    risk = clf.risk_certificate(X, y)
    assert set(risk.support.tolist()) == set(np.concatenate(clf.support_).tolist())
    assert risk.margin is None


def test_classes_together_have_one_support():
    X, y = load_digits(n_class=3, return_X_y=True)
    clf = Perceptron(rule="classic", random_state=1, multi_class="joint").fit(X, y)
    risk = clf.risk_certificate(X, y)
    assert set(risk.support.tolist()) == set(clf.support_.tolist())
    assert np.mean(clf.predict(X) != y) <= risk.bound < 1.0


def test_the_compressing_order_proves_more():
    X, y, _ = on_a_sphere(np.random.default_rng(0), 1000, 20)
    bounds = {}
    for schedule in ("sweep", "compress"):
        clf = Perceptron(
            rule="classic", schedule=schedule, max_iter=10**5, min_margin=0.0, random_state=0
        ).fit(X, y)
        bounds[schedule] = clf.risk_certificate(X, y).bound
    assert bounds["compress"] < 0.1 < bounds["sweep"]


def noisy(rng, m=2000, d=3, share=0.02):
    X, y, _ = on_a_sphere(rng, m, d)
    return X, y ^ (rng.random(m) < share)


@pytest.mark.parametrize("limit", [{"max_iter": 3}, {"max_iter": 30, "max_updates": 200}])
def test_a_fixed_number_of_steps_on_noisy_data(limit):
    """The examples that the mean gets wrong count too."""
    X, y = noisy(np.random.default_rng(3))
    clf = Perceptron(rule="classic", average=True, min_margin=0.0, random_state=0, **limit)
    with pytest.warns(match="max_"):
        clf.fit(X, y)
    risk = clf.risk_certificate(X, y)
    wrong = np.flatnonzero(clf.predict(X) != y)
    assert set(wrong) <= set(risk.support.tolist())
    assert len(wrong) / len(y) < risk.bound < 1.0
    assert novikoff.verify(clf, X, y).errors == len(wrong)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "parameters",
    [
        # The model may be an iterate that was kept because it makes no training error.
        {"average": False, "min_margin": 0.0, "max_iter": 3},
        {"average": "auto", "min_margin": 0.0, "max_iter": 3},
        # A proof that nothing separates the examples would shorten the run.
        {"average": True, "min_margin": 0.0, "max_iter": 31},
        # The margin that is looked for was excluded.
        {"average": True, "min_margin": 0.5, "max_iter": 30},
    ],
)
def test_a_run_whose_end_or_model_looks_at_all_examples(parameters):
    X, y = noisy(np.random.default_rng(3), 300)
    clf = Perceptron(rule="classic", random_state=0, **parameters).fit(X, y)
    with pytest.raises(NoRiskError, match="depends on all examples"):
        clf.risk_certificate(X, y)


@pytest.mark.filterwarnings("ignore")
def test_classes_together_that_nothing_separates():
    X, y = load_digits(n_class=3, return_X_y=True)
    y[:20] = np.roll(y[:20], 1)
    clf = Perceptron(rule="classic", average=True, min_margin=0.0, max_iter=3).fit(X, y)
    with pytest.raises(NoRiskError, match="not for several classes"):
        clf.risk_certificate(X, y)
    soft = clf.set_params(C=1.0).fit(X, y)
    assert soft.risk_certificate(X, y).bound < 1.0


def test_coverage_of_the_perceptron():
    rng = np.random.default_rng(5)
    violations, runs, confidence = 0, 150, 0.9
    for seed in range(runs):
        X, y, u = on_a_sphere(rng, 60, 3)
        clf = Perceptron(
            rule="classic", fit_intercept=False, min_margin=0.0, max_iter=10**5, random_state=seed
        ).fit(X, y)
        w = clf.coef_[0] / np.linalg.norm(clf.coef_)
        risk = np.arccos(np.clip(w @ u, -1, 1)) / np.pi
        violations += risk > clf.risk_certificate(X, y, confidence=confidence).bound
    delta = 1 - confidence
    assert violations <= delta * runs + 3 * np.sqrt(runs * delta * (1 - delta))


def test_max_margin_through_its_method():
    X, y = load_digits(n_class=2, return_X_y=True)
    clf = MaxMargin().fit(X, y)
    risk = clf.risk_certificate(X, y, confidence=0.99)
    assert risk.bound < 0.15
    assert risk.verify(clf.certificate_, X, y) is risk


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Perceptron(scale=True), "scale=True"),
        (Perceptron(warm_start=True), "warm_start"),
        (Perceptron(rule="passive-aggressive", C=1.0), "unit steps"),
        (Perceptron(class_weight="balanced"), "balanced"),
        (Perceptron(kernel="rbf", gamma=0.01), "kernel"),
        (MaxMargin(class_weight="balanced"), "balanced"),
        (MaxMargin(scale=True), "scale=True"),
        (MaxMargin(C=1.0, kernel="rbf"), "gamma='scale'"),
        (MaxMargin(C=1.0, kernel="poly", gamma=0.01, coef0=-1.0, degree=2), "coef0"),
        (MaxMargin(C=1.0, kernel=lambda a, b: a @ b.T), "callable"),
        (MaxMarginCV(Cs=3), "cross-validation"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_refusals(model, reason):
    X, y = load_digits(n_class=2, return_X_y=True)
    with pytest.raises(NoRiskError, match=reason) as caught:
        model.fit(X, y).risk_certificate(X, y)
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore")
def test_runs_ended_by_time_or_by_a_proof():
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.max(axis=0)
    slow = Perceptron(rule="classic", average=True, min_margin=0.0, time_limit=1e-3, max_iter=10**9)
    with pytest.raises(NoRiskError, match="time"):
        slow.fit(X, y).risk_certificate(X, y)
    y[0] = 1 - y[0]
    with pytest.raises(NoRiskError, match="depends on all examples"):
        Perceptron().fit(X, y).risk_certificate(X, y)
    online = Perceptron().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(NoRiskError, match="partial_fit"):
        online.risk_certificate(X, y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "model",
    [
        Perceptron(rule="classic", C=1.0, random_state=0),
        Perceptron(rule="classic", C=1.0, max_iter=3, average=True, random_state=0),
        MaxMargin(C=1.0),
        MaxMargin(C=1.0, fit_intercept=False),
    ],
)
def test_equal_examples_with_different_labels(model):
    """The normal is zero, or nearly so: no margin is claimed of it."""
    X, y = np.ones((40, 2)), np.r_[np.zeros(3), np.ones(37)]
    risk = model.fit(X, y).risk_certificate(X, y)
    assert risk.bound > 3 / 40
    assert novikoff.verify(model, X, y).errors is not None


def test_frames_and_lists():
    pandas = pytest.importorskip("pandas")
    X, y = load_digits(n_class=2, return_X_y=True)
    for rows in (pandas.DataFrame(X, columns=[f"p{j}" for j in range(X.shape[1])]), X.tolist()):
        labels = pandas.Series(y) if isinstance(rows, pandas.DataFrame) else y.tolist()
        for model in (Perceptron(random_state=0), MaxMargin()):
            bound = clone(model).fit(rows, labels).risk_certificate(rows, labels).bound
            assert bound == clone(model).fit(X, y).risk_certificate(X, y).bound


def test_a_model_that_was_changed_since_the_fit():
    X, y = load_digits(n_class=2, return_X_y=True)
    clf = MaxMargin(class_weight="balanced", C=1.0).fit(X, y).set_params(class_weight=None)
    with pytest.raises(NoRiskError, match="class_weight has changed"):
        clf.risk_certificate(X, y)
    clf = MaxMargin().fit(X, y)
    clf.coef_ = -clf.coef_
    with pytest.raises(NoRiskError, match="not what was certified"):
        clf.risk_certificate(X, y)


def test_a_slower_machine_repeats_a_run_to_its_end(capsys):
    X, y = load_digits(n_class=2, return_X_y=True)
    clf = Perceptron(random_state=0, time_limit=600.0).fit(X, y)
    clf.set_params(time_limit=1e-9, verbose=1)
    clf.risk_certificate(X, y)
    assert novikoff.verify(clf, X, y).errors == 0
    assert capsys.readouterr().err == ""


def test_another_fit_forgets_the_bound():
    X, y, _ = on_a_sphere(np.random.default_rng(3), 200, 3)
    clf = MaxMarginCV(Cs=[0.1, 1.0]).fit(X, y)
    clf.risk_certificate(X, y)
    assert not hasattr(clf.fit(X[:150], y[:150]), "risk_")
    run = Perceptron(random_state=0, max_iter=10**5).fit(X, y)
    run.risk_certificate(X, y)
    assert not hasattr(run.partial_fit(X[:5], y[:5]), "risk_")


def test_where_the_search_began_does_not_matter():
    """The optimum is that of the examples, however it was found."""
    X, y = load_digits(n_class=2, return_X_y=True)
    clf = MaxMargin().fit(X, y)
    first = clf.risk_certificate(X, y)
    start = Perceptron(random_state=0).fit(X, y)
    again = MaxMargin(warm_start=True).fit(X, y, start=start).fit(X, y)
    assert again.risk_certificate(X, y).bound == first.bound


def test_a_grid_that_was_fixed_beforehand_shares_the_confidence(tmp_path):
    X, y = load_digits(n_class=2, return_X_y=True)
    X = X / 16.0
    clf = MaxMarginCV(Cs=[0.1, 1.0, 10.0], tol=1e-9, cv=3).fit(X, y)
    risk = clf.risk_certificate(X, y)
    assert risk.chosen_from == 3
    expected = compression_bound(len(y), risk.size, 0.05 / 3)
    assert risk.bound == pytest.approx(float(expected), rel=1e-9)
    assert "3 settings" in str(risk)
    clf.risk_ = clf.final_model().fit(X, y).risk_certificate(X, y)
    with pytest.raises(CertificateError, match="pay for the choice"):
        novikoff.verify(clf, X, y)
    clf.risk_ = risk
    # The model that is stored knows it too.
    path = tmp_path / "model.json"
    novikoff.save(clf, path)
    loaded = novikoff.load(path)
    assert loaded.risk_.bound == risk.bound
    assert loaded.risk_certificate(X, y).bound == risk.bound
    assert novikoff.verify(path, X, y).errors is not None
    forge(path, chosen_from=1)
    with pytest.raises(CertificateError, match="pay for the choice"):
        novikoff.verify(path, X, y)
    assert loaded.fit(X, y).risk_certificate(X, y).bound < risk.bound
    novikoff.save(MaxMarginCV(Cs=3, cv=3).fit(X, y), path)
    with pytest.raises(NoRiskError, match="cross-validation"):
        novikoff.load(path).risk_certificate(X, y)


def test_what_a_grid_pays_for_is_that_of_the_fit():
    X, y = load_digits(n_class=2, return_X_y=True)
    X = X / 16.0
    clf = MaxMarginCV(Cs=[0.1, 1.0, 10.0], tol=1e-9, cv=3).fit(X, y)
    clf.risk_certificate(X, y)
    assert novikoff.verify(clf, X, y).errors == 0
    clf.risk_ = optimum_risk(clf.certificate_, X, y, confidence=0.95, method="compression")
    with pytest.raises(CertificateError, match="pay for the choice"):
        novikoff.verify(clf, X, y)
    assert not hasattr(clf.fit(X[:200], y[:200]), "risk_")
    clf = MaxMarginCV(Cs=2, tol=1e-9, cv=3).fit(X, y).set_params(Cs=[1.0])
    with pytest.raises(NoRiskError, match="placed by looking"):
        clf.risk_certificate(X, y)
    clf = MaxMarginCV(Cs=[1.0], tol=1e-9, cv=3, class_weight="balanced").fit(X, y)
    with pytest.raises(NoRiskError, match="class_weight has changed"):
        clf.set_params(class_weight=None).risk_certificate(X, y)


def test_the_settings_that_a_model_was_chosen_from():
    X, y = load_digits(n_class=2, return_X_y=True)
    clf = MaxMargin().fit(X, y)
    alone, chosen = (clf.risk_certificate(X, y, chosen_from=q) for q in (1, 5))
    assert chosen.bound == pytest.approx(float(compression_bound(len(y), alone.size, 0.01)))
    for wrong in (0, -1, 1.5, True, 10**400):
        with pytest.raises(ValueError, match="chosen_from"):
            clf.risk_certificate(X, y, chosen_from=wrong)
    for wrong in ("0.9", None, [0.9], np.nan):
        with pytest.raises(ValueError, match="confidence"):
            clf.risk_certificate(X, y, confidence=wrong)


def test_a_model_is_stored_with_its_risk(tmp_path):
    X, y = load_digits(n_class=2, return_X_y=True)
    clf = MaxMargin().fit(X, y)
    risk = clf.risk_certificate(X, y)
    path = tmp_path / "model.json"
    novikoff.save(clf, path)
    assert novikoff.load(path).risk_.to_dict() == risk.to_dict()
    assert novikoff.verify(path, X, y).errors == 0
    assert not hasattr(clf.fit(X, y), "risk_")

    document = json.loads(path.read_text())
    document["risk"]["support"] = document["risk"]["support"][1:]
    bound = float(compression_bound(len(y), risk.size - 1))
    document["risk"]["bound"] = bound * (1 + 1e-9)
    path.write_text(json.dumps(document))
    with pytest.raises(CertificateError, match="carries the model too"):
        novikoff.verify(path, X, y)
    document["risk"]["bound"] = bound * (1 - 1e-6)
    path.write_text(json.dumps(document))
    with pytest.raises(novikoff.ModelError, match="do not prove"):
        novikoff.load(path)


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(rule="classic", random_state=0),
        Perceptron(schedule="compress", random_state=0),
        Perceptron(rule="min-over", random_state=0),
        Perceptron(rule="classic", random_state=np.random.RandomState(0)),
        Perceptron(rule="classic", shuffle=False, C=10.0),
    ],
)
def test_the_bound_of_a_run_is_stored_and_checked(model, tmp_path):
    X, y = load_digits(n_class=2, return_X_y=True)
    risk = model.fit(X, y).risk_certificate(X, y)
    assert novikoff.verify(model, X, y).errors == 0
    if isinstance(model.random_state, np.random.RandomState):
        model.random_state = None
    path = tmp_path / "model.json"
    novikoff.save(model, path)
    loaded = novikoff.load(path)
    assert loaded.risk_.to_dict() == risk.to_dict()
    assert novikoff.verify(path, X, y).errors == 0
    assert novikoff.verify(loaded, X, y).errors == 0
    with pytest.raises(NoRiskError, match="loaded"):
        loaded.risk_certificate(X, y)


def forge(path, **changes):
    """Edit the bound of a stored model, and make the number the one that the edited set proves."""
    document = json.loads(path.read_text())
    values = document["risk"]
    values |= changes
    bound = compression_bound(values["n_examples"], len(values["support"]) + values["extra"])
    values["bound"] = min(1.0, float(bound) * (1 + 1e-9))
    path.write_text(json.dumps(document))


def test_forged_bounds_of_a_run(tmp_path):
    X, y = load_digits(n_class=2, return_X_y=True)
    clf = Perceptron(random_state=0).fit(X, y)
    risk = clf.risk_certificate(X, y)
    path = tmp_path / "model.json"

    def refused(match, model=clf, **changes):
        novikoff.save(model, path)
        forge(path, **changes)
        with pytest.raises(CertificateError, match=match):
            novikoff.verify(path, X, y)

    support = risk.support.tolist()
    refused("gives another one", support=support[1:])
    refused("gives another one", support=support[:1])
    refused("gives another one", support=support[::-1])
    refused("counted|do not prove", n_examples=2 * len(y))
    refused("not proved on new data", margin=2.0 * risk.margin)
    refused("gap|tol|counted", scheme="optimum")
    novikoff.save(clf, path)
    document = json.loads(path.read_text())
    document["parameters"]["class_weight"] = "balanced"
    path.write_text(json.dumps(document))
    with pytest.raises(CertificateError, match="balanced"):
        novikoff.verify(path, X, y)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("parameters", "random_state", 10**30),
        ("fitted", "centre", None),
        ("fitted", "chosen_from", "1"),
        ("fitted", "chosen_from", [1]),
        ("fitted", "chosen_from", -1),
    ],
)
def test_a_damaged_run_is_refused_in_one_line(part, name, value, tmp_path):
    X, y, _ = on_a_sphere(np.random.default_rng(0), 60, 2)
    clf = Perceptron(min_margin=0.0, random_state=0).fit(X, y)
    clf.risk_certificate(X, y)
    path = tmp_path / "model.json"
    novikoff.save(clf, path)
    document = json.loads(path.read_text())
    document[part][name] = value
    if value is None:
        del document[part][name]
    path.write_text(json.dumps(document))
    with pytest.raises(CertificateError) as error:
        novikoff.verify(path, X, y)
    assert "\n" not in str(error.value)


def test_a_bound_of_another_order(tmp_path):
    """Where the order of visits can be drawn again, the whole run is repeated."""
    X, y = load_digits(n_class=2, return_X_y=True)
    clf = Perceptron(rule="classic", random_state=0).fit(X, y)
    clf.risk_certificate(X, y)
    path = tmp_path / "model.json"
    novikoff.save(clf, path)
    document = json.loads(path.read_text())
    document["parameters"]["random_state"] = 1
    path.write_text(json.dumps(document))
    with pytest.raises(CertificateError, match="a run on all examples"):
        novikoff.verify(path, X, y)


def test_kernels():
    X, y = load_digits(n_class=2, return_X_y=True)
    X = X / 16.0
    hard = MaxMargin(kernel="rbf", gamma=0.05, tol=1e-9).fit(X, y)
    risk = hard.risk_certificate(X, y)
    scores = np.abs(hard.decision_function(X))
    assert risk.size == np.count_nonzero(scores < scores.min() * (1 + 1e-4)) + 1
    assert risk.bound < 0.3
    soft = MaxMargin(C=1.0, kernel="poly", gamma=0.05, coef0=1.0, tol=1e-9).fit(X, y)
    risk = soft.risk_certificate(X, y)
    within = (2 * y - 1) * soft.decision_function(X) <= 1.0
    assert np.count_nonzero(within) < risk.size < np.count_nonzero(within) + 5
    assert novikoff.verify(soft, X, y).errors == 0
    products = X @ X.T
    given = MaxMargin(C=1.0, kernel="precomputed").fit(products, y)
    with pytest.raises(NoRiskError, match="precomputed"):
        given.risk_certificate(products, y)
