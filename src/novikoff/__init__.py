"""Linear classifiers that come with proof."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from novikoff._version import __version__

if TYPE_CHECKING:
    from novikoff import certificate, data, geometry, neural, reproduce, rules, theory
    from novikoff.certificate import Certificate, CertificateError, Status, Undecided, verify
    from novikoff.estimators import (
        MaxMargin,
        MaxMarginCV,
        ModelError,
        NotSeparableError,
        Perceptron,
        is_separable,
        load,
        save,
        separation,
    )
    from novikoff.geometry import PointGame, separate
    from novikoff.run import trace
    from novikoff.theory import RobustProjection

__all__ = [
    "Certificate",
    "CertificateError",
    "MaxMargin",
    "MaxMarginCV",
    "ModelError",
    "NotSeparableError",
    "Perceptron",
    "PointGame",
    "RobustProjection",
    "Status",
    "Undecided",
    "__version__",
    "certificate",
    "data",
    "geometry",
    "is_separable",
    "load",
    "neural",
    "reproduce",
    "rules",
    "save",
    "separate",
    "separation",
    "theory",
    "trace",
    "verify",
]

# Found when first asked for: the command line's help must not wait for the compiled code, and
# checking a certificate must not import a solver.
_MODULES = ("certificate", "data", "geometry", "neural", "reproduce", "rules", "theory")
_HOMES = {
    "novikoff.certificate": (
        "Certificate",
        "CertificateError",
        "Status",
        "Undecided",
        "verify",
    ),
    "novikoff.geometry": ("PointGame", "separate"),
    "novikoff.run": ("trace",),
    "novikoff.theory": ("RobustProjection",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"novikoff.{name}")
    if name in __all__:
        value = getattr(import_module(_HOME.get(name, "novikoff.estimators")), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'novikoff' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
