"""Results as JSON: they read back as they were, and are proved again."""

import json

import numpy as np
import pytest

from novikoff.certificate import CertificateError
from novikoff.geometry import Points, Polytope, SeparationResult, Verdict, separate
from novikoff.geometry.stored import _read_rational
from tests.geometry.some_bodies import MAKERS, apart, some_body


@pytest.mark.parametrize("kind", sorted(MAKERS))
@pytest.mark.parametrize("epsilon", [None, 0.7])
def test_results_read_back(kind, epsilon):
    K = some_body(kind, 1, 3)
    L = apart(K, some_body(kind, 2, 3), 0.5)
    found = separate(K, L, epsilon=epsilon)
    text = found.to_json()
    again = SeparationResult.from_json(text, K, L)
    assert again.to_json() == text and again.status is found.status
    assert np.array_equal(again.p, found.p) and again.distance_upper == found.distance_upper
    assert again.verify().lower == found.verify().lower


def test_exact_weights_and_flat_polytopes_read_back():
    P = np.random.default_rng(0).standard_normal((20, 3))
    met = separate(Points(P), Points(P[::-1] * 0.9))
    assert met.first.exact_weights is not None
    again = SeparationResult.from_json(met.to_json(), P, P[::-1] * 0.9)
    assert again.first.exact_weights == met.first.exact_weights and again.verify().upper == 0.0
    flat = Polytope([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]], [0.0, 0.0, 1.0, 1.0])
    found = separate(flat, [[3.0, 0.0]])
    assert SeparationResult.from_json(found.to_json(), flat, [[3.0, 0.0]]).verify().lower > 2.9


def test_another_body_is_refused():
    P = np.random.default_rng(0).standard_normal((20, 3))
    text = separate(P, P + 5.0).to_json()
    with pytest.raises(CertificateError):
        SeparationResult.from_json(text, P, P + 4.9).verify()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("format", "something else"),
        ("version", 2),
        ("status", "FAR"),
        ("distance_lower", "2"),
        ("w", [1.0, None]),
        ("steps", -1),
        ("first", []),
        ("normal", []),
        ("extra", 1),
        ("first", {"points": [[0.0]], "weights": [1.0], "exact_weights": ["1/0"], "labels": [0]}),
        ("first", {"points": [[0.0]], "weights": [1.0], "exact_weights": None, "labels": ["a"]}),
        ("first", {"points": [[0.0]], "weights": [1.0], "exact_weights": None, "labels": [{}]}),
    ],
)
def test_damaged_files_are_refused(field, value):
    found = separate([[0.0]], [[3.0]])
    document = {**json.loads(found.to_json()), field: value}
    with pytest.raises(CertificateError):
        SeparationResult.from_json(json.dumps(document), [[0.0]], [[3.0]])
    assert SeparationResult.from_json(found.to_json(), [[0.0]], [[3.0]]).status is Verdict.APART


def test_long_fractions_are_read():
    digits = "1" + "0" * 5000
    assert _read_rational("weight", f"{digits}/{digits}1") * 10 < 1
    for text in ("a", "1/0", "1.5"):
        with pytest.raises(CertificateError):
            _read_rational("weight", text)
