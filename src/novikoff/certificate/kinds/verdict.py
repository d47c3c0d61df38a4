"""Complete separation, quasi-complete separation, or overlap."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from novikoff.certificate.base import Certificate, Verified
from novikoff.certificate.claims import Findings, check_finite
from novikoff.certificate.coefficients import Coefficient, Coefficients
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.escape import format_label
from novikoff.certificate.exact.lifted import Lifted
from novikoff.certificate.exact.span import Basis
from novikoff.certificate.examples.blocks import Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.examples.counts import expanded
from novikoff.certificate.fields import as_rows
from novikoff.certificate.integers import Integers
from novikoff.certificate.kinds.column_sentences import sentences_on_columns
from novikoff.certificate.problem import Problem
from novikoff.certificate.wording import counted, enumerated, shortened

COMPLETE, QUASI, OVERLAP = KINDS = ("complete", "quasi-complete", "overlap")
INTERCEPT = "(Intercept)"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SeparationVerdict(Certificate):
    """How far the classes are separated, which decides whether logistic regression has estimates.

    The signed rows ``z_i = ±(1, x_i)`` split in one way into separated rows ``A``, on which some
    direction ``w`` with ``z_i·w >= 0`` for all rows has ``z_i·w > 0``, and the others, ``B``, on
    which ``z_i·w = 0`` for every such ``w``. The maximum-likelihood estimate of logistic (or
    probit) regression exists if and only if ``A`` is empty.

    Parameters
    ----------
    verdict : str
        "complete": all rows are separated; "quasi-complete": some; "overlap": none.
    separated_rows, boundary_rows : array of int or None
        One of the two lists the rows of ``A`` or of ``B``: the shorter, where the examples have no
        weights and two classes.
    vector : Integers
        A direction with ``z_i·w > 0`` exactly on ``A`` and 0 on ``B``; empty for an overlap.
    basis : array of int
        Independent rows that span ``B``.
    support, weights : array of int, Integers
        Further rows of ``B``, with positive weights. The weights of the basis that make the sum of
        these signed rows zero are positive too, which proves that no direction separates ``B``.
    coefficients : Coefficients, optional
        Which estimates are finite.
    """

    verdict: str
    separated_rows: Indices | None
    boundary_rows: Indices | None
    vector: Integers
    basis: Indices
    support: Indices
    weights: Integers
    coefficients: Coefficients | None = None

    def __post_init__(self) -> None:
        problem = self.problem
        n_classes = len(problem.classes)
        if (problem.positive is None) != (n_classes > 2) or (n_classes == 2 and problem.code != 1):
            raise CertificateError("of two classes the second is positive; of several, none is")
        if problem.exponents is not None or problem.class_weights is not None:
            raise CertificateError("a SeparationVerdict has no scaled columns and class weights")
        if self.verdict not in KINDS:
            raise CertificateError(f"the kind of a separation is one of {', '.join(KINDS)}")
        n_rows = problem.n_examples * (1 if n_classes == 2 else n_classes)
        width = self.n_columns * (n_classes - 1)
        for name in ("separated_rows", "boundary_rows"):
            rows = getattr(self, name)
            if rows is not None:
                self._set(name, as_rows(name, rows, n_rows))
        if (self.separated_rows is None) == (self.boundary_rows is None):
            raise CertificateError("either the separated rows are listed, or those that are not")
        if (problem.weighted or n_classes > 2) and self.separated_rows is None:
            # Which rows there are depends on the data.
            raise CertificateError("with weights or several classes, the separated rows are listed")
        for name in ("basis", "support"):
            self._set(name, as_rows(name, getattr(self, name), n_rows))
        if np.intersect1d(self.basis, self.support).size:
            raise CertificateError("a row is in the basis and in the support")
        self._set("weights", Integers.of("weights", self.weights, self.support.size))
        if any(a <= 0 for a in self.weights):
            raise CertificateError("weights must be positive")
        length = 0 if self.kind == OVERLAP else width
        self._set("vector", Integers.of("the direction", self.vector, length))
        if self.kind == COMPLETE and (self.basis.size or self.support.size):
            raise CertificateError("where all rows are separated, none is on the boundary")
        if self.coefficients is not None:
            self._set("coefficients", self.coefficients.checked(problem, width, n_rows))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def kind(self) -> str:
        """How far the classes are separated: "complete", "quasi-complete" or "overlap"."""
        return self.verdict

    @property
    def n_columns(self) -> int:
        """How many coefficients a class has: the intercept, if there is one, and the features."""
        return self.problem.n_features + self.problem.affine

    @property
    def exists(self) -> bool:
        """Whether the maximum-likelihood estimate of logistic regression exists."""
        return self.kind == OVERLAP

    @property
    def unique(self) -> bool:
        """Whether it exists and is unique: then no column depends on others."""
        return self.exists and self.basis.size == self.n_columns * (len(self.problem.classes) - 1)

    @property
    def direction(self) -> npt.NDArray[Any]:
        """The direction in integers, for the columns in the order of ``column_names``.

        Zeros for an overlap; of several classes, a row for each class but the first.
        """
        n_classes = len(self.problem.classes)
        values = self.vector or (0,) * (self.n_columns * (n_classes - 1))
        short = all(abs(a) < 1 << 62 for a in values)
        array = np.array(values, dtype=np.int64 if short else object)
        return array if n_classes == 2 else array.reshape(n_classes - 1, -1)

    @property
    def separated(self) -> npt.NDArray[np.bool_]:
        """Which examples are separated; of several classes, from which class each is."""
        problem = self.problem
        n_classes = len(problem.classes)
        shape = (problem.n_examples,) if n_classes == 2 else (problem.n_examples, n_classes)
        mask = np.full(shape, self.separated_rows is None)
        rows = self.boundary_rows if self.separated_rows is None else self.separated_rows
        assert rows is not None
        mask.flat[rows] = self.separated_rows is not None
        return mask

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the coefficients, the intercept first; with positions if two are equal."""
        problem = self.problem
        names = problem.feature_names or tuple(f"x{j}" for j in range(problem.n_features))
        if len({INTERCEPT, *names}) <= len(names):
            names = tuple(f"{name} [{j}]" for j, name in enumerate(names))
        each = (INTERCEPT, *names) if problem.affine else names
        if len(problem.classes) == 2:
            return each
        return tuple(f"{label}: {name}" for label in problem.classes[1:] for name in each)

    @property
    def columns(self) -> dict[str, str]:
        """For each coefficient "finite", "+inf", "-inf", "undetermined" or "not identified".

        Computed when first asked for, and from then on part of the certificate. Of one that was
        read from a file without them, call ``novikoff.separation`` again.
        """
        found = self.evidence
        return {name: each.estimate for name, each in found.items()}

    @property
    def evidence(self) -> dict[str, Coefficient]:
        """For each coefficient the verdict on its estimate, with its proof."""
        columns = self._found().columns
        return dict(zip(self.column_names, columns, strict=True))

    def with_columns(self, *, time_limit: float | None = None) -> Self:
        """Return the certificate with the verdicts on the columns, which are then stored too.

        ``time_limit`` is that of ``novikoff.separation`` unless another is given.
        """
        return self._carrying(replace(self, coefficients=self._found(time_limit)))

    def computing(self, search: Callable[[float | None], Coefficients]) -> Self:
        """Return the certificate with a function that computes the verdicts on the columns."""
        self._set("_search", search)
        return self

    def _found(self, time_limit: float | None = None) -> Coefficients:
        if self.coefficients is None:
            search = getattr(self, "_search", None)
            if search is None:
                raise CertificateError(
                    "the certificate does not contain the verdicts on the columns, and the data "
                    "are not at hand: call novikoff.separation(X, y) again"
                )
            self._set("coefficients", search(time_limit))
        assert self.coefficients is not None
        return self.coefficients

    def _carrying(self, other: Self) -> Self:
        search = getattr(self, "_search", None)
        return other if search is None else other.computing(search)

    def _with(self, problem: Problem) -> Self:
        return self._carrying(replace(self, problem=problem))

    def __bool__(self) -> bool:
        raise TypeError(
            "separation may be complete, quasi-complete or absent: compare .kind, or ask .exists "
            "whether maximum-likelihood estimates exist"
        )

    def verify(
        self,
        X: Any,
        y: npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
        check_fingerprint: bool = True,
        n_jobs: int | None = None,
        kernel: Callable[[Any, Any], Any] | None = None,
    ) -> Verified:
        """Check every claim against the data in exact arithmetic, as :class:`Certificate` does.

        ``y`` may have two columns, the successes and the failures of each row.
        """
        X, y, sample_weight = expanded(X, y, sample_weight)
        return super().verify(
            X,
            y,
            sample_weight=sample_weight,
            check_fingerprint=check_fingerprint,
            n_jobs=n_jobs,
            kernel=kernel,
        )

    def sentences(self) -> list[str]:
        """What is proved, in whole sentences."""
        return [self._verdict(), self._consequence(), *self._proof(), *self.column_sentences()]

    def headline(self) -> str:
        """What is proved, in a few words."""
        estimates = "exists" if self.exists else "does not exist"
        what = "overlap" if self.kind == OVERLAP else f"{self.kind} separation"
        return f"{what}, the maximum-likelihood estimate {estimates}"

    def column_sentences(self) -> list[str]:
        """What is proved of the estimates of single coefficients, if that was computed."""
        if self.coefficients is None or (self.exists and self.unique):
            return []
        return sentences_on_columns(
            self.coefficients.columns, self.column_names, self.problem, exists=self.exists
        )

    @property
    def _unit(self) -> str:
        """What a row is called."""
        return "example" if len(self.problem.classes) == 2 else "comparison"

    def _verdict(self) -> str:
        examples = self.problem.examples
        if self.kind == OVERLAP:
            return (
                f"Overlap: no direction separates any of {examples}, not even some of them with "
                "the others on the boundary."
            )
        if self.kind == COMPLETE:
            return f"Complete separation: a direction has each of {examples} strictly on its side."
        many = self._count
        return (
            f"Quasi-complete separation: a direction has {many} strictly on their side and the "
            "others exactly on the boundary, and no direction has more."
        )

    @property
    def _count(self) -> str:
        """How many rows are separated."""
        problem = self.problem
        n_classes = len(problem.classes)
        total = problem.n_examples * (n_classes - 1)
        if self.separated_rows is not None:
            number = self.separated_rows.size
        else:
            assert self.boundary_rows is not None
            number = total - self.boundary_rows.size
        if n_classes == 2:
            return f"{number:,} of {problem.examples}"
        return f"{number:,} comparisons of an example with another class"

    def _consequence(self) -> str:
        if not self.exists:
            return (
                "The maximum-likelihood estimate of logistic or probit regression does not exist: "
                "along this direction the likelihood keeps rising."
            )
        if self.unique:
            return (
                "The maximum-likelihood estimate of logistic or probit regression exists and is "
                "unique."
            )
        return (
            "The maximum-likelihood estimate of logistic or probit regression exists, but is not "
            "unique: columns depend on each other. It is unique without those that depend on "
            "earlier ones."
        )

    def _proof(self) -> list[str]:
        if not self.basis.size:
            return []
        number = counted(self.basis.size + self.support.size, self._unit)
        rest = "all others" if self.kind == OVERLAP else "those on the boundary"
        return [
            f"{number} prove that no direction separates more: their signed rows sum to zero with "
            f"positive weights, exactly, and span {rest}."
        ]

    def __str__(self) -> str:
        text = super().__str__()
        if len(self.problem.classes) == 2:
            return text
        classes = shortened([format_label(label) for label in self.problem.classes])
        return text.replace(self.problem.sides, f"all of the classes {classes} at once", 1)

    def _subject(self, examples: Examples, preposition: str = "from") -> str:
        counts = examples.counts(self.problem.classes)
        each = [
            f"{format_label(label)} ({count:,})"
            for label, count in zip(self.problem.classes, counts, strict=True)
        ]
        return enumerated(each)

    def lifted(self, examples: Examples) -> Lifted:
        """The signed rows of the examples."""
        problem = self.problem
        return Lifted(
            examples.X,
            examples.codes,
            len(problem.classes),
            problem.affine,
            examples.taking_part,
        )

    def _check(self, examples: Examples) -> Findings:
        check_finite(examples)
        lifted = self.lifted(examples)
        every = lifted.rows
        if self.separated_rows is not None:
            separated = self.separated_rows
            boundary = np.setdiff1d(every, separated, assume_unique=True)
        else:
            assert self.boundary_rows is not None
            boundary = self.boundary_rows
            separated = np.setdiff1d(every, boundary, assume_unique=True)
        if separated.size + boundary.size != every.size:
            raise CertificateError("the lists of rows refer to rows that do not exist or take part")
        kind = OVERLAP if not separated.size else QUASI if boundary.size else COMPLETE
        if kind != self.kind:
            raise CertificateError(f"the rows show the kind {kind!r}, not {self.kind!r}")
        if not (np.isin(self.basis, boundary).all() and np.isin(self.support, boundary).all()):
            raise CertificateError("the basis or the support contains a row that is separated")
        basis = Basis(lifted, self.basis)
        basis.check_spans(boundary)
        basis.check_positive(self.support, self.weights)
        if separated.size:
            # The boundary is in the span of the basis.
            if not lifted.vanishes(self.basis, self.vector).all():
                raise CertificateError("the direction is not zero on the boundary")
            wrong = np.flatnonzero(lifted.signs(separated, self.vector) <= 0)
            if wrong.size:
                raise CertificateError(
                    f"the direction does not have row {separated[wrong[0]]} strictly on its side"
                )
        if self.coefficients is not None:
            self.coefficients.check(lifted, separated, basis)
        what = "overlap" if kind == OVERLAP else f"{kind} separation"
        return Findings(
            exact_rows=np.unique(lifted.owners(boundary)[0]),
            sentences=(
                f"{what} of {self._subject(examples)}: {counted(separated.size, self._unit)} "
                f"separated, {boundary.size:,} not.",
                self._consequence(),
                *self.column_sentences(),
            ),
        )
