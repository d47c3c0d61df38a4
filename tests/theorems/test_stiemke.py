"""Stiemke's theorem of the alternative: rows split in one way, and each half has its proof."""

import dataclasses

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import separation
from novikoff.certificate import CertificateError


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_exactly_one_kind_verifies(data):
    """Whatever parts of true certificates of other labels are put together."""
    n = data.draw(st.integers(3, 6))
    table = np.array(
        data.draw(st.lists(st.tuples(*[st.integers(-2, 2)] * 2), min_size=n, max_size=n)), float
    )
    draw_labels = st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(
        lambda y: 0 < sum(y) < n
    )
    labels = data.draw(draw_labels)
    true = separation(table, labels)
    true.verify(table, labels)
    for _ in range(3):
        other = separation(table, data.draw(draw_labels))
        names = data.draw(st.sets(st.sampled_from(["basis", "vector", "rows"])))
        parts = {
            "basis": dict(basis=other.basis, support=other.support, weights=other.weights),
            "vector": dict(vector=other.vector),
            "rows": dict(separated_rows=other.separated_rows, boundary_rows=other.boundary_rows),
        }
        changes = {key: value for name in names for key, value in parts[name].items()}
        kind = data.draw(st.sampled_from(["complete", "quasi-complete", "overlap"]))
        try:
            forged = dataclasses.replace(true, verdict=kind, **changes)
            forged.verify(table, labels, check_fingerprint=False)
        except CertificateError:
            continue
        assert forged.kind == true.kind
        assert forged.separated.tolist() == true.separated.tolist()
