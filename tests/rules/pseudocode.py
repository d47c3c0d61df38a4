"""The rules as the literature prints them: one loop over examples, nothing clever.

Everything is said in the inner products of the signed examples, ``w = sum a_i z_i``. In whole
numbers these are exact, so that a tie is a tie.
"""

import math

import numpy as np

from novikoff import rules


class Pseudocode:
    """One run: how often, or how much, each example was added."""

    def __init__(self, Z, rule, radius=None, gram=None):
        self.Z = np.asarray(Z, dtype=np.float64)
        self.gram = self.Z @ self.Z.T if gram is None else gram
        self.rule = rule
        self.radius2 = self.gram.diagonal().max() if radius is None else radius**2
        self.weights = np.zeros(len(self.Z))
        self.t = 0
        self.rho2 = 0.0
        self.beta = 0.0  # Algorithm 3 as printed.
        self.mistakes = 0

    @property
    def w(self):
        return self.weights @ self.Z

    @property
    def norm2(self):
        return self.weights @ self.gram @ self.weights

    @property
    def threshold(self):
        rule, t = self.rule, self.t
        match rule:
            case rules.Classic():
                return 0.0
            case rules.Margin(unit="radius"):
                return rule.beta * self.radius2
            case rules.Margin():
                return rule.beta
            case rules.ScaleFree(printed=True):
                return self.beta
            case rules.ScaleFree():
                return rule.c * self.rho2
            case rules.Infinity():
                return ((t + 1) ** rule.alpha - t**rule.alpha - 1) / 2
            case rules.ScaleFreeInfinity():
                return self.rho2 * ((t + 1) ** rule.alpha - t**rule.alpha - 1) / 2
            case rules.Dynamic():
                return (1 - rule.accuracy) * self.norm2 / t if t else 0.0
            case rules.PassiveAggressive():
                return 1.0 - rule.tolerance
            case rules.Alma():
                # On examples divided by R; k counts from 1.
                level = (1 - rule.a) * math.sqrt(8) / rule.a / math.sqrt(t + 1)
                return level * math.sqrt(self.radius2)
        raise TypeError(rule)

    def step(self, margin, norm2):
        rule = self.rule
        match rule:
            case rules.PassiveAggressive(variant=2):
                return (1 - margin) / (norm2 + 1 / (2 * rule.C))
            case rules.PassiveAggressive():
                return min(rule.C, (1 - margin) / norm2)
            case rules.Alma():
                return math.sqrt(2) / math.sqrt(self.t + 1) / math.sqrt(self.radius2)
        return 1.0

    def visit(self, i):
        """Update on example ``i`` if it is violated; return whether it was."""
        margin, norm2 = self.gram[i] @ self.weights, self.gram[i, i]
        if margin > self.threshold:
            return False
        self.weights[i] += self.step(margin, norm2)
        self.t += 1
        self.mistakes += bool(margin <= 0)
        self.rho2 = max(self.rho2, norm2)
        if self.beta < norm2:
            self.beta = 4 * norm2
        if isinstance(self.rule, rules.Alma):
            self.weights /= max(1.0, math.sqrt(self.norm2))
        return True


def one_pass(Z, rule, radius=None):
    """The weights after each update of one pass in order, and how many of them were mistakes.

    ALMA's weights are in the unit of its first step, as the compiled ones are.
    """
    run = Pseudocode(Z, rule, radius)
    iterates, scale = [], 1.0
    for i in range(len(run.Z)):
        before = run.weights.copy()
        if run.visit(i):
            if isinstance(rule, rules.Alma) and before.any():
                kept = np.flatnonzero(before)[0]
                scale *= run.weights[kept] / before[kept]
            iterates.append(run.weights / scale)
    return np.array(iterates), run.mistakes
