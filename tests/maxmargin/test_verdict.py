"""Soft margins of growing C: separators found on the way, and proofs from slacks."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import sparse

from novikoff import MaxMargin, is_separable
from novikoff.certificate import Certifier, NonSeparation, Separation, Status
from novikoff.maxmargin import SOME_MARGIN, soft_margin, verdict
from novikoff.maxmargin.choose import hard
from novikoff.maxmargin.choose.hand_over import start_wolfe
from novikoff.maxmargin.choose.hard import hard_margin
from novikoff.maxmargin.choose.settings import ChooseSettings
from novikoff.maxmargin.cores import CoreSettings, cores
from novikoff.maxmargin.verdict import Probe
from novikoff.run.slack_proof import refute_by_slacks
from tests.maxmargin.problems import clock_of, noisy, planted, problem_of, text_like
from tests.run.test_slack_proof import ROUNDED


def probe_of(X, y, clock=None, proved=True):
    asked = []

    def by_slacks(w, intercept, **how):
        asked.append((w, intercept))
        return proved

    return Probe(problem_of(X, y), clock or clock_of(), soft_margin, by_slacks), asked


def test_a_separator_is_found_on_the_way():
    X, y = planted(0, 2000, 20)
    probe, asked = probe_of(X, y)
    found = probe.first() or probe.others()
    assert found.status is Status.SEPARATED and not asked
    margins = y * ((X - probe.problem.sample.centre) @ found.w + found.offset)
    assert margins.min() == pytest.approx(1.0)
    assert found.lower == pytest.approx(1.0 / np.linalg.norm(found.w))


def test_slacks_are_tried_where_mistakes_remain():
    X, y = noisy(0, 2000, 20)
    probe, asked = probe_of(X, y)
    assert probe.first() is None and probe.mistakes > 20 and not asked
    found = probe.others()
    assert found.status is Status.NOT_SEPARABLE and found.upper == 0.0
    assert found.solver.endswith("+slacks") and len(asked) == 1
    certifier = Certifier.of(X, y, positive=1, affine=True)
    assert refute_by_slacks(certifier, *asked[0]) is not None


def test_sparse_data_are_refuted_from_a_rough_soft_margin():
    X, y = noisy(0, 2000, 20)
    X = sparse.csr_array(np.where(np.abs(X) > 1.0, np.rint(4.0 * X), 0.0))
    certifier = Certifier.of(X, y, positive=1, affine=True)

    def by_slacks(w, intercept, **how):
        assert how == {"rough": True}
        return refute_by_slacks(certifier, w, intercept, **how) is not None

    # A proof takes no passes: that none is left does not matter.
    for clock in (clock_of(), clock_of(max_iter=1)):
        probe = Probe(problem_of(X, y), clock, soft_margin, by_slacks)
        assert probe.first() is None
        assert probe.others().status is Status.NOT_SEPARABLE
        assert probe.levels == [10.0, 1e3, 1e5]


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_an_example_at_the_origin_is_a_proof(store):
    X, y = planted(0, 300, 20)
    X[[7, 9]] = 0.0
    weights = np.ones(300)
    weights[7] = 0.0
    found = is_separable(store(X), y, sample_weight=weights, fit_intercept=False)
    assert found.support.tolist() == [9]
    assert found.verify(store(X), y, sample_weight=weights).upper == 0.0
    weights[9] = 0.0
    assert is_separable(store(X), y, sample_weight=weights, fit_intercept=False)


def test_no_proof_is_no_verdict():
    X, y = noisy(0, 500, 5)
    probe, asked = probe_of(X, y, proved=False)
    assert probe.first() is None and probe.others() is None
    assert len(asked) == len(probe.settings.levels) - 1


def test_history_has_no_bounds_of_soft_margins():
    clock = clock_of()
    probe, _ = probe_of(*noisy(0, 500, 5), clock=clock, proved=False)
    probe.first()
    assert clock.history
    assert all(line.lower == -np.inf and line.upper == np.inf for line in clock.history)
    assert clock.interrupted() is None


def test_a_limit_ends_the_soft_margins():
    X, y = noisy(0, 2000, 20)
    for most in range(1, 12):
        clock = clock_of(most)
        probe, _ = probe_of(X, y, clock=clock, proved=False)
        assert probe.first() is None
        if clock.stop() is None:
            assert probe.others() is None
        # Two passes for the bounds, and one that looks for a separator.
        assert clock.passes <= most + 3


def test_a_separator_is_not_lost_at_a_limit():
    X, y = planted(0, 2000, 20, margin=0.3)
    for most in range(4, 12):
        probe, _ = probe_of(X, y, clock=clock_of(most), proved=False)
        decided = probe.first()
        assert decided is not None and decided.status is Status.SEPARATED


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("tol", [SOME_MARGIN, 1e-3])
@pytest.mark.parametrize("separable", [True, False])
def test_wolfe_and_soft_margins_take_turns(store, tol, separable):
    """Whatever Wolfe's method may cost before, the verdict is the same."""
    X, y = planted(0, 800, 30) if separable else noisy(0, 800, 30)
    for budget in (0.0, 1e5, 1e12):
        found = hard_margin(
            problem_of(store(X), y),
            tol=tol,
            clock=clock_of(),
            # The examples are not separable: whatever vanishes nearly does so exactly.
            confirm=lambda support: not separable,
            by_slacks=lambda w, b, **how: not separable,
            settings=ChooseSettings(least_work=budget, first_passes=0, patience=0.0),
        )
        if not separable:
            assert found.status is Status.NOT_SEPARABLE
        elif tol == SOME_MARGIN:
            assert found.status in (Status.SEPARATED, Status.GAP_REACHED) and found.lower > 0.0
        else:
            assert found.status is Status.GAP_REACHED and found.gap <= tol


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_noisy_labels_are_refuted_by_slacks(weighted, fit_intercept):
    """Large enough that Wolfe's method does not come first."""
    text = text_like(4000, 600, 40, noise=0.1, random_state=0)
    X, y = text.X, text.y
    weights = np.random.default_rng(0).integers(0, 4, len(y)) if weighted else None
    clf = MaxMargin(tol=1e-2, fit_intercept=fit_intercept).fit(X, y, sample_weight=weights)
    certificate = clf.certificate_
    assert isinstance(certificate, NonSeparation)
    assert certificate.slacks is not None and "slacks" in clf.solver_
    certificate.verify(X, y, sample_weight=weights)
    assert clf.certificate_.model.soft.gap <= 1e-2


