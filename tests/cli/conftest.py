"""A command line to type into, and small files of examples to type about."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from novikoff.cli import app

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Type a command in an empty folder; a traceback fails the test."""
    monkeypatch.chdir(tmp_path)
    # The first call of compiled code may take longer than it takes a log to get a line.
    monkeypatch.setattr("novikoff.cli.shared.screen._LOG", math.inf)
    # Only where nothing is cached yet.
    monkeypatch.setattr("novikoff.cli.shared.screen.Screen.compiling", lambda screen, line: None)

    def type_in(*arguments: object) -> Any:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return type_in


@pytest.fixture
def refused(run: Run, tmp_path: Path) -> Callable[..., str]:
    """Type a command that must be refused: exit code 2, one line, nothing written."""

    def type_in(*arguments: object) -> str:
        before = snapshot(tmp_path)
        result = run(*arguments)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        assert result.stderr.startswith("novikoff: error: ")
        assert result.stderr.count("\n") == 1
        assert snapshot(tmp_path) == before
        return result.stderr

    return type_in


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def fruit(tmp_path: Path) -> Path:
    """Apples and bananas, separable with a wide margin."""
    return write_csv(tmp_path / "fruit.csv", *two_classes())


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """The same, with one banana that is exactly an apple."""
    X, y = two_classes()
    return write_csv(tmp_path / "mixed.csv", np.vstack([X, X[:1]]), [*y, "banana"])


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Three classes around the corners of a triangle."""
    rng = np.random.default_rng(2)
    corners = np.array([[0.0, 0.0], [10.0, 0.0], [5.0, 9.0]])
    codes = np.repeat([0, 1, 2], 20)
    X = corners[codes] + rng.uniform(-1, 1, (60, 2))
    return write_csv(tmp_path / "three.csv", X, np.array(["a", "b", "c"])[codes].tolist())


@pytest.fixture
def between(tmp_path: Path) -> Path:
    """Three classes in a row: nothing separates the middle one from the others."""
    codes = np.repeat([0, 1, 2], 10)
    X = np.arange(30.0)[:, None] + 5.0 * codes[:, None]
    return write_csv(tmp_path / "between.csv", X, np.array(["a", "b", "c"])[codes].tolist())


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    """Labels that have nothing to do with the examples: nothing separates them."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((400, 3))
    return write_csv(tmp_path / "noisy.csv", X, rng.choice(["apple", "banana"], 400).tolist())


def two_classes() -> tuple[np.ndarray, list[str]]:
    rng = np.random.default_rng(1)
    codes = np.repeat([0, 1], 25)
    X = rng.uniform(-1, 1, (50, 2)) + np.where(codes, 4.0, 0.0)[:, None]
    return X, np.array(["apple", "banana"])[codes].tolist()


def write_csv(path: Path, X: np.ndarray, y: list[str]) -> Path:
    rows = (",".join([*map(repr, row), label]) for row, label in zip(X.tolist(), y, strict=True))
    names = [*(f"x{j}" for j in range(X.shape[1])), "kind"]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    return path
