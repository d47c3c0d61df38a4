"""The slacks of a hyperplane as a proof that nothing separates the examples."""

import math
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.columns import Relation, Replaced
from novikoff.certificate.exact.gram import Gram
from novikoff.certificate.exact.vanishing import NOT_POSITIVE, largest_change
from novikoff.certificate.exact.violations import Violations, slacks_of
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.fields import as_coef, as_columns, as_intercept
from novikoff.certificate.problem import Problem


@dataclass(frozen=True, kw_only=True, eq=False)
class Slacks:
    """Weights of the examples: how far each violates the margin of a hyperplane.

    It claims that weights close to them combine the signed examples to zero, with positive weight
    on every example whose slack, times its cost, is above the threshold.

    Parameters
    ----------
    coef, intercept
        The hyperplane; the slack of an example is ``1 - y (coef·x + intercept)``. Like the
        relations, it is one of the scaled columns where the problem scales its columns.
    threshold : float
        Examples whose slack is not above it have no weight.
    without : array of int
        Examples that are not zero in one of these features have no weight either.
    relations : tuple of Relation
        Features that depend on others exactly, in all examples that have weight.
    remainders : tuple of Relation
        Each replaces its first feature by a combination, in the hyperplane too: what is left of a
        feature that others determine up to rounding.
    """

    coef: Floats
    intercept: float
    threshold: float = 0.0
    without: Indices = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    relations: tuple[Relation, ...] = ()
    remainders: tuple[Relation, ...] = ()

    def checked(self, problem: Problem) -> Self:
        """Return them with their parts made uniform, after checking that they are sound."""
        threshold = float(self.threshold)
        if not 0.0 <= threshold < math.inf:
            raise CertificateError(
                f"the threshold of the slacks must be finite and not negative, not {threshold!r}"
            )
        n_columns = problem.n_features + problem.affine
        return replace(
            self,
            coef=as_coef(self.coef, problem.n_features),
            intercept=as_intercept(self.intercept, problem.affine),
            threshold=threshold,
            without=as_columns("without", self.without, problem.n_features),
            relations=tuple(_checked(each, n_columns) for each in self.relations),
            remainders=tuple(_checked(each, n_columns) for each in self.remainders),
        )

    def violations(
        self,
        examples: Examples,
        *,
        affine: bool,
        slacks: Floats | None = None,
        replaced: Replaced | None = None,
    ) -> Violations:
        """The examples with weight, and their weighted sum.

        ``slacks`` and ``replaced`` are the slacks and the replaced columns, where they are known.
        """
        if replaced is None:
            replaced = Replaced.of(examples.X, self.remainders)
        if slacks is None:
            slacks = slacks_of(
                examples.X, examples.signs, examples.costs, self.coef, self.intercept, replaced
            )
        return Violations.of(
            examples.X,
            examples.signs,
            slacks,
            threshold=self.threshold,
            without=self.without,
            affine=affine,
            replaced=replaced,
        )

    def check(
        self,
        examples: Examples,
        support: Indices,
        *,
        affine: bool,
        violations: Violations | None = None,
        inverse: Floats | None = None,
        gram: Gram | None = None,
        most: float = 1.0,
    ) -> Indices:
        """Return the examples that combine to zero.

        ``violations`` is what :meth:`violations` returns, ``inverse`` an inverse of the scaled
        basis and ``gram`` the Gram matrix of a larger support, where they are known;
        ``most`` bounds the change of a slack, as a share of it.

        Raises
        ------
        CertificateError
            If it is not proved that they do.
        """
        if violations is None:
            violations = self.violations(examples, affine=affine)
        if not largest_change(violations, support, self.relations, inverse, gram) < most:
            raise CertificateError(NOT_POSITIVE)
        return violations.rows


def _checked(relation: Relation, n_columns: int) -> Relation:
    """A relation with its parts made uniform, after checking that they are sound."""
    columns = as_columns("a relation", relation.columns, n_columns, distinct=False)
    if (columns[1:] == columns[:1]).any():
        raise CertificateError("a relation refers to its first column twice")
    coefs = as_coef(relation.coefs, columns.size)
    if not columns.size or not coefs.all():
        raise CertificateError("a relation between features has a coefficient of zero")
    return Relation(columns, coefs)
