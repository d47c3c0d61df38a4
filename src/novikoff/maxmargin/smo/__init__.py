"""Margins in the feature space of a kernel: two-example steps, Wolfe's method on few examples."""

from novikoff.maxmargin.smo.choose import kernel_margin
from novikoff.maxmargin.smo.problem import KernelProblem, KernelSolution

__all__ = ["KernelProblem", "KernelSolution", "kernel_margin"]
