"""The settings of the searches for the margin of several classes.

Figures such as "2.1, 1.8, 1.9 s" are those at half the value, at the value and at twice the value.
A field without figures was not varied.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class DescentSettings:
    """How long a round of dual coordinate descent is, and what it leaves out."""

    most_sweeps: int = 40
    """The most sweeps of a round."""

    face_sweeps: int = 20
    """The same where conjugate gradients may follow."""

    foreseen: float = 0.5
    """With slack, a round ends when the gap after its last sweep is expected to be at most this
    times the gap asked for, as in :mod:`novikoff.maxmargin.coordinate.settings`."""

    slow_sweeps: float = 60.0
    """After a round, if more sweeps than these are to come, ... All six tuning sets, C from 0.01 to
    100, took 47.8 s at 0 and 45.8 s at the value; of that *code6* 1.9 and 1.1 s."""

    settled: float = 0.03
    """... conjugate gradients minimise over the positive weights, if the last sweep changed which
    weights these are for no more than this share ... Soft margins
    of five sets take 2.7, 2.7 and 2.9 s, hard ones 7.3, 7.9 and 8.0."""

    restless_rounds: int = 2
    """... or after so many rounds for which that was not so: with noisy labels it never is. 300 x
    900 counts with random labels, C = 100, take 6,500 passes without; *skl12* (see
    :class:`FaceSettings`), C = 1 and 10, 171 and 344 passes at the value, 259 and 389 at 5."""

    lasting: float = 0.8
    """After this share of the passes that are allowed, other solvers take over nevertheless. At 0.5
    *skl12* and *sub13* with C = 100, which take 700 and 1,000 passes, are left to Newton's method
    by conjugate gradients, which is slower by far."""

    small_model: int = 2500
    """A model of no more numbers has no faces: where sweeps are slow, other solvers are quick, as
    their equations are small. One-hot tables with noisy labels, C = 10 and 100, with faces and
    without: 1,000 x 600, three classes, 2.9 and 0.7 s with, 0.7 and 0.7 without; 2,000 x 900, four,
    0.6 and 0.7, 1.6 and 1.0; 3,000 x 1,200, five, 0.3 and 0.8, 0.8 and 2.0. So at half the
    value the first takes longer, at twice it the second."""

    fallen: float = 0.1
    """Without slack, a round ends when the largest violation has fallen to this share of what it
    was."""

    reach: float = 2.0
    """Examples without weight whose hinge is below minus so many times the largest violation are
    left out of the next sweep."""

    support_sweeps: int = 2
    """How many sweeps over the examples with weight follow each over all that are left."""

    rounds_in_vain: int = 10
    """The search ends after this many rounds without a better bound, once violations are down to
    ``rounding``."""

    rounding: float = 1e-11
    """See ``rounds_in_vain``; the scale of a violation is 1."""

    reserved_passes: float = 2.0
    """Passes that are kept for the bounds at the end."""

    centre_examples: int = 1000
    """About how many examples the centre, which rows are read relative to, is the mean of."""

    pull: float = 0.03
    """The quadratic penalty on the flow between classes, in units of the mean squared distance to
    the centre and of the mean squared slack."""

    least_curve: float = 1e-12
    """The least second derivative along a weight, in units of the mean squared distance."""

    patience: int = 12
    """Sweeps after which few weights are handed over to the exact solver, if the gap that is asked
    for is not reached."""

    sweeps: int = 150
    """Sweeps after which Newton's method on the Gram matrix takes over. Of raw counts of words, 40
    to 300 passes lead to gaps of 1e-3 where C is small, and 1,000 to gaps of 0.03 and more."""

    hinge_sweeps: int = 60
    """The same with the hinge, and before Newton's method on rows: 4,200 x 40, 30 classes that are
    separable take 30 to 50 sweeps."""

    conjugate_sweeps: int = 400
    """The same before Newton's method by conjugate gradients, with either loss: about as many as
    take the time of its steps. With 60, 6,000 x 1,500 numbers, eight classes, C = 10, are at a gap
    of 1e-2 after 6 s; sweeps alone reach 1e-3 in 2 s."""

    gram_steps: float = 15.0
    """Before Newton's method on a Gram matrix there may be as many passes as take the time of so
    many of its steps, of which it takes ten to twenty. With 5 and 15 the hard margin of 3,000 x
    5,000 counts, ten classes, takes 10.0 and 6.0 s (4.0 with sweeps alone, which need more than
    half of the default limit of passes), that of 2,000 x 500 numbers 3.9 and 1.8 s."""

    gram_speed: float = 140.0
    """The cube of the number of unknowns that a step takes, over the values times classes that a
    sweep over dense rows takes in the same time: 3,445 unknowns 0.5 s, 2,000 x 500 x 10 values
    13 ms."""

    sparse_value: float = 3.0
    """What a value of a sparse row takes, in values of a dense one."""

    hard_sweeps: int = 60
    """The same of the hard margin, before Newton's method or the exact solver. 4,200 x 40, 30
    classes: 0.33, 0.17, 0.17 s; digits: 0.13, 0.15, 0.14."""

    hardly_begun: float = 0.9
    """It takes over after ``patience`` sweeps where the gap is larger than this."""


DESCENT = DescentSettings()


@dataclass(frozen=True)
class CorralSettings:
    """How many virtual rows the exact solver works on, how exactly, and when it gives up."""

    take_all: int = 600
    """Up to this many virtual rows, all are candidates from the start."""

    per_class: int = 60
    """How many of the deepest virtual rows of each class a scan adds to the candidates."""

    per_scan: int = 600
    """How many it adds of all classes, at most, and at least one of each: the hard margin of 3,000
    x 10 numbers and 100 classes takes more than 7, 9.4 and 10.4 s."""

    most_candidates: int = 4000
    """Give up with more candidates: their Gram matrix takes 128 MB here."""

    most_members: int = 1500
    """Give up with more members of the corral: a step takes the square of their number."""

    pull: float = 1.0
    """The quadratic penalty on the flow between classes, in units of the squared radius and of the
    mean squared slack."""

    multipliers: int = 30
    """The most corrections of the intercepts between two scans."""

    leaps: int = 15
    """Up to this many of these corrections solve for the intercepts that balance the flow of the
    members at hand; later ones move them by the flow."""

    balanced: float = 1e-10
    """A flow of this share of the weights is balanced, but for one correction more."""

    share_of_tol: float = 0.01
    """The corral is solved to this share of the gap that is aimed at."""

    burst_steps: int = 500
    """The most steps between two looks at the clock."""

    zero: float = 1e-6
    """A norm that the Gram matrix cannot tell from zero, in units of the radius."""


CORRAL = CorralSettings()


@dataclass(frozen=True)
class NewtonSettings:
    """How smooth the hinges are made, how exactly a minimum is found, and the first subsample."""

    most_steps: int = 100
    """Six to fifteen are usual for a gap of 1e-3; many more mean that another solver is better."""

    most_patient_steps: int = 400
    """The same where no other solver is left."""

    rho: float = 0.07
    """The smoothing at first, in units of the squared slack. Steps to a gap of 1e-3 at 0.2, at the
    value and at 0.02: 5,000 x 20, five classes, C = 1: 9, 6, 6; 3,000 x 50, ten: 12, 12, 17."""

    hinge_rho: float = 0.3
    """The same of the hinge that is not squared, in units of the lead. 20,000 x 10, three classes,
    C = 1: 17, 12, 16 steps at 0.07, at the value and at 1; three irises, C = 100: 39, 30, 27."""

    sharpen: float = 0.3
    """After minima that took few steps, the smoothing becomes this share of what it was."""

    few_steps: int = 3
    """See ``sharpen``."""

    least_rho: float = 1e-5
    """The least smoothing: weights are differences of scores divided by it."""

    rounds_in_vain: int = 3
    """The search ends after this many minima in a row that improve neither bound."""

    enough: float = 0.1
    """A minimum is found when the gradient costs the dual less than this share of the gap asked
    for, or of a hundredth of the gap at hand."""

    slope: float = 0.3
    """A step is long enough when the slope along it has fallen to this share."""

    line_steps: int = 12
    """The most trial lengths of a step."""

    short_step: float = 0.1
    """A step shorter than this means stiff hinges, of few examples."""

    patience: int = 4
    """The number of short steps after which the search gives up, unless it is patient."""

    soft_patience: int = 15
    """The number of short steps after which a patient search smooths squared hinges more; others
    after ``patience``. With 4, noisy labels take twice as long (3,000 x 10, 100 classes, C = 100:
    9.0 s instead of 4.9)."""

    soften: float = 30.0
    """By what factor it does so."""

    softest: float = 0.01
    """Up to what share of C times the mean squared length of the rows."""

    stiff_gap: float = 0.9
    """A search that takes over at a gap above this smooths the hinges as much from the start, if
    at most ``stiff_share`` of the examples have weight."""

    stiff_share: float = 0.5
    """See ``stiff_gap``. Noisy labels, where most examples have weight, are not stiff."""

    subsample: int = 20
    """The first subsample has this many examples for each number of the model, but at least
    ``least_subsample``."""

    least_subsample: int = 2000

    growth: int = 4
    """A subsample is only worth while if there are this many times as many examples."""


NEWTON = NewtonSettings()


@dataclass(frozen=True)
class GramSettings:
    """How many examples Newton's method on their Gram matrix takes in."""

    take_all: int = 1500
    """Up to this many examples, all are members from the start."""

    most_members: int = 4000
    """Give up with more members: their Gram matrix takes 128 MB."""

    most_unknowns: int = 5000
    """Give up with more positive weights: the system of a step takes 200 MB."""

    block_values: int = 1 << 22
    """How many values of rows are multiplied at once to a part of the Gram matrix."""


