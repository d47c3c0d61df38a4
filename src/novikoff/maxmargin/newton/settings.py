"""The settings of Newton's method.

Figures such as "passes 6.4, 6.0, 6.8" are those at half the value, at the value and at twice the
value, to a gap of 1e-6, of

- *noisy*: 100,000 x 50 normal features, labels of a random plane with noise as large as a feature,
  C = 1;
- *correlated*: 30,000 x 300 cumulated normal features, as noisy, C = 1;
- *stiff*: ``planted(20_000, 130, 0.01, random_state=0)``, C = 1e4, which takes detours;
- *text*: ``text_like(30_000, 3_000, 40, noise=0.1, random_state=0)``, C = 1.

Where a problem is not listed, or "the same" is said, passes did not change. A field without figures
was not varied.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class NewtonSettings:
    """Sizes of subsamples, accuracies of single steps, and when to stop."""

    first_subsample: int = 4000
    """The first subsample has this many examples, or ``subsample_per_feature`` for each feature if
    these are more. Noisy, passes 6.4, 6.0, 6.8; correlated 15.2, 12.7, 13.9; stiff 62.5, 40.1,
    49.5."""

    subsample_per_feature: int = 5
    """See ``first_subsample``. Text, passes 17.6, 15.7, 15.7."""

    subsample_of_class: int = 200
    """A subsample has at least this many examples of each class, if there are."""

    growth: int = 4
    """Each subsample is this many times as large as the one before. Noisy, passes 6.7, 6.0, 6.2;
    correlated 13.5, 12.7, 12.7; stiff 58.3, 40.1, 40.1."""

    leave_subsample: float = 0.1
    """Leave a subsample of n examples when a step gains, or promises to gain, less than this times
    d / n of the objective: its own optimum is further than that from the optimum of all. The same
    at half and at twice."""

    forcing_on_subsamples: float = 0.1
    """How far the residual of Newton's equation must fall on a subsample, in units of what it was;
    the subsample is left soon anyway. Noisy, passes 6.0, 6.0, 6.2; correlated 12.5, 12.7, 13.3;
    stiff 40.1, 40.1, 33.9."""

    forcing: float = 0.05
    """The same on all examples. Correlated, passes 12.0, 12.7, 12.8; stiff 37.2, 40.1, 37.7; text
    16.5, 15.7, 17.7."""

    forcing_on_detours: float = 0.03
    """The same on a detour, where hinges are stiff. Stiff, passes 40.4, 40.4, 40.3."""

    exact_residual: float = 1e-10
    """The same where the equation is solved to rounding."""

    enough: float = 10.0
    """Where the squared residual is within this many times of what suffices for the gap asked for,
    conjugate gradients go on until it is there. Correlated, passes 13.3, 12.7, 12.7; stiff 40.1,
    40.1, 42.3."""

    exact_gradient: float = 2.0**-51
    """A gradient so small, in units of the vectors whose difference it is, is rounding."""

    exact_gap: float = 1e-12
    """With so small a gap, too, a gradient within the rounding errors of the sums over all examples
    is taken for rounding. Dense 5,000 x 20 with noise then takes 3 steps instead of 7, of which
    four would change the last digits alone."""

    vanishing_norm: float = 1e-8
    """A ``w`` shorter than this, in units of the longest that its objective allows, is taken for
    that long when the gradient is measured by it."""

    stall: float = 1e-6
    """A step stalls that gains less of the objective, in units of the gap asked for, and does not
    halve the gradient."""

    most_stalls: int = 2
    """How many steps may stall."""

    rounding: float = 2.0**-44
    """The error of a sum over many examples, in units of its size."""

    doubtful: float = 0.01
    """Sums are carried from step to step while their rounding errors stay within this share of the
    gap asked for. The same at half and at twice."""

    short_step: float = 0.3
    """A step shorter than this, in units of the full step, means stiff hinges: a detour begins.
    Separable one-hot data of three factors, 30,000 x 1,840, C = 100, take 0.19 s at 0.1, 0.11 at
    the value and at 0.5; separable counts of words, 7,570 x 5,000, 0.33, 0.32 and 0.46 s."""

    stiff_share: float = 0.25
    """On sparse data a detour begins only where the primal objective is at most this share of that
    of ``w = 0``: where labels are noise, short steps are fewer than those of a detour. Counts of
    groups of letters in 40,000 random names, C = 100, take 0.30 s, and 1.3 without this. At 0.1,
    0.2, the value and 0.35 noisy binary 8,000 x 3,500 takes 144, 148, 112 and 118 ms; hashed words
    15,000 x 9,000 0.50 s at 0.2 and 0.38 at the value, but tf-idf of groups of letters in 10,000
    lines, 10 % noise, 0.42 and 0.82."""

    long_step: float = 0.9
    """On a detour a step at least so long means that the hinges are soft enough."""

    softer: float = 100.0
    """By what factor a detour makes hinges softer, until steps are no longer short. Stiff, passes
    38.7, 40.4, 35.1."""

    harder: float = 5.0
    """By what factor it makes them harder again, after each long step, without multipliers."""

    harder_with_multipliers: float = 3.0
    """The same with multipliers, near the optimum of each softer problem. Stiff, passes 44.7, 40.4,
    40.1. Dense separable 18,400 x 1,000, C = 100, takes 77 at 2, 90 at the value and 124 at 5."""

    near_optimum: float = 0.3
    """A softer problem is left where the gradient is this short, in units of ``w``. Stiff, passes
    44.5, 40.4, 39.5; dense separable 18,400 x 1,000, C = 1, 45 at 0.1, 40 at the value and 41 at
    twice, C = 100 90, 90 and 81; 4,600 x 1,500, C = 100, 133, 147 and 166."""

    nearly: float = 10.0
    """Near the gap asked for, within this many times of it, the hyperplane is judged after each
    step of a detour. The same at half and at twice."""

    detour_steps: int = 50
    """The most steps at one softness: with more, rounding and not stiffness keeps them short."""

    detour_gap: float = 1e-9
    """No detour is made with a relative gap below this."""

    few_hinges: int = 1000
    """With ``patient=False``, give up at a short step with at most this many open hinges, or
    ``few_per_feature`` for each feature."""

    few_per_feature: int = 2
    """See ``few_hinges``."""

    too_far: float = 0.5
    """With ``patient=False``, the first step on all examples has led too far for a stiff problem if
    it leaves fewer open hinges for each feature. Sparse separable 20,000 x 3,000 counts, C = 1 and
    3, take 0.11 and 0.19 s at half, 0.11 and 0.33 at the value, 0.31 and 0.31 at twice; 10,000 x
    2,000 Gaussian values, C = 3, 0.17, 0.11 and 0.13."""

    near_corral: float = 1.2
    """With ``detour``, a detour ends with this many open hinges for each feature. Dense
    separable 12,000 x 800, C = 100, takes 1.34 s without this, 1.09 at 1.02, 0.95 at the value and
    1.39 at 1.5; 2,000 x 200 59, 48, 39 and 37 ms; but 12,000 x 800 with spectrum 1/k 0.98, 0.99,
    1.25 and 1.28 s."""

    factor_per_feature: int = 5
    """The factor that preconditions is built from this many examples for each feature, or from as
    many as take the time of ``factor_products`` products, whichever is more. The same at half and
    at twice."""

    factor_products: int = 10
    """See ``factor_per_feature``. Correlated, passes 12.8, 12.7, 12.3; stiff 47.8, 40.1, 40.1."""

    dense_value: int = 40
    """A product with a value of a dense row takes as long as this many multiplications in a
    factor. Dense separable 12,000 x 800, C = 100, takes 1.00, 0.73 and 0.82 s at half, at the value
    and at twice; with spectrum 1/k 0.96, 1.04, 1.03; 2,000 x 200, C = 100, 42, 34, 32 ms; noisy
    20,000 x 256 the same."""

    sparse_value: int = 30
    """A product with a value of a sparse row takes as long as this many multiplications in a
    factor. Separable binary 10,000 x 2,000, C = 100, takes 0.12 s at 25 and 40, 0.20 at 50 and 0.32
    at 150; noisy counts of groups of letters, 14,902 x 3,500, 0.63, 0.60, 0.60 and 0.53 s."""

    sparse_bytes: int = 12
    """The bytes of a value of a sparse row with its column."""

    sparse_product: float = 40.0
    """A product of two values of a sparse row takes as long as this many multiplications in a
    factor. Sparse 1,000 x 500 counts, 10 % noise, C = 1 and 100, take 22 and 36 ms at half, 20 and
    48 at 1.5 times the value; separable binary 10,000 x 2,000, C = 100, 248 and 204 ms."""

    most_factored: int = 6000
    """The most rows and columns of a factor, which takes 0.7 s. Noisy counts of groups of letters,
    14,902 x 3,500, C = 100, take 0.6 s, and at half the value are not solved in 5,000 passes; other
    values were not tried."""

    heavy_values: float = 4.0
    """With more columns than ``most_factored``, the heaviest are treated exactly: as many as the
    root of this many times the values of the active rows. The same figures as ``most_heavy``."""

    most_heavy: int = 600
    """The most of these columns. Counts of groups of letters in 16,156 names, C = 100, take 557
    passes in 1.3 s; with 1,000 columns, and 10 for ``heavy_values``, 909 in 3.0 s."""

    settled: float = 0.1
    """A step on sparse data that gains less of the primal objective, in units of the gap asked for,
    leads to weights that are improved on their face. The names take 634 passes at three times the
    value."""

    most_products: int = 50
    """The most products of conjugate gradients in a step. Stiff, passes 40.8, 40.1, 40.1."""

    slow_products: int = 20
    """After this many products in a step, the next factor is built from twice as many examples.
    Stiff, passes 40.6, 40.1, 51.4."""

    repaid: float = 0.25
    """... once products have taken this share of its time since the last was built. Separable
    binary 10,000 x 2,000 and noisy counts 14,902 x 3,500, C = 100, with 150 for ``sparse_value``,
    0.45 and 0.56 s at zero, 0.37 and 0.54 at 0.1, 0.32 and 0.53 at the value, 0.38 and 0.61 at
    twice."""

    overhead: float = 2e8
    """What a factor of sparse data costs besides, in multiplications: with it, products and steps
    are made one by one in Python, and without it in compiled code. Separable one-hot 9,000 x 280
    and 4,000 x 240, C = 100, take 47 and 34 ms at zero, 28 and 22 at half, 31 and 22 at twice."""

    sparse_solves: float = 1000.0
    """A factor of sparse data also costs so many times the square of its width, for the solves with
    it, which read it from memory. Counts of groups of letters, C = 100, CSR 9,000 x 4,000 and 6,000
    x 3,000, take 2.7 and 1.1 s at zero, 2.3 and 0.8 at the value, 1.3 and 0.6 at twice; but with
    20 % noise 9,000 x 3,500 2.1, 2.2 and 2.8."""

    block: int = 1024
    """How many rows are built into a factor at once, between two looks at the clock."""


NEWTON = NewtonSettings()
