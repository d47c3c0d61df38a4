"""The profile of a fit names functions of the package, which must exist and be called."""

from benchmarks.profile_fit import STAGES, profile, warmed
from novikoff.data import planted
from novikoff.run.search import PATIENCE


def test_every_stage_of_a_fit_is_timed():
    timed = set()
    for margin, noise in ((0.05, 0.0), (0.001, 0.0), (0.05, 0.05)):
        p = planted(300, 5, margin=margin, noise=noise, random_state=0)
        model = warmed(p.X, p.y)
        clock = profile(lambda m=model, p=p: m.fit(p.X, p.y))
        # Where nothing separates few examples, the passes after the proof are not one call each.
        assert clock.calls["full passes"] >= min(model.n_iter_, PATIENCE)
        timed |= set(clock.calls)
    assert timed >= {title for _, _, title in STAGES}
