"""A random projection that keeps every labeling with a large margin, with a measured proof."""

import warnings
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from novikoff.theory.gram import GramCertificate, gram_certificate
from novikoff.theory.robust import check_density, projection_dimension


class RobustProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A random projection to fewer dimensions that keeps large margins, whatever the labels.

    Theorem 6.3 of *On the Perceptron's Compression*: in sufficiently many dimensions, with
    probability ``1 - delta``, every labeling with margin at least ``epsilon R`` keeps half of it, R
    the largest norm of an example. How many dimensions are sufficient does not depend on how many
    there were, but is large (146,419 for 100 examples and ``epsilon=0.3``). In practice, choose
    ``n_components`` and let :meth:`gram_certificate` measure what this projection keeps of these
    examples: that is a proof without any probability, and mostly a better one.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        The number of dimensions after the projection. ``"auto"``: as many as the theorem needs for
        the examples given to ``fit``; it is an error if these are not fewer than there were.
    epsilon : float, default=0.5
        The margin that ``"auto"`` keeps half of, in units of the largest norm; at most 1.
    delta : float, default=0.05
        The probability with which ``"auto"`` may fail.
    density : float, optional
        By default the entries of the matrix are Gaussian. With a density of at least 1/3, this
        share of them is ±1 with equal probability and the others are 0, up to a common factor.
    random_state : int, RandomState instance or None, default=None
        Draws the matrix.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The matrix. Its entries have variance ``1/n_components``.
    n_components_ : int
        The number of dimensions after the projection.
    n_features_in_ : int
        The number of dimensions before it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all of them are strings.

    See Also
    --------
    novikoff.theory.projection_dimension : How many dimensions the theorem needs.
    novikoff.theory.gram_certificate : The same proof for any other map of the examples.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import RobustProjection
    >>> X = np.random.default_rng(0).standard_normal((40, 3000))
    >>> projection = RobustProjection(n_components=1000, random_state=0).fit(X)
    >>> projection.transform(X).shape
    (40, 1000)
    >>> print(projection.gram_certificate(X))
    For every labeling of the 40 examples, the squared margins in 3,000 dimensions and in 1,000 ...
    Every labeling with margin at least 0.3... R keeps half of it, ...
    """

    def __init__(
        self,
        *,
        n_components: int | str = "auto",
        epsilon: float = 0.5,
        delta: float = 0.05,
        density: float | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.epsilon = epsilon
        self.delta = delta
        self.density = density
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_examples, n_features)
            The examples; only their shape matters, and whether they are float32.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        n, d = X.shape
        check_density(self.density)
        k = self._choose(n, d)
        rng = check_random_state(self.random_state)
        # Drawn column by column, so that the transposed matrix of the product is in C order.
        if self.density is None:
            drawn = rng.standard_normal((d, k)) / np.sqrt(k)
        else:
            uniform = rng.random_sample((d, k))
            drawn = np.where(uniform < 0.5 * self.density, -1.0, 1.0)
            drawn *= (uniform < self.density) / np.sqrt(self.density * k)
        self.components_ = drawn.astype(X.dtype, copy=False).T
        self.n_components_ = k
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Project examples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_examples, n_features)
            The examples.

        Returns
        -------
        ndarray of shape (n_examples, n_components)
            In float32 if ``X`` is, else in float64.
        """
        return self._project(self._validated(X))

    def gram_certificate(self, X: Any) -> GramCertificate:
        """Measure what the projection keeps of these examples, for all labelings at once.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_examples, n_features)
            The examples; all pairs are compared, in blocks.

        Returns
        -------
        GramCertificate
            Proved for ``X`` and ``transform(X)`` as they are, rounding included.
        """
        X = self._validated(X)
        return gram_certificate(X, self._project(X))

    def _choose(self, n: int, d: int) -> int:
        k = self.n_components
        if isinstance(k, Integral) and not isinstance(k, bool) and k >= 1:
            if k >= d:
                warnings.warn(
                    f"n_components={k} is not less than the number of features, {d}: the "
                    "projection does not reduce the dimension.",
                    DataDimensionalityWarning,
                    stacklevel=3,
                )
            return int(k)
        if k != "auto":
            raise ValueError(f'n_components={k!r} must be a positive integer, or "auto".')
        needed = projection_dimension(n, self.epsilon, self.delta, density=self.density)
        if needed >= d:
            raise ValueError(
                f'n_components="auto": to keep every margin of {self.epsilon:g} R among {n:,} '
                f"examples, Theorem 6.3 needs {needed:,} components, and there are {d:,} features. "
                "Choose n_components, and let gram_certificate(X) measure what it keeps."
            )
        return needed

    def _validated(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32]
        )

    def _project(self, X: Any) -> NDArray[Any]:
        return np.asarray(X @ self.components_.astype(X.dtype, copy=False).T)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        """The tags of scikit-learn: sparse rows, and float32 that stays float32."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
