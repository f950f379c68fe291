"""The choices of a leaderboard: read from the query string, hashed to a key, and put into words."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.http import QueryDict

from annotate.models import Annotator, Collection, Level, QuerySet, User
from metrics.core import measures
from metrics.core.label_sources import (
    LabelSource,
    People,
    RequestedSource,
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
COMPARISON_MEASURE = "AP"  # the default measure of two runs
MAX_MEASURES = 12
MAX_LENGTH = 300  # of the names of measures
FIRST = "first"  # of each pair the first label alone
MAX_WORDS = 10_000
MAX_LISTED = 8  # of the options in the error about an unknown one
METHOD_NAMES = {
    "randomized-tukey": "Randomized Tukey",
    "tukey": "Tukey's HSD",
    "regwq": "REGWQ",
    "randomization": "Randomization, Holm",
    "newman-keuls": "Newman-Keuls, as the TRECVID paper did",
}
THESE = "these"  # intervals for these very queries, or their population; else for other queries like these
MISSING_ZERO, MISSING_RUNS, MISSING_QUERIES = "zero", "runs", "queries"
MISSING_NAMES = {
    MISSING_ZERO: "Count 0",
    MISSING_RUNS: "Leave such runs out of tests",
    MISSING_QUERIES: "Leave such queries out of tests",
}


@dataclass(frozen=True)
class LeaderboardSpec:
    """One table of scores, or with `kind` "comparison" two runs on one measure.

    Equal specs are equal tables.
    label_source : its key
    people : "" for resolved grades, FIRST for each pair's first label, else the key of the one
        annotator whose labels count
    judged_only : only queries of which people labelled a pair
    words : smallest and largest number of words of the query; None is no limit
    runs : keys, ascending
    target : THESE if intervals are for these very queries, or "" for other queries like these
    missing : the treatment of queries that a run misses in tests and comparisons, a key of
        MISSING_NAMES
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
        """Hash of all fields."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """Return the spec as the argument of a task."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "LeaderboardSpec":
        """Build a spec from the output of `as_json`."""
        lists = {name: tuple(fields[name]) for name in ("measures", "words", "runs")}
        return cls(**{**fields, **lists})


@dataclass
class Choices:
    """The options of a leaderboard for one person, the choices made, and errors in them.

    set_names : of the reference sets
    available_runs : the runs to choose from; runs : the chosen ones, all by default
    requested_source : the label source of the address, which may not exist
    is_stored : True if the refresh stores the chosen scores; compared_runs : the two of a
        comparison
    """

    set_names: list[str]
    query_sets: list[QuerySet]
    levels: list[Level]
    people: list[Annotator]
    available_runs: list[Run]
    runs: list[Run]
    spec: LeaderboardSpec
    requested_source: RequestedSource
    is_stored: bool
    compared_runs: tuple[Run, Run] | None = None
    errors: list[str] = field(default_factory=list)

    @property
    def source(self) -> LabelSource:
        """The chosen label source."""
        return LabelSource.parse(self.spec.label_source)

    @property
    def stored_source(self) -> LabelSource:
        """The nearest source whose scores are stored: that of its oldest reference set."""
        return usual_source([name for name in self.set_names if name in self.source.sets] or self.set_names)

    @property
    def explorer_source(self) -> LabelSource:
        """The source for links to the explorer: the chosen one, or the nearest stored one."""
        return self.source if self.source in kept_with_people(self.set_names) else self.stored_source

    @property
    def query_set_names(self) -> list[str]:
        """The names of the query sets; a set of both directions once."""
        return list(dict.fromkeys(query_set.name for query_set in self.query_sets))

    @property
    def people_parts(self) -> list[tuple[People, str]]:
        """The ways to combine people's labels with the reference sets, and their names."""
        return people_parts(self.set_names)

    @property
    def source_sentence(self) -> str:
        """A sentence on the labels that a score, or each cell of a table, is computed with."""
        source = self.source
        if source.reference is None:
            why = "" if self.set_names else ": the collection has no reference set"
            return f"Scores with people's labels alone{why}."
        if not source.has_people:
            return f"Scores with {source.sets_text} alone."
        if self.spec.kind != "table":
            return f"Scores with {source.label}."
        return f"Each cell is A (B + C): with {source.label}, with {source.sets_text} alone, and the difference."

    @property
    def person(self) -> Annotator | None:
        """The one annotator whose labels count, None if everyone's do."""
        return next((row for row in self.people if str(row.pk) == self.spec.people), None)

    @property
    def words_text(self) -> str:
        """The limits of the queries' length in words, "" without a limit."""
        shortest, longest = self.spec.words
        if shortest is None:
            return "" if longest is None else f"of 1 to {longest:,} words"
        return f"of {shortest:,} words or more" if longest is None else f"of {shortest:,} to {longest:,} words"

    @property
    def suggested_measures(self) -> list[str]:
        """The measures that the form suggests."""
        return [*DEFAULT_MEASURES, "nDCG", "R@10", "P@10", "RR", "Rprec", "Bpref", "RBP(p=0.8)", "MedR"]

    @property
    def method_name(self) -> str:
        """The name of the method that tests differences."""
        return METHOD_NAMES[self.spec.method]

    @property
    def missing_choices(self) -> list[tuple[str, str]]:
        """The treatments of queries that a run misses; of two runs neither can be left out."""
        names = {name: text for name, text in MISSING_NAMES.items() if not self.compared_runs or name != MISSING_RUNS}
        return list(names.items())

    @property
    def methods(self) -> list[tuple[str, str]]:
        """The methods for testing differences, and their names."""
        return [(name, METHOD_NAMES[name]) for name in METHODS]


