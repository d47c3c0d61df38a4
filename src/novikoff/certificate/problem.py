"""The problem of a certificate: the classes, the examples and their weights."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.escape import format_label, quoted
from novikoff.certificate.examples.blocks import Floats
from novikoff.certificate.examples.fingerprint import fingerprint_of_hashes, row_hashes
from novikoff.certificate.examples.labels import Label, check_classes, classes_in, codes_of
from novikoff.certificate.examples.matrix import check_sample_weight
from novikoff.certificate.examples.scaling import check_exponents
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.fields import check_text, check_whole
from novikoff.certificate.wording import counted, in_full, shortened


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The examples and classes that the claims of a certificate are about.

    Parameters
    ----------
    classes : tuple of labels
        All labels that occur, at least two.
    positive : label or None
        The class whose examples have the sign +1; all others have -1. ``None``: each class in its
        turn, against the rest; or in a joint certificate, all classes together.
    affine : bool
        True: the hyperplanes ``w·x + b = 0``; false: those through the origin, ``w·x = 0``.
    n_examples, n_features : int
        The shape of the data.
    fingerprint : str
        A fast hash of the examples, their labels and their weights; it tells when other data was
        brought, and proves nothing. A label enters by its position among ``classes``, which are
        compared with it as Python values: ``1``, ``1.0`` and ``True`` are one label.
    class_weights : tuple of float, optional
        What the weights of the examples of each class are multiplied by; by default 1.
    weighted : bool
        Whether the examples have weights of their own, which are not stored: they are part of the
        data, like the labels.
    target : str, optional
        The name of the target column; for display only.
    feature_names : tuple of str, optional
        The names of the features; for display only.
    sha256 : str, optional
        A cryptographic hash of the same.
    exponents : tuple of int, optional
        Column ``j`` is divided by ``2 ** exponents[j]``, which is exact: margins, norms of
        hyperplanes and objectives are those of the scaled columns. The fingerprint, ``coef`` and
        the intercept are those of the data as they are. By default no column is scaled.
    kernel : Kernel, optional
        The kernel whose feature space the hyperplanes are of; by default that of the features.

    Examples
    --------
    >>> from novikoff.certificate import Problem
    >>> problem = Problem(
    ...     classes=("benign", "malignant"),
    ...     positive="malignant",
    ...     affine=True,
    ...     n_examples=569,
    ...     n_features=30,
    ...     fingerprint="nk1:0",
    ... )
    >>> print(problem)
    'malignant' against 'benign': 569 examples with 30 features, without weights; hyperplanes with
    an intercept.
    """

    classes: tuple[Label, ...]
    positive: Label | None
    affine: bool
    n_examples: int
    n_features: int
    fingerprint: str
    class_weights: tuple[float, ...] | None = None
    weighted: bool = False
    target: str | None = None
    feature_names: tuple[str, ...] | None = None
    sha256: str | None = None
    exponents: tuple[int, ...] | None = None
    kernel: Kernel | None = None

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "classes", check_classes(self.classes))
        if self.positive is not None:
            set_field(self, "positive", self.classes[self._place_of(self.positive)])
        for name in ("n_examples", "n_features"):
            set_field(self, name, check_whole(name, getattr(self, name)))
        if self.n_examples < 1:
            raise CertificateError("a certificate needs at least one example")
        for name in ("affine", "weighted"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise CertificateError(f"{name} must be true or false")
            set_field(self, name, bool(getattr(self, name)))
        check_text("fingerprint", self.fingerprint)
        for name in ("target", "sha256"):
            if getattr(self, name) is not None:
                check_text(name, getattr(self, name))
        if self.feature_names is not None:
            names = tuple(self.feature_names)
            for name in names:
                check_text("a feature name", name)
            if len(names) != self.n_features:
                raise CertificateError(
                    f"there are {len(names)} feature names for {self.n_features} features"
                )
            set_field(self, "feature_names", names)
        if self.exponents is not None:
            set_field(self, "exponents", check_exponents(self.exponents, self.n_features))
        self._check_kernel()
        if self.class_weights is not None:
            set_field(self, "class_weights", self._checked_class_weights(self.class_weights))

    def _check_kernel(self) -> None:
        if self.kernel is None:
            return
        if not isinstance(self.kernel, Kernel):
            raise CertificateError(f"kernel must be a Kernel, not a {type(self.kernel).__name__}")
        if self.exponents is not None:
            raise CertificateError("columns are not scaled where there is a kernel")
        if self.kernel.name == "precomputed" and self.n_features != self.n_examples:
            raise CertificateError(
                "a precomputed kernel is a square matrix, "
                f"not one of shape {(self.n_examples, self.n_features)}"
            )

    def _place_of(self, positive: Label) -> int:
        places = [k for k, label in enumerate(self.classes) if label == positive]
        if not places:
            shown = format_label(positive)
            raise CertificateError(f"the positive class {shown} is not among the classes")
        return places[0]

    def _checked_class_weights(self, weights: Sequence[float]) -> tuple[float, ...]:
        values = tuple(float(weight) for weight in weights)
        if len(values) != len(self.classes):
            raise CertificateError(
                f"{len(self.classes)} classes need as many class weights, not {len(values)}"
            )
        if not all(0.0 < value < math.inf for value in values):
            raise CertificateError("class weights must be positive and finite")
        return values

    @property
    def negative(self) -> Label | None:
        """The other class if there are two; ``None``: all classes but the positive one."""
        if len(self.classes) > 2 or self.positive is None:
            return None
        return self.classes[1 - self.code]

    @property
    def code(self) -> int:
        """The position of the positive class among the classes; of the first, if there is none."""
        return 0 if self.positive is None else self._place_of(self.positive)

    @property
    def hyperplanes(self) -> str:
        """The noun for the hyperplanes of this problem, in the singular."""
        plane = "hyperplane" if self.affine else "hyperplane through the origin"
        return plane if self.kernel is None else f"{plane} of the feature space"

    @property
    def classifier(self) -> str:
        """The noun for what separates the examples."""
        return "hyperplane" if self.kernel is None else "kernel classifier"

    @property
    def examples(self) -> str:
        """The noun for the examples that take part; with weights, the data decides how many."""
        if self.weighted:
            return "the examples that take part"
        return f"the {counted(self.n_examples, 'example')}"

    def against(self, positive: Label) -> Self:
        """Return the problem of another class against the others, on the same examples."""
        # The other fields have been checked.
        problem = object.__new__(type(self))
        problem.__dict__.update(self.__dict__, positive=self.classes[self._place_of(positive)])
        return problem

    def between(self, first: int, second: int) -> Self:
        """Return the problem of two of the classes, in which the others' examples have weight 0.

        The second is the positive class.
        """
        weights = self.class_weights
        return replace(
            self,
            classes=(self.classes[first], self.classes[second]),
            positive=self.classes[second],
            class_weights=None if weights is None else (weights[first], weights[second]),
            weighted=True,
        )

    def costs(self, codes: npt.NDArray[np.int64], weights: Floats | None) -> Floats | None:
        """Return what the squared slack of each example is multiplied by; ``None``: by 1.

        The cost is the float64 product of the weights of the class and of the example, which are
        those that :meth:`weights` returns. An example of cost 0 takes no part: no claim is
        about it.
        """
        if self.class_weights is None:
            return weights
        of_class = np.array(self.class_weights)[codes]
        with np.errstate(over="ignore", under="ignore"):
            product = of_class if weights is None else of_class * weights
        if not np.isfinite(product).all():
            raise CertificateError("a class weight times the weight of an example overflows")
        if weights is not None and ((product == 0.0) & (weights > 0.0)).any():
            # Rounding must not take an example out of the problem.
            raise CertificateError("a class weight times the weight of an example underflows")
        return None if (product == 1.0).all() else product

    def weights(self, sample_weight: npt.ArrayLike | None) -> Floats | None:
        """Return the weights of the examples; ``None`` where the problem has none."""
        if sample_weight is None:
            if self.weighted:
                raise CertificateError(
                    "the certificate is of weighted examples: give their weights (sample_weight)"
                )
            return None
        weights = check_sample_weight(sample_weight, self.n_examples)
        if weights is not None and not self.weighted:
            raise CertificateError(
                "the certificate is of examples without weights: leave sample_weight out"
            )
        return weights

    @property
    def sides(self) -> str:
        """The positive class and what it is separated from, for display."""
        if self.positive is None:
            return f"each of {len(self.classes):,} classes against the rest"
        rest = "the rest" if self.negative is None else format_label(self.negative)
        return f"{format_label(self.positive)} against {rest}"

    @property
    def conditions(self) -> str:
        """Which weights the examples have, and whether hyperplanes have an intercept."""
        kinds = ["weights of their own"] if self.weighted else []
        if self.class_weights is not None:
            each = [
                f"{in_full(weight)} for {format_label(label)}"
                for label, weight in zip(self.classes, self.class_weights, strict=True)
            ]
            kinds.append(f"class weights {shortened(each)}")
        weights = f"with {', and with '.join(kinds)}" if kinds else "without weights"
        plane = "with an intercept" if self.affine else "through the origin"
        return f"{weights}; hyperplanes {plane}{self._scaling}"

    @property
    def units(self) -> list[str]:
        """A sentence that states the unit of margins and objectives, where columns are scaled."""
        if self.kernel is not None:
            where = f"Margins and objectives are in the feature space of the kernel {self.kernel}"
            condition = self.kernel.condition
            return [f"{where}, if {condition}." if condition else f"{where}."]
        if self.exponents is None:
            return []
        return ["Margins and objectives are in units of the scaled columns."]

    @property
    def _scaling(self) -> str:
        if self.kernel is not None:
            return f"; kernel {self.kernel.name}"
        if self.exponents is None:
            return ""
        least, most = min(self.exponents, default=0), max(self.exponents, default=0)
        by = f"2**{least}" if least == most else f"powers of two, from 2**{least} to 2**{most}"
        return f"; columns divided by {by}"

    @property
    def names(self) -> str:
        """The names of target and features, in a sentence that says that they are not checked."""
        parts = [] if self.target is None else [f"target {quoted(self.target)}"]
        if self.feature_names:
            shown = shortened([quoted(name) for name in self.feature_names])
            parts.append(f"{'features' if self.n_features > 1 else 'feature'} {shown}")
        return f"Names (not checked): {'; '.join(parts)}." if parts else ""

    def __str__(self) -> str:
        return self.described(self.sides)

    def described(self, sides: str) -> str:
        """Describe the problem, given which classes are told apart."""
        shape = f"{counted(self.n_examples, 'example')} with {counted(self.n_features, 'feature')}"
        return f"{sides}: {shape}, {self.conditions}."


def problem_of(
    X: Any,
    y: npt.ArrayLike,
    *,
    affine: bool,
    sample_weight: npt.ArrayLike | None = None,
    class_weights: tuple[float, ...] | None = None,
    exponents: tuple[int, ...] | None = None,
    kernel: Kernel | None = None,
) -> Problem:
    """Return the problem of each class against the rest, its fingerprint taken from the data."""
    classes = classes_in(y)
    codes = codes_of(y, classes)
    hashes = row_hashes(X)
    weights = None if sample_weight is None else check_sample_weight(sample_weight, codes.size)
    n_features = int(np.shape(X)[1])
    return Problem(
        classes=classes,
        positive=None,
        affine=affine,
        n_examples=codes.size,
        n_features=n_features,
        fingerprint=fingerprint_of_hashes(hashes, codes, len(classes), n_features, weights),
        class_weights=class_weights,
        weighted=weights is not None,
        exponents=exponents,
        kernel=kernel,
    )
