"""An analysis: what it asks, the function that answers, and what says that the answer is right."""

from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from annotate.access import LEADERS
from annotate.models import Collection, Direction, Role
from metrics.charts.results import AnalysisResult
from metrics.core.files.scores import ScoreTable
from metrics.core.labels.label_sources import People
from metrics.services.analysis.choices import KIND, AnalysisSpec, SharedChoices
from metrics.services.analysis.plan_numbers import NO_NUMBERS, PlanNumbers

ReportProgress = Callable[[int, int, str], None]  # units done, of how many, their noun


def ignore_progress(n_done: int, total: int, unit: str) -> None:
    """Report nothing: of files, which are computed while their sender waits."""


class NotDefined(Exception):
    """There is nothing to show yet, or not for these choices; the message says what is missing."""


class NextPage(NamedTuple):
    """A page of a collection on which somebody acts on what an analysis found.

    address : name of its URL; roles : of those who may see it
    """

    label: str
    address: str
    roles: frozenset[Role] = frozenset(LEADERS)


class Chapter(NamedTuple):
    """A chapter of the room: its part of an address, and its name.

    lead_page : a page on the same, for leads alone, if there is one
    """

    slug: str
    title: str
    lede: str
    lead_page: NextPage | None = None


class Oracle(StrEnum):
    """The independent origin of the numbers that a test holds an analysis to."""

    PUBLISHED = "published table"
    PACKAGE = "other package"
    RECOUNT = "recount from the definition"


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


class AnalysisRequest(NamedTuple):
    """A request for an analysis.

    report_progress : told how much is done
    """

    collection: Collection
    spec: AnalysisSpec
    report_progress: ReportProgress


class FileRequest(NamedTuple):
    """A request for an analysis of the scores of a file.

    table : its rows are runs and its columns measures, or its rows topics and its columns runs
    method : a test of differences; treatment : of topics that a run misses
    plan : numbers of the planner
    """

    table: ScoreTable
    method: str
    treatment: str
    plan: PlanNumbers = NO_NUMBERS


@dataclass(frozen=True)
class Analysis:
    """A row of the register.

    name : its part of addresses, and what commands call it
    paper : the table or figure that it is after; definition : what is counted, in a sentence or two
    find : computes it; raises NotDefined
    function : of the core, that computes the numbers; oracle : what the test compares with
    test : of the numbers, as pytest names it
    choices : those that change it; measures : those where none is chosen
    n_runs, n_measures : how many it is about, the first of those chosen; None for all
    of_people : counts what people labelled, of a chosen label source at most the reference sets
    of_both_directions : shows both, whichever is chosen
    of_pairs : counts pairs or items, to which a direction is nothing
    next_page : where to act on it, if anywhere
    of_scores : computes it from a file of scores; raises NotDefined
    """

    name: str
    chapter: Chapter
    question: str
    paper: str
    definition: str
    find: Callable[[AnalysisRequest], AnalysisResult]
    function: Callable[..., object]
    oracle: Oracle
    test: str
    choices: frozenset[Choice]
    measures: tuple[str, ...] = ()
    n_runs: int | None = None
    n_measures: int | None = 1
    of_people: bool = False
    of_both_directions: bool = False
    of_pairs: bool = False
    next_page: NextPage | None = None
    of_scores: Callable[[FileRequest], AnalysisResult] | None = None

    @property
    def parameter_names(self) -> list[str]:
        """The parameters of commands and programs that change it, the direction first."""
        return [
            *([] if self.of_pairs else ["direction"]),
            *(name for name, its in CHOICES_OF_PARAMETERS.items() if its & self.choices),
        ]

    def spec(self, shared_choices: SharedChoices) -> AnalysisSpec:
        """The spec of this analysis: of the shared choices those that change it."""
        runs = shared_choices.runs[: self.n_runs] if Choice.RUNS in self.choices else []
        measures = tuple(shared_choices.measures or self.measures)[: self.n_measures]
        scores = replace(
            shared_choices.scores.spec,
            kind=KIND,
            runs=tuple(sorted(run.pk for run in runs)),
            measures=measures if Choice.MEASURE in self.choices else (),
            method=shared_choices.scores.spec.method if Choice.METHOD in self.choices else "",
            missing=shared_choices.scores.spec.missing if Choice.MISSING in self.choices else "",
            target="",
        )
        if Choice.LABELS not in self.choices:
            scores = replace(scores, label_source=People.ONLY)
        if Choice.THRESHOLD not in self.choices:
            scores = replace(scores, threshold=0)
        if Choice.QUERIES not in self.choices:
            scores = replace(scores, query_set="")
        plan = shared_choices.plan.among(self.choices)
        mark = shared_choices.mark if Choice.MARK in self.choices else ""
        direction = Direction.FORWARD if self.of_pairs else shared_choices.direction
        return AnalysisSpec(self.name, direction, scores, plan, mark)

    def idle_sentence(
        self,
        names: Container[str],
        *,
        spell: Callable[[str], str] = str,
        left_out: Container[str] = (),
    ) -> str:
        """A sentence on the first of these parameters that changes nothing in it; "" without one.

        spell : a parameter as it is typed; left_out : those that are not to be advised
        """
        if self.of_pairs and "direction" in names:
            return (
                f"{spell('direction')} changes nothing in {self.name}, which is of pairs: leave it "
                "out."
            )
        useful_names = self.parameter_names
        idle_name = next(
            (name for name in CHOICES_OF_PARAMETERS if name in names and name not in useful_names),
            None,
        )
        if idle_name is None:
            return ""
        spellings = [spell(name) for name in useful_names if name not in left_out]
        has = f"what does: {', '.join(spellings)}" if spellings else "it has no choices"
        return f"{spell(idle_name)} changes nothing in {self.name}: leave it out; {has}."
