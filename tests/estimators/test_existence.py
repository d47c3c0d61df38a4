"""``novikoff.separation``: the data that it takes, and how the verdict moves with them."""

import numpy as np
import pytest
from scipy import sparse

import novikoff
from novikoff import separation
from novikoff.certificate import CertificateError, Undecided
from novikoff.certificate.exact import modular
from tests.facial.problems import problem


def test_counts_are_the_examples_that_they_count():
    X = np.array([[0.0], [1.0], [2.0]])
    counts = np.array([[0, 5], [3, 2], [4, 0]])
    verdict = separation(X, counts)
    assert verdict.kind == "quasi-complete"
    # The successes come first.
    assert verdict.separated.tolist() == [False, True, True, False]
    verdict.with_columns().verify(X, counts)
    long_X, labels = np.array([[1.0], [2.0], [0.0], [1.0]]), [1, 1, 0, 0]
    assert separation(long_X, labels).verify(X, counts)
    with pytest.raises(ValueError, match="not negative"):
        separation(X, -counts)


def test_examples_of_weight_zero_take_no_part():
    X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), [0, 0, 1, 1]
    weights = [1.0, 0.0, 2.0, 3.0]
    verdict = separation(X, y, sample_weight=weights)
    assert verdict.kind == "complete"
    assert verdict.separated.tolist() == [True, False, True, True]
    verdict.with_columns().verify(X, y, sample_weight=weights)
    with pytest.raises(CertificateError):
        verdict.verify(X, y, sample_weight=[1.0, 1.0, 2.0, 3.0], check_fingerprint=False)


def test_several_classes_are_one_problem():
    # Each pair of classes overlaps only in part; all three at once are decided.
    X = np.array([[0.0], [1.0], [1.0], [2.0], [2.0], [3.0]])
    y = ["a", "a", "b", "b", "c", "c"]
    verdict = separation(X, y)
    assert verdict.kind == "quasi-complete"
    assert verdict.separated.shape == (6, 3)
    assert not verdict.separated[np.arange(6), [0, 0, 1, 1, 2, 2]].any()
    assert verdict.direction.shape == (2, 2)
    assert list(verdict.columns) == ["b: (Intercept)", "b: x0", "c: (Intercept)", "c: x0"]
    verdict.verify(X, y)
    assert "at once" in str(verdict)
    assert novikoff.Certificate.from_json(verdict.to_json()) == verdict


def test_a_class_between_two_others_overlaps_nothing_and_is_not_missed():
    # 'b' against 'a' is complete, 'c' against 'a' overlaps: pairs against a baseline do not decide.
    X = np.array([[0.0], [1.0], [5.0], [6.0], [0.0], [1.0]])
    y = ["a", "a", "b", "b", "c", "c"]
    assert separation(X, y).kind == "quasi-complete"
    assert separation(X[:4], y[:4]).kind == "complete"


def test_sparse_and_other_types_are_the_same_numbers():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 3)), rng.integers(0, 2, 40)
    first = separation(X, y)
    for other in (X.astype(np.float32), sparse.csr_array(X.astype(float)), X.tolist()):
        again = separation(other, y)
        assert again.kind == first.kind and again.direction.tolist() == first.direction.tolist()
        first.verify(other, y)


def test_names_come_from_the_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"NV": [0, 0, 1, 1], "PI": [1.5, 2.5, 1.0, 3.0]})
    verdict = separation(frame, pandas.Series([0, 1, 1, 1], name="HG"))
    assert list(verdict.columns) == ["(Intercept)", "NV", "PI"]
    counted = separation(frame, np.array([[1, 1], [1, 0], [2, 0], [0, 1]]))
    assert list(counted.columns) == ["(Intercept)", "NV", "PI"]
    twice = verdict.named(feature_names=("NV", "NV"))
    assert list(twice.columns) == ["(Intercept)", "NV [0]", "NV [1]"]


def test_a_time_limit_ends_it():
    rng = np.random.default_rng(0)
    with pytest.raises(Undecided, match="time limit"):
        separation(rng.standard_normal((50, 2)), np.arange(50) % 2, time_limit=1e-9)


def test_explain_finds_the_intercept_in_the_model_matrix():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), [0, 1, 1, 1]
    with_ones = separation.explain(np.c_[np.ones(4), X], y)
    without = separation.explain(X, y)
    for text in (with_ones, without):
        assert "is +infinity: all 2 examples with" in text
        assert "Firth" in text
    assert "Firth" not in separation.explain(X, [0, 1, 0, 1])


