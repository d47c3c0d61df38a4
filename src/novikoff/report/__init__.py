"""Texts for users: the summary of a fit and the result of a check."""
