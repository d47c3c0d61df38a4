"""Certificates of kernel classifiers: the arithmetic of their feature space, and their maker."""
