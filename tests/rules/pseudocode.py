"""The rules as the literature prints them: loops over vectors, nothing clever."""

import math

import numpy as np

from novikoff import rules


class Pseudocode:
    """One run: ``w``, and for each example what it contributed."""

    def __init__(self, Z, rule, radius=None):
        self.Z = np.asarray(Z, dtype=np.float64)
        self.rule = rule
        self.radius = np.linalg.norm(self.Z, axis=1).max() if radius is None else radius
        self.w = np.zeros(self.Z.shape[1])
        self.weights = np.zeros(len(self.Z))
        self.t = 0
        self.rho = 0.0
        self.beta = 0.0  # Algorithm 3 as printed.
        self.mistakes = 0

    @property
    def threshold(self):
        rule, t = self.rule, self.t
        match rule:
            case rules.Classic():
                return 0.0
            case rules.Margin(unit="radius"):
                return rule.beta * self.radius**2
            case rules.Margin():
                return rule.beta
            case rules.ScaleFree(printed=True):
                return self.beta
            case rules.ScaleFree():
                return rule.c * self.rho**2
            case rules.Infinity():
                return ((t + 1) ** rule.alpha - t**rule.alpha - 1) / 2
            case rules.ScaleFreeInfinity():
                return self.rho**2 * ((t + 1) ** rule.alpha - t**rule.alpha - 1) / 2
            case rules.Dynamic():
                return (1 - rule.accuracy) * (self.w @ self.w) / t if t else 0.0
            case rules.PassiveAggressive():
                return 1.0 - rule.tolerance
            case rules.Alma():
                # On examples divided by R; k counts from 1.
                level = (1 - rule.a) * math.sqrt(8) / rule.a / math.sqrt(t + 1)
                return level * self.radius
        raise TypeError(rule)

    def step(self, z):
        rule = self.rule
        match rule:
            case rules.PassiveAggressive(variant=2):
                return (1 - z @ self.w) / (z @ z + 1 / (2 * rule.C))
            case rules.PassiveAggressive():
                return min(rule.C, (1 - z @ self.w) / (z @ z))
            case rules.Alma():
                return math.sqrt(2) / math.sqrt(self.t + 1) / self.radius
        return 1.0

    def visit(self, i):
        """Update on example ``i`` if it is violated; return whether it was."""
        z = self.Z[i]
        margin = z @ self.w
        if margin > self.threshold:
            return False
        tau = self.step(z)
        self.w = self.w + tau * z
        self.weights[i] += tau
        self.t += 1
        self.mistakes += margin <= 0
        self.rho = max(self.rho, np.linalg.norm(z))
        if self.beta < z @ z:
            self.beta = 4 * (z @ z)
        if isinstance(self.rule, rules.Alma):
            shrink = max(1.0, np.linalg.norm(self.w))
            self.w = self.w / shrink
            self.weights = self.weights / shrink
        return True


def one_pass(Z, rule, radius=None):
    """One pass in order; ALMA's weights are in the unit of its first step, as the compiled ones."""
    run = Pseudocode(Z, rule, radius)
    scale = 1.0
    for i in range(len(run.Z)):
        before = run.weights.copy()
        if run.visit(i) and isinstance(rule, rules.Alma) and before.any():
            kept = np.flatnonzero(before)[0]
            scale *= run.weights[kept] / before[kept]
    return run.weights / scale, run.mistakes
