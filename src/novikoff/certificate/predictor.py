"""Predictions of a stored model from its certificate alone, without the estimator.

A certificate holds the hyperplanes and the classes, so no solver and no scikit-learn is needed to
predict, as none is needed to verify.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.base import Certificate
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.escape import printable
from novikoff.certificate.exact.prediction import scores
from novikoff.certificate.examples.blocks import Floats
from novikoff.certificate.examples.matrix import check_matrix
from novikoff.certificate.json import read_text
from novikoff.certificate.verify import (
    MODEL_FORMAT,
    about_in,
    certificate_in,
    label_type,
    vectors_beside,
)

if TYPE_CHECKING:
    from novikoff.certificate.feature_space.kernel_predictor import KernelPredictor


@dataclass(frozen=True, eq=False)
class Predictor:
    """What predicts in a model file: the hyperplanes of its certificate, and its classes."""

    certificate: Certificate
    classes: npt.NDArray[Any]
    about: dict[str, Any]
    kernel_predictor: "KernelPredictor | None" = None

    @classmethod
    def of(cls, document: dict[str, Any]) -> "Predictor":
        """Read the JSON values of a model.

        Raises
        ------
        CertificateError
            If they are not those of a model, or of a damaged one.
        """
        if document.get("format") != MODEL_FORMAT:
            raise CertificateError(f"not a model: its format is not {MODEL_FORMAT!r}")
        certificate = certificate_in(document)
        name = read_text("classes_dtype", document["fitted"].get("classes_dtype"))
        try:
            classes = typed_classes(name, certificate.problem.classes)
        except (TypeError, ValueError, OverflowError) as error:
            reason = printable(str(error).splitlines()[0], 200)
            raise CertificateError(f"the model is damaged: {reason}") from None
        return cls(
            certificate, classes, about_in(document), _kernel_predictor(document, certificate)
        )

    def decision_function(self, X: Any) -> Floats:
        """The scores of the examples, with exact signs: one for each, or one for each class."""
        if self.kernel_predictor is not None:
            found = self.kernel_predictor.scores(X)
            return found.ravel() if found.shape[1] == 1 else found
        coefs, intercepts = self.certificate.coefs, self.certificate.intercepts
        assert coefs is not None and intercepts is not None
        found = scores(check_matrix(X), coefs, intercepts)
        return found.ravel() if len(coefs) == 1 else found


def _kernel_predictor(
    document: dict[str, Any], certificate: Certificate
) -> "KernelPredictor | None":
    """Read what predicts with a kernel, if there is one."""
    kernel = certificate.problem.kernel
    if kernel is None:
        return None
    if kernel.name == "callable":
        raise CertificateError(
            "the model's kernel is a function, which its file does not contain: load it in Python"
        )
    from novikoff.certificate.feature_space.kernel_predictor import KernelPredictor

    return KernelPredictor.of(certificate, vectors_beside(document, certificate))


def labels_of(scores: npt.NDArray[Any], classes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the label of the largest score, or of the side that the only score is on."""
    chosen = (scores >= 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
    labels: npt.NDArray[Any] = classes[chosen]
    return labels


def type_name(classes: npt.NDArray[Any]) -> str:
    """Return the name that the type of a model's labels is stored by."""
    return "str" if classes.dtype.kind == "U" else str(classes.dtype.name)


def typed_classes(name: str, classes: tuple[Any, ...]) -> npt.NDArray[Any]:
    """Return the classes of a certificate as an array of the type of this name.

    Examples
    --------
    >>> typed_classes("int8", (0, 1))
    array([0, 1], dtype=int8)
    """
    array = np.array(classes, dtype=label_type(name))
    # Labels of different types may compare as equal.
    found, wanted = (
        [(type(label), label) for label in labels] for labels in (array.tolist(), classes)
    )
    if found != wanted or type_name(array) != name:
        raise ValueError(f"its classes are not of the type {printable(name)}")
    return array
