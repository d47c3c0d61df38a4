"""The rules as values: names, parameters, bounds as numbers, and the pseudo-code behind them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from novikoff import rules
from novikoff.compiled.step import SHRINK, THRESHOLD, UPDATES, Specification
from novikoff.rules.base import State
from novikoff.rules.inversion import first_below
from novikoff.run.plain import PlainRun
from novikoff.sample import Sample, storage_of
from tests.estimators.problems import ALL_RULES, ONLINE_RULES, UNIT_STEP_RULES

SEEDS = st.integers(0, 2**32 - 1)


def compared(run, sample, visits):
    """Visit by visit: threshold, decision and step of the compiled loop are those of the paper."""
    specification = run.rule.specification(sample.lifted_radius)
    memory = sample.memory(specification)
    whole = (run.X == np.rint(run.X)).all()
    for i in visits:
        # ALMA's compiled vector is kept without the factor that brings it into the ball.
        unit, threshold = memory.state[SHRINK], run.rule.threshold(run.state)
        assert memory.state[THRESHOLD] * unit == pytest.approx(threshold, rel=1e-7, abs=1e-9)
        margin = run.margin(i)
        if abs(margin - threshold) < 1e-9 and run.state.t > 0 and not whole:
            return  # Rounding decides it, one way here and the other way there.
        sample.sweep(np.array([i]), specification, memory)
        if margin <= threshold:
            run.update(i)
        assert memory.state[UPDATES] == run.state.t
        scale = memory.state[SHRINK]
        np.testing.assert_allclose(memory.w * scale, run.w, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(memory.weights * scale, run.weights, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("name", ONLINE_RULES)
@settings(max_examples=10)
@given(n=st.integers(1, 25), d=st.integers(1, 5), seed=SEEDS, noisy=st.booleans())
def test_visit_by_visit(name, n, d, seed, noisy):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * rng.uniform(0.05, 1.0, size=(n, 1))
    X /= max(1.0, np.linalg.norm(X, axis=1).max())
    signs = rng.choice([-1, 1], size=n) if noisy else np.where(X[:, 0] > 0, 1, -1)
    sample = Sample.of(storage_of(X), signs, affine=False)
    run = PlainRun(X, signs, ONLINE_RULES[name], affine=False)
    compared(run, sample, rng.integers(n, size=60))


@pytest.mark.parametrize(
    "rule",
    [
        rules.Classic(),
        rules.Margin(beta=4.0, unit="absolute"),
        rules.ScaleFree(),
        rules.ScaleFree(c=2.0),
        rules.ScaleFree(printed=True),
    ],
)
@settings(max_examples=20)
@given(n=st.integers(1, 8), d=st.integers(1, 3), seed=SEEDS)
def test_ties_are_violations(rule, n, d, seed):
    """Whole numbers, for which z.w equals the threshold often: non-strictly below is violated."""
    rng = np.random.default_rng(seed)
    Z = rng.integers(-2, 3, size=(n, d)).astype(float)
    Z[0, 0] = 2.0
    sample = Sample.of(storage_of(Z), np.ones(n), affine=False)
    compared(PlainRun(Z, np.ones(n), rule, affine=False), sample, rng.integers(n, size=40))


# Formulas at one state, computed by hand -------------------------------------------------------

STATE = State(radius2=9.0, t=4, total=5.0, norm2=10.0, rho2=6.0, last2=2.0, beta=7.0, sum2=14.0)


@pytest.mark.parametrize(
    ("rule", "threshold"),
    [
        (rules.Classic(), 0.0),
        (rules.Margin(beta=0.5), 4.5),
        (rules.Margin(beta=0.5, unit="absolute"), 0.5),
        (rules.ScaleFree(c=0.5), 3.0),
        (rules.MeanNorm(c=0.5), 1.75),
        (rules.Infinity(alpha=1.5), (5**1.5 - 8.0 - 1.0) / 2),
        (rules.ScaleFreeInfinity(alpha=1.5), 3.0 * (5**1.5 - 9.0)),
        (rules.Dynamic(accuracy=0.25), 0.75 * 10.0 / 5.0),
        (rules.PassiveAggressive(tolerance=0.25), 0.75),
        (rules.Alma(a=0.5), 0.5 * math.sqrt(8) / 0.5 * 3.0 / math.sqrt(5)),
        (rules.MinOver(), math.inf),
        (rules.ScaleFree(printed=True), 7.0),
    ],
)
def test_thresholds(rule, threshold):
    assert rule.threshold(STATE) == pytest.approx(threshold)


def test_algorithm_3_as_printed():
    """beta becomes 4 |x|^2 whenever it is below |x|^2."""
    rule = rules.ScaleFree(printed=True)
    assert rule.threshold(State(radius2=1.0)) == 0.0
    assert rule.threshold(replace(STATE, beta=1.9)) == 8.0
    assert rule.threshold(replace(STATE, beta=2.0)) == 2.0


def test_nothing_is_known_before_the_first_update():
    for name, rule in ALL_RULES.items():
        free = "margin" not in name and "aggressive" not in name and name[:2] not in ("pa", "al")
        first = rule.threshold(State(radius2=0.25))
        assert (first == 0.0) == (free and name != "min-over"), name


@pytest.mark.parametrize(
    ("rule", "step"),
    [
        (rules.Classic(), 1.0),
        (rules.MinOver(), 1.0),
        (rules.PassiveAggressive(), 0.75),
        (rules.PassiveAggressive(C=0.25), 0.25),
        (rules.PassiveAggressive(C=0.25, variant=2), 1.5 / 4.0),
        (rules.PassiveAggressive(variant=2), 0.75),
        (rules.Alma(a=0.5), math.sqrt(2) / (3.0 * math.sqrt(5))),
    ],
)
def test_steps(rule, step):
    assert rule.step(STATE, -0.5, 2.0) == pytest.approx(step)


def test_an_example_at_the_origin_can_be_stepped_on():
    for variant in (1, 2):
        assert rules.PassiveAggressive(variant=variant).step(STATE, 0.0, 0.0) == 1.0


def test_a_state_follows_its_updates():
    z = np.array([[3.0, 4.0], [-1.0, 2.0], [0.5, 0.0]])
    w, state = np.zeros(2), State(radius2=25.0)
    for k, (i, tau) in enumerate([(0, 1.0), (1, 2.0), (2, 0.5)], start=1):
        state.advance(0.1 * k, tau, float(z[i] @ w), float(z[i] @ z[i]))
        w += tau * z[i]
        assert (state.t, state.beta) == (k, 0.1 * k)
        assert state.norm2 == pytest.approx(w @ w)
        assert state.last2 == z[i] @ z[i]
    assert (state.total, state.rho2) == (3.5, 25.0)
    state.scale(0.5)
    assert (state.t, state.total, state.rho2) == (3, 1.75, 25.0)
    assert state.norm2 == pytest.approx((w @ w) / 4)


@pytest.mark.parametrize("name", ALL_RULES)
def test_steps_are_units_where_they_should_be(name):
    assert ALL_RULES[name].unit_steps == (name in UNIT_STEP_RULES)


@pytest.mark.parametrize("name", ALL_RULES)
def test_rules_are_values(name):
    rule = ALL_RULES[name]
    twin = clone(rule)
    assert type(twin) is type(rule)
    assert twin is not rule
    assert twin.get_params() == rule.get_params()
    assert eval(repr(rule), {**vars(rules), "inf": math.inf}).get_params() == rule.get_params()
    assert isinstance(rule.specification(1.0), Specification)
    assert rule.specification(1.0) == twin.specification(1.0)
    hash(rule.specification(1.0))


def test_names():
    names = {
        "classic": rules.Classic,
        "margin": rules.Margin,
        "mean-norm": rules.MeanNorm,
        "scale-free": rules.ScaleFree,
        "infinity": rules.Infinity,
        "scale-free-infinity": rules.ScaleFreeInfinity,
        "dynamic": rules.Dynamic,
        "passive-aggressive": rules.PassiveAggressive,
        "alma": rules.Alma,
        "min-over": rules.MinOver,
    }
    for name, kind in names.items():
        assert type(rules.named(name)) is kind
        assert rules.named(name).get_params() == kind().get_params()
    rule = rules.Margin(beta=3.0)
    assert rules.named(rule) is rule
    for wrong in ("Classic", "", 3, None, rules.Classic, [], b"classic"):
        with pytest.raises(ValueError, match=r"is not a rule; choose one of classic, margin"):
            rules.named(wrong)


# Bounds as numbers -----------------------------------------------------------------------------

R, EPS = 3.0, 0.25
RATIO2 = (R / EPS) ** 2


@pytest.mark.parametrize(
    ("rule", "updates", "margin"),
    [
        (rules.Classic(), RATIO2, None),
        (rules.Margin(beta=2.0), 5 * RATIO2, 2 * EPS / 5),
        (rules.Margin(beta=0.0), RATIO2, 0.0),
        (rules.Margin(beta=4.0, unit="absolute"), (8 + 9) / EPS**2, 4 * EPS / 17),
        (rules.ScaleFree(), 3 * RATIO2, EPS / 3),
        (rules.ScaleFree(c=4.0), 9 * RATIO2, 4 * EPS / 9),
        (rules.ScaleFree(printed=True), 9 * RATIO2, EPS / 3),
        (rules.Infinity(), None, None),
        (
            rules.ScaleFreeInfinity(alpha=1.5),
            (R / EPS) ** 4,
            0.5 * math.sqrt(0.5) * EPS,
        ),
        (rules.PassiveAggressive(tolerance=0.2), RATIO2 / 0.04, 0.4 * EPS),
        (rules.PassiveAggressive(C=1.0), None, None),
        (rules.PassiveAggressive(C=1.0, variant=2), None, None),
        (rules.Alma(), None, None),
    ],
)
def test_bounds_are_those_of_the_theorems(rule, updates, margin):
    assert rule.update_bound(R, EPS) == (None if updates is None else pytest.approx(updates))
    assert rule.margin_bound(R, EPS) == (None if margin is None else pytest.approx(margin))


def test_bounds_of_the_infinity_perceptron():
    """Theorem 2.3 holds for R <= 1 only, and there the combined rule promises more with R."""
    rule = rules.Infinity(alpha=1.5)
    assert rule.update_bound(1.0, 0.25) == pytest.approx(4.0**4)
    assert rule.margin_bound(1.0, 0.25) == pytest.approx(0.75 * 0.25 - 0.25**3 / 2)
    assert rule.update_bound(1.1, 0.25) is None
    combined = rules.ScaleFreeInfinity(alpha=1.5)
    assert combined.update_bound(1.0, 0.25) == pytest.approx(rule.update_bound(1.0, 0.25))
    at_exit = combined.margin_bound_at_exit(rho=1.0, eps=0.25)
    assert at_exit == pytest.approx(rule.margin_bound(1.0, 0.25))


@given(alpha=st.floats(1.05, 1.95), eps=st.floats(0.01, 1.0), stretch=st.floats(1.0, 100.0))
def test_the_combined_margin_holds_for_every_radius_at_exit(alpha, eps, stretch):
    """Whatever rho the run ends with, some e <= eps makes its bound at least the one promised."""
    rule = rules.ScaleFreeInfinity(alpha=alpha)
    rho = eps * stretch
    best = max(rule.margin_bound_at_exit(rho, e) for e in eps * np.linspace(0.001, 1.0, 2000))
    promised = rule.margin_bound(rho, eps)
    assert 0.0 < promised <= best * (1 + 1e-5)
    assert promised <= eps


@pytest.mark.parametrize("name", ALL_RULES)
@pytest.mark.parametrize(
    ("radius", "eps"), [(1.0, 0.0), (1.0, -0.1), (1.0, math.nan), (math.inf, 0.1), (0.1, 0.2)]
)
def test_bounds_of_nothing_are_refused(name, radius, eps):
    for bound in (ALL_RULES[name].update_bound, ALL_RULES[name].margin_bound):
        with pytest.raises(ValueError, match="must satisfy 0 < eps <= R"):
            bound(radius, eps)


@given(accuracy=st.floats(0.01, 0.99), share=st.floats(0.05, 1.0))
def test_the_bound_of_dynamic_is_that_of_its_recurrence(accuracy, share):
    """|w_{t+1}|^2 <= (1 + 2 (1 - accuracy) / t) |w_t|^2 + R^2, until t eps <= |w_t| fails."""
    bound = rules.Dynamic(accuracy=accuracy).update_bound(1.0, share)
    norm2, t = 1.0, 1
    while t < 100_000 and norm2 >= (t * share) ** 2:
        norm2 = (1 + 2 * (1 - accuracy) / t) * norm2 + 1.0
        t += 1
    # At t updates the inequality fails, so a run has fewer; the bound may be a little generous.
    if t < 100_000:
        assert t - 1 <= bound <= 1.1 * t + 2
    assert rules.Dynamic(accuracy=accuracy).margin_bound(1.0, share) == (1 - accuracy) * share


@given(accuracy=st.floats(0.05, 0.9), share=st.floats(0.05, 1.0))
def test_the_bound_of_min_over_is_that_of_its_inequalities(accuracy, share):
    """From the update count of the bound on, the two bounds have met to within the accuracy."""
    rule = rules.MinOver(accuracy=accuracy)
    bound = rule.update_bound(1.0, share)
    assert math.isfinite(bound)
    for t in (bound + 1, 2 * bound + 2):
        harmonic = sum(1 / s for s in range(1, int(t) + 1)) if t < 1e5 else 0.5772157 + math.log(t)
        upper = share + (1 - share**2) * harmonic / (2 * share * t)
        lower = (t * share - 1 - harmonic / (2 * share)) / (t - 1)
        assert lower >= (1 - accuracy) * upper - 1e-9
    assert rule.margin_bound(1.0, share) == (1 - accuracy) * share


@given(
    name=st.sampled_from(sorted(ALL_RULES)),
    eps=st.floats(0.02, 0.5),
    factor=st.floats(1.0, 2.0),
)
def test_bounds_are_monotone(name, eps, factor):
    """More margin, fewer updates and more margin at exit; a larger radius, more updates."""
    rule = ALL_RULES[name]
    updates, margin = rule.update_bound(1.0, eps), rule.margin_bound(1.0, eps)
    if updates is not None:
        assert rule.update_bound(1.0, eps * factor) <= updates * (1 + 1e-9)
        larger = rule.update_bound(factor, eps)
        assert larger is None or larger >= updates * (1 - 1e-9)
        assert updates >= 1.0
    if margin is not None and name not in ("infinity", "scale-free-infinity"):
        assert rule.margin_bound(1.0, eps * factor) >= margin
        assert margin <= eps


@given(level=st.floats(1e-6, 0.9), power=st.floats(0.3, 3.0))
def test_first_below(level, power):
    bound = first_below(lambda t: t**-power, level)
    assert bound**-power < level
    exact = level ** (-1 / power)
    assert exact <= bound <= exact + max(2.0, 1e-9 * exact)


def test_first_below_nothing():
    assert first_below(lambda t: 1.0, 0.5) == math.inf
    assert first_below(lambda t: 0.0, 0.5) == 1.0


@pytest.mark.parametrize("alpha", [1.01, 1.3, 1.5, 1.99])
def test_the_growth_of_infinity_has_no_cancellation(alpha):
    """b_t = ((t + 1)^alpha - t^alpha - 1) / 2 in 50 digits, up to a billion updates."""
    mpmath = pytest.importorskip("mpmath")
    from novikoff.compiled.step import increment

    with mpmath.workdps(50):
        for t in (0, 1, 2, 3, 10, 1000, 10**6, 10**9):
            a = mpmath.mpf(alpha)
            exact = ((t + mpmath.mpf(1)) ** a - mpmath.mpf(t) ** a - 1) / 2
            assert increment(float(t), alpha) == pytest.approx(float(exact), rel=1e-9, abs=1e-15)
