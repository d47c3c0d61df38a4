"""Which coefficients of a logistic regression have finite estimates, with evidence.

Let ``A`` and ``B`` be the rows that are separated and those that are not, and ``w`` any feasible
direction: ``z_i·w >= 0`` on all rows, hence ``= 0`` on ``B``. Along it the likelihood does not
fall. So the estimate of column ``j`` is finite if ``w_j = 0`` for every feasible ``w``, that is if
``e_j`` is in the span of ``B``; it is +infinity if ``w_j >= 0`` for every feasible ``w`` and not
always 0, that is (Farkas) if ``e_j`` is a sum of rows of ``A`` with weights that are not negative,
plus a vector of the span of ``B``; and where there are feasible directions of both signs, the
supremum of the likelihood is approached with any value. A column that depends on earlier ones, the
intercept first, is not identified: it is left out, its coefficient zero.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.lifted import Lifted
from novikoff.certificate.exact.modular import PRIMES, independent_among
from novikoff.certificate.exact.span import Basis, whole_columns
from novikoff.certificate.examples.blocks import Indices
from novikoff.certificate.fields import as_rows
from novikoff.certificate.integers import NO_INTEGERS, Integers

if TYPE_CHECKING:
    from novikoff.certificate.problem import Problem

FINITE, POSITIVE, NEGATIVE, EITHER, LEFT_OUT = ESTIMATES = (
    "finite",
    "+inf",
    "-inf",
    "undetermined",
    "not identified",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Group:
    """All examples with one value in a column are of one class.

    Parameters
    ----------
    value : float
        The value.
    count : int
        How many examples have it.
    code : int
        The position of their class among the classes.
    """

    value: float
    count: int
    code: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Coefficient:
    """The verdict on the estimate of one coefficient, with its evidence.

    Parameters
    ----------
    estimate : str
        "finite", "+inf", "-inf", "undetermined" or "not identified".
    rows, weights : array of int, Integers
        For an infinite estimate: separated rows whose sum with these positive weights is
        ``multiple`` times the unit vector of the column, with the sign of the estimate, up to a
        vector of the span of the other rows.
    multiple : Integers
        See there; one integer, or none.
    directions : tuple of Integers
        Where it is undetermined, two feasible directions: the column is positive in the first and
        negative in the second. Where it is not identified, how the column depends on earlier ones:
        a combination of columns that is zero in all rows.
    group : Group, optional
        What the data have to do with it, where that is simple.
    """

    estimate: str
    rows: Indices = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    weights: Integers = NO_INTEGERS
    multiple: Integers = NO_INTEGERS
    directions: tuple[Integers, ...] = ()
    group: Group | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Coefficients:
    """The verdicts on all columns.

    Parameters
    ----------
    columns : tuple of Coefficient
        One for each column.
    independent : array of int
        As many rows as columns are identified: these columns are independent in them.
    """

    columns: tuple[Coefficient, ...]
    independent: Indices

    def checked(self, problem: "Problem", width: int, n_rows: int) -> "Coefficients":
        """Return them with their parts made uniform, after checking that they are sound."""
        if len(self.columns) != width:
            raise CertificateError(f"there are {len(self.columns)} coefficients, not {width}")
        columns = tuple(_checked(each, problem, width, n_rows) for each in self.columns)
        independent = as_rows("independent", self.independent, n_rows)
        return Coefficients(columns=columns, independent=independent)

    @property
    def identified(self) -> list[int]:
        """The columns that are identified."""
        return [j for j, each in enumerate(self.columns) if each.estimate != LEFT_OUT]

    def check(self, lifted: Lifted, separated: Indices, basis: Basis) -> None:
        """Check every verdict; ``basis`` is one of the rows that are not separated.

        Raises
        ------
        CertificateError
            For the first that is not proved.
        """
        check_independent(lifted, self.independent, self.identified)
        kept = set(self.identified)
        every = lifted.rows
        free = sorted(set(range(lifted.width)) - set(basis.pivots))
        # What is orthogonal to the basis, without the columns that are left out.
        vectors = [v for f, v in zip(free, basis.orthogonal, strict=True) if f in kept]
        feasible: set[Integers] = set()
        for j, each in enumerate(self.columns):
            if each.estimate == LEFT_OUT:
                _check_relation(lifted, every, j, each.directions[0])
            elif each.estimate == FINITE:
                if any(v[j] for v in vectors):
                    raise CertificateError(f"column {j} is not orthogonal to every direction")
            elif each.estimate == EITHER:
                for sign, direction in zip((1, -1), each.directions, strict=True):
                    if sign * direction[j] <= 0:
                        raise CertificateError(f"a direction of column {j} has another sign")
                    # Several columns may refer to the same one.
                    if direction not in feasible:
                        _check_feasible(lifted, separated, basis, direction, kept)
                        feasible.add(direction)
            else:
                _check_infinite(lifted, separated, vectors, j, each)
            if each.group is not None:
                _check_group(lifted, j, each.group)


def check_independent(lifted: Lifted, rows: Indices, columns: list[int]) -> None:
    """Refuse columns that are not proved to be independent by as many rows."""
    if not lifted.is_row(rows).all():
        raise CertificateError("independent refers to rows that do not exist")
    matrix = whole_columns(lifted.table(rows, np.array(columns, dtype=np.int64)))[0]
    if rows.size == len(columns) and (
        not columns
        or any(len(independent_among(matrix, len(columns), p)) == rows.size for p in PRIMES)
    ):
        return
    raise CertificateError("the columns that are identified are not proved to be independent")


def _check_relation(lifted: Lifted, rows: Indices, j: int, relation: Integers) -> None:
    if relation[j] == 0 or any(relation[j + 1 :]) or not lifted.vanishes(rows, relation).all():
        raise CertificateError(f"column {j} does not depend on earlier ones as is claimed")


def _check_feasible(
    lifted: Lifted, separated: Indices, basis: Basis, direction: Integers, kept: set[int]
) -> None:
    feasible = (
        all(a == 0 or k in kept for k, a in enumerate(direction))
        and lifted.vanishes(basis.rows, direction).all()
        and (lifted.signs(separated, direction) >= 0).all()
    )
    if not feasible:
        raise CertificateError("a direction of an undetermined column is not feasible")


def _check_infinite(
    lifted: Lifted, separated: Indices, vectors: list[list[int]], j: int, each: Coefficient
) -> None:
    if not np.isin(each.rows, separated).all():
        raise CertificateError(f"the evidence of column {j} refers to rows that are not separated")
    sign = 1 if each.estimate == POSITIVE else -1
    if not any(v[j] for v in vectors):
        raise CertificateError(f"the estimate of column {j} is finite")
    table = lifted.table(each.rows)
    matrix, exponents = whole_columns(table)
    low = min(exponents)
    factors = [1 << (e - low) for e in exponents]
    for v in vectors:
        scaled = [a * b for a, b in zip(v, factors, strict=True)]
        total = sum(
            weight * sum(a * b for a, b in zip(row, scaled, strict=True) if a and b)
            for weight, row in zip(each.weights, matrix, strict=True)
        )
        wanted = sign * each.multiple[0] * v[j]
        same = total << low == wanted if low >= 0 else total == wanted << -low
        if not same:
            raise CertificateError(f"the evidence does not sum to the unit vector of column {j}")


def _check_group(lifted: Lifted, j: int, group: Group) -> None:
    feature = j % lifted.per_class - lifted.affine
    if (
        lifted.n_classes != 2
        or feature < 0
        or group_of(lifted, feature, group.value)
        != (
            group.count,
            group.code,
        )
    ):
        raise CertificateError(f"column {j} does not have the group of examples that is claimed")


def group_of(lifted: Lifted, feature: int, value: float) -> tuple[int, int] | None:
    """How many examples have a value, and the code of their class; ``None``: of several."""
    j = np.array([feature + lifted.affine])
    rows = lifted.rows
    codes = lifted.codes[rows]
    values = lifted.table(rows, j)[:, 0] * (2 * codes - 1)
    found = np.unique(codes[values == value])
    return (int((values == value).sum()), int(found[0])) if found.size == 1 else None


def _checked(each: Coefficient, problem: "Problem", width: int, n_rows: int) -> Coefficient:
    if each.estimate not in ESTIMATES:
        raise CertificateError(f"an estimate is one of {', '.join(ESTIMATES)}")
    rows = as_rows("rows", each.rows, n_rows)
    weights = Integers.of("weights", each.weights, rows.size)
    directions = tuple(Integers.of("a direction", v, width) for v in each.directions)
    wanted = {EITHER: 2, LEFT_OUT: 1}.get(each.estimate, 0)
    if len(directions) != wanted:
        raise CertificateError(f"{each.estimate!r} needs {wanted} directions")
    infinite = each.estimate in (POSITIVE, NEGATIVE)
    multiple = Integers.of("multiple", each.multiple, int(infinite))
    if infinite != bool(rows.size) or any(a <= 0 for a in multiple):
        raise CertificateError("an infinite estimate needs rows, weights and a positive multiple")
    if any(a <= 0 for a in weights):
        raise CertificateError("the weights of an infinite estimate must be positive")
    if each.group is not None and not (infinite and 0 <= each.group.code < len(problem.classes)):
        raise CertificateError("a group of examples explains an infinite estimate alone")
    return Coefficient(
        estimate=each.estimate,
        rows=rows,
        weights=weights,
        multiple=multiple,
        directions=directions,
        group=each.group,
    )
