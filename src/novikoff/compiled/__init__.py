"""Plain numba functions on arrays: rows, the step of a rule, sweeps."""
