"""Headings of tables of scores: whether they name queries, runs or measures."""

import re
from collections.abc import Sequence

from metrics.core.measures.measures import UnknownMeasure, parse_one

QUERY_NAMES = ("query", "query_id", "query-id", "qid", "topic", "topic_id", "topic-id", "id")
RUN_NAMES = ("run", "system")
_QUERIES = re.compile(r"qids?|queries|questions?|(?:query|topic)(?:s|ids?|num)?")
_RUNS = re.compile(
    r"(?:algorithm|approach|engine|method|model|participant|ranker|retriever|run|submission|system"
    r"|team)(?:e?s|ids?|names?|tags?)?"
)
_MEASURES = re.compile(r"(?:measure|metric)s?")
# words beside a noun that do not change what is named
_FILLERS = {"id", "ids", "name", "names", "tag", "tags", "no", "nr", "num", "number", "of", "the"}
_SEPARATORS = re.compile(r"[\s_./:#()-]+")
_PRINTED = ("RSUM", "R-P")  # what papers call sums of recalls, and Rprec


def names_queries(heading: str) -> bool:
    """True for a heading such as "topic", "Queries" or "query ID"; "id" may be that of a run."""
    return _has_nouns(heading, _QUERIES)


def names_runs(heading: str) -> bool:
    """True for a heading such as "run", "Systems", "model_name" or "name of the method"."""
    return _has_nouns(heading, _RUNS)


def names_measures(heading: str) -> bool:
    """True for a heading such as "measure" or "Metrics"."""
    return _has_nouns(heading, _MEASURES)


def measures_among(headings: Sequence[str]) -> list[str]:
    """Those of the headings that name a measure, RSUM or R-P, or end with one, as in "1K R@5"."""
    return [
        heading
        for heading in headings
        if _is_measure(heading) or _is_measure(heading.rpartition(" ")[-1])
    ]


def _has_nouns(heading: str, nouns: re.Pattern[str]) -> bool:
    """True if a heading has some of the nouns, and else only words that do not matter."""
    words = {word for word in _SEPARATORS.split(heading.lower()) if word} - _FILLERS
    return bool(words) and all(map(nouns.fullmatch, words))


def _is_measure(name: str) -> bool:
    try:
        parse_one(name)
    except UnknownMeasure:
        return name.upper() in _PRINTED
    return True
