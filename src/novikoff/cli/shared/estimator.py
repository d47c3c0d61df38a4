"""Which estimator the options of ``novikoff fit`` ask for."""

from dataclasses import dataclass
from typing import Any

from novikoff.cli.shared.group import Refusal, safe

A_RULE = "mean-norm"
AUTO = "auto"


@dataclass(frozen=True)
class EstimatorOptions:
    """The options of an estimator: with a rule of a Perceptron, without one of MaxMargin.

    An option that was not given is None, and the estimator's own default holds.

    Examples
    --------
    >>> both = {"fit_intercept": False, "C": 2.0}
    >>> EstimatorOptions("classic", {"tol": None}, {"max_updates": 9}, both).estimator()
    Perceptron(C=2.0, fit_intercept=False, max_updates=9, random_state=0,
               rule=Classic())
    >>> EstimatorOptions(None, {"tol": 0.1}, {"max_updates": None}, both).estimator()
    MaxMargin(C=2.0, fit_intercept=False, tol=0.1)
    >>> EstimatorOptions(None, {"tol": 0.1}, {}, {"C": "auto"}, cv=3).estimator()
    MaxMarginCV(cv=3, tol=0.1)
    """

    rule: str | None
    of_max_margin: dict[str, Any]
    of_perceptron: dict[str, Any]
    of_both: dict[str, Any]
    cv: int | None = None

    def reject_incompatible_options(self) -> None:
        """Refuse the first option that only the other estimator has."""
        if self.rule is not None and self.of_both.get("C") == AUTO:
            raise Refusal(
                f"--C {AUTO} is an option of the largest margin: "
                f"give a number, or leave out --rule {self.rule}"
            )
        if self.of_both.get("kernel") not in (None, "linear") and self.of_both.get("C") == AUTO:
            raise Refusal(f"--C {AUTO} is for the linear kernel: give a number with --kernel")
        others = self.of_perceptron if self.rule is None else self.of_max_margin
        for name in given(others):
            flag = "--" + name.replace("_", "-")
            if self.rule is None:
                raise Refusal(
                    f"{flag} is an option of the perceptron: "
                    f"add --rule (such as --rule {A_RULE}) or leave out {flag}"
                )
            raise Refusal(
                f"{flag} is an option of the largest margin, which is fitted without --rule: "
                f"leave out {flag} or --rule {self.rule}"
            )

    def estimator(self) -> Any:
        """Make the estimator."""
        import novikoff

        both = given(self.of_both)
        if self.rule is None:
            own = self.of_max_margin
            if both.get("C") == AUTO:
                del both["C"]
                return novikoff.MaxMarginCV(**both, **given(own), **given({"cv": self.cv}))
            return novikoff.MaxMargin(**both, **given(own))
        settings = given(self.of_perceptron)
        rule = parse_rule(self.rule, settings.pop("rule_param", []))
        # Without a seed too, the same command gives the same model.
        seed = settings.pop("seed", 0)
        return novikoff.Perceptron(rule=rule, random_state=seed, **both, **settings)


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


KERNELS = ("linear", "rbf", "poly", "sigmoid", "laplacian")


def kernel_options(
    kernel: str | None,
    gamma: str | None,
    degree: int | None,
    coef0: float | None,
    cache_size: float | None,
) -> dict[str, Any]:
    """Return the parameters of a kernel; those that are not given are None.

    Examples
    --------
    >>> kernel_options("rbf", "0.5", None, None, 500.0)
    {'kernel': 'rbf', 'gamma': 0.5, 'degree': None, 'coef0': None, 'cache_size': 500.0}
    """
    found = {
        "kernel": kernel,
        "gamma": parse_gamma(gamma),
        "degree": degree,
        "coef0": coef0,
        "cache_size": cache_size,
    }
    if kernel in (None, "linear"):
        for name in given({key: value for key, value in found.items() if key != "kernel"}):
            option = name.replace("_", "-")
            raise Refusal(f"--{option} is an option of a kernel: add --kernel rbf, or leave it out")
    elif kernel not in KERNELS:
        raise Refusal(f"--kernel {safe(kernel)}: there are {', '.join(KERNELS)}")
    return found


def parse_gamma(text: str | None) -> float | str | None:
    """Read the coefficient of a kernel: a number, scale or auto."""
    if text in (None, "scale", "auto"):
        return text
    try:
        return float(str(text))
    except ValueError:
        raise Refusal(f"--gamma {safe(text)}: give a number, scale or auto") from None


def parse_C(text: str | None) -> float | str | None:
    """Read the penalty: a number, or auto.

    Examples
    --------
    >>> parse_C("inf"), parse_C("auto"), parse_C(None)
    (inf, 'auto', None)
    """
    if text is None or text == AUTO:
        return text
    try:
        return float(text)
    except ValueError:
        raise Refusal(f"--C {text}: give a number, inf or {AUTO}") from None


def parse_rule(name: str, settings: list[str]) -> Any:
    """Make the rule with this name and these settings.

    Examples
    --------
    >>> parse_rule("scale-free-infinity", ["alpha=1.2"])
    ScaleFreeInfinity(alpha=1.2)
    """
    from novikoff import rules

    parameters = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not (key and equals and value):
            raise Refusal(f"--rule-param {setting}: write it as NAME=VALUE, such as alpha=1.5")
        parameters[key] = parse_value(value)
    return rules.named(name).set_params(**parameters)


def parse_value(text: str) -> bool | int | float | str:
    """Read a parameter: true, false, a number, or a word.

    Examples
    --------
    >>> [parse_value(text) for text in ("true", "2", "1.5", "inf", "absolute")]
    [True, 2, 1.5, inf, 'absolute']
    """
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
