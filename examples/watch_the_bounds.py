"""Plot the lower and the upper bound on the maximum margin during a run (needs matplotlib)."""

import sys

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from novikoff import Perceptron, rules

X, y = load_digits(return_X_y=True)
pair = (y == 1) | (y == 7)

clf = Perceptron(rule=rules.MinOver(accuracy=0.05), max_iter=5000, random_state=0)
clf.fit(X[pair], y[pair])

updates = [line.updates for line in clf.history_]
plt.plot(updates, [line.upper for line in clf.history_], label="upper bound on any margin")
plt.plot(updates, [max(line.lower, 0) for line in clf.history_], label="largest margin so far")
plt.xscale("log")
plt.xlabel("updates")
plt.ylabel("margin")
plt.ylim(bottom=0)
plt.title(str(clf.certificate_).splitlines()[0], fontsize=8)
plt.legend()
plt.savefig(sys.argv[1] if len(sys.argv) > 1 else "bounds.png", dpi=120)
