"""The truth about kernel classifiers, from their definitions, in balls and fractions alone."""

from flint import arb, ctx, fmpq, fmpz

PRECISION = 400


def rational(a):
    p, q = float(a).as_integer_ratio()
    return fmpq(fmpz(p), fmpz(q))


def dot(x, z):
    return sum((rational(a) * rational(b) for a, b in zip(x, z, strict=True)), fmpq(0))


def value(kernel, x, z):
    """The kernel of two rows, as a ball."""
    ctx.prec = PRECISION
    gamma = None if kernel.gamma is None else rational(kernel.gamma)
    if kernel.name == "linear":
        return arb(dot(x, z))
    if kernel.name == "poly":
        return arb((gamma * dot(x, z) + rational(kernel.coef0)) ** kernel.degree)
    if kernel.name == "sigmoid":
        return arb(gamma * dot(x, z) + rational(kernel.coef0)).tanh()
    differences = [rational(a) - rational(b) for a, b in zip(x, z, strict=True)]
    if kernel.name == "rbf":
        return (-arb(gamma * sum((a * a for a in differences), fmpq(0)))).exp()
    return (-arb(gamma * sum((abs(a) for a in differences), fmpq(0)))).exp()


def table(kernel, rows, columns):
    return [[value(kernel, x, z) for z in columns] for x in rows]


def scores(kernel, X, support, coef, intercept):
    ctx.prec = PRECISION
    columns = [X[j] for j in support]
    return [
        sum((arb(float(c)) * k for c, k in zip(coef, row, strict=True)), arb(float(intercept)))
        for row in table(kernel, X, columns)
    ]


def square(kernel, X, support, weights):
    """The squared norm of a weighted sum of examples."""
    ctx.prec = PRECISION
    columns = [X[j] for j in support]
    total = arb(0)
    for a, row in zip(weights, table(kernel, columns, columns), strict=True):
        for b, k in zip(weights, row, strict=True):
            total += arb(a) * arb(b) * k
    return total


def margin(kernel, X, signs, support, coef, intercept):
    values = scores(kernel, X, support, coef, intercept)
    least = min((v * int(s) for v, s in zip(values, signs, strict=True)), key=lambda v: v.mid())
    return least / square(kernel, X, support, [rational(c) for c in coef]).sqrt()


def upper(kernel, X, signs, support, weights, affine):
    """The bound that weights prove on every margin."""
    ctx.prec = PRECISION
    totals = {1: fmpq(0), -1: fmpq(0)}
    for j, a in zip(support, weights, strict=True):
        totals[int(signs[j])] += rational(a)
    whole = totals[1] + totals[-1]
    shares = [
        int(signs[j]) * rational(a) / (totals[int(signs[j])] if affine else whole)
        for j, a in zip(support, weights, strict=True)
    ]
    norm = square(kernel, X, support, shares).sqrt()
    return norm / 2 if affine else norm


def primal(kernel, X, signs, support, coef, intercept, C, costs, scale=1.0):
    values = scores(kernel, X, support, coef, intercept)
    total = square(kernel, X, support, [rational(c) for c in coef]) * arb(scale) ** 2 / 2
    for v, s, cost in zip(values, signs, costs, strict=True):
        slack = 1 - v * int(s) * arb(scale)
        if slack > 0:
            total += arb(C) * arb(float(cost)) * slack**2
    return total


def dual(kernel, X, signs, support, weights, C, costs, affine):
    ctx.prec = PRECISION
    totals = {1: fmpq(0), -1: fmpq(0)}
    for j, a in zip(support, weights, strict=True):
        totals[int(signs[j])] += rational(a)
    whole = totals[1] + totals[-1]
    # With an intercept both classes have the same total.
    a = [
        rational(a) / (totals[int(signs[j])] if affine else whole)
        for j, a in zip(support, weights, strict=True)
    ]
    signed = [b * int(signs[j]) for j, b in zip(support, a, strict=True)]
    quadratic = square(kernel, X, support, signed)
    for j, b in zip(support, a, strict=True):
        quadratic += arb(b * b) / (2 * arb(C) * arb(float(costs[j])))
    return arb(sum(a, fmpq(0))) ** 2 / (2 * quadratic)