def test_repeated_examples_are_refuted_by_slacks():
    text = text_like(3000, 400, 40, noise=0.1, random_state=1)
    X, y = sparse.vstack([text.X, text.X[:1000]], format="csr"), np.r_[text.y, text.y[:1000]]
    verdict = is_separable(X, y)
    assert isinstance(verdict, NonSeparation) and verdict.slacks is not None
    verdict.verify(X, y)


def test_text_is_separated_long_before_its_widest_margin():
    text = text_like(4000, 5000, 30, random_state=2)
    verdict = is_separable(text.X, text.y)
    assert isinstance(verdict, Separation)
    assert verdict.status is Status.SEPARATED
    verdict.verify(text.X, text.y)
    widest = MaxMargin().fit(text.X, text.y)
    assert verdict.account.n_updates < 0.7 * widest.certificate_.account.n_updates


@pytest.mark.parametrize("name", ROUNDED)
def test_columns_that_depend_on_others_up_to_rounding(name):
    """Wolfe's method finds a combination that is zero but for the rounding of a column."""
    X, y = ROUNDED[name](2000, 60)
    verdict = is_separable(X, y)
    assert isinstance(verdict, NonSeparation)
    verdict.verify(X, y)
    if name != "float32":
        assert verdict.slacks is not None and verdict.slacks.remainders


