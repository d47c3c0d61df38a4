"""Whatever is changed in a result, ``verify`` refuses it: bounds, points, weights, hyperplane."""

from dataclasses import replace

import numpy as np
import pytest

from novikoff.certificate import CertificateError
from novikoff.geometry import Ending, Points, Verdict, separate
from tests.geometry.some_bodies import MAKERS, apart, some_body


def with_first(result, **changes):
    return replace(result, first=replace(result.first, **changes))


def with_labels(result, label):
    return with_first(result, labels=(label,) * len(result.first))


FORGED = {
    "lower": lambda r: replace(r, distance_lower=r.distance_lower * (1 + 1e-9)),
    "lower is NaN": lambda r: replace(r, distance_lower=np.nan),
    "upper": lambda r: replace(r, distance_upper=r.distance_upper * (1 - 1e-6)),
    "upper is NaN": lambda r: replace(r, distance_upper=np.nan),
    "upper is infinite": lambda r: replace(r, distance_upper=np.inf),
    "status meet": lambda r: replace(r, status=Verdict.MEET),
    "status undecided": lambda r: replace(r, status=Verdict.CLOSE),
    "no normal": lambda r: replace(r, w=None),
    "normal is NaN": lambda r: replace(r, w=np.nan * r.w),
    "normal of another length": lambda r: replace(r, w=r.w[:-1]),
    "opposite normal": lambda r: replace(r, w=-r.w),
    "offset": lambda r: replace(r, b=r.b + 1e-3),
    "offset is NaN": lambda r: replace(r, b=np.nan),
    "margin": lambda r: replace(r, margin=r.margin * (1 + 1e-9)),
    "p": lambda r: replace(r, p=r.p + 1e-6),
    "q": lambda r: replace(r, q=r.q + 1e-6),
    "p is NaN": lambda r: replace(r, p=np.nan * r.p),
    "points": lambda r: with_first(r, points=r.first.points + 1e-6),
    "points of another shape": lambda r: with_first(r, points=r.first.points[:, :1]),
    "negative weights": lambda r: with_first(r, weights=-r.first.weights),
    "weights are NaN": lambda r: with_first(r, weights=np.nan * r.first.weights),
    "weights are doubled": lambda r: with_first(r, weights=2 * r.first.weights),
    "one weight more": lambda r: with_first(r, weights=np.r_[r.first.weights, 0.0]),
    "exact weights": lambda r: with_first(r, exact_weights=(1,) * (1 + len(r.first))),
    "no labels": lambda r: with_first(r, labels=()),
    "labels are words": lambda r: with_labels(r, "first"),
    "labels are missing": lambda r: with_labels(r, None),
    "labels are rows that do not exist": lambda r: with_labels(r, 10**9),
    "labels are pairs": lambda r: with_labels(r, (0, 1)),
    "labels are vectors": lambda r: with_labels(r, np.full(3, 1e3)),
    "combinations exchanged": lambda r: replace(r, normal=r.normal[::-1]),
    "points of the normal": lambda r: replace(
        r, normal=(replace(r.normal[0], points=r.normal[0].points + 1.0), r.normal[1])
    ),
    "an exit of the lemma": lambda r: replace(
        r,
        epsilon=7 * r.distance_lower,
        ending=Ending.EPSILON,
        distance_upper=9 * r.distance_upper,
    ),
}


@pytest.mark.parametrize("what", FORGED)
@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_forged_results_are_refused(kind, what):
    K = some_body(kind, 1, 3)
    found = separate(K, apart(K, some_body("points", 2, 3), 0.5))
    assert found.verify().lower > 0.0
    with pytest.raises(CertificateError):
        FORGED[what](found).verify()


@pytest.mark.parametrize(
    "forge",
    [
        lambda r: replace(r, p=r.p + 1e-3),
        lambda r: replace(r, status=Verdict.APART),
        lambda r: replace(r, w=np.ones(3), b=0.0),
        lambda r: replace(r, b=1.5),
        lambda r: replace(r, margin=1e300),
        lambda r: with_first(r, points=r.first.points + 1.0),
        lambda r: with_first(r, weights=r.first.weights[::-1]),
        lambda r: with_first(r, labels=tuple((i + 1) % 30 for i in r.first.labels)),
    ],
)
def test_forged_common_points_are_refused(forge):
    P = np.random.default_rng(3).standard_normal((30, 3))
    found = separate(Points(P), Points(0.5 * P))
    assert found.status is Verdict.MEET and found.verify().upper == 0.0
    with pytest.raises(CertificateError):
        forge(found).verify()


def test_a_result_that_was_changed_in_place_is_refused():
    P = np.random.default_rng(3).standard_normal((30, 3))
    found = separate(P, P + 5.0)
    assert found.certificate is not None and found.verify().lower > 0.0
    found.first.weights[0] += 0.25
    with pytest.raises(CertificateError):
        found.verify()
