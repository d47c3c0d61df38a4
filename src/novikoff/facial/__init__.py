"""Complete separation, quasi-complete separation or overlap, by facial reduction.

Each round takes the rows that are not yet known to be on the boundary, in the space orthogonal to
those that are. The least squared hinges there either vanish, which is a direction that separates
all of these rows strictly, or are positive on rows that combine to zero with their slacks as
weights, which are on the boundary then (Borwein and Wolkowicz, *Regularizing the abstract convex
program*, 1981, for cones in general). What floating point suggests is checked exactly; where it
cannot tell, an exact simplex method decides.
"""

from novikoff.facial.columns import find_coefficients
from novikoff.facial.split import Split, split_rows

__all__ = ["Split", "find_coefficients", "split_rows"]
