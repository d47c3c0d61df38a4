"""The optimum margin of several classes at once: one vector for each class, fitted together."""

from novikoff.maxmargin.joint.choose import joint_hard_margin, joint_soft_margin
from novikoff.maxmargin.joint.problem import JointProblem, JointSolution
from novikoff.maxmargin.joint.two_classes import hinge_margin

__all__ = [
    "JointProblem",
    "JointSolution",
    "hinge_margin",
    "joint_hard_margin",
    "joint_soft_margin",
]
