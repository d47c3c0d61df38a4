"""What every certificate has: the problem it speaks of, its checks, its stored form."""

import dataclasses
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from novikoff.certificate import json as storage
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.examples.blocks import Floats
from novikoff.certificate.examples.fingerprint import Hashes, fingerprint_of_hashes, row_hashes
from novikoff.certificate.examples.labels import Label, Signs, plain_label, signs_of
from novikoff.certificate.examples.matrix import check_matrix
from novikoff.certificate.fields import as_costs, same
from novikoff.certificate.status import Status
from novikoff.certificate.wording import counted


@dataclass(frozen=True, kw_only=True)
class Verified:
    """What a check has proved, recomputed from the data; ``str()`` is the sentence.

    ``lower`` and ``upper`` bound the best margin, ``primal`` and ``dual`` the optimum of the
    soft-margin problem; what the certificate does not speak of is ``None``. ``n_exact`` counts
    the examples that exact arithmetic decided; the others were decided by the filter.
    """

    lower: float | None = None
    upper: float | None = None
    primal: float | None = None
    dual: float | None = None
    n_exact: int = 0
    sentence: str = ""

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Certificate(ABC):
    """What a run has proved, stated so that anyone can check it against the data.

    Parameters
    ----------
    affine : bool
        True: the hyperplanes ``w·x + b = 0``; false: those through the origin, ``w·x = 0``.
    positive, negative : label or None
        An example with ``y == positive`` has the sign +1. All others have -1, and if
        ``negative`` is given they must have that label. ``positive=None``: the labels are
        the signs +1 and -1 themselves.
    n_examples, n_features : int
        The shape of the data.
    fingerprint : str
        The fingerprint of the examples and their signs.
    status : Status
        How the run ended.
    asked : str
        What the run was asked for.
    n_updates : int
        How many updates it made.
    costs : array of n_examples numbers >= 0, or None
        What the squared slack of each example is multiplied by; ``None``: by 1. An example of
        cost 0 takes no part: no claim speaks of it.
    """

    affine: bool
    positive: Label | None
    negative: Label | None
    n_examples: int
    n_features: int
    fingerprint: str
    status: Status
    asked: str = ""
    n_updates: int = 0
    costs: Floats | None = None

    _kinds: ClassVar[dict[str, type["Certificate"]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.__name__.startswith("_"):
            Certificate._kinds[cls.__name__] = cls

    def __post_init__(self) -> None:
        self._set("positive", plain_label(self.positive))
        self._set("negative", plain_label(self.negative))
        if self.negative is not None and self.positive == self.negative:
            raise CertificateError(f"both classes have the label {self.positive!r}")
        for name in ("n_examples", "n_features", "n_updates"):
            self._set(name, int(getattr(self, name)))
        if not isinstance(self.fingerprint, str) or not isinstance(self.asked, str):
            raise CertificateError("fingerprint and asked must be texts")
        if self.n_examples < 1:
            raise CertificateError("a certificate needs at least one example")
        if not isinstance(self.status, Status):
            raise CertificateError(f"status must be a Status, not {self.status!r}")
        if not self.asked.isprintable():
            raise CertificateError("asked must be one printable line")
        self._set("costs", as_costs(self.costs, self.n_examples))
        self._check_status()

    def _check_status(self) -> None:
        """Refuse the status that only a proof of non-separability may have."""
        if self.status is Status.NOT_SEPARABLE:
            raise CertificateError(f"a {type(self).__name__} cannot have found NOT_SEPARABLE")

    def verify(self, X: Any, y: npt.ArrayLike, *, check_fingerprint: bool = True) -> Any:
        """Check every claim against the data, in rigorous arithmetic.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_examples, n_features)
        y : array-like of shape (n_examples,)
            The labels.
        check_fingerprint : bool
            False: skip the test whether this is the data the certificate was made for, and let
            the arithmetic alone decide whether its claims are true of it.

        Returns
        -------
        Verified
            The bounds recomputed from the data (for ``PerClass`` a tuple of them).

        Raises
        ------
        CertificateError
            In one line, the first thing that is wrong.
        """
        matrix = check_matrix(X)
        self._check_shape(matrix, np.shape(y))
        return self._verify(matrix, y, row_hashes(matrix) if check_fingerprint else None)

    def to_dict(self) -> dict[str, Any]:
        """The certificate as JSON values, with the format and its version."""
        return {"format": storage.FORMAT, "version": storage.VERSION, **self._document()}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        """The certificate in a dictionary made by :meth:`to_dict`; strict."""
        if not isinstance(document, dict):
            raise CertificateError("not a certificate: it is not an object with named fields")
        rest = dict(document)
        if rest.pop("format", None) != storage.FORMAT:
            raise CertificateError(f"not a certificate: its format is not {storage.FORMAT!r}")
        version = rest.pop("version", None)
        if type(version) is not int or version != storage.VERSION:
            raise CertificateError(
                f"the certificate has version {version!r}; this program reads {storage.VERSION}"
            )
        certificate = Certificate._build(rest)
        if not isinstance(certificate, cls):
            found = type(certificate).__name__
            raise CertificateError(f"the certificate is a {found}, not a {cls.__name__}")
        return certificate

    def to_json(self) -> str:
        """The certificate as readable JSON."""
        return storage.to_text(self.to_dict())

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The certificate in a text made by :meth:`to_json`; strict, and runs nothing."""
        return cls.from_dict(storage.from_text(text))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate as JSON; an interruption leaves an old file whole."""
        storage.write_atomically(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a certificate that was saved."""
        return cls.from_json(Path(path).read_bytes())

    @abstractmethod
    def __bool__(self) -> bool: ...

    @abstractmethod
    def __str__(self) -> str: ...

    def _verify(self, X: Any, y: npt.ArrayLike, hashes: Hashes | None) -> Any:
        signs = signs_of(y, self.positive, self.negative)
        if hashes is not None:
            found = fingerprint_of_hashes(hashes, signs > 0, 2, self.n_features)
            if found != self.fingerprint:
                raise CertificateError(
                    "this is not the data the certificate was made for: "
                    f"its fingerprint is {found}, the certificate's {self.fingerprint}"
                )
        return self._check(X, signs)

    @abstractmethod
    def _check(self, X: Any, signs: Signs) -> Verified:
        """Check the claims of this kind on a matrix of the right shape."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = [field.name for field in dataclasses.fields(self)]
        return all(same(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.fingerprint, self.n_updates))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {counted(self.n_examples, 'example')}>"

    def _document(self) -> dict[str, Any]:
        values = {f.name: storage.encode(getattr(self, f.name)) for f in dataclasses.fields(self)}
        return {"kind": type(self).__name__, **values}

    @staticmethod
    def _build(document: dict[str, Any]) -> "Certificate":
        values = dict(document)
        kind = values.pop("kind", None)
        if not isinstance(kind, str) or kind not in Certificate._kinds:
            raise CertificateError(f"there is no certificate of the kind {kind!r}")
        return Certificate._kinds[kind]._from_values(values)

    @classmethod
    def _from_values(cls, values: dict[str, Any]) -> "Certificate":
        names = [field.name for field in dataclasses.fields(cls)]
        storage.check_keys(values, names, f"the {cls.__name__}")
        return cls(**{name: storage.decode(name, values[name]) for name in names})

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_shape(self, X: Any, labels: tuple[int, ...]) -> None:
        shape = (self.n_examples, self.n_features)
        if X.shape != shape:
            raise CertificateError(f"the data has shape {X.shape}, the certificate's had {shape}")
        if labels not in ((self.n_examples,), (self.n_examples, 1)):
            raise CertificateError(f"{self.n_examples} examples need as many labels, not {labels}")

    @property
    def _taking_part(self) -> npt.NDArray[np.bool_] | None:
        """Which examples take part; ``None``: all."""
        return None if self.costs is None or self.costs.all() else self.costs > 0.0

    def _examples(self) -> str:
        """How many examples there are that take part."""
        if self._taking_part is None:
            return counted(self.n_examples, "example")
        return f"{counted(int(self._taking_part.sum()), 'example')} that take part"

    def _idle(self) -> list[str]:
        """The sentence on the examples that take no part, if there are any."""
        if self._taking_part is None:
            return []
        count = int((~self._taking_part).sum())
        return [
            f"{counted(count, 'example')} of cost 0 {'takes' if count == 1 else 'take'} no part."
        ]

    def _hyperplanes(self) -> str:
        return "hyperplane" if self.affine else "hyperplane through the origin"

    def _run(self) -> str:
        asked = f"{self.asked}: " if self.asked else ""
        return f"{asked}{counted(self.n_updates, 'update')}. {self.status.value}"
