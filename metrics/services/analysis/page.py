"""Pages of analyses: the result with its caption, or what is missing, or the work under way."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.http import QueryDict
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime

from annotate.core.phrases import counted
from annotate.models import Collection, Direction, Item, Role
from annotate.services.background import progress
from metrics.charts.charts import Chart
from metrics.charts.results import MOST_ROWS_READ
from metrics.core.comparisons.run_comparison import METHOD_NAMES
from metrics.core.labels.label_sources import LabelSource
from metrics.core.measures.measures import parse
from metrics.score_files.choices import Choice
from metrics.score_files.plan_numbers import PlanNumbers
from metrics.services.analysis.analyses import Analysis
from metrics.services.analysis.choices import SharedChoices
from metrics.services.analysis.computation import AnalysisAnswer, inquiry_of, look
from metrics.services.analysis.inputs import name_of
from metrics.services.analysis.item_columns import ItemName, items_of, names_in, with_items
from metrics.services.analysis.moment_columns import with_moments
from metrics.services.analysis.register import ANALYSES
from metrics.services.leaderboard.choices.choices import Choices
from pooling.services.runs.storage import SIDES

MAX_NAMED = 4  # runs in a caption


class AnalysisPanel(NamedTuple):
    """One analysis for some choices: its result, once it is there.

    roles : of the person who looks at it
    items : those that the first rows name, by their names, where the table shows them
    """

    collection: Collection
    analysis: Analysis
    choices: SharedChoices
    answer: AnalysisAnswer | None
    roles: frozenset[Role]
    items: Mapping[ItemName, Item] = {}

    @property
    def id(self) -> str:
        """The name of its element on a page."""
        return f"analysis-{self.analysis.name}"

    @property
    def file_name(self) -> str:
        """The name of its files, without their ending."""
        return f"{self.collection.slug}-{self.analysis.name}"

    @property
    def url(self) -> str:
        """The address of its own page, which holds all choices."""
        return self._address("analysis")

    @property
    def table_url(self) -> str:
        """The address of its table as a file."""
        return self._address("analysis-table")

    @property
    def next_url(self) -> str:
        """The address of the page on which this person acts on it; "" without one."""
        page = self.analysis.next_page
        if page is None or not self.roles & page.roles or self._is_stopped:
            return ""
        parameters = QueryDict(mutable=True)
        if self.answer and self.answer.result and not self.next_fields:
            for name, texts in self.answer.result.next_parameters.items():
                parameters.setlist(name, texts)
        address = reverse(page.address, args=[self.collection.slug])
        return f"{address}?{parameters.urlencode()}" if parameters else address

    @property
    def _is_stopped(self) -> bool:
        """True if an archived collection refuses what is begun on that page."""
        page = self.analysis.next_page
        return bool(page and page.begins_work and self.collection.archived_at)

    @property
    def next_fields(self) -> list[tuple[str, str]]:
        """The fields that are sent to that page, where a list is too long for an address."""
        parameters = (
            self.answer.result.next_parameters if self.answer and self.answer.result else {}
        )
        if "only" not in parameters:
            return []
        return [(name, text) for name, texts in parameters.items() for text in texts]

    @property
    def next_label(self) -> str:
        """The label of the link to that page; "" without one."""
        result = self.answer.result if self.answer else None
        page = self.analysis.next_page
        return (result.next_label if result else "") or (page.label if page else "")

    @property
    def next_owners(self) -> str:
        """A sentence on who can act on it, or why nobody can; "" for those who can."""
        page = self.analysis.next_page
        result = self.answer.result if self.answer else None
        if page is None or self.next_url or not (result and result.next_parameters):
            return ""
        if self._is_stopped:
            return "The collection is archived, so no pool is made of it."
        owners = " and ".join(f"{role.label.lower()}s" for role in sorted(page.roles))
        return (
            f"{owners.capitalize()} of the collection have a button here that makes a pool of it."
        )

    @property
    def next_notes(self) -> list[str]:
        """Sentences on that page; none for those who see no link to it."""
        result = self.answer.result if self.answer else None
        return result.next_notes if result and self.next_url else []

    @property
    def job(self) -> dict[str, object]:
        """The context of what is shown while it is computed for the first time."""
        spec = self.analysis.spec(self.choices)
        inquiry = inquiry_of(collection=self.collection, spec=spec)
        return {
            "id": f"{self.id}-job",
            "poll_url": self._address("analysis-state", is_cut=False),
            "title": "Computing",
            "detail": "Some seconds for most collections; the page may be left meanwhile.",
            "job_status": progress.job_status(job=inquiry.job),
        }

    @property
    def caption(self) -> str:
        """A guide to reading it, and its queries, labels, runs and moment."""
        if self.answer is None or self.answer.result is None:
            return ""
        result = self.answer.result
        return " ".join([result.reading, caption_of(self.analysis, self.choices, self.answer)])

    @property
    def measures_text(self) -> str:
        """A sentence on each of its measures; "" without one."""
        measures = self.analysis.spec(self.choices).scores.measures
        sentences = [f"{row.name}: {row.entry.sentence}." for row in parse(" ".join(measures))]
        return " ".join(sentences)

    @property
    def chart(self) -> Chart | None:
        """The chart with its table; None before there is a result."""
        if self.answer is None or self.answer.result is None:
            return None
        result = self.answer.result
        chart = result.chart(id=self.id, caption=self.caption)
        chart = with_moments(result, chart)
        if not self.items:
            return chart
        slug = self.collection.slug
        return with_items(chart, result, items=self.items, slug=slug, **self._item_columns)

    @property
    def item_names(self) -> set[ItemName]:
        """The names of the items in the first rows."""
        result = self.answer.result if self.answer else None
        if result is None:
            return set()
        return {
            name
            for row in result.rows[:MOST_ROWS_READ]
            for _, name in names_in(row, result, **self._item_columns)
        }

    @property
    def _item_columns(self) -> dict[str, Any]:
        direction = Direction(self.analysis.spec(self.choices).direction)
        return {"item_columns": self.analysis.item_columns, "source_side": SIDES[direction][0]}

    def _address(self, name: str, *, is_cut: bool = True) -> str:
        path = reverse(
            f"metrics:{name}",
            args=[self.collection.slug, self.analysis.chapter.slug, self.analysis.name],
        )
        parameters = _parameters(self.analysis, self.choices, is_cut=is_cut)
        return f"{path}?{parameters.urlencode(safe=':,@()=')}"


def panels_of(
    *,
    collection: Collection,
    analyses: Sequence[Analysis],
    choices: SharedChoices,
    roles: Iterable[Role] = (),
    most_rows: int | None = None,
) -> list[AnalysisPanel]:
    """Look at some analyses; six queries, and one for each.

    most_rows : of each table only the first ones are read; None for all
    """
    specs = [analysis.spec(choices) for analysis in analyses]
    answers = look(collection=collection, specs=specs, runs=choices.runs, most_rows=most_rows)
    rows = zip(analyses, answers, strict=True)
    return [
        AnalysisPanel(collection, analysis, choices, answer, frozenset(roles))
        for analysis, answer in rows
    ]


def pictured_panels_of(
    *,
    collection: Collection,
    analyses: Sequence[Analysis],
    choices: SharedChoices,
    roles: Iterable[Role],
) -> list[AnalysisPanel]:
    """Look at some analyses for a page: the first rows, with their items; two queries more."""
    panels = panels_of(
        collection=collection,
        analyses=analyses,
        choices=choices,
        roles=roles,
        most_rows=MOST_ROWS_READ,
    )
    names = set[ItemName]().union(*(panel.item_names for panel in panels))
    items = items_of(collection=collection, names=names)
    return [panel._replace(items=items if panel.analysis.item_columns else {}) for panel in panels]


def analyses_of_systems(choices: Choices) -> list[Analysis]:
    """The analyses of both directions that a leaderboard shows beneath its tables: those it can."""
    names = ["both-directions"] * choices.has_systems
    names += ["protocols"] * bool(choices.has_systems and choices.fitting_protocols)
    return [ANALYSES[name] for name in names]


def _parameters(analysis: Analysis, choices: SharedChoices, *, is_cut: bool) -> QueryDict:
    """The parameters of an address that holds every choice, whatever the defaults will be.

    is_cut : of the chosen runs and measures those that the analysis is about; else all of them,
        so that its caption can tell of how many they are the first
    """
    spec = analysis.spec(choices)
    runs, measures = list(spec.scores.runs), spec.scores.measures
    if not is_cut:
        measures = tuple(choices.measures) or measures
        if len(choices.runs) > len(runs):
            # all runs of a direction are its default, and would be too many for an address
            is_default = len(choices.runs) == len(choices.available_runs)
            runs = [] if is_default else sorted(run.pk for run in choices.runs)
    values = {
        "direction": ([spec.direction], not analysis.of_pairs),
        "labels": ([spec.scores.label_source], Choice.LABELS in analysis.choices),
        "threshold": ([str(spec.scores.threshold)], Choice.THRESHOLD in analysis.choices),
        "queries": ([spec.scores.query_set], Choice.QUERIES in analysis.choices),
        "measure": ([" ".join(measures)], Choice.MEASURE in analysis.choices),
        "decide": ([spec.scores.method], Choice.METHOD in analysis.choices),
        "missing": ([spec.scores.missing], Choice.MISSING in analysis.choices),
        "run": ([str(run) for run in runs], Choice.RUNS in analysis.choices),
    }
    parameters = QueryDict(mutable=True)
    for name, (texts, is_choice) in values.items():
        if is_choice and any(texts):
            parameters.setlist(name, texts)
    parameters.update(spec.plan.texts)
    if Choice.MARK in analysis.choices:
        # also none: whoever opens the address may have a team that would be marked otherwise
        parameters["mark"] = spec.mark
    return parameters


def caption_of(analysis: Analysis, choices: SharedChoices, answer: AnalysisAnswer) -> str:
    """The subject of a result: queries, labels, threshold, query set, runs, collection, moment.

    With the direction where the collection has both, and the result is of one.
    """
    spec = analysis.spec(choices).scores
    has_direction = len(choices.directions) > 1 and not (
        analysis.of_both_directions or analysis.of_pairs
    )
    direction = f", {choices.direction.label.lower()}" if has_direction else ""
    moment = date_format(localtime(answer.computed_at), "j F Y H:i:s")
    extent = answer.result.extent if answer.result else ""
    sentences = [
        f"Of {extent}" if extent else "",
        f"Query set “{spec.query_set}”{direction}" if Choice.QUERIES in analysis.choices else "",
        _labels_text(analysis, choices),
        _measures_text(analysis, choices),
        f"Test: {METHOD_NAMES[spec.method]}" if spec.method else "",
        _runs_text(analysis, choices, answer.result.run_names if answer.result else []),
        _plan_text(analysis.spec(choices).plan),
        f"Marked: team {mark}" if (mark := analysis.spec(choices).mark) else "",
        f"“{choices.collection.name}” as of {moment} UTC",
    ]
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def summary_of(choices: SharedChoices, names: Container[str]) -> str:
    """The choices of a page in a line, but its runs: those whose names are among these."""
    spec = choices.scores.spec
    texts = [
        choices.direction.label if len(choices.directions) > 1 else "",
        LabelSource.parse(spec.label_source).label if Choice.LABELS in names else "",
        f"positive from grade {spec.threshold}" if Choice.THRESHOLD in names else "",
        f"query set “{spec.query_set}”" if Choice.QUERIES in names and spec.query_set else "",
        choices.measure_text if Choice.MEASURE in names else "",
    ]
    return " · ".join(text for text in texts if text)


def contents_summary(choices: SharedChoices, parameters: Container[str]) -> str:
    """All choices that links to the chapters keep, in a line; parameters : those of an address."""
    spec = choices.scores.spec
    texts = [
        f"Runs ({len(choices.runs):,} of {len(choices.available_runs):,})",
        summary_of(choices, frozenset(Choice)),
        METHOD_NAMES[spec.method] if "decide" in parameters else "",
        dict(choices.scores.missing_choices)[spec.missing] if "missing" in parameters else "",
        _plan_text(choices.plan),
        f"Marked: team {choices.mark}" if choices.mark else "",
    ]
    return " · ".join(filter(None, texts))


def other_direction_sentence(choices: SharedChoices) -> str:
    """Tell of the runs of the other direction that an address names; "" without one."""
    away = [run for run in choices.named_runs if run.direction != choices.direction]
    if not away:
        return ""
    n, n_named = len(away), len(choices.named_runs)
    direction = f"of the other direction, {Direction(away[0].direction).label.lower()}"
    verb = "is" if n == 1 else "are"
    if n < n_named:
        pronoun = "it" if n == 1 else "them"
        return (
            f"{n:,} of the {n_named:,} chosen runs {verb} {direction}: figures of one direction "
            f"are without {pronoun}."
        )
    is_whole = len(choices.hand_picks) == len(choices.available_runs)
    shown_runs = "all runs of this direction" if is_whole else "those of the same systems"
    return f"The chosen run{'s' * (n > 1)} {verb} {direction}: instead, {shown_runs} are shown."


def _plan_text(plan: PlanNumbers) -> str:
    """The numbers that somebody typed; "" without one."""
    texts = [f"{name} {text}" for name, text in plan.texts.items()]
    return f"Typed: {', '.join(texts)}" if texts else ""


def _labels_text(analysis: Analysis, choices: SharedChoices) -> str:
    spec = analysis.spec(choices).scores
    source = LabelSource.parse(spec.label_source)
    texts = []
    if analysis.of_people:
        texts.append("People's labels" + f" and {source.sets_text}" * bool(source.sets))
    elif Choice.LABELS in analysis.choices:
        texts.append(f"Labels: {source.label}")
    if Choice.THRESHOLD in analysis.choices:
        threshold = f"positive from grade {spec.threshold}"
        texts.append(threshold if texts else threshold.capitalize())
    return "; ".join(texts)


def _measures_text(analysis: Analysis, choices: SharedChoices) -> str:
    measures = analysis.spec(choices).scores.measures
    if not measures:
        return ""
    if len(measures) < len(choices.measures):
        return f"Measure {', '.join(measures)}, the first of {len(choices.measures)} chosen"
    return f"Measure{'s' * (len(measures) > 1)} {', '.join(measures)}"


def _runs_text(analysis: Analysis, choices: SharedChoices, run_names: Sequence[str]) -> str:
    """The runs of a result; run_names : where it has others than those chosen, else empty."""
    if Choice.RUNS not in analysis.choices or not choices.runs:
        return ""
    names = list(run_names) or [name_of(run) for run in choices.runs[: analysis.n_runs]]
    if len(names) < len(choices.runs) and not run_names:
        return f"Runs: {', '.join(names)}, the first of {len(choices.runs):,} by name"
    if len(names) > MAX_NAMED:
        n_more = len(names) - MAX_NAMED
        return f"{counted(len(names), 'run')}: {', '.join(names[:MAX_NAMED])} and {n_more:,} more"
    return f"Runs: {', '.join(names)}" if len(names) > 1 else f"Run: {names[0]}"
