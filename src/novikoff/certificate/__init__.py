"""Certificates: what was proved of a data set, stated so that anyone can check it.

A certificate holds a hyperplane, the weights on a few examples, and the bounds that follow from
them. ``certificate.verify(X, y)`` recomputes these bounds from the data: by a floating-point
filter with a proven error bound, and by exact rational arithmetic where the filter cannot decide.
This package shares no code with any solver.
"""

from novikoff.certificate.base import Certificate, Verified
from novikoff.certificate.certify import (
    certify_both,
    certify_margin,
    certify_nonseparable,
    certify_soft,
)
from novikoff.certificate.errors import CertificateError, Undecided
from novikoff.certificate.exact.relation import reduce_support
from novikoff.certificate.examples.fingerprint import (
    fingerprint,
    fingerprint_of_hashes,
    row_hashes,
)
from novikoff.certificate.examples.labels import Label, signs_of
from novikoff.certificate.kinds.nonseparation import NonSeparation
from novikoff.certificate.kinds.per_class import PerClass
from novikoff.certificate.kinds.separation import Inconclusive, Separation
from novikoff.certificate.kinds.soft import SoftOptimum
from novikoff.certificate.status import Status

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
    "fingerprint_of_hashes",
    "reduce_support",
    "row_hashes",
    "signs_of",
]
