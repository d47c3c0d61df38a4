"""Certificates: what was proved of a data set, stated so that anyone can check it.

A certificate holds a hyperplane, the weights on a few examples, and the bounds that follow from
them. ``certificate.verify(X, y)`` recomputes these bounds from the data: by rigorous floating-point
arithmetic, and by exact rational arithmetic where that does not decide. This package shares no code
with any solver.
"""

from typing import TYPE_CHECKING

from novikoff._lazy import lazy_names
from novikoff.certificate.account import Account
from novikoff.certificate.base import Certificate, Verified
from novikoff.certificate.certify import Certifier
from novikoff.certificate.errors import CertificateError, Undecided
from novikoff.certificate.exact.columns import Relation
from novikoff.certificate.exact.relation import reduce_support
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.examples.fingerprint import (
    fingerprint,
    fingerprint_of_hashes,
    row_hashes,
    sha256_of,
)
from novikoff.certificate.examples.labels import Label
from novikoff.certificate.feature_space.joint_kernel_model import JointKernelModel
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.feature_space.kernel_model import KernelModel
from novikoff.certificate.joint_model import JointBound, JointModel, JointRefutation, JointSoft
from novikoff.certificate.kinds import (
    Inconclusive,
    Joint,
    NonSeparation,
    PerClass,
    Separation,
    SoftOptimum,
)
from novikoff.certificate.model import Model, Soft
from novikoff.certificate.problem import Problem, problem_of
from novikoff.certificate.slacks import Slacks
from novikoff.certificate.status import Status
from novikoff.certificate.verdicts import Refutation, Weighted
from novikoff.certificate.verify import verify

if TYPE_CHECKING:
    from novikoff.certificate.certify_joint import JointCertifier, JointWeighted
    from novikoff.certificate.coefficients import Coefficient, Coefficients
    from novikoff.certificate.feature_space.certify_joint_kernel import JointKernelCertifier
    from novikoff.certificate.feature_space.certify_kernel import KernelCertifier
    from novikoff.certificate.kinds import SeparationVerdict

__all__ = [
    "Account",
    "Certificate",
    "CertificateError",
    "Certifier",
    "Coefficient",
    "Coefficients",
    "Examples",
    "Inconclusive",
    "Joint",
    "JointBound",
    "JointCertifier",
    "JointKernelCertifier",
    "JointKernelModel",
    "JointModel",
    "JointRefutation",
    "JointSoft",
    "JointWeighted",
    "Kernel",
    "KernelCertifier",
    "KernelModel",
    "Label",
    "Model",
    "NonSeparation",
    "PerClass",
    "Problem",
    "Refutation",
    "Relation",
    "Separation",
    "SeparationVerdict",
    "Slacks",
    "Soft",
    "SoftOptimum",
    "Status",
    "Undecided",
    "Verified",
    "Weighted",
    "fingerprint",
    "fingerprint_of_hashes",
    "problem_of",
    "reduce_support",
    "row_hashes",
    "sha256_of",
    "verify",
]

# What few fits need.
__getattr__ = lazy_names(
    __name__,
    {
        "novikoff.certificate.certify_joint": ("JointCertifier", "JointWeighted"),
        "novikoff.certificate.coefficients": ("Coefficient", "Coefficients"),
        "novikoff.certificate.feature_space.certify_joint_kernel": ("JointKernelCertifier",),
        "novikoff.certificate.feature_space.certify_kernel": ("KernelCertifier",),
        "novikoff.certificate.kinds": ("SeparationVerdict",),
    },
)


def __dir__() -> list[str]:
    return __all__
