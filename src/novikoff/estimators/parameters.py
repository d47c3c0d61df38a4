"""Parameters of an estimator as JSON values, and back."""

from typing import Any

import numpy as np

from novikoff import rules
from novikoff.certificate.escape import format_label
from novikoff.certificate.json import listed, read_label, read_number, wrong


def to_json_value(value: Any) -> Any:
    """Return a value as JSON has it; an infinity is the text "inf" or "-inf"."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and np.isinf(value):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, list | tuple):
        return [to_json_value(part) for part in value]
    return value


def write_parameter(name: str, value: Any) -> Any:
    """Return a parameter as JSON values."""
    if name == "rule" and not isinstance(value, str):
        parameters = {key: to_json_value(part) for key, part in value.get_params().items()}
        return {"name": type(value).__name__, **parameters}
    if name == "random_state":
        # A generator is not stored, only a seed.
        seed = to_json_value(value)
        return seed if isinstance(seed, int) else None
    if name == "class_weight" and isinstance(value, dict):
        # Labels need not be strings, as the keys of JSON objects must.
        return [[to_json_value(label), float(weight)] for label, weight in value.items()]
    return to_json_value(value)


def read_parameter(name: str, value: Any) -> Any:
    """Return the parameter that JSON values describe."""
    if name == "rule" and isinstance(value, dict):
        return _read_rule(value)
    if name == "class_weight" and isinstance(value, list):
        return dict(listed(_read_class_weight)(name, value))
    if isinstance(value, str) and value in ("inf", "-inf"):
        return float(value)
    if not isinstance(value, str | int | float | bool | None):
        raise wrong(name, "a text, a number, true, false or null", value)
    return value


def _read_class_weight(name: str, value: Any) -> tuple[Any, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise wrong(name, "pairs of a label and a number", value)
    return read_label(name, value[0]), read_number(name, value[1])


def _read_rule(document: dict[str, Any]) -> Any:
    parameters = {key: read_parameter(key, value) for key, value in document.items()}
    name = parameters.pop("name", None)
    kind = getattr(rules, name) if name in rules.__all__ else None
    if not isinstance(kind, type) or not issubclass(kind, rules.Rule) or kind is rules.Rule:
        raise ValueError(f"there is no rule {format_label(name)}")
    return kind(**parameters)
