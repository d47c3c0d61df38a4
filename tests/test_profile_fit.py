"""The profile of a fit names functions of the package, which must exist and be called."""

from benchmarks.profile_fit import STAGES, profile, warmed
from novikoff.data import planted


def test_every_stage_of_a_fit_is_timed():
    timed = set()
    for noise in (0.0, 0.05):
        p = planted(300, 5, margin=0.05, noise=noise, random_state=0)
        model = warmed(p.X, p.y)
        clock = profile(lambda m=model, p=p: m.fit(p.X, p.y))
        assert clock.calls["full passes"] >= model.n_iter_
        timed |= set(clock.calls)
    assert timed >= {title for _, _, title in STAGES}
