"""How much a map changes the margins of all labelings at once, measured on its Gram matrix.

**Lemma.** If ``|<x_i', x_j'> - <x_i, x_j>| <= t`` for all ``i`` and ``j`` (``i = j`` included),
then for every labeling the squared margins of ``x`` and of ``x'`` differ by at most ``t``.
*Proof.* A squared margin is the least ``a·G a`` over ``a_i = y_i λ_i`` with convex weights λ, whose
moduli sum to 1, so ``|a·(G' - G) a| <= t`` for each of them. With an intercept, the margin is half
the distance between the two classes' convex hulls: then ``a`` consists of half convex weights of
each class, and its moduli sum to 1 again.

The map need not be linear: the lemma covers random projections, random features and quantisation.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray
from scipy import sparse

from novikoff.certificate.exact.dyadic import ceil_float, ceil_sqrt, floor_sqrt, of_float
from novikoff.certificate.exact.filter import enclose, radius
from novikoff.certificate.wording import at_least, at_most, counted

_BLOCK = 1024
"""Rows in a block: a tile of the Gram matrix takes 8 MB, and its product is near full speed."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GramCertificate:
    """What was proved of the margins of all labelings of some examples before and after a map.

    Margins are distances of a hyperplane, in units of ``R``, the largest norm of an example
    *before* the map; they are 0 where no hyperplane realises a labeling. Everything holds for
    hyperplanes through the origin, and for hyperplanes with an intercept.

    Attributes
    ----------
    n_examples : int
        The number of examples.
    n_features : int
        The dimension before the map.
    n_components : int
        The dimension after the map.
    R : float
        The largest norm of an example before the map, rounded up.
    tau : float
        No inner product of two examples changes by more than ``tau R²``.
    pair : tuple of int
        Two examples whose inner product changes most, up to rounding.
    """

    n_examples: int
    n_features: int
    n_components: int
    R: float
    tau: float
    pair: tuple[int, int]

    @property
    def epsilon(self) -> float:
        """Every ε-partition from this ε on stays an ε/2-partition: ``sqrt(4 tau / 3)``."""
        return ceil_sqrt(4 * of_float(self.tau) / 3)

    @property
    def epsilon_back(self) -> float:
        """From this ε on, what is an ε/2-partition after the map was an ε/4-partition before it."""
        return ceil_sqrt(16 * of_float(self.tau) / 3)

    def least_margin(self, margin: float) -> float:
        """The least margin on the other side of the map of a labeling with at least this margin.

        Parameters
        ----------
        margin : float
            A lower bound on the margin of a labeling, before or after the map, in units of R.

        Returns
        -------
        float
            ``sqrt(margin² - tau)`` rounded down, or 0.
        """
        return floor_sqrt(max(fmpq(0), _square(margin) - of_float(self.tau)))

    def largest_margin(self, margin: float) -> float:
        """The largest margin on the other side of the map of a labeling with at most this margin.

        Parameters
        ----------
        margin : float
            An upper bound on the margin of a labeling, before or after the map, in units of R.

        Returns
        -------
        float
            ``sqrt(margin² + tau)`` rounded up.
        """
        return ceil_sqrt(_square(margin) + of_float(self.tau))

    def sentences(self) -> list[str]:
        """What was proved, in sentences."""
        first = (
            f"For every labeling of the {counted(self.n_examples, 'example')}, the squared margins "
            f"in {counted(self.n_features, 'dimension')} and in {self.n_components:,} differ by at "
            f"most {at_most(self.tau)} R², with and without an intercept; R = {self.R:.4g} is "
            "the largest norm."
        )
        if self.epsilon >= 1.0:
            return [first, "No margin exceeds R, so this keeps no labeling: take more components."]
        half = f"Every labeling with margin at least {at_most(self.epsilon)} R keeps half of it"
        if self.epsilon_back >= 1.0:
            return [first, f"{half}."]
        back, after = self.epsilon_back, at_most(self.epsilon_back / 2)
        before = at_least(back / 4)
        return [first, f"{half}, and one with {after} R afterwards has at least {before} R before."]

    def __str__(self) -> str:
        return "\n".join(self.sentences())


