"""The grid of data sets of the benchmark ``shapes``, from few examples to few features.

Every cell is generated when it is needed, from a seed of its own.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal
from zlib import crc32

from benchmarks.datasets import Labelled
from benchmarks.generators import bags, factors, gaussian, gene_like, one_hot, text_like
from benchmarks.generators.bundled import bundled, patches, source_text

Kind = Literal["separable", "noisy", "open"]
Make = Callable[[int], tuple[Any, Any]]

NOISE = 0.1

WORDS = {
    "dtype": "{dtype}",
    "noise": "{noise:.0%} noise",
    "positives": "{positives:.0%} positive",
    "spectrum": "spectrum k^-{spectrum:g}",
    "mean": "means",
    "scales": "scales",
    "wide": "no margin",
}
"""What the name of a dense cell says of it."""


@dataclass(frozen=True)
class Cell:
    """A data set of the grid.

    ``kind`` is "separable", "noisy" (a share of the labels is flipped, and nothing separates the
    examples) or "open" (not known to be either). ``soft`` says whether the soft margin is timed on
    it, ``quick`` whether it belongs to the quick selection.
    """

    name: str
    kind: Kind
    make: Make
    soft: bool = True
    quick: bool = False

    def data(self, seed: int = 0) -> Labelled:
        """Generate the examples; another seed gives other examples of the same kind."""
        return Labelled(*self.make((crc32(self.name.encode()) + 1_000_003 * seed) % 2**31))


def _dense(
    n: int, d: int, kind: Kind, *, soft: bool = True, quick: bool = False, **how: Any
) -> Cell:
    parts = [f"dense {n:,} x {d:,}", kind, *(word for key, word in WORDS.items() if key in how)]
    name = ", ".join(parts).format(**how)
    how = {"noise": NOISE if kind == "noisy" else 0.0, "wide": kind == "separable", **how}
    return Cell(name, kind, lambda seed: gaussian(n, d, seed, **how), soft, quick)


def _bags(
    n: int,
    d: int,
    nonzeros: int,
    kind: Kind,
    extra: str,
    *,
    soft: bool = True,
    quick: bool = False,
    **how: Any,
) -> Cell:
    how = {"noise": NOISE if kind == "noisy" else 0.0, "wide": kind == "separable", **how}
    name = f"sparse {n:,} x {d:,}, {kind}, {extra}"
    return Cell(name, kind, lambda seed: bags(n, d, nonzeros, seed, **how), soft, quick)


def _text(
    n: int,
    d: int,
    words: int,
    kind: Kind,
    extra: str = "tf-idf",
    *,
    noise: float | None = None,
    dtype: str = "float64",
    soft: bool = True,
    quick: bool = False,
) -> Cell:
    flipped = noise if noise is not None else NOISE if kind == "noisy" else 0.0

    def make(seed: int) -> tuple[Any, Any]:
        p = text_like(n, d, words, noise=flipped, random_state=seed)
        return p.X.astype(dtype), p.y

    return Cell(f"sparse {n:,} x {d:,}, {kind}, {extra}", kind, make, soft, quick)


def _genes(n: int, d: int, quick: bool = False) -> Cell:
    def make(seed: int) -> tuple[Any, Any]:
        p = gene_like(n, d, random_state=seed)
        return p.X, p.y

    return Cell(f"dense {n:,} x {d:,}, separable, like genes", "separable", make, quick=quick)


def _one_hot(
    n: int, fields: int, levels: int, kind: Kind, *, soft: bool = True, quick: bool = False
) -> Cell:
    how: dict[str, Any] = {"noise": NOISE} if kind == "noisy" else {"wide": True}
    name = f"sparse {n:,} x {fields * levels:,}, {kind}, one-hot"
    return Cell(name, kind, lambda seed: one_hot(n, fields, levels, seed, **how), soft, quick)


def _factors(
    n: int, levels: tuple[int, ...], power: float, *, noise: float = NOISE, numeric: int = 0
) -> Cell:
    """Factors of different numbers of levels in one-hot code; for proofs."""
    d = sum(levels) + numeric
    extra = f"factors {'/'.join(map(str, levels))}, frequencies k^-{power:g}, {noise:.0%} noise"
    if numeric:
        extra += f", {numeric} numbers"

    def make(seed: int) -> tuple[Any, Any]:
        return factors(n, levels, seed, power=power, noise=noise, numeric=numeric)

    return Cell(f"sparse {n:,} x {d:,}, noisy, {extra}", "noisy", make, soft=False)


GAUSS: dict[str, Any] = {"values": "gaussian", "zipf": False}

DENSE = [
    # Fewer examples than features: every labelling is separable.
    _dense(200, 2_000, "separable", noise=0.5, quick=True),
    _genes(200, 2_000, quick=True),
    _dense(200, 1_500, "separable", spectrum=1.0, mean=1.0, quick=True),
    _dense(500, 5_000, "separable", spectrum=1.0, mean=1.0),
    _dense(500, 5_000, "separable", quick=True),
    _genes(2_000, 20_000),
    _dense(1_000, 20_000, "separable"),
    _dense(1_000, 20_000, "separable", spectrum=1.0),
    _dense(1_000, 20_000, "separable", noise=0.1, mean=3.0, scales=1.0),
    _dense(2_500, 2_500, "separable"),
    _dense(2_500, 2_500, "separable", noise=0.1),
    _dense(2_500, 2_500, "separable", spectrum=1.0),
    _dense(2_500, 2_500, "separable", spectrum=0.5, mean=1.0, noise=0.1),
    _dense(1_000, 1_000, "separable", positives=0.05, wide=False, spectrum=1.0, quick=True),
    # A few examples for each feature. With 10 % noise and independent columns, up to 3.0 examples
    # for each feature are separable: n/d < 1 / min_t E max(0, Z - t V)^2 with Z normal and V the
    # signed score of a noisy example (Candès and Sur, 2020, Theorem 1).
    _dense(400, 100, "noisy", quick=True),
    _dense(2_000, 200, "noisy", quick=True),
    _dense(2_000, 200, "separable", quick=True),
    _dense(2_000, 200, "noisy", spectrum=1.0, mean=1.0, quick=True),
    _dense(2_000, 200, "separable", spectrum=1.0, scales=1.0, quick=True),
    _dense(2_000, 200, "separable", wide=False, quick=True),
    _dense(4_000, 1_500, "open", noise=0.1),
    _dense(4_000, 1_500, "separable", spectrum=1.0),
    _dense(5_000, 2_000, "open", noise=0.1, spectrum=1.0, mean=1.0),
    # Many examples for each feature.
    _dense(5_000, 50, "noisy", quick=True),
    _dense(5_000, 50, "separable", mean=3.0, quick=True),
    _dense(5_000, 50, "noisy", spectrum=1.0, scales=1.0),
    _dense(12_000, 800, "separable"),
    _dense(12_000, 800, "noisy", mean=1.0, scales=1.0),
    _dense(12_000, 800, "separable", spectrum=1.0, mean=1.0),
    _dense(20_000, 1_000, "separable"),
    _dense(20_000, 1_000, "separable", spectrum=1.0),
    _dense(20_000, 1_000, "noisy", spectrum=1.0, mean=1.0),
    _dense(20_000, 3_000, "noisy"),
    _dense(20_000, 3_000, "separable"),
    _dense(20_000, 3_000, "noisy", spectrum=1.0, mean=1.0),
    _dense(20_000, 3_000, "separable", spectrum=0.5),
    _dense(100_000, 30, "noisy"),
    _dense(100_000, 30, "separable", spectrum=1.0, mean=1.0),
    _dense(50_000, 100, "noisy", positives=0.05),
    # Other types of numbers.
    _dense(20_000, 256, "noisy", dtype="float32", spectrum=0.5, mean=0.5),
    _dense(500, 800, "separable", dtype="float32", spectrum=1.0, quick=True),
    _dense(1_000, 3_000, "separable", dtype="float32", spectrum=1.0),
    _dense(10_000, 500, "separable", dtype="uint8", spectrum=0.5),
    _dense(3_000, 100, "noisy", dtype="uint8", quick=True),
]  # fmt: skip

SPARSE = [
    _text(500, 5_000, 40, "separable", quick=True),
    _bags(500, 5_000, 40, "separable", "binary", quick=True),
    _text(2_000, 50_000, 80, "separable", quick=True),
    _bags(2_000, 50_000, 100, "separable", "counts", values="counts"),
    _text(2_000, 50_000, 80, "separable", "tf-idf, 10 % noise", noise=0.1),
    _bags(2_500, 2_500, 25, "separable", "Gaussian", **GAUSS, quick=True),
    _bags(2_500, 2_500, 50, "separable", "binary"),
    _bags(2_500, 2_500, 25, "open", "10 % noise, Gaussian", **GAUSS, noise=0.1),
    _bags(1_000, 500, 50, "open", "10 % noise, counts", values="counts", noise=0.1, quick=True),
    _text(5_000, 100_000, 100, "separable"),
    _bags(8_000, 1_500, 30, "noisy", "Gaussian", **GAUSS, quick=True),
    _bags(10_000, 2_000, 40, "noisy", "Gaussian", **GAUSS),
    _text(10_000, 2_000, 40, "noisy"),
    _bags(10_000, 2_000, 40, "noisy", "binary"),
    _bags(10_000, 2_000, 40, "separable", "Gaussian", **GAUSS),
    _bags(10_000, 2_000, 40, "separable", "binary", quick=True),
    _bags(20_000, 3_000, 50, "noisy", "Gaussian", **GAUSS),
    _text(20_000, 3_000, 50, "noisy"),
    _bags(20_000, 3_000, 50, "separable", "counts", values="counts"),
    _text(20_000, 10_000, 60, "separable", "tf-idf, float32", dtype="float32"),
    _one_hot(50_000, 10, 50, "noisy"),
    _one_hot(10_000, 10, 100, "separable"),
    _text(50_000, 20_000, 80, "open", "tf-idf, 10 % noise", noise=0.1),
    _bags(50_000, 20_000, 80, "open", "10 % noise, binary", noise=0.1),
    _bags(50_000, 20_000, 80, "separable", "binary"),
    _bags(50_000, 20_000, 80, "open", "5 % positive, binary", noise=0.02, positives=0.05),
]

REAL = [
    Cell("breast cancer, standardised", "separable",
         lambda seed: bundled("breast_cancer", seed, scale="standard"), quick=True),
    Cell("breast cancer, to [0, 1]", "open",
         lambda seed: bundled("breast_cancer", seed, scale="minmax"), quick=True),
    Cell("breast cancer, raw", "separable",
         lambda seed: bundled("breast_cancer", seed), quick=True),
    Cell("digits 3-v-8", "separable",
         lambda seed: bundled("digits", seed, classes=(3, 8)), quick=True),
    Cell("digits 1-v-8, standardised", "separable",
         lambda seed: bundled("digits", seed, classes=(1, 8), scale="standard")),
    Cell("digits even-v-odd", "open", lambda seed: bundled("digits", seed), quick=True),
    Cell("wine 0-v-1, standardised", "separable",
         lambda seed: bundled("wine", seed, classes=(0, 1), scale="standard"), quick=True),
    Cell("wine 1-v-2, raw", "open", lambda seed: bundled("wine", seed, classes=(1, 2))),
    Cell("iris 1-v-2", "open", lambda seed: bundled("iris", seed, classes=(1, 2)), quick=True),
    Cell("diabetes above the median", "open", lambda seed: bundled("diabetes", seed)),
    Cell("photographs, uint8 10,000 x 192", "open", lambda seed: patches(10_000, 8, seed)),
    Cell("photographs, float32 4,000 x 768", "open",
         lambda seed: patches(4_000, 16, seed, "float32")),
    Cell("source text, words", "separable", lambda seed: source_text(seed), quick=True),
    Cell("source text, words and pairs", "separable", lambda seed: source_text(seed, ngrams=2)),
    Cell("source text, binary", "separable", lambda seed: source_text(seed, tfidf=False)),
]  # fmt: skip

# For the proof of non-separability alone.
NOISY = [
    _dense(100_000, 200, "noisy", spectrum=1.0, mean=1.0, soft=False),
    _dense(100_000, 1_000, "noisy", soft=False),
    _dense(30_000, 2_000, "noisy", spectrum=0.5, mean=1.0, soft=False),
    _dense(20_000, 5_000, "noisy", soft=False),
    _dense(3_000, 400, "noisy", spectrum=1.0, scales=1.0, soft=False, quick=True),
    _dense(6_000, 1_000, "noisy", soft=False, quick=True),
    _bags(100_000, 5_000, 50, "noisy", "Gaussian", **GAUSS, soft=False),
    _bags(100_000, 5_000, 50, "noisy", "binary", soft=False),
    _bags(4_000, 500, 30, "noisy", "binary", soft=False, quick=True),
    _text(100_000, 5_000, 60, "noisy", soft=False),
    _one_hot(5_000, 8, 25, "noisy", soft=False, quick=True),
    _factors(50_000, (2_972, 1_128, 14, 6, 4), 0.3, noise=0.05),
    _factors(100_000, (3_000, 1_500, 500), 0.0),
    _factors(40_000, (2_500, 2_000), 0.1, numeric=10),
    _factors(20_000, (1_500, 300, 20), 1.0, numeric=3, noise=0.3),
    _factors(30_000, (200,) * 10, 0.3),
]  # fmt: skip

GRID = [*DENSE, *SPARSE, *REAL, *NOISY]


def select(cells: Iterable[Cell], substring: str = "", quick: bool = False) -> list[Cell]:
    """The cells whose name contains the substring, of the quick selection or of all."""
    return [
        cell
        for cell in cells
        if substring.lower() in cell.name.lower() and (cell.quick or not quick)
    ]