def test_soft_margins_decide_what_wolfe_does_not_confirm():
    X, y = noisy(0, 400, 20)
    for features in (0, 1500):
        for proved in (True, False):
            problem, clock = problem_of(X, y), clock_of()
            search = start_wolfe(problem, clock, None)
            search.settings = replace(search.settings, precise_features=features)
            status = search.run(SOME_MARGIN, 1e-7 * problem.sample.radius)
            assert status is Status.NOT_SEPARABLE
            probe, asked = probe_of(X, y, clock=clock, proved=proved)
            found = hard._finish(
                search,
                status,
                SOME_MARGIN,
                SOME_MARGIN,
                lambda support: False,
                lambda probe=probe: hard._probed(probe, SOME_MARGIN),
                ChooseSettings(),
            )
            assert len(asked) == (1 if proved else len(probe.settings.levels) - 1)
            expected = Status.NOT_SEPARABLE if proved else Status.PRECISION
            assert found.status is expected and found.solver.startswith("wolfe")
            assert found.solver.endswith("slacks") == proved
            # Those that were tried are not tried again.
            assert hard._probed(probe, SOME_MARGIN) is None or proved


def test_no_passes_are_left_for_soft_margins():
    X, y = noisy(0, 400, 20)
    clock = clock_of(2)
    probe, asked = probe_of(X, y, clock=clock)
    clock.passes = 2.0
    assert hard._probed(probe, SOME_MARGIN) is None and not asked


def factors(n=6000, levels=(300, 60, 10), flipped=0.0):
    """Indicators of three factors, and labels by the sum of their levels' effects."""
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.integers(0, count, n) for count in levels])
    parts = zip(levels, codes.T, strict=True)
    effects = sum(rng.standard_normal(count)[code] for count, code in parts)
    far = np.abs(effects) > 0.3
    columns = (codes + np.cumsum([0, *levels[:-1]]))[far]
    shape = (len(columns), sum(levels))
    ends = np.arange(0, columns.size + 1, 3)
    X = sparse.csr_matrix((np.ones(columns.size), columns.ravel(), ends), shape=shape)
    y = np.where(effects[far] > 0.0, 1, -1)
    return X, np.where(rng.random(len(y)) < flipped, -y, y)


def test_all_examples_are_tried_after_a_few_separable_cores(monkeypatch):
    probe, asked = probe_of(*factors())
    assert probe.first() is None
    looked_at = []
    in_core = probe._in_core
    monkeypatch.setattr(probe, "_in_core", lambda core: looked_at.append(core) or in_core(core))
    monkeypatch.setattr(verdict, "cores", partial(cores, settings=CoreSettings(whole=0)))
    found = probe.in_cores()
    assert found is not None and found.status is Status.SEPARATED and not asked
    assert len(looked_at) == probe.settings.doubts


def test_a_larger_penalty_comes_before_cores_where_few_mistakes_are_left(monkeypatch):
    X, y = factors()
    monkeypatch.setattr(Probe, "_in_core", lambda self, core: pytest.fail("a core was looked at"))
    assert is_separable(X, y).verify(X, y)


def test_slacks_of_the_first_penalty_are_tried_where_that_makes_many_mistakes():
    for flipped, many in ((0.3, True), (0.01, False)):
        probe, asked = probe_of(*factors(flipped=flipped))
        assert probe.first() is None
        first = probe.found.w
        assert probe.others().status is Status.NOT_SEPARABLE
        assert len(asked) == 1 and np.array_equal(asked[0][0], first) == many
        assert len(probe.levels) == len(probe.settings.levels) - 2 + many


def test_penalties_grow_only_while_mistakes_are_few_and_fall():
    many, _ = probe_of(*factors(flipped=0.3))
    assert many.first() is None and many.mistakes > 0.1 * many.problem.n_examples
    assert many.nearly() is None and many.tried == 0
    some, _ = probe_of(*factors(flipped=0.01))
    assert some.first() is None and some.mistakes <= 0.1 * some.problem.n_examples
    before = some.mistakes
    assert some.nearly() is None and some.tried == 1 and some.mistakes > 0.1 * before
    assert some.levels == list(some.settings.levels[1:])
