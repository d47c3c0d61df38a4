"""Dual coordinate descent: hard and soft margins of large sparse data."""
