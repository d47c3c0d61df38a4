"""A bound on the error on new data, from the training data alone."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from novikoff.certificate.base import Certificate
from novikoff.certificate.compression import NoCompression, carriers_of, check_problem
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.confidence import METHODS, is_proved
from novikoff.certificate.examples.blocks import Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.fields import as_bound, as_support, check_whole
from novikoff.certificate.json import (
    Reader,
    check_keys,
    optional,
    read_count,
    read_number,
    read_rows,
    read_text,
)
from novikoff.certificate.wording import at_least, counted, in_full, percent

SCHEMES = ("optimum", "rerun")


def share_of_doubt(confidence: float, chosen_from: int) -> float:
    """The failure probability of each of several bounds that all hold with this confidence.

    By the union bound, each has an equal share of it. Rounded down, which asks for more.
    """
    delta = float(np.nextafter(1.0 - confidence, 0.0))
    return delta if chosen_from == 1 else float(np.nextafter(delta / chosen_from, 0.0))


_SAID = {
    "compression": "by the bound of Campi and Garatti for compressions",
    "binomial": "by the exact binomial tail, for every choice of as many examples",
    "theorem-5.2": "by Theorem 5.2 of the paper with the constant 12",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Risk:
    """With some confidence, a bound on the error of a model on new data of the same source.

    Parameters
    ----------
    n_examples : int
        How many examples the model was fitted on.
    support : array of int
        The examples that carry the model: without any of the others it would be the same.
    extra : int
        How many examples are counted besides (the farthest one, which bounds where new ones lie).
    confidence : float
        The probability, over the draw of the examples, that the bound is true.
    method : str
        Which theorem: ``"compression"``, ``"binomial"`` or ``"theorem-5.2"``.
    bound : float
        The bound on the error.
    margin : float or None
        The same bound holds for the probability of a margin of at most this.
    scheme : str
        Why the examples carry the model: ``"optimum"`` (it is close to the optimum, which they
        determine) or ``"rerun"`` (the run is the same without the others; they are listed in the
        order of visits).
    chosen_from : int
        How many settings, fixed before the examples were seen, the model was chosen from: the bound
        is one for all of them at once.
    """

    n_examples: int
    support: Indices
    confidence: float
    method: str
    bound: float
    margin: float | None = None
    extra: int = 0
    scheme: str = "optimum"
    chosen_from: int = 1

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "n_examples", check_whole("n_examples", self.n_examples))
        put(self, "support", as_support(self.support, self.n_examples))
        put(self, "extra", check_whole("extra", self.extra))
        for name in ("confidence", "bound"):
            put(self, name, as_bound(name, getattr(self, name)))
        if self.margin is not None:
            put(self, "margin", as_bound("margin", self.margin))
        if not 0.0 < self.confidence < 1.0:
            raise CertificateError(f"confidence must be between 0 and 1: {self.confidence!r}")
        if self.method not in METHODS or self.scheme not in SCHEMES:
            raise CertificateError(f"there is no risk by {self.method!r} and {self.scheme!r}")
        put(self, "chosen_from", check_whole("chosen_from", self.chosen_from))
        if self.chosen_from < 1:
            raise CertificateError(f"chosen_from must be at least 1, not {self.chosen_from}")
        delta = share_of_doubt(self.confidence, self.chosen_from)
        if not is_proved(self.method, self.n_examples, self.size, delta, self.bound):
            raise CertificateError(
                f"{self.size:,} of {counted(self.n_examples, 'example')} do not prove an error of "
                f"at most {in_full(self.bound)}"
            )

    @property
    def size(self) -> int:
        """How many examples count as carrying the model; at most all."""
        return min(self.support.size + self.extra, self.n_examples)

    def sentences(self) -> list[str]:
        """What is proved, and under which conditions."""
        confidence = f"{in_full(round(100.0 * self.confidence, 10))} %"
        farthest = " and the farthest one" if self.extra else ""
        # Some on the margin carry no weight, and some are too near it to tell.
        most, what = ("at most ", "optimum") if self.scheme == "optimum" else ("", "model")
        lines = [
            f"With {confidence} confidence the error on new examples from the same source is at "
            f"most {percent(self.bound)}: {most}{self.support.size:,} of "
            f"{counted(self.n_examples, 'example')}{farthest} carry the {what} "
            f"({_SAID[self.method]})."
        ]
        if self.margin is not None and self.margin > 0.0:
            lines.append(
                "The same bound holds for the share of new examples whose margin is at most "
                f"{at_least(self.margin)}."
            )
        if self.chosen_from > 1:
            lines.append(
                f"The confidence is shared by the {self.chosen_from:,} settings that it was chosen "
                "from, which were fixed before the examples were seen."
            )
        order = ""
        if self.scheme == "rerun":
            order = " that their order says nothing about them (shuffle the rows of a sorted file),"
        lines.append(
            f"This supposes that the examples were drawn independently from one source,{order} and "
            f"that nothing {'else ' if self.chosen_from > 1 else ''}was chosen by looking at them: "
            "no column, parameter or preparation."
        )
        return lines

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def __repr__(self) -> str:
        return f"<Risk: at most {percent(self.bound)} with confidence {in_full(self.confidence)}>"

    def verify(
        self,
        certificate: Certificate,
        X: Any,
        y: npt.ArrayLike,
        *,
        check_fingerprint: bool = True,
    ) -> Self:
        """Check that no other example carries the model than those that are listed.

        The certificate itself is verified too: it says how close the model is to the optimum.

        Raises
        ------
        CertificateError
            In one line, what is wrong.
        """
        certificate.verify(X, y, check_fingerprint=check_fingerprint)
        return self.check(certificate, X, y)

    def check(self, certificate: Certificate, X: Any, y: npt.ArrayLike) -> Self:
        """Check the risk alone, of a certificate that is verified already."""
        if self.scheme != "optimum":
            raise CertificateError("this bound is of a run, which only its estimator can repeat")
        problem = certificate.problem
        try:
            check_problem(certificate)
            examples = Examples.of(problem, X, y, None, check_fingerprint=False)
            found = carriers_of(certificate, examples)
        except NoCompression as error:
            raise CertificateError(f"the model has no bound on new data: {error}") from None
        others = np.setdiff1d(found.rows, self.support)
        if others.size:
            raise CertificateError(f"example {others[0]} carries the model too, and is not listed")
        if self.n_examples != problem.n_examples or self.extra < 1:
            raise CertificateError("the examples are not counted as they must be")
        if self.margin is not None and not (
            found.margin is not None and self.margin <= found.margin
        ):
            raise CertificateError(f"the margin {self.margin!r} is not proved on new data")
        return self

    def to_dict(self) -> dict[str, Any]:
        """The risk as JSON values."""
        return {
            "n_examples": self.n_examples,
            "support": self.support.tolist(),
            "extra": self.extra,
            "confidence": self.confidence,
            "method": self.method,
            "bound": self.bound,
            "margin": self.margin,
            "scheme": self.scheme,
            "chosen_from": self.chosen_from,
        }

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """The risk in JSON values; strict."""
        if not isinstance(value, dict):
            raise CertificateError("the risk is not an object with named fields")
        # Older files do not have it.
        value = {"chosen_from": 1, **value}
        check_keys(value, _READERS, "the risk")
        return cls(**{name: read(name, value[name]) for name, read in _READERS.items()})


_READERS: dict[str, Reader] = {
    "n_examples": read_count,
    "support": read_rows,
    "extra": read_count,
    "confidence": read_number,
    "method": read_text,
    "bound": read_number,
    "margin": optional(read_number),
    "scheme": read_text,
    "chosen_from": read_count,
}