GRAM = GramSettings()


@dataclass(frozen=True)
class ConjugateSettings:
    """How exactly conjugate gradients solve Newton's equation, and their preconditioner.

    Values without a measurement beside them are not tuned.
    """

    forcing: float = 0.05
    """How far the residual must fall, in units of what it was."""

    near: float = 10.0
    """Where the gradient is within this many times of what suffices for the gap asked for,
    conjugate gradients go on until it is there."""

    hinge_beyond: float = 1e-8
    """With the hinge they go on until so small a share of that is left. Weights whose flow is not
    balanced are made to balance, and where sums of weights are as large as they may be, that costs
    the dual as much as the gradient, not its square. 400 x 30 numbers, C = 0.01, to a gap of 1e-6:
    29 steps, as with a factorisation; at 1e-4 the search ends above it after 53."""

    most_products: int = 200
    """The most products of a step."""

    block_share: float = 8.0
    """How many numbers the blocks of the preconditioner have, of all classes together, for each
    value of the rows."""

    block_values: float = 4e6
    """How many they have at most: 32 MB."""


CONJUGATE = ConjugateSettings()


@dataclass(frozen=True)
class FaceSettings:
    """How exactly conjugate gradients minimise the dual over the positive weights.

    Tuned on counts of words in docstrings, C = 1, 10 and 100, and on hard margins of counts and
    tf-idf. *sub13*: 2,770 docstrings of 13 sub-packages; *skl12*: 2,588 of 12; *doc6*: 2,800 of
    six packages. Passes vary by a quarter with anything.
    """

    products: int = 100
    """The most products. At 200, C = 10 and 100, sub13 takes 403 and 904 passes, not 451 and more
    than 1,000; skl12 389 and more than 1,000, not 389 and 719."""

    forcing: float = 0.1
    """How far the residual must fall, in units of what it was. All hard margins: 10.0 s at 1e-3,
    7.9 at 1e-2, 6.7 at the value; doc6, C = 10: 236, 172 and 145 passes."""

    stages: int = 5
    """In how many steps, at most, weights that come out negative are left out, ... sub13, C = 1 and
    10: 501 and more than 1,000 passes at 1, 386 and 735 at 3, 293 and 451 here and at 10."""

    few_cut: float = 0.02
    """... unless they are no more than this share. skl12, C = 100: 657 passes at 0.005, 719 at the
    value, more than 1,000 at 0.05; the others take as many within a fifth."""

    heavy_values: float = 8.0
    """The preconditioner has, at most, as many rows as the root of this many times the values of
    the examples, each counted for each of its classes."""

    most_heavy: int = 1000
    """The most of these rows: one for each heavy column and class."""

    least_rest: float = 1e-3
    """What the other columns leave of the diagonal is at least this share of it."""

    trials: int = 6
    """How often a step is quartered until the dual falls, ..."""

    mending_sweeps: int = 3
    """... after so many sweeps. All hard margins: 9.7, 8.0 and 7.6 s at 1, at the value and at 6;
    skl12, C = 100, takes more than 1,000 passes at 6."""


FACE = FaceSettings()
