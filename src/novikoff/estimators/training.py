"""The examples of a fit: validated, typed and hashed once, whatever is fitted to them."""

import copy
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import validate_data

from novikoff.certificate import CertificateError, Examples, Problem, fingerprint_of_hashes
from novikoff.certificate.examples.blocks import Floats, as_float64
from novikoff.certificate.examples.fingerprint import fingerprint_without_weights, hash_rows
from novikoff.certificate.examples.labels import check_classes, signs_against
from novikoff.certificate.examples.matrix import as_array, canonical, check_matrix
from novikoff.certificate.examples.scaling import Exponents, divided
from novikoff.estimators.labels import (
    Codes,
    check_costs,
    checked_weights,
    class_weights_of,
    classes_of,
    positives_of,
    refuse_masked,
)
from novikoff.sample import Sample, storage_of
from novikoff.sample.sample import ScaleError
from novikoff.sample.scale import column_exponents, is_extreme, needs_scaling
from novikoff.sample.storage import IN_PLACE, Storage, is_converted_at_once, rescaled

TABLES = (np.ndarray, sparse.csr_array, sparse.csr_matrix)
"""What is read as it is, without names of columns; subclasses may be anything."""


@dataclass(frozen=True)
class Training:
    """The examples of a fit and the problem that they pose."""

    X: Any
    classes: NDArray[Any]
    codes: Codes
    positives: list[int]
    """The classes that are fitted against the rest: of two, the second alone."""
    hashes: NDArray[np.uint64]
    costs: NDArray[np.float64] | None
    problem: Problem
    storage: Storage
    scaled: Any
    """The examples with their columns divided by powers of two; without ``scale``, ``X`` itself."""
    exponents: Exponents | None
    weights: NDArray[np.float64] | None = None
    """Those of the examples alone; ``costs`` are their products with those of the classes."""

    @classmethod
    def of(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        affine: bool,
        sample_weight: ArrayLike | None = None,
        class_weight: Any = None,
        scale: bool | Literal["auto"] = False,
    ) -> "Training":
        """Validate the data as scikit-learn does, and name the problem.

        ``scale`` divides each column by a power of two, in a copy of the data; "auto" does so where
        the units of columns differ, if it is exact.

        Whether all values are finite is checked later, by the pass that computes the norms.
        """
        target = getattr(y, "name", None)
        X, labels = read_examples(estimator, X, y, reset=True, finite=False)
        classes, codes = classes_of(labels)
        weights = checked_weights(sample_weight, len(codes))
        class_weights = class_weights_of(class_weight, classes, codes, weights)
        X = check_matrix(X)
        scaling = needs_scaling(X) if scale == "auto" else scale
        if scaling or is_converted_at_once(X):
            # Rows are sorted here for the fingerprint, the search and the certificate together.
            X = _readable(canonical(X))
        hashes = hash_rows(X)
        names, sizes = getattr(estimator, "feature_names_in_", None), (len(classes), X.shape[1])
        problem = Problem(
            classes=check_classes(classes.tolist()),
            positive=None,
            affine=affine,
            n_examples=X.shape[0],
            n_features=X.shape[1],
            fingerprint=(
                fingerprint_without_weights(hashes, codes, *sizes)
                if weights is None
                else fingerprint_of_hashes(hashes, codes, *sizes, weights)
            ),
            class_weights=class_weights,
            weighted=weights is not None,
            target=target if isinstance(target, str) else None,
            feature_names=None if names is None else tuple(map(str, names)),
        )
        costs = problem.costs(codes, weights)
        check_costs(costs)
        positives = positives_of(classes)
        scaled, exponents = X, None
        if scaling:
            scaled, exponents = _scaled(X, weights, scale)
        if exponents is not None:
            problem = replace(problem, exponents=tuple(exponents.tolist()))
        return cls(
            X,
            classes,
            codes,
            positives,
            hashes,
            costs,
            problem,
            storage_of(scaled, checked=scaled is X),
            scaled,
            exponents,
            weights,
        )

    def examples(self, signs: Any) -> Examples:
        """Return the examples as a certificate checks them."""
        return Examples(self.scaled, self.codes, signs, self.costs, self.exponents)

    def unscaled(self, row: Floats) -> Floats:
        """Return a row of scaled columns in the units of the data."""
        return row if self.exponents is None else np.ldexp(row, self.exponents)

    def sample(self, *, rescale: bool = False, **how: Any) -> Sample:
        """Return the examples, signed for the first of the positive classes.

        ``rescale`` lets features whose squares overflow or underflow be multiplied by a power of
        two; ``how`` are further arguments of :meth:`Sample.of`.
        """
        signs = signs_against(self.codes, self.positives[0])
        how["affine"] = self.problem.affine
        try:
            sample = Sample.of(self.storage, signs, **how)
        except ScaleError as error:
            # Some norm is not finite; only then is it worth a pass to name the value.
            assert_all_finite(self.X, input_name="X")
            scaled = rescaled(self.scaled) if rescale else None
            if scaled is None:
                remedy = ", or set scale=True" if self.exponents is None else ""
                raise ScaleError(f"{str(error).removesuffix('.')}{remedy}.") from None
            storage, exponent = scaled
            sample = replace(Sample.of(storage, signs, **how), exponent=exponent)
        if not np.isfinite(sample.norms2).all():
            assert_all_finite(self.X, input_name="X")
        return sample


