"""Weights that make the upper bound zero prove that nothing separates the examples."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from novikoff.certificate import Account, Certifier, Inconclusive, NonSeparation, Status, Weighted
from tests.certificate import truth


@given(
    n=st.integers(2, 10), d=st.integers(1, 3), seed=st.integers(0, 2**32 - 1), affine=st.booleans()
)
def test_from_weights_that_prove_the_bound_zero(n, d, seed, affine):
    """Two class means that coincide, or a weighted sum that vanishes, by construction."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 5, size=n)
    signs = np.where(np.arange(n) % 2, 1, -1)
    X = rng.integers(-4, 5, size=(n, d)) * 60
    share = weights * signs
    if affine:
        totals = {s: weights[signs == s].sum() for s in (1, -1)}
        share = weights * signs * np.array([totals[-s] for s in signs])
    # The last example makes up for what the others leave.
    X = X * abs(share[-1])
    X[-1] = -(share[:-1] @ X[:-1]) // share[-1]
    coef = rng.normal(size=d)
    assume(coef.any())
    made = Certifier.of(X, signs, positive=1, affine=affine).hard(
        Account(status=Status.MAX_ITER), coef=coef, proof=Weighted(np.arange(n), weights)
    )
    assert isinstance(made, NonSeparation)
    assert truth.combines_to_zero(X, signs, made.support, made.weights.tolist(), affine)
    assert made.model.account.status is Status.MAX_ITER
    made.verify(X, signs)


def test_weights_too_large_to_be_stored_leave_it_open():
    X, signs = np.array([[0.0], [1.0], [2.0], [1.0], [1.0]]), [1, 1, 1, -1, -1]
    certifier = Certifier.of(X, signs, positive=1, affine=True)
    for weights, kind in (
        ([0.5, 0.125, 0.5, 0.25, 0.75], NonSeparation),
        ([3**12, 2**20, 3**12, 5**8, 1], NonSeparation),
        ([3**25, 2**40, 3**25, 5**17, 1], Inconclusive),
    ):
        proof = Weighted(np.arange(5), np.array(weights))
        made = certifier.hard(Account(status=Status.MAX_ITER), coef=[1.0], proof=proof)
        assert isinstance(made, kind) and made.upper == 0.0
        made.verify(X, signs)
