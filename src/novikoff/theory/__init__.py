"""Theorems as numbers: mistakes, the error on new data, dimension, and what cannot be learned."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from novikoff.theory.generalization import (
    binomial_tail_bound,
    compression_bound,
    selection_bound,
    theorem_5_1,
    theorem_5_2,
)
from novikoff.theory.mistakes import (
    ComparatorBounds,
    comparator_bounds,
    hinge_mistake_bound,
    lifted_mistake_bound,
    mistake_bound,
    norms_mistake_bound,
    squared_mistake_bound,
)
from novikoff.theory.robust import (
    count_partitions_bound,
    cover_count,
    projection_dimension,
    projection_failure,
    theorem_6_3,
)

if TYPE_CHECKING:
    from novikoff.theory import intersections, minimax
    from novikoff.theory.gram import GramCertificate, gram_certificate
    from novikoff.theory.minimax import can_shatter, minimax_bound
    from novikoff.theory.projection import RobustProjection

__all__ = [
    "ComparatorBounds",
    "GramCertificate",
    "RobustProjection",
    "binomial_tail_bound",
    "can_shatter",
    "comparator_bounds",
    "compression_bound",
    "count_partitions_bound",
    "cover_count",
    "gram_certificate",
    "hinge_mistake_bound",
    "intersections",
    "lifted_mistake_bound",
    "minimax",
    "minimax_bound",
    "mistake_bound",
    "norms_mistake_bound",
    "projection_dimension",
    "projection_failure",
    "selection_bound",
    "squared_mistake_bound",
    "theorem_5_1",
    "theorem_5_2",
    "theorem_6_3",
]

# Found when first asked for: the bounds need neither scikit-learn nor exact arithmetic.
_MODULES = ("intersections", "minimax")
_HOMES = {
    "novikoff.theory.gram": ("GramCertificate", "gram_certificate"),
    "novikoff.theory.minimax": ("can_shatter", "minimax_bound"),
    "novikoff.theory.projection": ("RobustProjection",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"novikoff.theory.{name}")
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'novikoff.theory' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