def _scaled(
    X: Any, weights: NDArray[np.float64] | None, scale: bool | Literal["auto"]
) -> tuple[Any, NDArray[np.int64] | None]:
    """Return the data with divided columns and the exponents; "auto" may leave them as they are."""
    taking_part = None if weights is None or weights.all() else weights > 0.0
    exponents = column_exponents(X, taking_part)
    if scale == "auto" and is_extreme(exponents):
        # The coefficient of such a column may overflow in the units of the data.
        return X, None
    try:
        return divided(X, exponents), exponents
    except CertificateError:
        if scale != "auto":
            raise
        return X, None


def _readable(X: Any) -> Any:
    """Return sparse integers as the floats that every pass would make of them."""
    if not sparse.issparse(X) or X.dtype in IN_PLACE:
        return X
    X = copy.copy(X)
    X.data = as_float64(X.data)
    return X


def read_examples(
    estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool, finite: bool = True
) -> Any:
    """Validate examples, and labels if there are any, as scikit-learn does.

    Data that can be read in place are not converted, and what is converted keeps its value.
    ``finite=False`` leaves it to the caller to see whether all of it is finite.
    """
    refuse_masked("X", X)
    refuse_masked("y", y)
    # Values of a precomputed kernel are few zeros, and read in columns as in rows.
    precomputed = getattr(estimator, "kernel", None) == "precomputed"
    if not precomputed and reset and not finite and _passes_as_is(X, y):
        return _as_validated(estimator, X, y)
    accepted = False if precomputed else "csr"
    how: dict[str, Any] = dict(accept_sparse=accepted, dtype=readable_type(X), reset=reset)
    try:
        # A matrix of kernel values that are not finite is told so before it is asked for its shape.
        early = finite and precomputed
        found = validate_data(estimator, X, y, ensure_all_finite=early, **how)
    except (TypeError, ValueError) as error:
        if "value of NA is ambiguous" in str(error):
            raise ValueError("y contains missing labels; fill them in first.") from None
        if str(error).startswith("Expected 2D array"):
            raise ValueError(_not_a_table(str(error))) from None
        if str(error).startswith("Complex data not supported"):
            raise ValueError("Complex data not supported; use real numbers.") from None
        raise
    converted = found[0] if isinstance(found, tuple) else found
    check_exact(X, converted)
    if finite:
        assert_all_finite(converted, input_name="X")
    return found


def _passes_as_is(X: Any, y: Any) -> bool:
    """Whether examples and labels are what validation would return: it takes half a millisecond."""
    if not (type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biufU"):
        return False
    if type(X) not in TABLES or X.ndim != 2 or readable_type(X) is not None:
        return False
    finite = y.dtype.kind != "f" or bool(np.isfinite(y).all())
    return finite and min(X.shape) > 0 and len(y) == X.shape[0]


def _as_validated(estimator: Any, X: Any, y: Any) -> Any:
    """Do what scikit-learn does to an estimator after it has validated a table without names."""
    vars(estimator).pop("feature_names_in_", None)
    estimator.n_features_in_ = X.shape[1]
    return X, y


def _not_a_table(message: str) -> str:
    """Return scikit-learn's message on one line: what X must be, and how it becomes that."""
    kind = message.split(",")[1].split(" instead")[0].strip()
    return (
        f"Expected 2D array, {kind} instead: X must have a row for each example. Reshape your "
        "data: X.reshape(-1, 1) if it is one feature, X.reshape(1, -1) if it is one example."
    )


def readable_type(X: Any) -> Any:
    """Return the ``dtype`` argument under which validation leaves readable data as they are.

    Integers and half floats are converted later, block by block.
    """
    array = isinstance(X, np.ndarray) or sparse.issparse(X)
    if array and X.dtype.kind in "biuf" and X.dtype.itemsize <= 8:
        return None
    return list(IN_PLACE)


def check_exact(given: Any, converted: Any) -> None:
    """Refuse data that are not the same numbers after validation has converted them."""
    if converted is given:
        return
    if sparse.issparse(given):
        # Conversion to CSR keeps the stored values, though perhaps in another order.
        given, converted = given.tocsr().data, converted.data
    original = as_array("X", given)
    kind = original.dtype.kind
    if kind not in "biufO":
        raise ValueError(f"X must be numbers, not {original.dtype}; convert or encode it first.")
    if original.dtype == converted.dtype or kind == "b" or (kind == "f" and original.itemsize <= 8):
        return
    # numpy compares integers with floats as floats, so integers are checked by their size.
    if kind in "iu":
        exact = max(int(original.max()), -int(original.min())) <= 1 << 53
    else:
        finite = np.isfinite(converted)
        exact = bool((original[finite] == converted[finite]).all())
    if not exact:
        raise ValueError(
            "X contains a value that float64 cannot represent; scale or round it first."
        )
