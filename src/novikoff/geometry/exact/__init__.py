"""Exact arithmetic for bodies: rational points and support values, and what they prove."""
