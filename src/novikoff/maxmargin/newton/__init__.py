"""Newton's method in the primal: the soft margin of many examples and few features."""
