"""One certificate for each class against the rest."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate import json as storage
from novikoff.certificate.base import Certificate, Verified
from novikoff.certificate.errors import CertificateError, Undecided
from novikoff.certificate.examples.blocks import Floats
from novikoff.certificate.examples.fingerprint import Hashes
from novikoff.certificate.examples.labels import Label, Signs, plain_label
from novikoff.certificate.kinds.nonseparation import NonSeparation
from novikoff.certificate.kinds.separation import Separation
from novikoff.certificate.status import Status


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PerClass(Certificate):
    """What was proved of each class against the rest.

    Parameters
    ----------
    classes : tuple of labels
    certificates : tuple of Certificate
        One for each class: ``certificates[k].positive == classes[k]``.

    Notes
    -----
    True if every class is separated from the rest, false if some class is proved not to be;
    otherwise the truth value is undecided. ``status`` is the worst of the classes'. The costs
    are those of the classes' certificates.
    """

    classes: tuple[Label, ...]
    certificates: tuple[Certificate, ...]
    affine: bool = field(init=False)
    positive: Label | None = field(init=False, default=None)
    negative: Label | None = field(init=False, default=None)
    n_examples: int = field(init=False)
    n_features: int = field(init=False)
    fingerprint: str = field(init=False)
    status: Status = field(init=False)
    asked: str = field(init=False)
    n_updates: int = field(init=False)
    costs: Floats | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        classes = tuple(plain_label(label) for label in self.classes)
        certificates = tuple(self.certificates)
        if not certificates or len(classes) != len(certificates):
            raise CertificateError(
                f"there are {len(certificates)} certificates for {len(classes)} classes"
            )
        if len(set(classes)) != len(classes):
            raise CertificateError("a class has two certificates")
        first = certificates[0]
        for label, certificate in zip(classes, certificates, strict=True):
            if not isinstance(certificate, Certificate) or isinstance(certificate, PerClass):
                raise CertificateError(f"class {label!r} has no certificate of its own")
            if certificate.positive != label or certificate.negative is not None:
                raise CertificateError(f"the certificate of class {label!r} is not that class's")
            for name in ("affine", "n_examples", "n_features"):
                if getattr(certificate, name) != getattr(first, name):
                    raise CertificateError(f"the certificates of the classes differ in {name}")
        self._set("classes", classes)
        self._set("certificates", certificates)
        for name in ("affine", "n_examples", "n_features", "asked"):
            self._set(name, getattr(first, name))
        self._set("positive", None)
        self._set("negative", None)
        self._set("costs", None)
        self._set("fingerprint", " ".join(c.fingerprint for c in certificates))
        self._set("status", max((c.status for c in certificates), key=list(Status).index))
        self._set("n_updates", sum(c.n_updates for c in certificates))

    def _verify(self, X: Any, y: npt.ArrayLike, hashes: Hashes | None) -> tuple[Verified, ...]:
        unknown = set(np.asarray(y).tolist()) - set(self.classes)
        if unknown:
            raise CertificateError(f"no certificate speaks of the label {unknown.pop()!r}")
        verified = []
        for label, certificate in zip(self.classes, self.certificates, strict=True):
            try:
                verified.append(certificate._verify(X, y, hashes))
            except CertificateError as error:
                raise CertificateError(f"class {label!r}: {error}") from None
        return tuple(verified)

    def __bool__(self) -> bool:
        if any(isinstance(c, NonSeparation) for c in self.certificates):
            return False
        for label, certificate in zip(self.classes, self.certificates, strict=True):
            try:
                bool(certificate)
            except Undecided as error:
                raise Undecided(f"class {label!r} against the rest: {error}") from None
        return True

    def __str__(self) -> str:
        separated = sum(isinstance(c, Separation) for c in self.certificates)
        refuted = sum(isinstance(c, NonSeparation) for c in self.certificates)
        head = (
            f"Of {len(self.classes)} classes, each against the rest, {separated} are separated "
            f"and {refuted} are proved not to be."
        )
        parts = (
            f"{label!r}: {str(certificate).splitlines()[0]}"
            for label, certificate in zip(self.classes, self.certificates, strict=True)
        )
        return "\n".join([head, *parts])

    def __repr__(self) -> str:
        return f"<PerClass: {', '.join(map(repr, self.certificates))}>"

    def _check(self, X: Any, signs: Signs) -> Verified:
        raise CertificateError("the classes are checked one by one")

    def _document(self) -> dict[str, Any]:
        return {
            "kind": "PerClass",
            "classes": list(self.classes),
            "certificates": [certificate._document() for certificate in self.certificates],
        }

    @classmethod
    def _from_values(cls, values: dict[str, Any]) -> Certificate:
        storage.check_keys(values, ["classes", "certificates"], "the PerClass")
        classes, certificates = values["classes"], values["certificates"]
        if not isinstance(classes, list) or not isinstance(certificates, list):
            raise CertificateError("classes and certificates must be lists")
        labels = []
        for label in classes:
            if label is None:
                raise CertificateError("a class must have a label")
            labels.append(storage.decode("positive", label))
        built = []
        for document in certificates:
            if not isinstance(document, dict):
                raise CertificateError("certificates must be a list of objects")
            built.append(Certificate._build(document))
        return cls(classes=tuple(labels), certificates=tuple(built))
