"""Dual coordinate descent: sparse data, and dense data with more features than examples."""
