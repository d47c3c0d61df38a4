"""The version, read by the build and by everything that writes it into a file."""

__version__ = "0.1.0"
