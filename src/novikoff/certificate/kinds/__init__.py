"""The kinds of certificates."""

from novikoff.certificate.kinds.inconclusive import Inconclusive
from novikoff.certificate.kinds.joint import Joint
from novikoff.certificate.kinds.nonseparation import NonSeparation
from novikoff.certificate.kinds.per_class import PerClass
from novikoff.certificate.kinds.separation import Separation
from novikoff.certificate.kinds.soft import SoftOptimum
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
