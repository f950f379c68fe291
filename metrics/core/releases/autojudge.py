"""Scores of runs as a leaderboard file of TREC Auto-Judge.

Source: the package autojudge-base 1.0.0, `autojudge_base/leaderboard/leaderboard.py`: the format
that it calls "tot" has a line `run measure topic value` with tabs between, and the topic "all" for
a mean. Its own default, "ir_measures", has the topic before the measure: readers name the format
(`auto-judge-evaluate meta-evaluate --truth-format tot`).
"""

import math
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

ALL = "all"  # stands where a query would, for the mean over queries


class QueryValue(NamedTuple):
    """A run's value of a measure for a query; None or not finite where it is undefined."""

    run: str
    measure: str
    query: str
    value: float | None


class MeanValue(NamedTuple):
    """A run's mean of a measure over queries; None or not finite where it is undefined."""

    run: str
    measure: str
    value: float | None


def leaderboard_lines(
    queries: Iterable[QueryValue], means: Iterable[MeanValue] = ()
) -> Iterator[str]:
    """Yield the lines of the file, each with its line feed: of queries, then of means.

    An undefined value has no line. Readers split lines at white space: of names a blank, and the
    percent sign, stand percent-encoded, and a query that is itself called "all" as %61ll.
    """
    name, query_name = cache(field), cache(_query_field)  # each comes many times
    for run, measure, query, value in queries:
        if value is not None and math.isfinite(value):
            yield f"{name(run)}\t{name(measure)}\t{query_name(query)}\t{value}\n"
    for run, measure, value in means:
        if value is not None and math.isfinite(value):
            yield f"{name(run)}\t{name(measure)}\t{ALL}\t{value}\n"


def field(text: str) -> str:
    """Return a text without white space: what would part it is percent-encoded, as UTF-8."""
    return "".join(
        "".join(f"%{byte:02X}" for byte in character.encode())
        if character.isspace() or character == "%"
        else character
        for character in text
    )


def _query_field(query: str) -> str:
    return "%61ll" if query == ALL else field(query)
