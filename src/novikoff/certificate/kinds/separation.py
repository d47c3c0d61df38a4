"""Bounds on the margin: a separation, or as much as is known without one."""

import math
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from novikoff.certificate.base import Certificate, Verified
from novikoff.certificate.errors import CertificateError, Undecided
from novikoff.certificate.exact.dyadic import relative_gap
from novikoff.certificate.exact.hull import HullPoint, hull_point, margin_above, spread_below
from novikoff.certificate.exact.margins import margin_below
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.labels import Signs
from novikoff.certificate.fields import (
    as_bound,
    as_coef,
    as_intercept,
    as_support,
    as_weights,
    check_carried,
    check_takes_part,
)
from novikoff.certificate.wording import at_least, at_most, counted, digits_between, percent


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _MarginBounds(Certificate):
    coef: Floats | None
    intercept: float
    lower: float
    upper: float
    support: Indices
    weights: npt.NDArray[Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.coef is not None:
            self._set("coef", as_coef(self.coef, self.n_features))
        self._set("intercept", as_intercept(self.intercept, self.affine))
        self._set("lower", as_bound("lower", self.lower))
        self._set("upper", as_bound("upper", self.upper))
        self._set("support", as_support(self.support, self.n_examples))
        self._set("weights", as_weights(self.weights, self.support))
        if self.lower == math.inf:
            raise CertificateError("lower is infinite, which no margin is")
        if self.upper < 0.0:
            raise CertificateError(f"upper is {self.upper!r}; an upper bound is not negative")
        if self.coef is None and self.lower != -math.inf:
            raise CertificateError(f"lower is {self.lower!r}, but there is no coef to carry it")
        check_carried("upper", self.upper, math.inf, self.support)
        check_takes_part(self.support, self.weights, self.costs)

    @property
    def gap(self) -> float:
        """Relative gap ``(upper - lower)/upper`` between the bounds; infinity without both."""
        if not (math.isfinite(self.lower) and 0.0 < self.upper < math.inf):
            return math.inf
        return relative_gap(self.lower, self.upper)

    def __repr__(self) -> str:
        name = type(self).__name__
        digits = digits_between(self.lower, self.upper)
        lower, upper = at_least(self.lower, digits), at_most(self.upper, digits)
        return f"<{name}: {lower} <= margin <= {upper}, {counted(self.n_examples, 'example')}>"

    def _check_lower(self, X: Any, signs: Signs) -> tuple[float, int]:
        if self.coef is None:
            return -math.inf, 0
        claim = (X, signs, self.coef, self.intercept, self._taking_part)
        bound = margin_below(*claim)
        if self.lower > bound.value and not bound.exact:
            bound = margin_below(*claim, thorough=True)
        if self.lower > bound.value:
            raise CertificateError(
                f"the hyperplane does not have the margin {self.lower!r}: "
                f"it is at most {math.nextafter(bound.value, math.inf)!r}"
            )
        return bound.value, bound.exact_rows.size

    def _check_upper(self, X: Any, signs: Signs, excluded: float | None) -> tuple[float, int]:
        point = hull_point(X, signs, self.support, self.weights, affine=self.affine)
        if point is not None and not point.exact and not self._bounded(point, excluded):
            point = hull_point(
                X, signs, self.support, self.weights, affine=self.affine, thorough=True
            )
        proved = margin_above(point)
        if self.upper < proved:
            raise CertificateError(
                f"the weights prove the upper bound {proved!r}, not {self.upper!r}"
            )
        if excluded is not None and (point is None or not point.excludes(excluded)):
            raise CertificateError(
                f"the weights prove the upper bound {proved!r}, "
                f"which does not exclude the margin {excluded!r}"
            )
        return proved, 0 if point is None else point.exact_rows.size

    def _bounded(self, point: HullPoint, excluded: float | None) -> bool:
        return self.upper >= point.margin and (excluded is None or point.excludes(excluded))

    def _bounds_sentence(self, verb: str) -> str:
        digits = digits_between(self.lower, self.upper)
        has = f"the hyperplane {verb} margin at least {at_least(self.lower, digits)}"
        if math.isinf(self.upper):
            return f"{has}; no upper bound was proved"
        most = at_most(self.upper, digits)
        return f"{has}, and no {self._hyperplanes()} has more than {most}"

    def _carried(self) -> str:
        count = int((self.weights > 0).sum())
        return f"{count:,} of {counted(self.n_examples, 'example')} carry the upper bound."


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Separation(_MarginBounds):
    """A hyperplane separates the examples, with bounds on its margin and on every other's.

    It claims ``lower <= min_i y_i (w·x_i + b)/‖w‖``, with ``lower > 0``, from ``coef`` and
    ``intercept``; and that no hyperplane has a margin above ``upper``, from ``support`` and
    ``weights``: the norm of the weighted mean of the signed examples, or with an intercept
    half the distance of the two weighted class means.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.coef is None:
            raise CertificateError("a Separation needs the hyperplane that separates (coef)")
        if not self.lower > 0.0:
            raise CertificateError(f"a Separation needs a positive lower bound, not {self.lower!r}")

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        gap = f" (gap {percent(self.gap)})" if math.isfinite(self.upper) else ""
        lines = [f"Separable: {self._bounds_sentence('returned has')}{gap}."]
        if self.support.size:
            lines.append(self._carried())
        return "\n".join([*lines, *self._idle(), self._run()])

    def _check(self, X: Any, signs: Signs) -> Verified:
        lower, decided = self._check_lower(X, signs)
        upper, added = self._check_upper(X, signs, None)
        sentence = (
            f"Verified: the hyperplane separates all {self._examples()} "
            f"with margin at least {at_least(lower)}"
        )
        if math.isfinite(upper):
            sentence += f", and no {self._hyperplanes()} has more than {at_most(upper)}"
        return Verified(lower=lower, upper=upper, n_exact=decided + added, sentence=sentence + ".")


def is_numerical(upper: float, spread: float) -> bool:
    """Whether an upper bound is as good as zero for data that spread so far, but is not zero."""
    return 0.0 < upper <= 2.0**-30 * spread < math.inf


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Inconclusive(_MarginBounds):
    """The best bounds of a run that neither separated the examples nor proved that none can.

    ``lower`` (not positive) and ``upper`` are as in :class:`Separation`; without a hyperplane
    ``coef`` is ``None`` and ``lower`` is minus infinity. ``excluded_margin``, if given, is
    claimed to be out of reach: no hyperplane has a margin that large. ``spread``, if given, is
    claimed to be at most the largest distance between two examples (without an intercept: the
    largest norm), and ``upper`` is below ``2**-30`` of it: the examples are *numerically* not
    separable, which is no verdict.
    """

    excluded_margin: float | None = None
    spread: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lower > 0.0:
            raise CertificateError(
                f"lower is {self.lower!r}: a positive lower bound makes it a Separation"
            )
        if self.excluded_margin is not None:
            margin = as_bound("excluded_margin", self.excluded_margin)
            if not 0.0 < margin < math.inf:
                raise CertificateError(f"excluded_margin must be positive, not {margin!r}")
            self._set("excluded_margin", margin)
        if self.spread is not None:
            self._set("spread", as_bound("spread", self.spread))
            if not is_numerical(self.upper, self.spread):
                raise CertificateError(
                    f"upper is {self.upper!r}, which is not positive and small beside the "
                    f"spread {self.spread!r}"
                )

    def __bool__(self) -> bool:
        raise Undecided(f"undecided: {self._verdict()}")

    def __str__(self) -> str:
        head = "Inconclusive" if self.spread is None else "Numerically not separable"
        lines = [f"{head}: {self._verdict()}."]
        if self.coef is not None:
            lines.append(f"The hyperplane returned has margin at least {at_least(self.lower)}.")
        if self.support.size:
            lines.append(self._carried())
        return "\n".join([*lines, *self._idle(), self._run()])

    def _verdict(self) -> str:
        start = "the run has neither separated the examples nor proved that nothing can"
        least = f"no {self._hyperplanes()} has margin above {at_most(self.upper)}"
        if self.spread is not None:
            return f"{least} ({self._share(self.spread)})"
        if self.excluded_margin is not None:
            excluded = at_most(self.excluded_margin)
            return f"no {self._hyperplanes()} with margin >= {excluded} separates the examples"
        if math.isfinite(self.upper):
            return f"{start}; {least}"
        return start

    def _share(self, spread: float) -> str:
        share = at_most(math.nextafter(self.upper / spread, math.inf), 2)
        whole = "distance between examples" if self.affine else "norm of an example"
        return f"that is at most {share} of the largest {whole}"

    def _check(self, X: Any, signs: Signs) -> Verified:
        lower, decided = self._check_lower(X, signs)
        upper, added = self._check_upper(X, signs, self.excluded_margin)
        if self.spread is not None:
            spread = spread_below(X, self.support[self.weights > 0], affine=self.affine)
            if self.spread > spread:
                raise CertificateError(
                    f"the examples of the support spread {spread!r}, not {self.spread!r}"
                )
        parts = []
        if math.isfinite(lower):
            parts.append(f"the hyperplane returned has margin at least {at_least(lower)}")
        if self.excluded_margin is not None:
            digits = digits_between(upper, self.excluded_margin)
            most, excluded = at_most(upper, digits), at_most(self.excluded_margin, digits)
            parts.append(f"no {self._hyperplanes()} has more than {most}, so none has {excluded}")
        elif math.isfinite(upper):
            share = "" if self.spread is None else f" ({self._share(self.spread)})"
            parts.append(f"no {self._hyperplanes()} has more than {at_most(upper)}{share}")
        found = ", and ".join(parts) or "nothing was claimed"
        sentence = f"Verified: {found}."
        return Verified(lower=lower, upper=upper, n_exact=decided + added, sentence=sentence)
