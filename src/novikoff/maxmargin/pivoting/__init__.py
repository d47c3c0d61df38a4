"""Block principal pivoting in the dual: soft margins that few examples carry."""
