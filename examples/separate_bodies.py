"""Are these convex bodies apart, by how much, and which few points prove it?

Usage: python separate_bodies.py [bodies.svg] (the picture needs matplotlib)
"""

import sys

import numpy as np

import novikoff
from novikoff.geometry import Ball, Box, Ellipsoid, Points, Zonotope


def main(path: str | None) -> None:
    rng = np.random.default_rng(3)
    cloud = Points(rng.normal(size=(60, 2)))
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    stadium = turn @ Box([0.0, 0.0], [2.0, 0.5]) + Ball([3.5, 0.5], 0.4)

    result = novikoff.separate(cloud, stadium)
    print(result)
    print(result.verify())
    print(f"hyperplane: {result.w} . x + {result.b:.6f} = 0, margin {result.margin:.6f}")
    print(f"the nearest points are {result.p} and {result.q}")

    # Any dimension: two ellipsoids in 30 dimensions.
    ellipsoids = [Ellipsoid(np.full(30, c), rng.uniform(0.5, 2.0, 30)) for c in (0.0, 1.0)]
    print(novikoff.separate(*ellipsoids))

    # Lemma 4.2: only whether they are closer than 0.5, by the sum of few differences.
    print(novikoff.separate(cloud, stadium, epsilon=0.5))

    # Bodies that meet have a common point.
    zonotope = Zonotope([0.0, 0.0], [[1.0, 0.2], [0.1, 0.8]])
    meeting = novikoff.separate(cloud, zonotope)
    print(meeting)

    if path is not None:
        import matplotlib.pyplot as plt

        plt.rcParams["svg.hashsalt"] = "novikoff"  # the same file every time
        figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
        result.plot(left)
        meeting.plot(right)
        figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
