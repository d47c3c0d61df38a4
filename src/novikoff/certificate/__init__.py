"""Certificates: what was proved of a data set, stated so that anyone can check it.

A certificate holds a hyperplane, the weights on a few examples, and the bounds that follow from
them. ``certificate.verify(X, y)`` recomputes these bounds from the data: by a floating-point
filter with a proven error bound, and by exact rational arithmetic where the filter cannot decide.
This package shares no code with any solver.
"""

from .base import Certificate, Verified
from .errors import CertificateError, Undecided
from .exact import reduce_support
from .fingerprint import fingerprint, fingerprint_and_hashes, fingerprint_of_hashes, row_hashes
from .labels import Label, signs_of
from .makers import certify_both, certify_margin, certify_nonseparable, certify_soft
from .nonseparation import NonSeparation
from .per_class import PerClass
from .separation import Inconclusive, Separation
from .soft import SoftOptimum
from .status import Status

__all__ = [
    "Certificate",
    "CertificateError",
    "Inconclusive",
    "Label",
    "NonSeparation",
    "PerClass",
    "Separation",
    "SoftOptimum",
    "Status",
    "Undecided",
    "Verified",
    "certify_both",
    "certify_margin",
    "certify_nonseparable",
    "certify_soft",
    "fingerprint",
    "fingerprint_and_hashes",
    "fingerprint_of_hashes",
    "reduce_support",
    "row_hashes",
    "signs_of",
]