def test_explain_adds_no_intercept_to_indicators_of_all_levels():
    groups = np.repeat(np.arange(3), 4)
    y = np.array([0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 0])
    every = (groups[:, None] == np.arange(3)).astype(float)
    for columns in (every, sparse.csr_array(every)):
        text = separation.explain(columns, y)
        assert "The estimate of x1 is +infinity: all 4 examples with x1 = 1" in text
        assert "Finite: x0 and x2." in text and "Intercept" not in text
    assert "(Intercept)" in separation.explain(every[:, :2], y)
    assert "(Intercept)" not in separation.explain(every[:, :2], y, fit_intercept=False)


def test_a_time_limit_ends_it_before_a_step_that_would_outlast_it(monkeypatch):
    """Elimination cannot be interrupted, so it is not begun."""
    begun = []
    monkeypatch.setattr(modular, "_SECONDS", 1.0)
    monkeypatch.setattr(modular, "nmod_mat", lambda *_: begun.append(True))
    rng = np.random.default_rng(0)
    with pytest.raises(Undecided, match="time limit"):
        separation(rng.standard_normal((60, 4)), np.arange(60) % 2, time_limit=30.0)
    assert not begun


def test_columns_have_a_time_limit():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3))
    verdict = separation(X, (X[:, 0] > 0).astype(int))
    with pytest.raises(Undecided, match="time limit"):
        verdict.with_columns(time_limit=0.0)
    assert verdict.columns["x0"] == "+inf"
    with pytest.raises(Undecided, match="time limit"):
        separation.explain(X, X[:, 0] > 0, time_limit=0.0)


def test_values_that_are_not_finite_are_refused():
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match="Input X contains"):
            separation([[0.0], [value], [1.0]], [0, 0, 1])


def test_rows_of_weight_zero_do_not_count_in_is_separable_either():
    X, y, weights = [[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], [1.0, 0.0, 2.0, 3.0]
    proof = novikoff.is_separable(X, y, sample_weight=weights)
    assert proof and not novikoff.is_separable(X, y)
    proof.verify(X, y, sample_weight=weights)


@pytest.mark.parametrize("moved", [False, True])
def test_equivariance(moved):
    rng = np.random.default_rng(11 + moved)
    for _ in range(25):
        X, y = problem(rng, moved=moved)
        verdict = separation(X, y)
        d = X.shape[1]
        order = rng.permutation(len(y))
        permuted = separation(X[order], y[order])
        assert permuted.separated.tolist() == verdict.separated[order].tolist()
        assert permuted.columns == verdict.columns
        scaled = separation(X * 2.0 ** rng.integers(-20, 20, d), y)
        assert scaled.separated.tolist() == verdict.separated.tolist()
        assert scaled.columns == verdict.columns
        swapped = separation(X, 1 - y)
        assert swapped.separated.tolist() == verdict.separated.tolist()
        turn = {"+inf": "-inf", "-inf": "+inf"}
        assert list(swapped.columns.values()) == [turn.get(a, a) for a in verdict.columns.values()]
        if not moved:
            # Of determinant 1, and with an intercept a translation.
            shear = np.eye(d) + np.triu(rng.integers(-2, 3, (d, d)), 1)
            sheared = separation(X @ shear + rng.integers(-5, 6, d), y)
            assert sheared.separated.tolist() == verdict.separated.tolist()


def test_near_a_tie_the_verdict_is_exact():
    X = np.array([[0.0], [1.0], [1.0], [2.0]])
    y = [0, 0, 1, 1]
    for step in (1e-6, 1e-12, 2.0**-52):
        moved = np.array([[0.0], [step], [0.0], [0.0]])
        assert separation(X + moved, y).kind == "overlap"
        assert separation(X - moved, y).kind == "complete"


@pytest.mark.parametrize("scale", [2.0**-1040, 2.0**-530, 2.0**530, 2.0**1020])
def test_extreme_scales_are_decided_exactly(scale):
    rng = np.random.default_rng(4)
    for _ in range(5):
        X, y = problem(rng)
        scaled = X * np.r_[np.ones(X.shape[1] - 1), scale]
        verdict = separation(scaled, y).with_columns()
        verdict.verify(scaled, y)
        plain = separation(np.sign(scaled) * np.abs(X), y)
        assert verdict.separated.tolist() == plain.separated.tolist()


def test_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("novikoff.estimators.existence.MOST_VALUES", 7)
    with pytest.raises(ValueError, match="leave out"):
        separation([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1])
