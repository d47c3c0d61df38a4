"""Small problems of all kinds, in integers, with one value moved where asked for."""


def problem(rng, *, moved=False, most=10, features=3):
    """Examples and labels of two classes: random, duplicated, with indicators or collinear."""
    n, d = int(rng.integers(4, most + 1)), int(rng.integers(1, features + 1))
    largest = int(rng.integers(1, 4))
    X = rng.integers(-largest, largest + 1, (n, d)).astype(float)
    form = rng.integers(5)
    if form == 0 and d > 1:
        X[:, -1] = X[:, 0] - X[:, 1] if d > 2 else X[:, 0]
    if form == 1:
        X = X[rng.integers(0, n, n)]
    if form == 2:
        X = (X > 0).astype(float)
    value = X @ rng.integers(-2, 3, d) + rng.integers(-1, 2)
    y = (value > 0).astype(int)
    tied = value == 0
    y[tied] = rng.integers(0, 2, tied.sum())
    if form == 3:
        y = rng.integers(0, 2, n)
    if moved:
        X[rng.integers(n), rng.integers(d)] += rng.choice([-1, 1]) * 10.0 ** -rng.integers(6, 16)
    if len(set(y)) < 2:
        y[0] = 1 - y[0]
    return X, y
