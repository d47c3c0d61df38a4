"""The kinds of certificates."""