def gram_certificate(X: Any, mapped: Any) -> GramCertificate:
    """Measure how much a map changes inner products, and certify the margins of all labelings.

    All pairs of examples are compared, in blocks; the errors of both products are bounded and
    added, so that what is stated holds of the numbers as they are.

    Parameters
    ----------
    X : {ndarray, CSR matrix} of shape (n_examples, n_features)
        The examples, of finite floats.
    mapped : {ndarray, CSR matrix} of shape (n_examples, n_components)
        The same examples after the map.

    Returns
    -------
    GramCertificate

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.theory import gram_certificate
    >>> X = np.random.default_rng(0).standard_normal((30, 50))
    >>> rounded = gram_certificate(X, X.astype(np.float16).astype(float))
    >>> rounded.tau < 1e-3, rounded.epsilon < 0.03
    (True, True)
    """
    X, mapped = _floats(X), _floats(mapped)
    n = X.shape[0]
    if mapped.shape[0] != n or n == 0:
        raise ValueError(
            f"{n} examples before the map and {mapped.shape[0]} after it: need as many, and some."
        )
    with np.errstate(all="ignore"):
        low, high = _squared_norms(X)
        largest = float(high.max()), float(_squared_norms(mapped)[1].max())
        error = [
            float(radius(np.array(square), _terms(part)))
            for square, part in zip(largest, (X, mapped), strict=True)
        ]
        change, pair = _largest_change(X, mapped)
    if not np.isfinite([*largest, change]).all():
        raise ValueError("The squares of the values overflow: divide the examples by a constant.")
    if not low.max() > 0.0:
        raise ValueError("The examples are zero, or their squares underflow: nothing to compare.")
    # The difference of the two products is rounded once more.
    total = of_float(change) * (1 + fmpq(1, 2**52)) + of_float(error[0]) + of_float(error[1])
    return GramCertificate(
        n_examples=n,
        n_features=X.shape[1],
        n_components=mapped.shape[1],
        R=ceil_sqrt(of_float(largest[0])),
        tau=ceil_float(total / of_float(float(low.max()))),
        pair=pair,
    )


def _largest_change(X: Any, mapped: Any) -> tuple[float, tuple[int, int]]:
    """The largest difference of two inner products, as computed, and the pair that has it."""
    starts = range(0, X.shape[0], _BLOCK)
    largest, pair = -1.0, (0, 0)
    for i in starts:
        rows, mapped_rows = _block(X, i), _block(mapped, i)
        for j in starts[i // _BLOCK :]:
            tile = _product(rows, _block(X, j))
            tile -= _product(mapped_rows, _block(mapped, j))
            np.abs(tile, out=tile)
            # The place of a NaN, if there is one: it is not finite either.
            place = np.unravel_index(int(np.argmax(tile)), tile.shape)
            if not tile[place] <= largest:
                largest, pair = float(tile[place]), (i + int(place[0]), j + int(place[1]))
                if not np.isfinite(largest):
                    return largest, pair
    return largest, pair


def _floats(X: Any) -> Any:
    """The examples in floats that are exact in float64."""
    if sparse.issparse(X):
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
    else:
        X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"Expected a table of examples, not an array of {X.ndim} dimensions.")
    return X if X.dtype in (np.float64, np.float32) else X.astype(np.float64)


def _block(X: Any, start: int) -> Any:
    return X[start : start + _BLOCK].astype(np.float64, copy=False)


def _product(a: Any, b: Any) -> Floats:
    product = a @ b.T
    return np.asarray(product.toarray() if sparse.issparse(product) else product)


def _squared_norms(X: Any) -> tuple[Floats, Floats]:
    """Floats on either side of the squared norms of the rows."""
    squares = np.empty(X.shape[0])
    for start in range(0, X.shape[0], _BLOCK):
        rows = _block(X, start)
        square = rows.multiply(rows).sum(axis=1) if sparse.issparse(rows) else (rows**2).sum(axis=1)
        squares[start : start + _BLOCK] = np.asarray(square).ravel()
    return enclose(squares, radius(squares, _terms(X)))


def _terms(X: Any) -> int:
    """The most products in an inner product of two rows."""
    return int(np.diff(X.indptr).max()) if sparse.issparse(X) else int(X.shape[1])


def _square(margin: float) -> fmpq:
    if not 0.0 <= margin < np.inf:
        raise ValueError(f"margin={margin!r} must be a finite number, not negative.")
    return of_float(float(margin)) ** 2
