"""What is proved about new data, or why nothing is."""

from typing import TYPE_CHECKING, Any

from novikoff.report.describe import Row

if TYPE_CHECKING:
    from novikoff.certificate.risk import Risk
    from novikoff.data import Table


AS_OPTIONS = {
    'fit with multi_class="ovr"': "fit with --multi-class ovr",
    "class_weight='balanced' counts all examples; give a dict": (
        "--class-weight balanced counts all examples; fit without it"
    ),
    "give a C": "give one with --C",
    "give Cs as a list that is fixed beforehand, or MaxMargin a fixed C": (
        "give one with --C that is fixed beforehand"
    ),
    "gamma='scale' is taken from all examples; give a number": (
        "gamma is taken from all examples; give a number with --gamma"
    ),
    "fix them with average=True": "in Python, fix them with average=True",
    "scale=True: ": "--scale: ",
}
"""How the parameters that a reason names are given on the command line."""


def risk_or_reason(model: Any, table: "Table") -> "Risk | str":
    """Return the bound on the error on new data, which the model keeps, or why there is none."""
    from novikoff.estimators.risk import NoRiskError

    if table.encoding is not None and not table.encoding.is_plain:
        return (
            "No bound on new data: how columns of words, dates or missing values become numbers "
            "was taken from all examples."
        )
    try:
        risk: Risk = model.risk_certificate(table.X, table.y)
        return risk
    except NoRiskError as error:
        reason = str(error)
        for parameter, option in AS_OPTIONS.items():
            reason = reason.replace(parameter, option)
        return reason


def risk_row(risk: "Risk | str") -> Row:
    """Say it in the summary of a fit."""
    return "Risk", risk if isinstance(risk, str) else "\n".join(risk.sentences())
