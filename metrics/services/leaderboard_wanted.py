"""What a leaderboard is asked for: read from an address, kept as a key, told again in words."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.http import QueryDict

from annotate.models import Annotator, Collection, Level, QuerySet, User
from metrics.core import measures
from metrics.core.label_sources import (
    AskedSource,
    LabelSource,
    People,
    UnknownLabelSource,
    kept_with_people,
    people_parts,
    usual_source,
)
from metrics.core.tournament import METHODS
from metrics.services import labels
from metrics.services.measuring import MEASURES
from pooling.models import Run

EVERYTHING = "all"
JUDGED = next(measure.name for measure in MEASURES if measure.family == "Judged")
DEFAULT_MEASURES = tuple(measure.name for measure in MEASURES if measure.family != "Judged")
COMPARED = "AP"  # the measure of two runs where none is named
MAX_MEASURES = 12
MAX_LENGTH = 300  # of the names of measures
FIRST = "first"  # of each pair the first label alone
MAX_WORDS = 10_000
MOST_TOLD = 8  # of what there is to choose from, where something else was asked for
METHOD_NAMES = {
    "randomized-tukey": "Randomized Tukey",
    "tukey": "Tukey's HSD",
    "regwq": "REGWQ",
    "randomization": "Randomization, Holm",
    "newman-keuls": "Newman-Keuls, as the TRECVID paper did",
}
THESE = "these"  # of the very queries there are, or that these were drawn of; else of other queries like these
MISSING_ZERO, MISSING_RUNS, MISSING_QUERIES = "zero", "runs", "queries"
MISSING_NAMES = {
    MISSING_ZERO: "Count 0",
    MISSING_RUNS: "Leave such runs out of tests",
    MISSING_QUERIES: "Leave such queries out of tests",
}


@dataclass(frozen=True)
class Wanted:
    """One table of scores, or with `kind` comparison its two runs on its one measure; equal ones are equal tables.

    label_source : its key
    people : "" for resolved grades, FIRST for each pair's first label, else the key of the one person who counts
    judged_only : only queries of which people labelled a pair
    words : smallest and largest number of words of the query; None is no limit
    runs : keys, ascending
    target : what intervals are of: THESE, or "" for other queries like these
    missing : what tests and comparisons do with queries that a run misses, a key of MISSING_NAMES
    """

    measures: tuple[str, ...]
    threshold: int
    label_source: str
    people: str
    query_set: str
    judged_only: bool
    words: tuple[int | None, int | None]
    method: str
    runs: tuple[int, ...]
    kind: str = "table"
    missing: str = MISSING_ZERO
    target: str = ""

    @property
    def key(self) -> str:
        """The hash of all of it."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """What a task is given."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> "Wanted":
        """What `as_json` wrote."""
        lists = {name: tuple(given[name]) for name in ("measures", "words", "runs")}
        return cls(**{**given, **lists})


@dataclass
class Choices:
    """What can be chosen on a collection's leaderboard by one person, what was, and what could not be read.

    set_names : of the reference sets
    offered : the runs to choose from; runs : those that were chosen, all where nothing is said
    asked_source : what was asked for, which may be no label source
    is_stored : whether the refresh keeps the scores that were asked for; compared : the two runs of a comparison
    """

    set_names: list[str]
    query_sets: list[QuerySet]
    levels: list[Level]
    people: list[Annotator]
    offered: list[Run]
    runs: list[Run]
    wanted: Wanted
    asked_source: AskedSource
    is_stored: bool
    compared: tuple[Run, Run] | None = None
    errors: list[str] = field(default_factory=list)

    @property
    def source(self) -> LabelSource:
        """The chosen label source."""
        return LabelSource.parse(self.wanted.label_source)

    @property
    def kept_source(self) -> LabelSource:
        """The source nearest to it whose scores are kept: that of its oldest reference set."""
        return usual_source([name for name in self.set_names if name in self.source.sets] or self.set_names)

    @property
    def explored_source(self) -> LabelSource:
        """The source that the explorer shows this choice with: itself, or the nearest one whose scores are kept."""
        return self.source if self.source in kept_with_people(self.set_names) else self.kept_source

    @property
    def query_set_names(self) -> list[str]:
        """Names of query sets; a set of both directions once."""
        return list(dict.fromkeys(row.name for row in self.query_sets))

    @property
    def people_parts(self) -> list[tuple[People, str]]:
        """Which part people's labels can have."""
        return people_parts(self.set_names)

    @property
    def source_sentence(self) -> str:
        """What a score, or each cell of a table, is computed with."""
        source = self.source
        if source.reference is None:
            why = "" if self.set_names else ": the collection has no reference set"
            return f"Scores with people's labels alone{why}."
        if not source.has_people:
            return f"Scores with {source.sets_text} alone."
        if self.wanted.kind != "table":
            return f"Scores with {source.label}."
        return f"Each cell is A (B + C): with {source.label}, with {source.sets_text} alone, and the difference."

    @property
    def person(self) -> Annotator | None:
        """The one person whose labels count, None where all people's do."""
        return next((row for row in self.people if str(row.pk) == self.wanted.people), None)

    @property
    def words_text(self) -> str:
        """How long queries may be, "" where they may be of any length."""
        shortest, longest = self.wanted.words
        if shortest is None:
            return "" if longest is None else f"of 1 to {longest:,} words"
        return f"of {shortest:,} words or more" if longest is None else f"of {shortest:,} to {longest:,} words"

    @property
    def usual(self) -> list[str]:
        """Measures that are offered while one types."""
        return [*DEFAULT_MEASURES, "nDCG", "R@10", "P@10", "RR", "Rprec", "Bpref", "RBP(p=0.8)", "MedR"]

    @property
    def method_name(self) -> str:
        """How differences are tested, as people say it."""
        return METHOD_NAMES[self.wanted.method]

    @property
    def ways_of_missing(self) -> list[tuple[str, str]]:
        """What tests can do with queries that a run misses; of two runs neither can be left out."""
        names = {name: said for name, said in MISSING_NAMES.items() if not self.compared or name != MISSING_RUNS}
        return list(names.items())

    @property
    def methods(self) -> list[tuple[str, str]]:
        """How differences can be tested."""
        return [(name, METHOD_NAMES[name]) for name in METHODS]


