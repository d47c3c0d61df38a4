"""Newton's method in the primal: soft margins of many examples and few features."""
