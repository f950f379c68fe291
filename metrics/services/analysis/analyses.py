"""An analysis: what it asks, the function that answers, and what says that the answer is right."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from annotate.access import LEADERS
from annotate.models import Collection, Direction, Role
from metrics.charts.results import AnalysisResult
from metrics.core.labels.label_sources import People
from metrics.score_files.analyses import ScoreAnalysis
from metrics.score_files.choices import Choice, parameter_names
from metrics.score_files.requests import ReportProgress
from metrics.services.analysis.choices import KIND, AnalysisSpec, SharedChoices
from metrics.services.analysis.item_columns import ItemColumn


class NextPage(NamedTuple):
    """A page of a collection on which somebody acts on what an analysis found.

    address : name of its URL; roles : of those who may see it
    begins_work : True if something new is begun there, which an archived collection refuses
    """

    label: str
    address: str
    roles: frozenset[Role] = frozenset(LEADERS)
    begins_work: bool = False


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


class AnalysisRequest(NamedTuple):
    """A request for an analysis.

    report_progress : told how much is done
    """

    collection: Collection
    spec: AnalysisSpec
    report_progress: ReportProgress


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
    of_files : compares files, which workers read after they were loaded
    next_page : where to act on it, if anywhere
    item_columns : those of its table that name items
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
    of_files: bool = False
    next_page: NextPage | None = None
    item_columns: tuple[ItemColumn, ...] = ()

    @classmethod
    def of_scores_too(
        cls,
        row: ScoreAnalysis,
        *,
        chapter: Chapter,
        find: Callable[[AnalysisRequest], AnalysisResult],
        function: Callable[..., object],
        oracle: Oracle,
        test: str,
        measures: tuple[str, ...],
        n_measures: int | None = 1,
        next_page: NextPage | None = None,
        item_columns: tuple[ItemColumn, ...] = (),
    ) -> "Analysis":
        """The row of an analysis that files of scores have too; what it asks stands there."""
        return cls(
            name=row.name,
            chapter=chapter,
            question=row.question,
            paper=row.paper,
            definition=row.definition,
            find=find,
            function=function,
            oracle=oracle,
            test=test,
            choices=row.choices,
            measures=measures,
            n_measures=n_measures,
            next_page=next_page,
            item_columns=item_columns,
        )

    @property
    def parameter_names(self) -> list[str]:
        """The parameters of commands and programs that change it, the direction first."""
        return parameter_names(self.choices, of_pairs=self.of_pairs)

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
