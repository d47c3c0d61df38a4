"""What is proved about new data, or why nothing is."""

from typing import TYPE_CHECKING, Any

from novikoff.certificate.wording import counted
from novikoff.report.advice import with_options
from novikoff.report.describe import Row

if TYPE_CHECKING:
    from novikoff.certificate.risk import Risk
    from novikoff.data import Table

NO_BOUND = 0.99
"""A bound on the error that is no smaller says nothing."""


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
        return with_options(str(error))


def risk_row(risk: "Risk | str") -> Row:
    """Say it in the summary of a fit."""
    if isinstance(risk, str):
        return "Risk", risk
    if risk.bound >= NO_BOUND:
        carrying = f"{risk.support.size:,} of {counted(risk.n_examples, 'example')}"
        return "Risk", f"No bound on new data below 99 %: {carrying} carry the model."
    return "Risk", "\n".join(risk.sentences())
