"""Files to be read, and a machine of little memory."""

import pytest


@pytest.fixture
def file(tmp_path):
    """Write a file of some name and content."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def little_memory(monkeypatch):
    """Make believe that there is so much memory, and not more."""

    def limit(n_bytes):
        monkeypatch.setattr("novikoff.data.table.available_memory", lambda: n_bytes)

    return limit
