"""The virtual rows of Kesler's construction, formed one by one: what a joint sample never does."""

from itertools import combinations, permutations, product

import numpy as np

from novikoff.sample import JointSample, Sample, storage_of


def joint_sample(X, codes, *, n_classes=None, steps=None, **how):
    """A joint sample of examples, read as ``how`` says."""
    sample = Sample.of(storage_of(X), np.ones(X.shape[0], dtype=np.int8), **how)
    n_classes = int(codes.max()) + 1 if n_classes is None else n_classes
    return JointSample.joint(sample, codes, n_classes=n_classes, steps=steps)


def lifted(sample, X):
    """The examples as a rule sees them: centred, with both lifts."""
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    n, frame = len(X), sample.frame
    columns = [X - sample.centre]
    if frame.lift2 > 0.0:
        columns.append(np.full((n, 1), np.sqrt(frame.lift2)))
    return np.hstack(columns)


def virtual_rows(sample, X):
    """All virtual rows, ``(e_y - e_r) (x) z / sqrt(2)``, and the example and wrong class of each.

    Slack is one coordinate for each example, which its virtual rows share.
    """
    Z, codes, K = lifted(sample, X), sample.codes, sample.n_classes
    rows, owners = [], []
    for i, r in product(range(len(Z)), range(K)):
        if r == codes[i]:
            continue
        signs = np.zeros(K)
        signs[codes[i]], signs[r] = 1.0, -1.0
        slack = np.zeros(len(Z) if sample.frame.slack2 > 0.0 else 0)
        if slack.size:
            slack[i] = np.sqrt(sample.frame.slack2)
        rows.append(np.concatenate([np.outer(signs, Z[i]).ravel() / np.sqrt(2.0), slack]))
        owners.append((i, r))
    return np.array(rows), owners


def cycles(rows, owners, codes):
    """The means of virtual rows along cycles of classes; a lift cancels.

    Every flow between classes that balances is a sum of cycles, so that these means have the same
    hull as all weighted means that balance. A cycle visits a class once.
    """
    by_arc = {}
    for row, (i, r) in zip(rows, owners, strict=True):
        by_arc.setdefault((int(codes[i]), r), []).append(row)
    classes, found = sorted(set(codes.tolist())), []
    for size in range(2, len(classes) + 1):
        for chosen in combinations(classes, size):
            for rest in permutations(chosen[1:]):
                nodes = (chosen[0], *rest)
                arcs = zip(nodes, (*rest, nodes[0]), strict=True)
                found += [np.mean(one, axis=0) for one in product(*(by_arc[arc] for arc in arcs))]
    return np.array(found)


def vector(run, weights):
    """The vector that the weights of a joint run make, in the coordinates of the virtual rows."""
    sample = run.sample
    w, offsets = sample.combine(weights)
    parts = [w]
    if sample.frame.lift2 > 0.0:
        parts.append(offsets[:, None] / np.sqrt(sample.frame.lift2))
    joint = np.hstack(parts).ravel() / np.sqrt(2.0)
    if sample.frame.slack2 > 0.0:
        joint = np.append(joint, np.sqrt(sample.frame.slack2) * sample.by_example(weights))
    return joint
