"""Advice that names parameters of Python, said with the options of the command line."""

AS_OPTIONS = {
    "Set scale=True, or use MaxMargin,": "Add --scale, or leave out --rule (MaxMargin),",
    "set scale=True, or use MaxMargin.": "add --scale, or leave out --rule (MaxMargin).",
    "or set scale=True": "or add --scale",
    "Use MaxMargin, which": "Leave out --rule (MaxMargin), which",
    "raise tol, or scale the features (scale=True)": "raise --tol, or add --scale",
    "Raise the limit, or raise tol.": "Raise the limit, or raise --tol.",
    "or give a finite C.": "or give a finite --C.",
    "so class_weight had no effect": "so --class-weight had no effect",
    "so class_weight and sample_weight had": "so --class-weight and --weights had",
    "so sample_weight had no effect": "so --weights had no effect",
    "give a finite C, or use MaxMarginCV, for": "give a finite --C, or --C auto, for",
    'fit with multi_class="ovr"': "fit with --multi-class ovr",
    "class_weight='balanced' counts all examples; give a dict": (
        "--class-weight balanced counts all examples; fit without it"
    ),
    "C was chosen from them; give a C": "C was chosen from them; give one with --C",
    "give Cs as a list that is fixed beforehand, or MaxMargin a fixed C": (
        "give one with --C that is fixed beforehand"
    ),
    "gamma='scale' is taken from all examples; give a number": (
        "gamma is taken from all examples; give a number with --gamma"
    ),
    "give cache_size=": "give --cache-size ",
    "multi_class='ovr', or use a Perceptron": "--multi-class ovr, or a --rule",
    "fix them with average=True": "in Python, fix them with average=True",
    "scale=True: the powers": "--scale: the powers",
}
"""Parts of messages of the estimators, and how the command line says them."""


def with_options(text: str) -> str:
    """Return a message with the options of the command line for parameters.

    Examples
    --------
    >>> with_options("Raise the limit, raise tol, or scale the features (scale=True).")
    'Raise the limit, raise --tol, or add --scale.'
    """
    for parameters, options in AS_OPTIONS.items():
        text = text.replace(parameters, options)
    return text
