"""The kinds of certificates."""

from typing import TYPE_CHECKING

from novikoff._lazy import lazy_names
from novikoff.certificate.kinds.inconclusive import Inconclusive
from novikoff.certificate.kinds.joint import Joint
from novikoff.certificate.kinds.nonseparation import NonSeparation
from novikoff.certificate.kinds.per_class import PerClass
from novikoff.certificate.kinds.separation import Separation
from novikoff.certificate.kinds.soft import SoftOptimum

if TYPE_CHECKING:
    from novikoff.certificate.kinds.verdict import SeparationVerdict

__all__ = [
    "Inconclusive",
    "Joint",
    "NonSeparation",
    "PerClass",
    "Separation",
    "SeparationVerdict",
    "SoftOptimum",
]

__getattr__ = lazy_names(__name__, {"novikoff.certificate.kinds.verdict": ("SeparationVerdict",)})


def __dir__() -> list[str]:
    return __all__
