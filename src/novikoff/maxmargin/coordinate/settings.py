"""The settings of dual coordinate descent.

Figures such as "passes 11.9, 12.4, 10.7" are those at half the value, at the value and at twice the
value, of

- *soft*: ``text_like(20_000, 20_000, 40, noise=0.05, random_state=0)``, C = 1, to a gap of 1e-4;
- *scattered*: 2,500 x 2,500 with 60 normal values in a row at random places, labels of a random
  plane, a tenth of them wrong, C = 1, to 1e-6;
- *hard*: ``text_like(20_000, 20_000, 40, random_state=2)``, the hard margin, to 1e-4;
- *narrow*: ``text_like(8_000, 2_000, 60, margin=0.002, loyalty=0.3, random_state=0)``, the hard
  margin, to 1e-6;
- to 1e-3 with C = 100, *tf-idf* and *counts* of the words in 6,000 and 4,000 docstrings of two
  packages each, *letters*: pairs and triples of letters in 8,000 names of two packages, and
  *windows*: 3,100 windows of 60 characters of program text in one-hot code.

Where a problem is not listed, or "the same" is said, passes did not change. A field without figures
was not varied.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class CoordinateSettings:
    """How long a round of sweeps is, what it leaves out, and what follows it."""

    most_soft_sweeps: int = 80
    """The most sweeps of a round with slack. Scattered, passes 82.3, 61.1, 61.1."""

    run: int = 16
    """So many neighbouring rows of sparse data are visited in sequence, the runs in random order:
    so rows are read in half the time. 20,000 x 20,000 like texts, C = 1, take 19, 18 and 18 ms at
    half, at the value and at twice, and 24 row by row; 10,000 x 5,000, 10 % noise, C = 100, 43, 42
    and 41, and 54. Where rows come by classes, longer runs take more passes: letters, 9,000 x
    4,000, C = 1, 13, 14 and 15, and 17 with 64."""

    few_soft_sweeps: int = 10
    """The same of sparse data, unless at the rate at which the gap falls ``few_sweeps`` more
    suffice. Passes of tf-idf 65, 69, 84; counts 146, 171, 149; letters 465, 394, 412; windows 372,
    333, 274."""

    independent: float = 0.7
    """The most support vectors for each feature of sparse data of which this holds: with more, the
    face has hardly a minimum, and sweeps go on. Windows take more than 1,000 passes at 0.4;
    separable 10,000 x 2,000 with 30 normal values in a row, C = 100, 144 and at 1.0 167."""

    most_sweeps: int = 10
    """The most sweeps of a round without slack. Hard, passes 14.6, 10.9, 10.9; narrow 35.7, 30.3,
    24.8."""

    foreseen: float = 0.5
    """With slack, a round ends when the gap after its last sweep is expected to be at most this
    times the gap asked for. Soft, passes 10.2, 10.2, 9.4; scattered 101.4, 61.1, 58.5."""

    fallen: float = 0.1
    """Without slack, a round ends when the largest violation has fallen to this share of what it
    was. Hard, passes 10.9, 10.9, 11.8; narrow 28.8, 30.3, 34.3."""

    trial_sweeps: int = 3
    """With slack and ``patient=False``, give up after this many sweeps if more than ``dependent``
    support vectors for each feature are expected; unless, at the rate at which the gap falls,
    ``few_sweeps`` more suffice."""

    steady_sweeps: int = 12
    """With slack and ``patient=False``, end after this many sweeps if there are too many support
    vectors for their face and sweeps get no faster: at the rate at which the gap fell last, as many
    are to come as half-way, or ``steady`` times as many. Counts of words in 6,000 first lines of
    docstrings, 10 % noise, C = 1 and 10, take 13 and 33 ms, with 20 18 and 39, with 40 19 and 77,
    and 34 and 82 without this. Sweeps of scattered normal values get faster: 4,000 x 2,000, 8 %
    noise, C = 100, takes 63 ms, and at half of ``steady``, where Newton's method follows, 215."""

    steady: float = 0.7
    """See ``steady_sweeps``. The first lines, C = 1 and 10, take as long at 0.5; at 0.85 31 and 34
    ms; at twice 34 and 82."""

    hopeless: float = 50.0
    """With an allowance of passes, end after a quarter of it if so many times as many are to come.
    Ten wide dense sets, C = 0.01, 1 and 100, take 13.5, 13.7 and 13.9 s, and 16.7 without."""

    dependent: float = 1.2
    """See ``trial_sweeps``. Noisy binary 8,000 x 3,500, C = 1, takes 22 ms at 0.9 and 1.2, and 47
    at 2, hashed words 19,425 x 14,076 55, 59 and 108; but 10,000 x 5,000 like texts, C = 100, 59,
    42 and 44."""

    fading: float = 3.0
    """By then some of the support vectors may have faded: the number is taken that is left if so
    many times as many sweeps again change it by the same factor each. Scattered normal values,
    9,000 x 4,000, separable, C = 100, take 20 ms at a third of the value and at twice, and 50 at
    zero; 7,000 x 3,500, 5 % noise, 64, 35 and 80."""

    few_sweeps: int = 10
    """See ``trial_sweeps``."""

    reach: float = 2.0
    """Examples without weight whose slope exceeds so many times the largest violation are left
    out of the next sweep. Soft, passes 9.8, 10.2, 10.4; scattered 60.4, 61.1, 63.5; hard 9.9, 10.9,
    11.1; narrow 28.8, 30.3, 32.2."""

    settled: float = 0.03
    """After a round, conjugate gradients on the face of the support do what more sweeps would do
    slowly, if the last sweep changed the support by no more than this share. The same at half and
    at twice."""

    rounds_in_vain: int = 10
    """The search ends after this many rounds without a better bound, once violations are down to
    ``rounding``."""

    rounding: float = 1e-11
    """See ``rounds_in_vain``; the scale of a violation is 1."""

    reserved_passes: float = 2.0
    """Passes that are kept for the bounds at the end."""

    centre_examples: int = 250
    """About how many examples the centre, which rows are read relative to, is the mean of. Twelve
    collections of texts at C = 0.01, 1 and 100 take as many passes at a quarter of the value and at
    four times, give or take one or two; 1,400 source files 17 ms, and 19 at four times."""

    pull: float = 0.03
    """The quadratic penalty on the signed sum of the weights, in units of the mean squared
    distance to the centre. A larger one keeps the sum small, and makes every step shorter. Soft,
    passes 10.2, 10.2, 10.2; scattered 60.3, 61.1, 101.6; hard 10.5, 10.9, 12.1; narrow 29.7,
    30.3, 30.8."""

    least_curve: float = 1e-12
    """The least second derivative along a weight, in units of the mean squared distance."""

    face_stages: int = 8
    """How often weights are cut off at zero on a face of a soft margin of sparse data. Passes of
    letters 509, 394, 394."""

    enough_gain: float = 0.95
    """They are not cut off again where cutting leaves this share of what the face promised to gain.
    At 0.9, the value and 0.98 letters take 394, 394 and 439 passes, windows 348, 333 and 269."""

    face_products: int = 30
    """The most products of conjugate gradients on a face. Narrow, passes 24.9, 30.3, 30.3."""

    face_forcing: float = 1e-3
    """How far their residual must fall, in units of what it was. Narrow, passes 31.0, 30.3,
    29.3."""

    heavy_forcing: float = 0.1
    """``face_forcing`` where the heaviest columns are treated exactly. Passes of counts 167, 171,
    146; letters 441, 394, 410; windows 266, 333, 261."""

    more_effort: float = 2.0
    """From one such face to the next, by what factor the residual must fall further, and the most
    products grow: the first have many examples that will carry no weight, the last nearly none.
    Groups of letters, 10 % noise, C = 100, CSR 16,000 x 32,069 and 12,000 x 23,000, are solved in
    1.6 and 2.3 s with the value and 2.1 and 2.8 with 1.5; without this neither was within 500
    passes, and other solvers took 10 and 13 s."""

    most_effort: float = 10.0
    """The most of that, in units of ``heavy_forcing`` and ``face_products``. CSR 50,000 x 30,000
    take 7.7 s, and 10.1 at three times the value; half was not tried."""

    heavy_stale: float = 0.05
    """The factor of the heaviest columns is made again when more than this share of the rows has
    been left out. Passes of counts 155, 171, 182; letters 390, 394, 421; windows 322, 333, 289."""

    heavy_values: float = 4.0
    """On a face of a soft margin of sparse data, the heaviest columns are treated exactly: as many
    as the root of this many times the values of its rows. Passes of counts 217, 171, 142; letters
    491, 394, 360; windows 388, 333, 297; a product takes the longer the more there are."""

    most_heavy: int = 600
    """The most of these columns. Passes of letters 490, 394, 455; windows 437, 333, 324. Tf-idf of
    groups of letters in 1,500 docstrings, C = 100, take 56 ms at 500 and 98 at 1,000."""

    least_rest: float = 1e-3
    """What the other columns leave of the diagonal is at least this share of it."""

    flat: float = 1e-12
    """A direction whose curvature is no more than this share of the diagonal's is flat: examples
    are nearly dependent, and along it the face has no minimum nearby."""

    trials: int = 6
    """How often a step on a face is quartered until the dual falls."""


COORDINATE = CoordinateSettings()
