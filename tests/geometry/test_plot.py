"""Pictures of results: they are drawn, or it is said why not."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from novikoff.geometry import Ball, Box, Points, Simplex, separate
from novikoff.geometry.plot import outline


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def test_two_dimensions_have_a_line_with_its_margin():
    found = separate(Points(np.eye(2)), Ball([4.0, 4.0], 1.0))
    ax = found.plot()
    dashed = [line for line in ax.get_lines() if line.get_linestyle() == "--"]
    solid = [line for line in ax.get_lines() if line.get_color() == "0.35"]
    assert len(dashed) == 2 and len(solid) == 3
    for line in dashed:
        ends = np.column_stack(line.get_data())
        assert np.abs(ends @ found.w + found.b) == pytest.approx(found.margin, rel=1e-6)
    assert ax.get_title().startswith("apart: distance")


def test_bodies_that_meet_have_no_line():
    figure, ax = plt.subplots()
    found = separate(Box([0.0, 0.0], [1.0, 1.0]), Box([0.5, 0.5], [2.0, 2.0]))
    assert found.plot(ax, colors=("red", "blue")) is ax
    assert not [line for line in ax.get_lines() if line.get_linestyle() == "--"]
    assert ax.get_title() == "the bodies meet" and ax.figure is figure


def test_three_dimensions_and_a_flat_body():
    ax = separate(Simplex(3), Ball([2.0, 2.0, 2.0], 1.0)).plot()
    assert ax.name == "3d"
    flat = separate(Points([[0.0, 0.0], [1.0, 0.0]]), Points([[0.0, 1.0]])).plot()
    assert flat.name == "rectilinear"
    close = separate(Ball([0.0, 0.0], 1.0), Ball([0.5, 0.0], 1.0), epsilon=0.5).plot()
    assert close.get_title().startswith("closer than")


def test_other_dimensions_are_refused():
    with pytest.raises(ValueError, match="2 or 3 dimensions can be drawn, not in 4"):
        separate(Simplex(4), Simplex(4) + np.ones(4)).plot()


def test_an_outline_is_of_extreme_points():
    points = outline(Ball([1.0, 0.0, 0.0], 2.0))
    assert np.linalg.norm(points - np.array([1.0, 0.0, 0.0]), axis=1) == pytest.approx(2.0)
