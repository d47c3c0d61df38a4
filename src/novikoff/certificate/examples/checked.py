"""The examples of a problem, checked once: a matrix, codes of the labels, signs and costs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.escape import format_label, printable
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.fingerprint import fingerprint_of_hashes, hash_rows, sha256_of
from novikoff.certificate.examples.labels import Label, Signs, codes_of, signs_against
from novikoff.certificate.examples.matrix import canonical_if_small, check_matrix
from novikoff.certificate.examples.scaling import Exponents, divided, in_scaled_columns
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.wording import counted

if TYPE_CHECKING:
    from novikoff.certificate.problem import Problem


@dataclass(frozen=True)
class Examples:
    """Data that was checked against a problem, with the signs of one class against the others.

    ``costs`` are what the squared slack of each example is multiplied by; ``None``: by 1. Where the
    problem scales its columns, ``X`` are the scaled ones, and ``exponents`` those of the problem.
    ``kernel`` is that of the problem, and ``function`` computes it where it has no formula.
    """

    X: Any
    codes: Indices
    signs: Signs
    costs: Floats | None
    exponents: Exponents | None = None
    kernel: Kernel | None = None
    function: Callable[[Any, Any], Any] | None = None

    @classmethod
    def of(
        cls,
        problem: "Problem",
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None,
        *,
        check_fingerprint: bool,
        function: Callable[[Any, Any], Any] | None = None,
    ) -> Self:
        """Check that the data can be that of the problem.

        Raises
        ------
        CertificateError
            Where shape, labels, weights or fingerprints are not the problem's.
        """
        matrix = check_matrix(X)
        shape = (problem.n_examples, problem.n_features)
        if matrix.shape != shape:
            raise CertificateError(
                f"the data has {_size(matrix.shape)}, that of the certificate has {_size(shape)}"
            )
        codes = codes_of(y, problem.classes)
        if codes.shape != (problem.n_examples,):
            raise CertificateError(
                f"{problem.n_examples} examples need as many labels, not {codes.size}"
            )
        matrix = canonical_if_small(matrix)
        weights = problem.weights(sample_weight)
        if check_fingerprint:
            _check_identity(problem, matrix, codes, weights)
        exponents = None if problem.exponents is None else np.array(problem.exponents)
        examples = cls(
            divided(matrix, exponents),
            codes,
            signs_against(codes, problem.code),
            problem.costs(codes, weights),
            exponents,
            problem.kernel,
            function,
        )
        examples.check_classes(problem)
        return examples

    def scaled(self, coef: Floats) -> Floats:
        """Return the normal of a hyperplane for the columns of ``X``, given that for the data."""
        return in_scaled_columns(coef, self.exponents)

    @property
    def taking_part(self) -> npt.NDArray[np.bool_] | None:
        """Which examples take part; ``None``: all."""
        return None if self.costs is None or self.costs.all() else self.costs > 0.0

    @property
    def n_taking_part(self) -> int:
        """How many examples take part."""
        mask = self.taking_part
        return len(self.codes) if mask is None else int(mask.sum())

    def counts(self, classes: tuple[Label, ...]) -> tuple[int, ...]:
        """How many examples of each class take part."""
        mask = self.taking_part
        codes = self.codes if mask is None else self.codes[mask]
        return tuple(np.bincount(codes, minlength=len(classes)).tolist())

    def check_classes(self, problem: "Problem") -> None:
        """Refuse classes of which no example takes part: a claim about them would say nothing."""
        for label, count in zip(problem.classes, self.counts(problem.classes), strict=True):
            if count == 0:
                shown = format_label(label)
                raise CertificateError(f"no example of the class {shown} has a positive weight")

    def check_takes_part(self, support: Indices, weights: npt.NDArray[Any] | None) -> None:
        """Refuse weight on an example that takes no part; without ``weights``, all have some."""
        if self.costs is None:
            return
        carriers = support if weights is None else support[weights > 0]
        idle = carriers[self.costs[carriers] == 0.0]
        if idle.size:
            raise CertificateError(f"example {idle[0]} has weight 0, but the support relies on it")

    def against(self, code: int) -> Self:
        """Return the same examples with the signs of another class against the others."""
        return replace(self, signs=signs_against(self.codes, code))

    def between(self, first: int, second: int) -> Self:
        """Return the same examples, of which only those of two classes take part.

        They have the codes 0 and 1, and the signs -1 and +1.
        """
        part = (self.codes == first) | (self.codes == second)
        costs = np.where(part, 1.0 if self.costs is None else self.costs, 0.0)
        codes = (self.codes == second).astype(np.int64)
        return replace(self, codes=codes, signs=signs_against(codes, 1), costs=costs)


def _size(shape: tuple[int, ...]) -> str:
    return f"{counted(shape[0], 'example')} and {counted(shape[1], 'feature')}"


def _check_identity(problem: "Problem", X: Any, codes: Indices, weights: Floats | None) -> None:
    n_classes = len(problem.classes)
    found = fingerprint_of_hashes(hash_rows(X), codes, n_classes, problem.n_features, weights)
    if found != problem.fingerprint:
        raise CertificateError(
            f"this is not the data that the certificate was made for: its fingerprint is {found}, "
            f"the certificate's {printable(problem.fingerprint)}"
        )
    if problem.sha256 is not None and problem.sha256 != sha256_of(X, codes, n_classes, weights):
        raise CertificateError(
            "this is not the data that the certificate was made for: its SHA-256 differs"
        )
