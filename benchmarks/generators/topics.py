"""Short texts on many topics, as a sparse matrix."""

from typing import Any

import numpy as np
from scipy import sparse


def topics(
    n_texts: int = 1500,
    n_words: int = 3000,
    n_topics: int = 20,
    *,
    length: int = 40,
    loyalty: float = 0.6,
    random_state: int = 0,
) -> tuple[Any, Any]:
    """Return texts and their topics: logarithms of counts, each text of norm 1.

    Words have frequencies like one over their rank; a topic changes each by a random factor. A text
    takes the share ``loyalty`` of its words from its topic and the others from all texts.
    """
    draw = np.random.default_rng(random_state)
    usual = 1.0 / np.arange(1, n_words + 1)
    usual /= usual.sum()
    own = np.exp(draw.normal(0.0, 1.5, (n_topics, n_words))) * usual
    own /= own.sum(axis=1, keepdims=True)
    y = draw.integers(0, n_topics, n_texts)
    rows = []
    for topic in y:
        chances = loyalty * own[topic] + (1.0 - loyalty) * usual
        words = draw.choice(n_words, length, p=chances / chances.sum())
        rows.append(np.log1p(np.bincount(words, minlength=n_words)))
    X = np.array(rows)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return sparse.csr_matrix(X), y
