"""The choices that change an analysis, and the parameters with which they are made."""

from collections.abc import Callable, Container
from enum import StrEnum

from metrics.score_files.plan_numbers import PlanNumbers


class Choice(StrEnum):
    """A shared choice that changes an analysis; the direction changes each that is not of pairs.

    N to POWER are the names of `PlanNumbers`.
    """

    LABELS = "labels"
    THRESHOLD = "threshold"
    QUERIES = "queries"
    RUNS = "runs"
    MEASURE = "measure"
    METHOD = "decide"
    MISSING = "missing"
    N = "n"
    ERROR = "error"
    DIFFERENCE = "difference"
    POWER = "power"
    MARK = "mark"


# the choices that each parameter of commands and programs is about
CHOICES_OF_PARAMETERS = {
    "run": {Choice.RUNS},
    "name": {Choice.RUNS},
    "team": {Choice.RUNS},
    "tag": {Choice.RUNS},
    "label_source": {Choice.LABELS},
    "threshold": {Choice.THRESHOLD},
    "queries": {Choice.QUERIES},
    "measure": {Choice.MEASURE},
    "method": {Choice.METHOD},
    "missing": {Choice.MISSING},
    "protocol": {Choice.LABELS, Choice.QUERIES, Choice.MEASURE},
    **{name: {Choice(name)} for name in PlanNumbers._fields},
    "mark": {Choice.MARK},
}


def parameter_names(choices: frozenset[Choice], *, of_pairs: bool = False) -> list[str]:
    """The parameters that make some of these choices, the direction first.

    of_pairs : without the direction, which is nothing to pairs
    """
    return [
        *([] if of_pairs else ["direction"]),
        *(name for name, its in CHOICES_OF_PARAMETERS.items() if its & choices),
    ]


def idle_sentence(
    analysis: str,
    useful_names: list[str],
    names: Container[str],
    *,
    spell: Callable[[str], str] = str,
    left_out: Container[str] = (),
) -> str:
    """A sentence on the first of these parameters that changes nothing in an analysis; else "".

    useful_names : the parameters that change it; without the direction it is of pairs
    spell : a parameter as it is typed; left_out : those that are not to be advised
    """
    if "direction" not in useful_names and "direction" in names:
        return (
            f"{spell('direction')} changes nothing in {analysis}, which is of pairs: leave it out."
        )
    idle_name = next(
        (name for name in CHOICES_OF_PARAMETERS if name in names and name not in useful_names),
        None,
    )
    if idle_name is None:
        return ""
    spellings = [spell(name) for name in useful_names if name not in left_out]
    has = f"what does: {', '.join(spellings)}" if spellings else "it has no choices"
    return f"{spell(idle_name)} changes nothing in {analysis}: leave it out; {has}."
