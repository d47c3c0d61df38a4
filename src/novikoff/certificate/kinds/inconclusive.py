"""What is known without a verdict."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.claims import Findings, check_model, check_upper
from novikoff.certificate.errors import CertificateError, Undecided
from novikoff.certificate.exact.hull import spread_below
from novikoff.certificate.examples.blocks import Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.feature_space.kernel_model import KernelModel
from novikoff.certificate.fields import as_bound, as_support, as_weights, check_carried
from novikoff.certificate.kinds.binary import Binary, no_more_than, soft_headline
from novikoff.certificate.model import Model
from novikoff.certificate.status import Status
from novikoff.certificate.wording import at_most, digits_between, in_full


def is_numerical(upper: float, spread: float) -> bool:
    """Whether an upper bound is as good as zero for data that spread so far, but is not zero."""
    return 0.0 < upper <= 2.0**-30 * spread < math.inf


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Inconclusive(Binary):
    """The best bounds of a run that neither separated the examples nor proved that none can.

    It claims that no hyperplane has a margin above ``upper``, as in :class:`Separation`.
    ``spread``, if given, is claimed to be at most the largest distance between two examples
    (without an intercept: the largest norm), and ``upper`` is below ``2**-30`` of it: the examples
    are *numerically* not separable, which is no verdict. ``model`` is what was fitted, if anything
    was; the check makes sure that it does not separate the examples, unless with a margin below
    the smallest positive float64, which no :class:`Separation` can state. Where ``upper`` is 0,
    nothing separates them, but the weights that prove it are too large to be stored in a
    :class:`NonSeparation`.
    """

    upper: float
    support: Indices
    weights: npt.NDArray[Any]
    spread: float | None = None
    model: Model | KernelModel | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._reject_with_kernel(spread=self.spread)
        self._set("upper", as_bound("upper", self.upper))
        self._set("support", as_support(self.support, self.problem.n_examples))
        self._set("weights", as_weights(self.weights, self.support))
        check_carried("upper", self.upper, math.inf, self.support)
        if self.upper < 0.0:
            raise CertificateError(f"upper is {self.upper!r}; an upper bound is not negative")
        if self.spread is not None:
            self._set("spread", as_bound("spread", self.spread))
            if not is_numerical(self.upper, self.spread):
                raise CertificateError(
                    f"upper is {self.upper!r}, which is not positive and small beside the "
                    f"spread {self.spread!r}"
                )
        if self.model is not None:
            self._set("model", self.model.checked(self.problem))
            if self.model.lower > 0.0:
                raise CertificateError("the model separates the examples: that is a Separation")
            if self.model.account is not None and self.model.soft is None:
                self.model.account.check("model", gap=math.inf, upper=self.upper)
        self.account.check("Inconclusive", gap=math.inf, upper=self.upper)

    @property
    def lower(self) -> float:
        """The margin of the model; minus infinity where there is none."""
        return -math.inf if self.model is None else self.model.lower

    @property
    def gap(self) -> float:
        """Infinity: without a positive lower bound there is no relative gap."""
        return math.inf

    def __bool__(self) -> bool:
        raise Undecided(f"undecided: {self._known()}")

    def sentences(self) -> list[str]:
        """What is proved, in whole sentences."""
        head = "Inconclusive" if self.spread is None else "Numerically not separable"
        sentences = [f"{head}: {self._known()}.", *self._model_sentences(self.model)]
        return [*sentences, *self.problem.units]

    def headline(self) -> str:
        """What is proved, in a few words."""
        what = "undecided" if self.spread is None else "numerically not separable"
        if math.isfinite(self.upper):
            what += f", no margin above {at_most(self.upper)}"
        if self.model is None or self.model.soft is None:
            return what
        return f"{what}; {soft_headline(self.model.soft)}"

    def _known(self) -> str:
        planes = self.problem.hyperplanes
        if self.spread is not None:
            share = self._share(self.upper, self.spread)
            return f"{no_more_than(self.upper, planes)} ({share})"
        if self.upper == 0.0:
            return f"{no_more_than(0.0, planes)}, so none separates {self.problem.examples}"
        start = (
            f"it is neither proved that a {planes} separates {self.problem.examples} "
            "nor that none does"
        )
        return f"{start}; {self._bound()}" if math.isfinite(self.upper) else start

    def _bound(self) -> str:
        planes, asked = self.problem.hyperplanes, self.account.min_margin
        if self.status is not Status.NO_SUCH_MARGIN or asked is None:
            return no_more_than(self.upper, planes)
        # As many digits as show that the bound is below the margin.
        bound = no_more_than(self.upper, planes, digits_between(self.upper, asked))
        return f"{bound}, so none has a margin of {in_full(asked)}"

    def _share(self, upper: float, spread: float) -> str:
        share = at_most(math.nextafter(upper / spread, math.inf), 2)
        whole = "distance between examples" if self.problem.affine else "norm of an example"
        return f"that is at most {share} of the largest {whole}"

    def _check(self, examples: Examples) -> Findings:
        problem = self.problem
        upper, exact = check_upper(
            self.upper, self.support, self.weights, examples, affine=problem.affine
        )
        note = ""
        if self.spread is not None:
            spread = spread_below(examples.X, self.support[self.weights > 0], affine=problem.affine)
            if self.spread > spread:
                raise CertificateError(
                    f"the examples of the support prove a spread of {spread!r}, not {self.spread!r}"
                )
            note = f" ({self._share(upper, self.spread)})"
        found = check_model(self.model, examples, affine=problem.affine)
        # Floating-point bounds of a kernel may be closer than those that the claim was made with.
        if problem.kernel is None and found.lower is not None and found.lower > 0.0:
            raise CertificateError("the model separates the examples, so they are not undecided")
        # The weights may prove that nothing separates the examples, and yet be too large for a
        # NonSeparation.
        start = "no" if upper == 0.0 else "it is not decided whether a"
        claim = f"{start} {problem.hyperplanes} separates {self._subject(examples)}"
        if math.isfinite(upper):
            claim += f"; {no_more_than(upper, problem.hyperplanes)}{note}"
        return Findings(
            lower=found.lower,
            upper=upper,
            primal=found.primal,
            dual=found.dual,
            errors=found.errors,
            exact_rows=np.union1d(found.exact_rows, exact),
            sentences=(f"{claim}.", *self._model_sentences(self.model, found)),
        )
