"""Which solver is chosen for which shape of data."""

from dataclasses import dataclass

import numpy as np

from novikoff.maxmargin.problem import Problem
from novikoff.maxmargin.wolfe.precise import SOME_MARGIN

MOST_STIFF = 2.0**200
"""C times the squared length of the rows, beyond which no objective has digits for both terms."""


@dataclass(frozen=True)
class ChooseSettings:
    """Which solver is chosen for which shape of data.

    Times are CPU seconds to a gap of 1e-3. A field without figures either takes the same time at
    half and at twice its value on twelve problems, to within noise, or was not varied.
    """

    small_values: int = 1_000_000
    """A problem with at most this many values is solved to the optimum, at any tolerance."""

    polished: float = 1e-11
    """The gap that a small problem is solved to."""

    gram_examples: int = 3000
    """Up to this many examples their Gram matrix is small, and Wolfe's method is chosen for soft
    margins that are nearly hard; for the hard margin of sparse data also up to this many
    features."""

    newton_examples: int = 2
    """Newton's method needs at least this many examples for each feature. Dense 1,500 x 700, 5 %
    noise, C = 100, takes 0.25 s, and 0.12 with 3 or 4; 2,500 x 1,000 with 10 % noise and spectrum
    1/k 0.50 s, and 1.7; 1,000 x 300, 10 % noise, 22 ms, and with 4 174."""

    corral_features: int = 500
    """Up to this many features, Wolfe's method continues where few stiff hinges are open on dense
    data: a step takes the square of the number of its members. With more, Newton's method does it
    alone. Dense separable 7,400 x 400, C = 100, takes 0.26 s with Wolfe's method and 0.38 without;
    11,000 x 800, C = 1, 2.0 and 0.6; 18,400 x 1,000 2.8 and 1.5."""

    judged_examples: int = 1000
    """With more than ``corral_features`` features, whether Wolfe's method goes first on dense data
    is judged from so many examples. Tuned, with the three settings below, on pairs of MNIST's
    digits in [0, 1], about 12,000 x 784, C = 0.1, 1 and 100: 0 v 1 takes 19, 18 and 18 ms instead
    of 55, 93 and 179, and 0 v 6 52, 55 and 61 instead of 48, 73 and 201. At half and at twice 50 to
    56 and 59 to 80 for the latter, and at twice 2 v 3 with C = 1 takes 236 ms instead of 90."""

    most_mistaken: float = 0.1
    """It does where the difference of the class means errs on at most this share of them; on twice
    as many where there are too few examples for Newton's method. At half the value 0 v 6 takes as
    long as without; at twice 2 v 3 10 % longer."""

    most_carry: float = 0.45
    """It ends where more than this share of the candidates of the first two rounds carry weight. At
    half the value nothing is gained, at twice 0 v 6 with C = 0.1 takes 78 ms instead of 52."""

    carried_passes: int = 20
    """It ends when it has cost so many passes. At half the value 0 v 6 takes 120 and 248 ms with
    C = 1 and 100; the same at twice."""

    carried_stiff: float = 2e-4
    """Where ``Delta^2`` is below this, in units of the median squared length, Newton's method takes
    two to four times as many passes, and the next two settings hold in place of the last two. They
    were tuned on pairs of digits in [0, 1]. 1 v 8, 2 v 6 and 5 v 6, with some 400 support vectors,
    take 134, 136 and 118 ms with C = 100, and at a quarter of the value 354, 245 and 266; at four
    times, which changes C = 10, 143, 163 and 109 instead of 143, 147 and 136."""

    most_carry_if_stiff: float = 0.58
    """2 v 6 and 5 v 6, C = 100, take 246 and 266 ms at 0.5; 2 v 8 and 5 v 8, with 1,200 and 1,750
    support vectors, 152 and 144 at the value, 304 and 263 at 0.7."""

    carried_passes_if_stiff: int = 40
    """1 v 8, 2 v 6 and 5 v 6, C = 100, take 447, 352 and 331 ms at half; the same at twice."""

    most_ranked: int = 500
    """Up to so many columns, a verdict on data whose vanishing combination exact arithmetic denies
    asks whether columns depend on others up to rounding; then the slacks of soft margins come
    before more digits, which only show that rounding. Noisy 3,000 x 150 whose rows sum to one takes
    76 ms, and 132 where digits come first; 6,000 x 80 66 and 70. Other values were not tried."""

    rows_per_column: int = 2
    """How many examples for each column tell that. Not varied."""

    rows_seen: int = 32
    """How many examples tell whether most values are whole. Then the basis is tried before slacks
    even where columns depend on others: 4,000 x 90 with 30 sums of two others takes 11 ms, and 28
    with slacks first; one-hot 10,000 x 175 with five columns of numbers 7 and 20. 4,000 x 120 with
    30 columns twice that are no whole numbers takes 36 ms, and 30 with slacks first. Not varied."""

    rounded: float = 1e-12
    """How far such a column is from the others, in units of its length: it is 1e-15 or so. Not
    varied."""

    patient_examples: int = 3
    """From weights it does so with at least this many examples for each feature; with fewer,
    pivoting continues, which takes two passes where the weights are those of the optimum."""

    separable_sweeps: int = 400
    """With more features than that and fewer than ``corral_examples`` examples for each, coordinate
    descent may take this many passes over data that a step of Newton's method nearly separates.
    Dense separable 6,000 x 1,800, C = 100, takes 218 in 2.0 s, and 3.6 s by Newton's method; 2,500
    x 1,000 takes 142 in 0.3 s, and by Newton's method and pivoting 0.9. With 5 examples for each
    feature Newton's method takes 1.3 s and coordinate descent 1.5. Those that reached a gap of 1e-3
    by sweeps took 130 to 260 passes; other values were not tried."""

    open_if_separable: float = 0.2
    """That is where the first step on all examples leaves less than this share of the hinges open:
    0.09 to 0.17 on seven separable problems with independent normal features, two to four examples
    for each; 0.25 and more with 5 % noise, or with spectrum 1/k. At half the value dense 4,000 x
    1,200, C = 100, takes 1.5 s instead of 1.0; at twice 2,500 x 1,000 with spectrum 1/k takes 0.30
    s instead of 0.12."""

    detour_features: int = 150
    """With more features than this, Newton's method first goes near the optimum of a softer problem
    for Wolfe's method to start from; with fewer, that costs more than it gains. Dense separable
    2,000 x 200, C = 1, takes 44 ms, and 64 at twice the value; at C = 100 62 ms and 53."""

    corral_examples: int = 4
    """It does so with at least this many examples for each feature. With fewer, most examples are
    members of pivoting from the start: dense 1,500 x 700, 5 % noise, C = 100, took 0.19 s with
    pivoting and 0.33 with Wolfe's method; C = 1e4 0.23 and 0.70."""

    most_in_corral: int = 3
    """Where Newton's method gives up on a small problem with few hinges open, a corral goes on if
    at most so many examples for each feature have weight, else Newton's method, however short its
    steps are. Chosen on twenty tables of one-hot, hashed and binary columns, C = 100: one-hot 3,174
    x 60 takes 16 ms and 390 in a corral, 726 x 126 8 and 34. At half the value two take 1.5 times
    as long; at twice 726 x 126 and 513 x 128 take 34 and 31 ms instead of 8 and 7."""

    warm_per_feature: int = 3
    """It starts from weights if no more than this many examples for each feature have weight; from
    those of Newton's method, the heaviest, as many as features. From 1,000 for 26 features it takes
    7 times as long as from nothing (jobs of a cluster, 3,000 x 26, four classes). Dense separable
    2,000 x 200 without margin, C = 100, has 2: Wolfe's method takes 28 ms from the heaviest and 60
    from all of them, 71 at half this value and 38 at twice."""

    small_products: int = 5_000_000
    """Dense data for which a factor takes so many multiplications are solved to the optimum,
    whatever the tolerance."""

    example_products: int = 500
    """What each example adds to that: passes over many examples take longer than a factor of few
    features. Table of 20,000 flights x 11, C = 0.01, 1 and 100, takes 15, 17 and 18 ms, and 31, 21
    and 29 at zero; 53,940 diamonds x 9 26 ms each, and 35, 57 and 37. Up to 10,000 examples are
    solved to the optimum; other values were not tried."""

    row_products: int = 35
    """A pass of coordinate descent takes as long as so many multiplications in a factor for each
    value."""

    factors: float = 1.7
    """Pivoting takes about five factors, of n^3 / 3 multiplications each."""

    pivoting_work: float = 16.0
    """With more examples than features, d say, pivoting takes so many times d^3 multiplications:
    22 and 40 s on dense 20,000 x 3,000 separable data with C = 1 and 100, where coordinate descent
    takes 133 and 209 passes in 8 s."""

    least_sweeps: int = 200
    """Coordinate descent is tried before pivoting if that takes as long as so many passes. At half
    the value dense 1,500 x 700, 5 % noise, C = 100, takes 0.37 s instead of 0.20."""

    pivoted_work: float = 40.0
    """On sparse data, pivoting follows slow sweeps where the cube of the number of support vectors
    is at most so many times the values that these have read (``row_values`` more for each row).
    Counts of words in 6,000 docstrings, C = 10 and 100, take 280 and 441 ms at half, 239 and 382 at
    the value, 262 and 439 at twice, and 421 ms and more than 1,000 passes at zero; with C = 1 82
    ms, and 201 at twice. Counts in 697 program files, C = 1 and 100, take 17 and 19, 15 and 17, 16
    and 19, and at zero 27 and 30 ms."""

    slow_passes: int = 15
    """Slow sweeps count as at least so many passes: after the first ten it is seen that they are
    slow. Other values were not tried."""

    most_pivoted: int = 5000
    """Where sweeps do not close the gap, pivoting goes on if no more examples than this carry
    weight. Counts of words of 7,570 and 7,000 texts, C = 10 and 100, ended at gaps of 0.07 to 0.92
    after 1,000 passes; pivoting takes 1 to 3 s with 2,000 to 2,500 (after Newton's method), 2 to 3
    with 4,050 (groups of letters of 12,000 lines, 0.05 to 0.5 before), and 7 s with 5,800."""

    slack_share: float = 0.25
    """Slack may add this share of the gap asked for to the square of the distance, where a hard
    margin is taken from a soft one. Other values were not tried."""

    pivoted_cubes: float = 0.6
    """Pivoting follows a detour of Newton's method on sparse data where so many times the cube of
    the number of active examples is at most the multiplications that products took. Counts of
    groups of letters, C = 100, CSR 9,000 x 4,000 and 6,000 x 3,000, take 1.08 and 0.58 s at half,
    0.99 and 0.48 at the value, 2.75 and 0.65 at twice, and 2.82 and 0.97 without; with 10 % noise,
    9,000 x 4,000, 4.1, 3.8, 7.1 and 7.3."""

    pivoting_overhead: float = 2e8
    """What pivoting costs besides, for steps in Python. Separable one-hot 4,000 x 240, C = 100,
    takes 11 ms at the value and 16 at zero."""

    most_members: int = 8000
    """Where neither sweeps nor Newton's method close the gap, pivoting goes on if no more examples
    than this carry weight: with those that join on the way, their Gram matrix and its factor take
    up to about 1 GB. Other values were not tried."""

    many_passes: int = 100
    """After this many slow passes of coordinate descent Newton's method goes on if more do,
    and they are too many for their face. Counts
    of groups of letters in 16,156 names, C = 1 and 100, take 288 and 724 passes at half and at the
    value, 412 and 796 at twice, and before this 887 and more than 1,000."""

    last_passes: int = 160
    """The passes that are left to exact steps in case no other solver reaches the gap. Of 400
    random sparse sets whose columns have other units, 11 ended at gaps of 0.001 to 1 without them,
    and one with them; exact steps took 8 to 78 passes. Other values were not tried."""

    exact_passes: int = 100
    """How many of them Newton's method may take; pivoting has the others."""

    most_exact: int = 1500
    """The most features for which the last steps are those of Newton's method: factors of so
    many columns in double precision take 0.1 s each. Other values were not tried."""

    pivoting_passes: int = 3
    """Pivoting needs so many passes to start from weights and judge them."""

    stiff: float = 1e-12
    """With a ``Delta^2`` below this, in units of the median squared length, the problem is nearly
    the hard margin, and Newton's method does not find which examples are at the margin. Noisy dense
    3,000 x 50 with the tails of Cauchy's distribution, C = 1, takes 13 ms, and 157 in units of the
    largest; the same at half and at twice."""

    least_work: float = 3e7
    """What Wolfe's method may cost before soft margins are tried, in values read by a pass, or
    ``first_passes`` passes if these are more. Hard 2,000 x 200 takes 58, 44 and 44 ms at half, at
    the value and at twice."""

    corral_work: float = 3e7
    """What Wolfe's method may cost after Newton's has given up, in values read by a pass, before
    Newton's goes on however short its steps. Mails, 2,100 x 22, ten values of C in five folds:
    1.0, 1.4 and 1.8 s at half, at the value and at twice, 5.8 without a bound; separable dense
    2,000 x 200 without margin, C = 100: 0.13, 0.06 and 0.06 s."""

    patient_passes: int = 150
    """How many passes Newton's method then may take. The mails: the same at half and at twice;
    0: none."""

    first_passes: int = 10
    """See ``least_work``."""

    wolfe_steps: float = 1.5
    """What Wolfe's method costs that ends with as many examples as features, in units of the cube
    of their number. With half of this or of ``wolfe_passes`` the verdict on dense 6,000 x 1,000
    with noise takes 1.5 s instead of 0.5; twice as much is the same."""

    wolfe_passes: int = 40
    """How many passes it then takes."""

    hard_sweeps: int = 150
    """How many passes coordinate descent takes for the hard margin of sparse data, about: 13 to
    230 to a gap of 1e-3. Wolfe's method goes first where it costs less."""

    row_values: int = 20
    """What a sweep costs for each row besides its values, in values read by a pass. It decides
    between sweeps and the interior-point method alone."""

    interior_iterations: int = 15
    """About how many iterations the interior-point method takes: 5 to 14 to a gap of 1e-3 on
    twelve sparse problems with 1,000 to 5,000 features."""

    interior_patience: float = 9.0
    """The interior-point method goes first where it costs at most so many times what sweeps do,
    which take 80 to 300 passes on words and on scattered values, and from 300 to more than 1,300 on
    indicators of factors: at half the value one-hot 28,174 x 1,840, which has 4.7, takes 1.36 s
    instead of 0.43, and 15,000 x 2,130, which has 8.7, 0.81 instead of 0.57; at twice, 7,668 x
    1,200 in 40 factors, which has 10, takes 0.66 instead of 0.40, and 5,623 x 1,500 counts, which
    have 14, take 0.31 instead of 0.11."""

    multiplier_sweeps: int = 400
    """The method of multipliers goes before both, for this many passes at the most, where the
    interior-point method costs more than so many sweeps and there are many examples for each
    feature: it takes 90 to 200 passes on one-hot data of margin 0.03, on words and on scattered
    values. One-hot data of margins below 0.01, whose columns exclude one another so that the
    interior-point method costs 40 to 240 sweeps, would take 200 to 1,100."""

    interior_values: int = 20_000_000
    """The most values of sparse data that it is considered for: it copies them twice."""

    probe_passes: int = 300
    """How many passes soft margins may take to decide whether anything separates sparse data before
    Wolfe's method is tried. They take about 50 where labels are noisy, and do not end where columns
    are correlated and no intercept takes up their means."""

    probe_share: float = 0.1
    """They may take this share of what Wolfe's method takes, if that is more, but no more than half
    of the passes that are left. Sparse 6,000 x 1,500 like tf-idf, 10 % noise, takes 330 passes in
    2 s, or 10 with Wolfe's method."""

    patience: float = 3.0
    """Wolfe's method goes first where it costs at most so many times what soft margins do. With
    twice as much the same verdict takes 1.9 s; half is the same."""

    cheap: float = 2e7
    """The soft margin of sparse data is solved to the optimum if a factorisation takes at most this
    many multiplications. 270 x 270 then takes 10 ms, and with twice the value 340 x 340 takes 20.
    """

    useful_gap: float = 0.1
    """Newton's method starts from the weights of another solver if their gap is at most this. From
    weights with a gap of 0.9 it took 28 passes, from zero 22 (10,000 x 2,000 scattered normal
    values, C = 1)."""

    corral_passes: int = 2
    """The passes that Wolfe's method needs for a first hyperplane."""

    sparse_newton_examples: int = 3
    """On sparse data, Newton's method goes first with at least this many examples for each feature.
    Separable 20,000 x 1,500 with 20 normal values in a row, C = 100, takes 0.25 s, and 1.6 where
    coordinate descent goes first; 4,700 x 1,500 counts of words, 5 % noise, C = 100, 0.24 s and
    0.6, the latter at twice the value; but 4,000 x 2,000 with 30 normal values in a row, 8 %
    noise, 0.19 and 0.14 s, the former at half the value."""

    most_quick: int = 1000
    """With more features than this it ends after its first step if that shows that few examples
    carry the optimum. Separable one-hot 10,000 x 1,000, C = 100, takes 35 ms, and 74 at half the
    value; 10,000 x 2,000 scattered normal values 120 ms, and 208 at twice."""

    mistaken_passes: float = 5.0
    """For a verdict on dense data the perceptron goes first where the steps of Wolfe's method cost
    more than so many passes, which it takes in vain on noisy data. Separable 2,000 x 200, 30
    passes: 5 ms instead of 19. Noisy 20,000 x 256, 4.9 passes: 107 instead of 76."""

    mistaken_values: int = 1 << 22
    """Of larger dense data a soft margin finds a separator sooner: 20,000 x 1,000, 0.24 s, after
    the perceptron 0.32."""

    most_newton_passes: int = 800
    """After this many passes of Newton's method on sparse data, coordinate descent takes over.
    Separable data with C = 1000 take it up to 860, noisy counts of groups of letters with C = 100
    up to 620; those ended at gaps above 0.03 at half the value. Twice was not tried."""

    most_coordinate_passes: int = 2000
    """After this many passes of coordinate descent on sparse data, Newton's method takes over, even
    if the sweeps do not show that they are slow. Texts with C = 100 take 70 to 420, noisy groups of
    letters 140 to 2,500: 50,000 x 30,000 take 8 s with this value and with all of them. Half was
    not tried."""

    hand_over_passes: int = 30
    """With fewer passes left than this, coordinate descent does not give up: Newton's method would
    not have the passes for a first hyperplane."""

    stiff_passes: int = 400
    """How many passes of coordinate descent follow where few hinges are open and too stiff for
    Newton's method. Separable data with C = 100 took 120 to 200. Sparse 5,000 x 1,500 counts, 5 %
    noise, C = 100, take 0.47, 0.53 and 0.68 s at half, at the value and at twice."""

    falling: float = 0.1
    """These passes are repeated for as long as they reduce the gap to this share. The same at half
    and at twice."""

    coordinate_passes: int = 4
    """The passes that coordinate descent needs to start from weights and bound the optimum."""


