"""Scores of runs topic by topic, without topics or runs that miss; those of a file."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.phrases import count_of, counted, first_few
from metrics.charts.analyses.nouns import Nouns
from metrics.core.comparisons.missing_queries import MISSING_QUERIES, MISSING_RUNS, MISSING_ZERO
from metrics.core.files.score_headings import measures_among, names_measures
from metrics.core.files.scores import SMALLEST, ScoreTable
from metrics.core.measures.measures import Measure
from metrics.core.statistics.groups import Groups
from metrics.score_files.requests import FileRequest, NotDefined


class TopicScores(NamedTuple):
    """Scores of S runs on T topics, none missing; two runs and two topics at least.

    values : (T, S) as the measure has them; topics : (T,) as people name them; groups : of the T
    runs, teams : (S,) names, "" for no team; keys : (S,) of the runs, none in a file
    measure : its name, "" in a file; smaller_is_better : of it
    topic_noun : in the plural; extent : in words; notes : on what is left out or counts 0
    """

    values: NDArray[np.float64]
    topics: list[str]
    groups: Groups
    runs: list[str]
    teams: list[str]
    keys: list[int]
    measure: str
    smaller_is_better: bool
    topic_noun: str
    extent: str
    notes: list[str]

    @property
    def nouns(self) -> Nouns:
        """The nouns of the topics, runs and topics in words, and the notes."""
        runs_text = counted(len(self.runs), "run")
        return Nouns(self.topic_noun, f"{runs_text} and {self.extent}", self.notes)

    @property
    def unit(self) -> str:
        """The plural noun for what is taken for independent: topics, or groups of them."""
        return self.topic_noun if self.groups.are_single else f"groups of {self.topic_noun}"

    @property
    def larger_better(self) -> NDArray[np.float64]:
        """(T, S) scores, turned round where smaller is better."""
        return -self.values if self.smaller_is_better else self.values


def topic_scores_of_file(request: FileRequest, *, least: int = 2) -> TopicScores:
    """The scores of a file with a row a topic and a column a run; NotDefined for too few.

    Also where headings say that rows are runs or measures, or that columns are measures.
    Every column is a run, and larger is better.
    """
    table: ScoreTable = request.table
    refuse_averages(table)
    if len(table.runs) < least or len(table.queries) < 2:
        raise NotDefined(
            f"It takes two topics and {counted(least, 'run')}: a row for each topic, which its "
            "first column names, and a column for each run."
        )
    keys = table.groups or [""] * len(table.queries)
    scores = TopicScores(
        values=table.values,
        topics=table.queries,
        groups=Groups.of([key or f"\0{row}" for row, key in enumerate(keys)]),
        runs=table.runs,
        teams=[""] * len(table.runs),
        keys=[],
        measure="",
        smaller_is_better=False,
        topic_noun="topics",
        extent="",
        notes=["Every column is taken for a run, and as better when larger.", *_warnings(table)],
    )
    is_missing = np.isnan(table.values)
    return complete(scores, is_missing, treatment=request.treatment, measure=None, least=least)


def refuse_averages(table: ScoreTable) -> None:
    """Raise NotDefined where headings say that rows are no topics, or that columns are no runs.

    A single column may have the name of a measure: it is of one run.
    """
    form = "this takes a row for each topic, which its first column names, and a column for each"
    averages = "take measure-correlations"
    if table.has_runs:
        raise NotDefined(
            f"The file has rows of “{table.row_head}”, which are runs, and {form} run. If its "
            f"columns are topics, turn the table round; if they are measures, {averages}."
        )
    if names_measures(table.row_head):
        raise NotDefined(
            f"The file has rows of “{table.row_head}”, and {form} run: turn the table round, and "
            f"{averages}."
        )
    if len(table.runs) > 1 and len(measures_among(table.runs)) == len(table.runs):
        raise NotDefined(
            f"The columns of the file have the names of measures ({first_few(table.runs)}), and "
            f"{form} run, all by one measure. If it is of averages of runs, {averages}; if they "
            "are runs, call them otherwise."
        )


def _warnings(table: ScoreTable) -> list[str]:
    """A sentence where some columns have the names of measures: averages have other analyses."""
    if not (names := measures_among(table.runs)):
        return []
    words = "runs, though they have the names of measures"
    if len(names) == 1:
        words = "a run, though it has the name of a measure"
    advice = ""
    if len(table.runs) > 1:
        advice = " If columns are measures, this is of no use: take measure-correlations."
    return [f"Taken for {words}: {first_few(names)}.{advice}"]


def complete(
    scores: TopicScores,
    is_missing: NDArray[np.bool_],
    *,
    treatment: str,
    measure: Measure | None,
    least: int,
) -> TopicScores:
    """Leave out what misses, or count it 0; raises NotDefined where too little is left.

    is_missing : (T, S)
    """
    n_missing, noun = is_missing.sum(axis=0), scores.topic_noun
    topics, runs = np.ones(len(scores.topics), dtype=bool), np.ones(len(scores.runs), dtype=bool)
    if treatment == MISSING_RUNS:
        runs = np.asarray(n_missing == 0)
    elif treatment == MISSING_QUERIES:
        topics = np.asarray(~is_missing.any(axis=1))
    notes = [*scores.notes, *_gap_notes(scores, is_missing, treatment)]
    values = scores.values[np.ix_(topics, runs)]
    if len(values) < 2 or values.shape[1] < least:
        has_all = topics.all() and runs.all()
        remedy = "choose others" if has_all else f"choose how to treat {noun} that a run misses"
        raise NotDefined(
            f"It takes {counted(least, 'run')} and two {noun}{'' if has_all else ' without gaps'}; "
            f"{'there' if has_all else 'left'} are {counted(values.shape[1], 'run')} and "
            f"{values.shape[0]:,} of the {noun}: {remedy}."
        )
    if measure is None:
        values = np.where(np.isnan(values), 0, values)
    # squares and quotients of tinier ones, such as RBP's far down, are no numbers
    values = np.where(np.abs(values) < SMALLEST, 0, values)
    if not np.isfinite(values).all():
        name = measure.name if measure else "A score"
        raise NotDefined(f"{name} has no finite value for some of the {noun}: choose another one.")
    groups = scores.groups.within(topics)
    if groups.n < 2:
        raise NotDefined(f"All {noun} are of one group: how others would differ is not known.")
    of_groups = "" if scores.groups.are_single else f" of {scores.groups.n:,} groups"
    extent = scores.extent or f"{len(topics):,} {noun}{of_groups}"
    return scores._replace(
        values=values,
        topics=[name for name, stays in zip(scores.topics, topics.tolist(), strict=True) if stays],
        groups=groups,
        runs=[name for name, stays in zip(scores.runs, runs.tolist(), strict=True) if stays],
        teams=[team for team, stays in zip(scores.teams, runs.tolist(), strict=True) if stays],
        keys=[key for key, stays in zip(scores.keys, runs.tolist(), strict=False) if stays],
        extent=extent if topics.all() else f"{len(values):,} of {extent}",
        notes=notes,
    )


def _gap_notes(scores: TopicScores, is_missing: NDArray[np.bool_], treatment: str) -> list[str]:
    """Sentences on the runs that miss topics, and on those topics; empty where none does."""
    noun = scores.topic_noun
    n_missing = is_missing.sum(axis=0).tolist()
    runs = [f"{name} ({n:,})" for name, n in zip(scores.runs, n_missing, strict=True) if n]
    if not runs:
        return []
    topics = [scores.topics[row] for row in np.flatnonzero(is_missing.any(axis=1)).tolist()]
    verb = "is" if len(topics) == 1 else "are"
    outcome = {
        MISSING_ZERO: "which count 0",
        MISSING_RUNS: "and are left out",
        MISSING_QUERIES: f"so that {count_of(len(topics), noun)} {verb} left out",
    }[treatment]
    return [
        f"Runs that miss {noun}, {outcome}: {first_few(runs)}.",
        f"{noun.capitalize()} that a run misses ({len(topics):,}): {first_few(topics)}.",
    ]