def read(*, collection: Collection, viewer: User | None, given: QueryDict | dict[str, str]) -> Choices:
    """What an address asks for; what it leaves out is the default.

    What it names and is not there, or cannot be read, is told in `errors`, with the default in its place. Six queries.
    viewer : who looks: other people's hidden runs are left out; None is the operator, who sees all
    """
    set_names = labels.set_names(collection=collection)
    sets = list(QuerySet.objects.filter(collection=collection).order_by("pk"))
    people = list(Annotator.objects.filter(collection=collection).order_by("pseudonym"))
    levels = list(Level.objects.filter(collection=collection).order_by("grade"))
    offered = list(Run.objects.visible_to(viewer).in_use().filter(collection=collection).order_by("name", "pk"))
    errors: list[str] = []
    runs = _runs(given, offered, errors)
    plain = _plain(collection, set_names, sets, runs)
    asked_source = _asked_source(given, set_names)
    grades = {str(level.grade): level.grade for level in levels if level.grade > 0}
    chosen = _chosen(
        given,
        {
            "decide": METHODS,
            "missing": tuple(MISSING_NAMES),
            "target": (THESE,),
            "threshold": tuple(grades),
            "people": (FIRST, *(str(row.pk) for row in people)),
            "queries": tuple(dict.fromkeys(row.name for row in sets)),
        },
        errors,
    )
    wanted = replace(
        plain,
        measures=_measures(given.get("measures", ""), errors),
        threshold=grades.get(chosen["threshold"], plain.threshold),
        label_source=_source(asked_source, set_names, errors),
        people=chosen["people"],
        query_set=chosen["queries"] or plain.query_set,
        judged_only=given.get("subset") == "judged",
        words=_words(given.get("words_from", ""), given.get("words_to", ""), errors),
        method=chosen["decide"] or plain.method,
        missing=chosen["missing"] or plain.missing,
        target=chosen["target"] or plain.target,
    )
    is_kept = _is_stored(wanted, plain, set_names)
    return Choices(set_names, sets, levels, people, offered, runs, wanted, asked_source, is_kept, errors=errors)


def is_stored(*, collection: Collection, wanted: Wanted) -> bool:
    """Whether the refresh keeps these scores. Two queries."""
    set_names = labels.set_names(collection=collection)
    sets = list(QuerySet.objects.filter(collection=collection).order_by("pk"))
    plain = replace(_plain(collection, set_names, sets, []), runs=wanted.runs, kind=wanted.kind)
    return _is_stored(wanted, plain, set_names)


def _is_stored(wanted: Wanted, plain: Wanted, set_names: list[str]) -> bool:
    """Whether the refresh keeps these scores: the usual measures with people over one set, on any query set."""
    kept = {source.key for source in kept_with_people(set_names)}
    if not set(wanted.measures) <= set(DEFAULT_MEASURES) or wanted.label_source not in kept:
        return False
    free = ("measures", "method", "query_set", "label_source")
    return wanted == replace(plain, **{name: getattr(wanted, name) for name in free})


def _plain(collection: Collection, set_names: list[str], sets: list[QuerySet], runs: list[Run]) -> Wanted:
    names = [row.name for row in sets]
    return Wanted(
        measures=DEFAULT_MEASURES,
        threshold=collection.positive_from,
        label_source=usual_source(set_names).key,
        people="",
        query_set=EVERYTHING if EVERYTHING in names else next(iter(names), ""),
        judged_only=False,
        words=(None, None),
        method=METHODS[0],
        runs=tuple(sorted(run.pk for run in runs)),
    )


def _runs(given: QueryDict | dict[str, str], offered: list[Run], errors: list[str]) -> list[Run]:
    """The runs that are named by key; all where none is named or none of them is there."""
    keys = set(given.getlist("run")) if isinstance(given, QueryDict) else set()
    found = [run for run in offered if str(run.pk) in keys]
    if len(found) < len(keys):
        n_away = len(keys) - len(found)
        errors.append(f"Runs that the address names and that are not there: {n_away:,} of {len(keys):,}.")
    return found or offered


