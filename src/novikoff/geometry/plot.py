"""A picture of two bodies, the hyperplane between them and the points that prove it."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from novikoff.geometry.bodies.base import Body, Vector
from novikoff.geometry.bodies.points import Points

if TYPE_CHECKING:
    from novikoff.geometry.result import SeparationResult

COLORS = ("#c8452f", "#2c6fbb")
DIRECTIONS = {2: 360, 3: 900}
"""In how many directions a body is asked for its outline."""
MOST_DOTS = 2000
"""A larger set of points is drawn by its outline alone."""


def draw(result: "SeparationResult", ax: Any = None, *, colors: Any = COLORS) -> Any:
    """Draw a result in two or three dimensions; return the axes."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "plotting needs matplotlib: install it with `pip install novikoff[plot]`."
        ) from None
    dimension = result.p.size
    if dimension not in DIRECTIONS:
        raise ValueError(f"only bodies in 2 or 3 dimensions can be drawn, not in {dimension}.")
    if ax is None:
        projection = "3d" if dimension == 3 else None
        ax = plt.figure(layout="constrained").add_subplot(projection=projection)
    outlines = [outline(body) for body in result.bodies]
    for body, points, color in zip(result.bodies, outlines, colors, strict=True):
        _draw_body(ax, points, color)
        if isinstance(body, Points) and len(body) <= MOST_DOTS:
            dots = body.array.toarray() if body.is_sparse else body.array
            ax.plot(*dots.T, ".", color=color, markersize=3, alpha=0.5)
    everything = np.vstack([*outlines, result.p, result.q])
    if result.w is not None and result.b is not None:
        _draw_hyperplane(ax, result, everything)
    for part, color in zip((result.first, result.second), colors, strict=True):
        # Where a ball was taken off, the extreme points of its core are inside the body.
        ax.plot(*part.points.T, "o", markersize=8, markerfacecolor="none", markeredgecolor=color)
    ax.plot(*np.array([result.p, result.q]).T, "-o", color="black", linewidth=1.5, markersize=3)
    ax.set_aspect("equal")
    ax.set_title(_title(result))
    return ax


def _title(result: "SeparationResult") -> str:
    if result.status.name == "APART":
        return f"apart: distance {result.distance:.6g}"
    if result.status.name == "MEET":
        return "the bodies meet"
    return f"closer than {result.distance_upper:.3g}"


def outline(body: Body) -> Vector:
    """Return extreme points of a body in directions spread over the circle or the sphere."""
    count = DIRECTIONS[body.dimension]
    if body.dimension == 2:
        angles = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
        directions = np.column_stack([np.cos(angles), np.sin(angles)])
    else:
        # Points on a spiral from pole to pole, equally spaced in height.
        heights = 1.0 - 2.0 * (np.arange(count) + 0.5) / count
        turns = np.pi * (1.0 + 5.0**0.5) * np.arange(count)
        around = np.sqrt(1.0 - heights**2)
        directions = np.column_stack([around * np.cos(turns), around * np.sin(turns), heights])
    return np.array([body.support(direction) for direction in directions])


def _draw_body(ax: Any, points: Vector, color: str) -> None:
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        # A flat body has no hull: its points are joined in order.
        ax.plot(*points.T, "-", color=color)
        return
    if points.shape[1] == 2:
        ax.fill(*points[hull.vertices].T, facecolor=color, edgecolor=color, alpha=0.3)
    else:
        ax.plot_trisurf(*points.T, triangles=hull.simplices, color=color, alpha=0.25, linewidth=0.0)


def _draw_hyperplane(ax: Any, result: "SeparationResult", everything: Vector) -> None:
    """Draw the hyperplane, and the two parallel ones at its margin."""
    assert result.w is not None and result.b is not None
    w, half = result.w, result.margin
    middle = (result.p + result.q) / 2.0
    reach = 0.5 * float(np.linalg.norm(np.ptp(everything, axis=0)))
    along = np.linalg.svd(w[None, :])[2][1:]
    middle = middle - (w @ middle + result.b) * w
    for shift, style, alpha in ((0.0, "-", 0.35), (half, "--", 0.12), (-half, "--", 0.12)):
        centre = middle + shift * w
        if w.size == 2:
            ends = np.array([centre - reach * along[0], centre + reach * along[0]])
            ax.plot(*ends.T, style, color="0.35", linewidth=1.2)
        else:
            grid = 0.6 * reach * np.array([-1.0, 1.0])
            s, t = np.meshgrid(grid, grid)
            sheet = centre[:, None, None] + along[0][:, None, None] * s
            sheet = sheet + along[1][:, None, None] * t
            ax.plot_surface(*sheet, color="0.5", alpha=alpha)