def read_choices(*, collection: Collection, viewer: User | None, parameters: QueryDict | dict[str, str]) -> Choices:
    """Read the choices from the parameters of an address; absent ones take their default.

    Six queries.
    Unknown or unreadable choices are reported in `errors`, with the default in their place.
    viewer : other people's hidden runs are left out for them; None is the operator, who sees all
    """
    set_names = labels.set_names(collection=collection)
    sets = list(QuerySet.objects.filter(collection=collection).order_by("pk"))
    people = list(Annotator.objects.filter(collection=collection).order_by("pseudonym"))
    levels = list(Level.objects.filter(collection=collection).order_by("grade"))
    available_runs = list(Run.objects.visible_to(viewer).in_use().filter(collection=collection).order_by("name", "pk"))
    errors: list[str] = []
    runs = _runs(parameters, available_runs, errors)
    plain = _plain(collection, set_names, sets, runs)
    requested_source = _requested_source(parameters, set_names)
    grades = {str(level.grade): level.grade for level in levels if level.grade > 0}
    chosen = _chosen(
        parameters,
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
    spec = replace(
        plain,
        measures=_measures(parameters.get("measures", ""), errors),
        threshold=grades.get(chosen["threshold"], plain.threshold),
        label_source=_source(requested_source, set_names, errors),
        people=chosen["people"],
        query_set=chosen["queries"] or plain.query_set,
        judged_only=parameters.get("subset") == "judged",
        words=_words(parameters.get("words_from", ""), parameters.get("words_to", ""), errors),
        method=chosen["decide"] or plain.method,
        missing=chosen["missing"] or plain.missing,
        target=chosen["target"] or plain.target,
    )
    has_stored_scores = _is_stored(spec, plain, set_names)
    return Choices(set_names, sets, levels, people, available_runs, runs, spec, requested_source, has_stored_scores, errors=errors)


def is_stored(*, collection: Collection, spec: LeaderboardSpec) -> bool:
    """True if the refresh stores these scores. Two queries."""
    set_names = labels.set_names(collection=collection)
    sets = list(QuerySet.objects.filter(collection=collection).order_by("pk"))
    plain = replace(_plain(collection, set_names, sets, []), runs=spec.runs, kind=spec.kind)
    return _is_stored(spec, plain, set_names)


def _is_stored(spec: LeaderboardSpec, plain: LeaderboardSpec, set_names: list[str]) -> bool:
    """True if the refresh stores these scores: usual measures, people over one set, any queries."""
    stored_sources = {source.key for source in kept_with_people(set_names)}
    if not set(spec.measures) <= set(DEFAULT_MEASURES) or spec.label_source not in stored_sources:
        return False
    free = ("measures", "method", "query_set", "label_source")
    return spec == replace(plain, **{name: getattr(spec, name) for name in free})


def _plain(collection: Collection, set_names: list[str], sets: list[QuerySet], runs: list[Run]) -> LeaderboardSpec:
    names = [row.name for row in sets]
    return LeaderboardSpec(
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


def _runs(parameters: QueryDict | dict[str, str], available_runs: list[Run], errors: list[str]) -> list[Run]:
    """Return the runs that are named by key; all if none is named or none of them exists."""
    keys = set(parameters.getlist("run")) if isinstance(parameters, QueryDict) else set()
    named_runs = [run for run in available_runs if str(run.pk) in keys]
    if len(named_runs) < len(keys):
        n_away = len(keys) - len(named_runs)
        errors.append(f"Runs that the address names and that are not there: {n_away:,} of {len(keys):,}.")
    return named_runs or available_runs


def _chosen(parameters: QueryDict | dict[str, str], options: dict[str, Sequence[str]], errors: list[str]) -> dict[str, str]:
    """Return the chosen option of each parameter; empty if it is absent or no option."""
    chosen = {}
    for name, allowed in options.items():
        choice = parameters.get(name, "")
        chosen[name] = choice if choice in allowed else ""
        if choice and choice not in allowed:
            listed = ", ".join(allowed[:MAX_LISTED]) + (" and more" if len(allowed) > MAX_LISTED else "")
            errors.append(f'"{choice[:40]}" is no choice of "{name}"; there are: {listed or "none"}.')
    return chosen


def _requested_source(parameters: QueryDict | dict[str, str], set_names: list[str]) -> RequestedSource:
    word = parameters.get("labels", "")
    sets = tuple(parameters.getlist("sets")) if isinstance(parameters, QueryDict) else ()
    return RequestedSource(word, sets) if word or sets else RequestedSource(usual_source(set_names).key)


def _source(requested_source: RequestedSource, set_names: list[str], errors: list[str]) -> str:
    try:
        return requested_source.among(set_names).key
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
        names = tuple(dict.fromkeys(measure.name for measure in parsed))
        if len(names) > MAX_MEASURES:
            raise measures.UnknownMeasure(f"{len(names)} measures; at most {MAX_MEASURES} are shown at once.")
    except measures.UnknownMeasure as error:
        errors.append(str(error))
        return DEFAULT_MEASURES
    return names or DEFAULT_MEASURES


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


def read_comparison(*, collection: Collection, viewer: User | None, parameters: QueryDict | dict[str, str]) -> Choices:
    """Read the choices of a comparison: two runs of one direction, by default the first ones."""
    table_parameters = parameters.copy()
    table_parameters["measures"] = parameters.get("measure", "")
    choices = read_choices(collection=collection, viewer=viewer, parameters=table_parameters)
    available_runs = choices.available_runs
    by_key = {str(run.pk): run for run in available_runs}
    for name in ("a", "b"):
        if parameters.get(name) and parameters[name] not in by_key:
            choices.errors.append(f'There is no run "{parameters[name][:40]}" to compare; the address names it by "{name}".')
    first, second = by_key.get(parameters.get("a", "")), by_key.get(parameters.get("b", ""))
    if first and second and second not in _comparable_runs(first, available_runs):
        why = "is the same run" if second == first else "ranks in the other direction"
        choices.errors.append(f"{second.name} cannot be compared with {first.name}: it {why}.")
    first_candidates = _comparable_runs(second, available_runs) if second else available_runs
    first = first or next((run for run in first_candidates if _comparable_runs(run, available_runs)), None)
    if first is None:
        return choices
    if second not in _comparable_runs(first, available_runs):
        second = next(iter(_comparable_runs(first, available_runs)), None)
    if second is None:
        choices.errors.append(f"There is no other run of the direction of {first.name} to compare it with.")
        return choices
    measure = (choices.spec.measures[0] if parameters.get("measure") else COMPARISON_MEASURE,)
    if not measures.parse_one(measure[0]).is_mean:
        choices.errors.append(f"{measure[0]} is a median, and runs are compared by means; {COMPARISON_MEASURE} is shown.")
        measure = (COMPARISON_MEASURE,)
    missing = MISSING_QUERIES if choices.spec.missing == MISSING_QUERIES else MISSING_ZERO
    pair_fields = {"runs": (first.pk, second.pk), "kind": "comparison", "missing": missing, "target": ""}
    spec = replace(choices.spec, measures=measure, method=METHODS[0], **pair_fields)
    return replace(choices, spec=spec, compared_runs=(first, second))


def _comparable_runs(run: Run, runs: list[Run]) -> list[Run]:
    return [other for other in runs if other != run and other.direction == run.direction]
