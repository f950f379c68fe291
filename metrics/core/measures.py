"""The table of measures by name. A new measure is a function and one line here.

Names follow ir_measures: `Name(parameter=value,...)@cutoff`, for example `nDCG@10`, `C@1`, `AP`, `P(rel=2)@5`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metrics.core import ranking
from metrics.core.alignment import RankedGrades
from metrics.core.ranking import PerQuery, Positives

_NAME = re.compile(r"(?P<family>[A-Za-z][A-Za-z0-9_]*)(?:\((?P<parameters>[^()]*)\))?(?:@(?P<cutoff>\d+))?")
_SEPARATORS = re.compile(r"[\s,]+(?![^()]*\))")


class UnknownMeasure(ValueError):
    """A measure's name that the table does not hold, or that the table reads otherwise; says what exists."""


@dataclass(frozen=True)
class Family:
    """One line of the table.

    function : takes Positives (binary) or RankedGrades (graded), and k and the parameters by keyword; returns (Q,)
    cutoff : "none", "optional" or "required"
    binary : whether a threshold on the grades applies
    parameters : names and defaults of what may stand in brackets
    average : how (Q,) values become one
    """

    function: Callable[..., PerQuery]
    sentence: str
    cutoff: str = "none"
    binary: bool = True
    parameters: dict[str, Any] = field(default_factory=dict)
    average: Callable[[PerQuery], Any] = np.mean


FAMILIES: dict[str, Family] = {
    "C": Family(ranking.correct, "1 if any positive is among the first k", "required"),
    "Success": Family(ranking.correct, "C@k under its TREC name", "required"),
    "AP": Family(ranking.average_precision, "average precision over all positives", "optional"),
    "mAP@R": Family(ranking.map_at_r, "average precision within the first R ranks, R = positives of the query"),
    "nDCG": Family(ranking.ndcg, "discounted gain over the ideal one", "optional", binary=False),
    "Judged": Family(ranking.judged, "share of the first k ranks that is judged", "required", binary=False),
}


@dataclass(frozen=True)
class Measure:
    """A measure as somebody asked for it: `name` is its canonical spelling, equal names are equal measures."""

    name: str
    family: str
    cutoff: int | None = None
    parameters: tuple[tuple[str, Any], ...] = ()

    def compute(self, ranked: RankedGrades, threshold: float = 1) -> PerQuery:
        """(Q,) values. A target is positive from grade `threshold` up; `rel=` in the measure's own name goes before."""
        return self._apply(ranked, ranking.positives(ranked, self.threshold(threshold)) if self._entry.binary else None)

    def threshold(self, default: float) -> float:
        """The grade a target must have to count as positive."""
        return float(dict(self.parameters).get("rel", default))

    def average(self, values: PerQuery) -> float:
        """One number for (Q,) values: the mean, or the median for MedR. NaN for no query."""
        return float(self._entry.average(values)) if len(values) else float("nan")

    @property
    def _entry(self) -> Family:
        return FAMILIES[self.family]

    def _apply(self, ranked: RankedGrades, found: Positives | None) -> PerQuery:
        keywords = {name: value for name, value in self.parameters if name != "rel"}
        if self.cutoff is not None:
            keywords["k"] = self.cutoff
        return self._entry.function(ranked if found is None else found, **keywords)


def parse(names: str) -> list[Measure]:
    """Measures of a text such as "nDCG@10 C@1, AP", in its order. Raises UnknownMeasure, which lists what exists."""
    return [parse_one(name) for name in _SEPARATORS.split(names.strip()) if name]


def parse_one(name: str) -> Measure:
    """The measure called `name`. Raises UnknownMeasure."""
    if name in FAMILIES:
        return _checked(name, name, None, {})
    match = _NAME.fullmatch(name)
    if match is None or match["family"] not in FAMILIES:
        raise UnknownMeasure(f'There is no measure "{name}"; there are: {", ".join(spelled())}.')
    cutoff = int(match["cutoff"]) if match["cutoff"] else None
    return _checked(name, match["family"], cutoff, _parameters(name, match["family"], match["parameters"] or ""))


def spelled() -> list[str]:
    """How each family's name is written: C@k, AP, AP@k, ..."""
    forms = {"none": ("{}",), "optional": ("{}", "{}@k"), "required": ("{}@k",)}
    return [form.format(name) for name, family in FAMILIES.items() for form in forms[family.cutoff]]


def evaluate(measures: Sequence[Measure], ranked: RankedGrades, threshold: float = 1) -> dict[str, PerQuery]:
    """(Q,) values of each measure by name; cheaper than one `compute` after another, as the positives are found once."""
    found: dict[float, Positives] = {}
    values = {}
    for measure in measures:
        level = measure.threshold(threshold)
        if measure._entry.binary and level not in found:
            found[level] = ranking.positives(ranked, level)
        values[measure.name] = measure._apply(ranked, found[level] if measure._entry.binary else None)
    return values


def _checked(name: str, family: str, cutoff: int | None, parameters: dict[str, Any]) -> Measure:
    rule = FAMILIES[family].cutoff
    if cutoff is None and rule == "required":
        raise UnknownMeasure(f'"{name}" needs a cut-off, for example {family}@10.')
    if cutoff is not None and (rule == "none" or cutoff < 1):
        raise UnknownMeasure(f'"{name}": {family} takes no cut-off.' if rule == "none" else f'"{name}": the cut-off starts at 1.')
    shown = ",".join(f"{key}={value!r}" for key, value in sorted(parameters.items()))
    canonical = family + (f"({shown})" if shown else "") + (f"@{cutoff}" if cutoff else "")
    return Measure(canonical, family, cutoff, tuple(sorted((FAMILIES[family].parameters | parameters).items())))


def _parameters(name: str, family: str, text: str) -> dict[str, Any]:
    allowed = FAMILIES[family].parameters | ({"rel": 1} if FAMILIES[family].binary else {})
    found: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, _, value = (piece.strip() for piece in part.partition("="))
        if key not in allowed:
            raise UnknownMeasure(f'"{name}": {family} has no parameter "{key}"; it has: {", ".join(allowed) or "none"}.')
        found[key] = _value(name, value, allowed[key])
    return found


def _value(name: str, text: str, example: Any) -> Any:
    if isinstance(example, str):
        return text.strip("'\"")
    try:
        number = float(text)
    except ValueError as error:
        raise UnknownMeasure(f'"{name}": "{text}" is not a number.') from error
    return int(number) if number.is_integer() and not isinstance(example, float) else number
