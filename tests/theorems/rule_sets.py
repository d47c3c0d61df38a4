"""Every rule, with parameters that keep the runs of the theorem tests short."""

from novikoff.sample import Sample, storage_of
from tests.rules.all_rules import other_rules, unit_step_rules

# The least share eps*/R of the data that a rule is tested on keeps its bound on the updates, and
# with it the longest run, below some ten thousand.
UNIT_STEP_RULES = unit_step_rules(alpha=1.4)
OTHER_RULES = other_rules(tolerance=0.3)
ALL_RULES = UNIT_STEP_RULES | OTHER_RULES

# An absolute number in a rule means something only beside the scale of the data.
WITH_A_SCALE = ("margin-absolute", "infinity", "pa-1", "pa-2")


def scaled_for(name, problem, **how):
    """The problem and how to read it, in the unit ball for rules with a scale of their own."""
    if name not in WITH_A_SCALE:
        return problem, how
    factor = (1 - 1e-12) / Sample.of(storage_of(problem.X), problem.y, **how).lifted_radius
    return problem.scaled(factor), how | {"slack2": how.get("slack2", 0.0) * factor**2}
