"""Parameters of strategies that people set: numbers, choices, texts, with ranges and defaults."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pooling.core.strategies.selections import StrategyError

Value = float | str
Values = Mapping[str, Value]


class NumberParameter(NamedTuple):
    """One number a strategy takes: a whole one unless its default is a fraction.

    Its range includes both ends.
    """

    name: str
    label: str
    low: float
    high: float
    default: float
    sentence: str = ""

    @property
    def is_whole(self) -> bool:
        """True if only whole numbers make sense."""
        return isinstance(self.default, int)

    def validate(self, value: object) -> float:
        """Return the value as a number. Raises StrategyError if it is none, or out of range."""
        if (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
        ):
            if not self.is_whole:
                return float(value)
            if value == int(value):
                return int(value)
        kind = "a whole number" if self.is_whole else "a number"
        raise StrategyError(
            self.name, f"{self.label} is {kind} from {self.low:g} to {self.high:,g}."
        )


class ChoiceParameter(NamedTuple):
    """One of some named options; choices : their labels, by key."""

    name: str
    label: str
    choices: Mapping[str, str]
    default: str
    sentence: str = ""

    def validate(self, value: object) -> str:
        """Return the value as a key. Raises StrategyError if it is none of the choices."""
        if isinstance(value, str) and value in self.choices:
            return value
        raise StrategyError(
            self.name, f"{self.label} is one of: {', '.join(filter(None, self.choices))}."
        )


class TextParameter(NamedTuple):
    """A few characters; empty means none."""

    name: str
    label: str
    length: int
    default: str = ""
    sentence: str = ""

    def validate(self, value: object) -> str:
        """Return the value without blanks around it.

        Raises StrategyError if it is no text or too long.
        """
        if isinstance(value, str) and len(value.strip()) <= self.length and value.isprintable():
            return value.strip()
        raise StrategyError(
            self.name, f"{self.label} is a text of at most {self.length} characters."
        )


Parameter = NumberParameter | ChoiceParameter | TextParameter


def complete_values(
    parameters: Iterable[Parameter], values: Mapping[str, object]
) -> dict[str, Value]:
    """Return each parameter's value, or its default. Raises StrategyError for one out of range."""
    return {
        parameter.name: parameter.validate(values.get(parameter.name, parameter.default))
        for parameter in parameters
    }


def value_lines(parameters: Iterable[Parameter], values: Values) -> list[tuple[str, Value]]:
    """Values as pages say them, with their parameters' labels; empty texts are left out."""
    parameter_of = {parameter.name: parameter for parameter in parameters}
    lines = []
    for name, value in values.items():
        parameter = parameter_of.get(name)
        text = value
        if isinstance(parameter, ChoiceParameter):
            text = parameter.choices.get(str(value), value)
        if text != "":
            lines.append((parameter.label if parameter else name, text))
    return lines


def number(values: Values, name: str) -> float:
    """A value that its parameter has checked to be a number."""
    return float(values[name])
