"""Linear classifiers that come with proof."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from novikoff._lazy import lazy_names
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

_MODULES = ("certificate", "data", "geometry", "neural", "reproduce", "rules", "theory")
_HOMES = {
    "novikoff.certificate": ("Certificate", "CertificateError", "Status", "Undecided", "verify"),
    "novikoff.estimators": (
        "MaxMargin",
        "MaxMarginCV",
        "ModelError",
        "NotSeparableError",
        "Perceptron",
        "is_separable",
        "load",
        "save",
        "separation",
    ),
    "novikoff.geometry": ("PointGame", "separate"),
    "novikoff.run": ("trace",),
    "novikoff.theory": ("RobustProjection",),
}
_find = lazy_names(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    return import_module(f"novikoff.{name}") if name in _MODULES else _find(name)


def __dir__() -> list[str]:
    return sorted(__all__)