CHOOSE = ChooseSettings()


def is_small(problem: Problem, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether the problem is small enough to be solved to the optimum."""
    return problem.n_examples * problem.n_features <= settings.small_values


def is_large_and_sparse(problem: Problem, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether the support of the optimum may be too large for Wolfe's method."""
    least = min(problem.n_examples, problem.n_features)
    return problem.sample.is_sparse and least > settings.gram_examples


def suits_newton(problem: Problem, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether examples are many, and the problem is not nearly a small hard-margin one."""
    n, d = problem.n_examples, problem.n_features
    many = settings.newton_examples * d <= n
    return many and not (n <= settings.gram_examples and is_stiff(problem, settings.stiff))


def suits_dense(problem: Problem, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether data are dense, and slack not too expensive for the number of examples."""
    few = problem.n_examples <= settings.gram_examples
    return not problem.sample.is_sparse and not (few and is_stiff(problem, settings.stiff))


def is_stiff(problem: Problem, stiff: float = CHOOSE.stiff) -> bool:
    """Whether margin violations are penalised so heavily that this is nearly the hard margin.

    That is, some ``Delta^2`` is below ``stiff`` times the median squared length.
    """
    assert problem.slack2 is not None
    order = problem.sample.order
    # Where tails are heavy, a few examples are far longer than the others.
    usual = np.median(problem.sample.norms2[order])
    return bool(problem.slack2[order].min() < stiff * usual)


def gap_to_aim_at(problem: Problem, tol: float, settings: ChooseSettings) -> float:
    """Return the gap to aim at: the optimum itself where that is cheap.

    Then the answer does not depend on the order of examples, or on whether one of weight 2 is
    listed once or twice.
    """
    if is_small(problem, settings) and tol < SOME_MARGIN:
        return min(tol, settings.polished)
    return tol