def _chosen(given: QueryDict | dict[str, str], offered: dict[str, Sequence[str]], errors: list[str]) -> dict[str, str]:
    """What is chosen of what is offered by each name; empty where nothing is, or what is not offered."""
    chosen = {}
    for name, known in offered.items():
        asked = given.get(name, "")
        chosen[name] = asked if asked in known else ""
        if asked and asked not in known:
            there = ", ".join(known[:MOST_TOLD]) + (" and more" if len(known) > MOST_TOLD else "")
            errors.append(f'"{asked[:40]}" is no choice of "{name}"; there are: {there or "none"}.')
    return chosen


def _asked_source(given: QueryDict | dict[str, str], set_names: list[str]) -> AskedSource:
    word = given.get("labels", "")
    sets = tuple(given.getlist("sets")) if isinstance(given, QueryDict) else ()
    return AskedSource(word, sets) if word or sets else AskedSource(usual_source(set_names).key)


def _source(asked: AskedSource, set_names: list[str], errors: list[str]) -> str:
    try:
        return asked.among(set_names).key
    except UnknownLabelSource as error:
        errors.append(str(error))
        return usual_source(set_names).key


def _measures(text: str, errors: list[str]) -> tuple[str, ...]:
    if not text.strip():
        return DEFAULT_MEASURES
    try:
        if len(text) > MAX_LENGTH:
            raise measures.UnknownMeasure(f"The names of the measures are longer than {MAX_LENGTH} characters.")
        parsed = measures.parse(text)
        if inferring := [measure.name for measure in parsed if measure.is_inferred]:
            where = "evaluate computes it from files; the page of a pool that is one has xinfAP and infNDCG"
            raise measures.UnknownMeasure(f"{inferring[0]} infers from a sample: {where}.")
        found = tuple(dict.fromkeys(measure.name for measure in parsed))
        if len(found) > MAX_MEASURES:
            raise measures.UnknownMeasure(f"{len(found)} measures; at most {MAX_MEASURES} are shown at once.")
    except measures.UnknownMeasure as error:
        errors.append(str(error))
        return DEFAULT_MEASURES
    return found or DEFAULT_MEASURES


def _words(least: str, most: str, errors: list[str]) -> tuple[int | None, int | None]:
    low, high = _number(least, errors), _number(most, errors)
    if low is not None and high is not None and low > high:
        errors.append(f"No query has {low:,} words or more and {high:,} or fewer; all lengths are shown.")
        return None, None
    return low, high


def _number(text: str, errors: list[str]) -> int | None:
    if not text.strip():
        return None
    if not (text.isascii() and text.isdigit() and int(text[:9]) <= MAX_WORDS and len(text) < 9):
        errors.append(f'"{text[:20]}" is not a number of words: a whole number up to {MAX_WORDS:,}.')
        return None
    return int(text)


def read_pair(*, collection: Collection, viewer: User | None, given: QueryDict | dict[str, str]) -> Choices:
    """As `read`, for a comparison: two runs of one direction and one measure, the first ones where none are named."""
    of_table = given.copy()
    of_table["measures"] = given.get("measure", "")
    choices = read(collection=collection, viewer=viewer, given=of_table)
    offered = choices.offered
    by_key = {str(run.pk): run for run in offered}
    for name in ("a", "b"):
        if given.get(name) and given[name] not in by_key:
            choices.errors.append(f'There is no run "{given[name][:40]}" to compare; the address names it by "{name}".')
    first, second = by_key.get(given.get("a", "")), by_key.get(given.get("b", ""))
    if first and second and second not in _others(first, offered):
        why = "is the same run" if second == first else "ranks in the other direction"
        choices.errors.append(f"{second.name} cannot be compared with {first.name}: it {why}.")
    first_ones = _others(second, offered) if second else offered
    first = first or next((run for run in first_ones if _others(run, offered)), None)
    if first is None:
        return choices
    if second not in _others(first, offered):
        second = next(iter(_others(first, offered)), None)
    if second is None:
        choices.errors.append(f"There is no other run of the direction of {first.name} to compare it with.")
        return choices
    measure = (choices.wanted.measures[0] if given.get("measure") else COMPARED,)
    if not measures.parse_one(measure[0]).is_mean:
        choices.errors.append(f"{measure[0]} is a median, and runs are compared by means; {COMPARED} is shown.")
        measure = (COMPARED,)
    missing = MISSING_QUERIES if choices.wanted.missing == MISSING_QUERIES else MISSING_ZERO
    of_pair = {"runs": (first.pk, second.pk), "kind": "comparison", "missing": missing, "target": ""}
    wanted = replace(choices.wanted, measures=measure, method=METHODS[0], **of_pair)
    return replace(choices, wanted=wanted, compared=(first, second))


def _others(run: Run, runs: list[Run]) -> list[Run]:
    return [other for other in runs if other != run and other.direction == run.direction]
