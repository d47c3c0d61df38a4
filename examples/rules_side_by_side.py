"""Compare all rules on digits 1 and 7: updates, margin, upper bound on any margin, support."""

from sklearn.datasets import load_digits

from novikoff import Perceptron, rules

X, y = load_digits(return_X_y=True)
pair = (y == 1) | (y == 7)
X, y = X[pair], y[pair]

print(f"{'rule':38} {'updates':>8} {'margin':>8} {'bound':>8} {'support':>8}")
for rule in (
    rules.Classic(),
    rules.Margin(beta=1.0),
    rules.MeanNorm(),
    rules.ScaleFree(),
    rules.ScaleFree(printed=True),
    rules.ScaleFreeInfinity(alpha=1.5),
    rules.Dynamic(accuracy=0.05),
    rules.PassiveAggressive(),
    rules.Alma(a=0.3),
    rules.MinOver(accuracy=0.2),
):
    clf = Perceptron(rule=rule, random_state=0).fit(X, y)
    print(
        f"{rule!r:38} {clf.n_updates_:8d} {clf.margin_:8.3f} {clf.margin_upper_bound_:8.3f} "
        f"{len(clf.support_):8d}"
    )
