"""The choices of a leaderboard: hashed to a key, and put into words."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from annotate.models import Annotator, Collection, Level, QuerySet
from metrics.core.comparisons.missing_queries import MISSING_NAMES, MISSING_RUNS, MISSING_ZERO
from metrics.core.comparisons.run_comparison import METHOD_NAMES, METHODS
from metrics.core.labels.label_sources import (
    LabelSource,
    People,
    RequestedSource,
    kept_with_people,
    people_parts,
    usual_source,
)
from metrics.core.labels.protocols import ProtocolFit
from metrics.core.measures.cross_modal_averages import RSUM_DEPTHS
from metrics.services.leaderboard.choices.captions import ChoicesCaption
from metrics.services.scores import labels
from metrics.services.scores.measuring import MEASURES
from pooling.models import Run

EVERYTHING = "all"
JUDGED = next(measure.name for measure in MEASURES if measure.family == "Judged")
DEFAULT_MEASURES = tuple(measure.name for measure in MEASURES if measure.family != "Judged")
FIRST = "first"  # of each pair the first label alone
# intervals for these very queries, or their population; else for other queries like these
THESE = "these"


@dataclass(frozen=True)
class LeaderboardSpec:
    """One table of scores, or with `kind` "comparison" two runs on one measure.

    With `kind` "analysis" it has what an analysis is computed from.

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
        fields: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return fields

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "LeaderboardSpec":
        """Build a spec from the output of `as_json`."""
        lists = {name: tuple(fields[name]) for name in ("measures", "words", "runs")}
        return cls(**{**fields, **lists})


@dataclass
class Choices:
    """The options of a leaderboard for one person, the choices made, and errors in them.

    set_names : of the reference sets that count without being named
    nameable_sets : those, and the known truth of a rehearsal
    available_runs : the runs to choose from; runs : the chosen ones, all by default
    requested_source : the label source of the address, which may not exist
    is_stored : True if the refresh stores the chosen scores; compared_runs : the two of a
        comparison
    protocols : what the collection has for each; protocol : the one whose choices these are
    """

    set_names: list[str]
    nameable_sets: list[str]
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
    protocols: list[ProtocolFit] = field(default_factory=list)
    protocol: ProtocolFit | None = None

    @property
    def source(self) -> LabelSource:
        """The chosen label source."""
        return LabelSource.parse(self.spec.label_source)

    @property
    def stored_source(self) -> LabelSource:
        """The nearest source whose scores are stored: that of its oldest reference set."""
        return usual_source(
            [name for name in self.set_names if name in self.source.sets] or self.set_names
        )

    @property
    def explorer_source(self) -> LabelSource:
        """The source for links to the explorer: the chosen one, or the nearest stored one."""
        return (
            self.source if self.source in kept_with_people(self.set_names) else self.stored_source
        )

    @property
    def fitting_protocols(self) -> list[ProtocolFit]:
        """The protocols for which the collection has everything."""
        return [fit for fit in self.protocols if not fit.gap]

    @property
    def has_rsum(self) -> bool:
        """True if one of these has the measures that RSUM adds up."""
        measures = {f"C@{k}" for k in RSUM_DEPTHS}
        return any(measures <= set(fit.protocol.measures) for fit in self.fitting_protocols)

    @property
    def has_systems(self) -> bool:
        """True if two of the runs are of one system and team, one in each direction."""
        directions: dict[tuple[str, str], set[str]] = {}
        for run in self.runs:
            directions.setdefault((run.system, run.team), set()).add(run.direction)
        return any(system and len(both) > 1 for (system, _), both in directions.items())

    @property
    def query_set_names(self) -> list[str]:
        """The names of the query sets; a set of both directions once."""
        return list(dict.fromkeys(query_set.name for query_set in self.query_sets))

    @property
    def people_parts(self) -> list[tuple[People, str]]:
        """The ways to combine people's labels with the reference sets, and their names."""
        return people_parts(self.nameable_sets)

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
        return (
            f"Each cell is A (B + C): with {source.label}, with {source.sets_text} alone, and the "
            "difference."
        )

    @property
    def caption(self) -> ChoicesCaption:
        """The choices in a sentence or two."""
        people_sentence = ""
        if self.source.has_people and self.spec.people == FIRST:
            people_sentence = "Of people, the first label of each pair counts."
        elif self.source.has_people and self.person:
            people_sentence = f"Of people, {self.person.pseudonym} alone counts."
        return ChoicesCaption(
            self.source_sentence,
            people_sentence,
            self.spec.threshold,
            self.spec.judged_only,
            self.words_text,
        )

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
        return (
            f"of {shortest:,} words or more"
            if longest is None
            else f"of {shortest:,} to {longest:,} words"
        )

    @property
    def suggested_measures(self) -> list[str]:
        """The measures that the form suggests."""
        return [
            *DEFAULT_MEASURES,
            "nDCG",
            "R@10",
            "P@10",
            "RR",
            "Rprec",
            "Bpref",
            "RBP(p=0.8)",
            "MedR",
        ]

    @property
    def missing_choices(self) -> list[tuple[str, str]]:
        """The treatments of queries that a run misses; of two runs neither can be left out."""
        names = {
            name: text
            for name, text in MISSING_NAMES.items()
            if not self.compared_runs or name != MISSING_RUNS
        }
        return list(names.items())

    @property
    def methods(self) -> list[tuple[str, str]]:
        """The methods for testing differences, and their names."""
        return [(name, METHOD_NAMES[name]) for name in METHODS]


def is_stored(*, collection: Collection, spec: LeaderboardSpec) -> bool:
    """True if the refresh stores these scores. Two queries."""
    set_names = labels.set_names(collection=collection)
    sets = list(QuerySet.objects.filter(collection=collection).order_by("pk"))
    usual = replace(usual_spec(collection, set_names, sets, []), runs=spec.runs, kind=spec.kind)
    return has_stored_scores(spec, usual, set_names)


def has_stored_scores(spec: LeaderboardSpec, usual: LeaderboardSpec, set_names: list[str]) -> bool:
    """True if the refresh stores these scores: usual measures, people over one set, any queries.

    usual : the spec of an address without choices, with the same runs and kind
    """
    stored_sources = {source.key for source in kept_with_people(set_names)}
    if not set(spec.measures) <= set(DEFAULT_MEASURES) or spec.label_source not in stored_sources:
        return False
    free = ("measures", "method", "query_set", "label_source")
    return spec == replace(usual, **{name: getattr(spec, name) for name in free})


def usual_spec(
    collection: Collection, set_names: list[str], sets: list[QuerySet], runs: list[Run]
) -> LeaderboardSpec:
    """Return the spec of an address without choices."""
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
