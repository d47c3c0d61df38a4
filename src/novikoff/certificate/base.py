"""What every certificate has: a problem, an account of the run, its checks, its stored form."""

import dataclasses
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from novikoff.certificate import json
from novikoff.certificate.account import Account
from novikoff.certificate.claims import Findings
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.escape import format_label
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.examples.fingerprint import sha256_of
from novikoff.certificate.examples.matrix import check_matrix
from novikoff.certificate.fields import same
from novikoff.certificate.files import write_atomically
from novikoff.certificate.problem import Problem
from novikoff.certificate.status import Status
from novikoff.certificate.threads import threads
from novikoff.certificate.wording import counted, shortened


@dataclass(frozen=True, kw_only=True)
class Verified:
    """What a check has proved, recomputed from the data; ``str()`` is the sentence.

    Parameters
    ----------
    problem : Problem
        The problem that was checked.
    counts : tuple of int
        How many examples of each of ``problem.classes`` take part.
    lower, upper : float or None
        Bounds on the best margin: that of the certificate's hyperplane, and one on any.
    primal, dual : float or None
        Bounds on the optimum of the soft-margin problem.
    errors : int or None
        How many of the examples the model gets wrong.
    n_exact : int
        How many examples were decided in exact arithmetic, the others by rigorous floating-point
        bounds.
    sentence : str
        What was proved, and of what.
    parts : tuple of Verified
        For more than two classes, what was proved of each class against the rest; the bounds are
        theirs.
    """

    problem: Problem
    counts: tuple[int, ...]
    lower: float | None = None
    upper: float | None = None
    primal: float | None = None
    dual: float | None = None
    errors: int | None = None
    n_exact: int = 0
    sentence: str = ""
    parts: tuple["Verified", ...] = ()

    @property
    def n_taking_part(self) -> int:
        """How many examples take part: all, but for those of weight 0."""
        return sum(self.counts)

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Certificate(ABC):
    """What a run has proved, stated so that anyone can check it against the data.

    Parameters
    ----------
    problem : Problem
        The examples and classes that the claims are about.
    account : Account
        What the run says of itself; not proved.
    """

    problem: Problem
    account: Account

    @property
    def status(self) -> Status:
        """How the run ended, by its own account."""
        return self.account.status

    @property
    def parts(self) -> tuple["Certificate", ...]:
        """The certificates of the classes against the rest; of two classes, this one alone."""
        return (self,)

    @property
    def hyperplane(self) -> Any:
        """The model that predicts, if the certificate contains one: of two classes, a Model."""
        return getattr(self, "model", None)

    @property
    def proof(self) -> tuple[Indices, npt.NDArray[Any]]:
        """The weighted examples that bound the optimum: of the soft margin if it was fitted."""
        model = self.hyperplane
        weighted: Any = self if model is None or model.soft is None else model.soft
        return weighted.support, weighted.weights

    @property
    def coef(self) -> Floats | None:
        """The normal of the hyperplane that predicts, if there is one.

        Of a kernel classifier, the coefficients of its support.
        """
        return None if self.hyperplane is None else self.hyperplane.coef

    @property
    def intercept(self) -> float | None:
        """The intercept of the hyperplane that predicts, if there is one."""
        return None if self.hyperplane is None else self.hyperplane.intercept

    @property
    def coefs(self) -> Floats | None:
        """The coefficients of the scores that predict, a row for each; ``None`` without a model.

        ``None`` also where there is a kernel: each score has a support of its own.
        """
        models = [part.hyperplane for part in self.parts]
        without = None in models or self.problem.kernel is not None
        return None if without else np.array([model.coef for model in models])

    @property
    def intercepts(self) -> Floats | None:
        """The intercepts of the scores that predict; ``None`` without a model."""
        models = [part.hyperplane for part in self.parts]
        return None if None in models else np.array([model.intercept for model in models])

    @property
    def model_account(self) -> Account:
        """The account of the run that produced the model; not proved."""
        model = self.hyperplane
        return self.account if model is None or model.account is None else model.account

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
        """Check every claim against the data, in rigorous arithmetic.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
            The examples.
        y : array-like of shape (n_examples,)
            The labels.
        sample_weight : array-like of shape (n_examples,), optional
            The weights of the examples, where they had some.
        check_fingerprint : bool
            False: skip the test whether this is the data the certificate was made for, and let
            the arithmetic alone decide whether its claims are true of it.
        n_jobs : int, optional
            Threads that read the data; -1 for all processors.
        kernel : callable, optional
            The kernel, where it is a function: the certificate does not contain it.

        Returns
        -------
        Verified
            What was proved, recomputed from the data.

        Raises
        ------
        CertificateError
            In one line, the first thing that is wrong.
        """
        with threads(n_jobs):
            examples = Examples.of(
                self.problem,
                X,
                y,
                sample_weight,
                check_fingerprint=check_fingerprint,
                function=kernel,
            )
            return self._verified(examples)

    def named(
        self, *, target: str | None = None, feature_names: tuple[str, ...] | None = None
    ) -> Self:
        """Return the certificate with names to display; they are not part of what is proved."""
        return self._with(replace(self.problem, target=target, feature_names=feature_names))

    def with_sha256(
        self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Return the certificate with a cryptographic hash of its data, checked by ``verify``."""
        examples = Examples.of(self.problem, X, y, sample_weight, check_fingerprint=True)
        n_classes = len(self.problem.classes)
        digest = sha256_of(check_matrix(X), examples.codes, n_classes, sample_weight)
        return self._with(replace(self.problem, sha256=digest))

    def to_dict(self) -> dict[str, Any]:
        """The certificate as JSON values, with the format and its version."""
        # The document's fields are those of the kinds, which are built on this class.
        from novikoff.certificate.document import to_document

        return to_document(self)

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        """The certificate in a dictionary made by :meth:`to_dict`; strict."""
        from novikoff.certificate.document import from_document

        certificate = from_document(document)
        if not isinstance(certificate, cls):
            found = type(certificate).__name__
            raise CertificateError(f"the certificate is a {found}, not a {cls.__name__}")
        return certificate

    def to_json(self) -> str:
        """The certificate as readable JSON."""
        return json.to_text(self.to_dict())

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The certificate in a text made by :meth:`to_json`; strict, and runs nothing."""
        return cls.from_dict(json.from_text(text))

    def save(self, path: str | os.PathLike[str], *, about: dict[str, Any] | None = None) -> None:
        """Write the certificate as JSON; an interruption leaves an old file whole.

        ``about`` is stored beside it, such as how the file of the data was read.
        """
        document = self.to_dict()
        if about:
            document = {**document, "about": json.read_about(about)}
        write_atomically(path, json.to_text(document))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a certificate that was saved."""
        return cls.from_json(Path(path).read_bytes())

    @abstractmethod
    def __bool__(self) -> bool: ...

    @abstractmethod
    def sentences(self) -> list[str]:
        """What is proved, in whole sentences; the run's account is not part of it."""

    @abstractmethod
    def headline(self) -> str:
        """What is proved, in a few words."""

    def __str__(self) -> str:
        lines = [*self.sentences(), f"Problem: {self._problem_text()}"]
        lines += [self.problem.names] if self.problem.names else []
        lines.append(f"Run (not proved): {self.account}")
        if self.model_account != self.account:
            lines.append(f"Run of the model (not proved): {self.model_account}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline()}>"

    def _repr_html_(self) -> str:
        """The certificate for a notebook."""
        from novikoff.certificate.notebook import to_html

        return to_html(self)

    def _problem_text(self) -> str:
        return str(self.problem)

    def _with(self, problem: Problem) -> Self:
        return replace(self, problem=problem)

    def _verified(self, examples: Examples) -> Verified:
        return self._stated(self._check(examples), examples)

    def _stated(self, found: Findings, examples: Examples) -> Verified:
        """Say what was found, and under which conditions."""
        text = " ".join([*found.sentences, *self._conditions(examples)])
        return Verified(
            problem=self.problem,
            counts=examples.counts(self.problem.classes),
            lower=found.lower,
            upper=found.upper,
            primal=found.primal,
            dual=found.dual,
            errors=found.errors,
            n_exact=int(found.exact_rows.size),
            sentence=f"Verified: {text}",
        )

    @abstractmethod
    def _check(self, examples: Examples) -> Findings:
        """Check the claims of this kind; the sentences say what was proved."""

    def _subject(self, examples: Examples, preposition: str = "from") -> str:
        """The classes, with the number of examples of each that takes part."""
        problem = self.problem
        counts = examples.counts(problem.classes)
        positive = counts[problem.code]
        rest = "the rest" if problem.negative is None else format_label(problem.negative)
        shown = format_label(problem.positive)
        return f"{shown} ({positive:,}) {preposition} {rest} ({sum(counts) - positive:,})"

    def _conditions(self, examples: Examples, *, classes: bool = True) -> list[str]:
        """State which examples take part, their weights, and whether there is an intercept.

        ``classes``: whether to list the classes where there are more than two.
        """
        problem, n = self.problem, examples.n_taking_part
        part = f"All {counted(n, 'example')} take part"
        if n < problem.n_examples:
            part = f"{n:,} of {counted(problem.n_examples, 'example')} take part"
            part += " (the others have weight 0)"
        if classes and len(problem.classes) > 2:
            counts = zip(problem.classes, examples.counts(problem.classes), strict=True)
            each = [f"{format_label(label)} ({count:,})" for label, count in counts]
            part += f", of the classes {shortened(each)}"
        names = [problem.names] if problem.names else []
        return [f"{part}, {problem.conditions}.", *problem.units, *names]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return same(_values(self), _values(other))

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.problem.fingerprint, self.account.n_updates))


def _values(value: Any) -> Any:
    """The fields of nested dataclasses as nested tuples."""
    if isinstance(value, tuple):
        return tuple(_values(part) for part in value)
    if not dataclasses.is_dataclass(value):
        return value
    return tuple(_values(getattr(value, field.name)) for field in dataclasses.fields(value))
