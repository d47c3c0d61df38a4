"""The kernels: which there are, and their formulas."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.escape import quoted
from novikoff.certificate.wording import in_full

_READ = {
    "linear": (),
    "poly": ("gamma", "degree", "coef0"),
    "rbf": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "laplacian": ("gamma",),
    "callable": (),
    "precomputed": (),
}
"""The kernels, and the parameters that each of them reads."""

_FORMULA = {
    "linear": "x.x'",
    "poly": "(gamma x.x' + coef0)^degree",
    "rbf": "exp(-gamma |x - x'|^2)",
    "sigmoid": "tanh(gamma x.x' + coef0)",
    "laplacian": "exp(-gamma |x - x'|_1)",
    "callable": "that is a function given with the data",
    "precomputed": "whose matrix is the data",
}

MOST_DEGREE = 1000
"""The largest degree: beyond, powers of most numbers are zero or infinite in float64."""


@dataclass(frozen=True)
class Kernel:
    """A kernel ``k(x, x')``: the inner product of two examples in its feature space.

    Parameters
    ----------
    name : str
        ``"linear"``, ``"poly"``, ``"rbf"``, ``"sigmoid"``, ``"laplacian"``, ``"callable"`` or
        ``"precomputed"``, as in scikit-learn's SVC; ``laplacian`` is ``exp(-gamma |x - x'|_1)``.
    gamma : float, optional
        The factor of ``poly``, ``rbf``, ``sigmoid`` and ``laplacian``, which need it.
    degree : int, optional
        The exponent of ``poly``.
    coef0 : float, optional
        What ``poly`` and ``sigmoid`` add to the inner product.

    Notes
    -----
    A parameter that the kernel does not read is ``None``, whatever is given. The parameters count
    as the exact values of their floats.

    Examples
    --------
    >>> print(Kernel("poly", gamma=1.0, degree=2, coef0=1.0))
    (gamma x.x' + coef0)^degree, gamma = 1, degree = 2, coef0 = 1
    >>> Kernel("rbf", gamma=0.5, degree=3)
    Kernel(name='rbf', gamma=0.5, degree=None, coef0=None)
    """

    name: str
    gamma: float | None = None
    degree: int | None = None
    coef0: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or self.name not in _READ:
            raise CertificateError(f"there is no kernel {quoted(str(self.name), 40)}")
        for parameter in ("gamma", "degree", "coef0"):
            value = getattr(self, parameter)
            if parameter not in _READ[self.name]:
                value = None
            elif value is None:
                raise CertificateError(f"the kernel {self.name} needs {parameter}")
            else:
                value = _whole(value) if parameter == "degree" else _number(parameter, value)
            object.__setattr__(self, parameter, value)

    @property
    def is_semidefinite(self) -> bool:
        """Whether it is known to be positive semidefinite, so that there is a feature space."""
        if self.name == "poly":
            return self.coef0 is not None and self.coef0 >= 0.0
        return self.name in ("linear", "rbf", "laplacian")

    @property
    def is_given(self) -> bool:
        """Whether the values are floats that are given, by a function or in a matrix."""
        return self.name in ("callable", "precomputed")

    @property
    def is_rational(self) -> bool:
        """Whether its values on floats are rational numbers, which can be computed exactly."""
        return self.is_given or self.name in ("linear", "poly")

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that the kernel reads."""
        return {name: getattr(self, name) for name in _READ[self.name]}

    @property
    def condition(self) -> str:
        """What the bounds on other classifiers presuppose; empty where it is proved."""
        presupposed = [] if self.is_semidefinite else ["the kernel is positive semidefinite"]
        if self.name == "callable":
            presupposed.append("the function returns its values")
        return " and ".join(presupposed)

    def __str__(self) -> str:
        shown = [f"{name} = {in_full(value)}" for name, value in self.parameters.items()]
        return ", ".join([_FORMULA[self.name], *shown])


def _number(name: str, value: Any) -> float:
    is_real = isinstance(value, int | float | np.integer | np.floating)
    if not is_real or isinstance(value, bool) or not math.isfinite(value):
        raise CertificateError(f"{name} of the kernel must be a finite number, not {value!r}")
    if name == "gamma" and value < 0:
        raise CertificateError(f"gamma of the kernel must not be negative, not {value!r}")
    return float(value) + 0.0


def _whole(value: Any) -> int:
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not 0 <= value <= MOST_DEGREE:
        raise CertificateError(
            f"degree of the kernel must be a whole number from 0 to {MOST_DEGREE}, not {value!r}"
        )
    return int(value)
