"""The runs of a release: their files, their scores, and the scores of each query."""

from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count
from numpy.typing import NDArray

from annotate.models import Collection, QuerySet
from metrics.core.labels.label_sources import LabelSource, kept_sources, usual_source
from metrics.core.releases import tables
from metrics.core.releases.autojudge import MeanValue, QueryValue, leaderboard_lines
from metrics.core.releases.file_names import file_stems
from metrics.core.releases.manifest import RunEntry, ScoreEntry
from metrics.core.releases.tables import words
from metrics.http import source_in_name
from metrics.services.downloads.items import ExternalIds
from metrics.services.downloads.lines import pieces_of
from metrics.services.releases.aliases import RunAlias
from metrics.services.releases.writer import ReleaseWriter
from metrics.services.scores import labels
from metrics.services.scores.measuring import N_POSITIVE, Board
from metrics.services.scores.query_groups import names_of
from metrics.services.scores.scoring import board_of, fresh_scores
from pooling.models import Ranking, Run
from pooling.services.runs.scored_runs import ScoringScope, TooLong, trec_lines

ROWS_PER_BLOCK = 500_000
SCORE_COLUMNS = tuple(tables.SCORES.names)


class QuerySetScores(NamedTuple):
    """The scores of a query set's runs.

    stem : the name that files of the query set begin with
    entries : (S,) means; values : of the Q queries for each of them
    queries, groups : (Q,) ids of the queries, names of their groups
    weight : (Q,) how many queries each stands for, 1 on the average
    """

    stem: str
    entries: list[ScoreEntry]
    values: list[NDArray[np.float64]]
    queries: list[str]
    groups: list[str]
    weight: NDArray[np.float64]


def write_runs(
    writer: ReleaseWriter, *, aliases: list[RunAlias], query_sets: dict[str, QuerySet]
) -> list[RunEntry]:
    """Write the files of runs that may be published; all runs have their entry.

    query_sets : by the names that files of theirs begin with
    """
    stems = file_stems([alias.alias for alias in aliases])
    rankings = Ranking.objects.filter(run__in=[alias.run.pk for alias in aliases])
    n_queries = dict(
        rankings.exclude(targets=[]).values_list("run").annotate(Count("pk")).order_by("run")
    )
    return [
        _write_run(writer, alias, stem, query_sets, n_queries.get(alias.run.pk, 0))
        for alias, stem in zip(aliases, stems, strict=True)
    ]


def _write_run(
    writer: ReleaseWriter,
    alias: RunAlias,
    stem: str,
    query_sets: dict[str, QuerySet],
    n_queries: int,
) -> RunEntry:
    run = alias.run
    paths: dict[str, str] = {}
    if not alias.is_named:
        no_file = "Nobody who may has said that it may be published."
    elif run.retired_at is not None or run.on_hold_since is not None:
        no_file = "It is not in use."
    else:
        paths, no_file = _write_run_files(writer, run, stem, query_sets)
    return RunEntry(
        alias=alias.alias,
        direction=run.direction,
        is_named=alias.is_named,
        file=paths.pop("", ""),
        no_file=no_file,
        gallery_files=paths,
        system=run.system if alias.is_named else "",
        team=run.team if alias.is_named else "",
        paper=run.paper if alias.is_named else "",
        description=run.description if alias.is_named else "",
        n_queries=n_queries,
        n_missing=run.n_missing,
        unknown_share=run.unknown_share,
        score_type=run.score_type,
    )


def _write_run_files(
    writer: ReleaseWriter, run: Run, stem: str, query_sets: dict[str, QuerySet]
) -> tuple[dict[str, str], str]:
    """Paths by query set, "" for the file without a gallery, and why there is none."""
    paths: dict[str, str] = {}
    for name, scope in _run_scopes(run, query_sets).items():
        path = f"runs/{stem}{name and '.' + name}.run.gz"
        pieces = trec_lines(run=run, scope=scope)
        try:
            first = next(pieces, "")  # before the file is begun
        except TooLong as error:
            return paths, str(error)
        except FileNotFoundError:
            return paths, "Its file is no longer in the store."
        about = f"Run {run} as it was scored{name and ' on query set ' + name}, as a TREC run."
        writer.add_lines(path, about, chain([first], pieces))
        paths[name] = path
    return paths, "" if paths else "No query set has its direction."


def _run_scopes(run: Run, query_sets: dict[str, QuerySet]) -> dict[str, ScoringScope]:
    """The scopes of the files of a run: one for query sets without a gallery, then the others."""
    scopes: dict[str, ScoringScope] = {}
    for stem, query_set in query_sets.items():
        if query_set.direction == run.direction:
            scope = labels.scope_of(query_set=query_set)
            name = "" if scope.gallery is None else stem
            sources = scope.sources
            if name in scopes:
                sources = np.union1d(sources, scopes[name].sources)
            scopes[name] = ScoringScope(sources, scope.gallery, scope.excluded_items)
    return dict(sorted(scopes.items()))


def write_scores(
    writer: ReleaseWriter,
    *,
    collection: Collection,
    aliases: list[RunAlias],
    query_sets: dict[str, QuerySet],
) -> list[ScoreEntry]:
    """Measure the runs that are in use, and write their means and the value of each query."""
    entries: list[ScoreEntry] = []
    measured_sets = _measured(collection, aliases, query_sets)
    source = usual_source(labels.set_names(collection=collection))
    writer.add_waiting_table(
        "scores/per-query.parquet",
        "The values that the means are of, query by query.",
        tables.QUERY_SCORES,
        _written_scores(writer, measured_sets, source, entries),
    )
    columns = {name: [getattr(entry, name) for entry in entries] for name in SCORE_COLUMNS}
    writer.add_table(
        "scores/scores.parquet",
        "The mean of each run, query set, label source and measure, with its 95 % interval.",
        tables.SCORES,
        [columns] if entries else [],
    )
    writer.add_lines(
        "scores/scores.tsv", "The same means as text.", _score_lines(entries), n_header=1
    )
    return entries


def _written_scores(
    writer: ReleaseWriter,
    measured_sets: Iterator[QuerySetScores],
    source: LabelSource,
    entries: list[ScoreEntry],
) -> Iterator[dict[str, Any]]:
    """Write the leaderboard of each query set, and yield its values as blocks of their table.

    entries : those of all query sets are added to it
    """
    for scores in measured_sets:
        writer.add_lines(
            f"scores/auto-judge/{scores.stem}.{source_in_name(source)}.txt.gz",
            f"The values of {scores.stem}, {source.label}, as a TREC Auto-Judge leaderboard.",
            _auto_judge_lines(scores, source.key),
        )
        entries += scores.entries
        yield from _query_blocks(scores)


def _auto_judge_lines(scores: QuerySetScores, source: str) -> Iterator[str]:
    rows = [
        (entry, values)
        for entry, values in zip(scores.entries, scores.values, strict=True)
        if entry.label_source == source
    ]
    lines = leaderboard_lines(
        (
            QueryValue(entry.run, entry.measure, query, value)
            for entry, values in rows
            for query, value in zip(scores.queries, values.tolist(), strict=True)
        ),
        (MeanValue(entry.run, entry.measure, entry.mean) for entry, _ in rows),
    )
    return pieces_of(lines)


def _measured(
    collection: Collection, aliases: list[RunAlias], query_sets: dict[str, QuerySet]
) -> Iterator[QuerySetScores]:
    """The scores of the runs in use by the labels of this moment, of each query set with runs."""
    names = {alias.run.pk: alias.alias for alias in aliases}
    sources = kept_sources(labels.set_names(collection=collection))
    external_ids = ExternalIds(collection)
    for stem, query_set in query_sets.items():
        runs = [
            alias.run
            for alias in aliases
            if alias.run.direction == query_set.direction
            and alias.run.retired_at is None
            and alias.run.on_hold_since is None
        ]
        if runs:
            board = board_of(collection=collection, query_set=query_set, sources=sources)
            yield _query_set_scores(stem, board, runs, names, external_ids)


def _query_set_scores(
    stem: str, board: Board, runs: list[Run], names: dict[int, str], external_ids: ExternalIds
) -> QuerySetScores:
    entries, values = [], []
    for score in fresh_scores(board=board, runs=runs):
        if score.measure != N_POSITIVE:
            facts = {name: getattr(score, name) for name in SCORE_COLUMNS[3:]}
            entries.append(
                ScoreEntry(
                    run=names[score.run_id],
                    direction=str(board.scope.direction),
                    query_set=board.query_set.name,
                    **facts,
                )
            )
            values.append(np.frombuffer(score.per_query, dtype="<f8"))
    groups = names_of(
        collection=board.collection,
        direction=board.scope.direction,
        sources=board.scope.sources,
    )
    queries, weight = external_ids.of(board.scope.sources), board.groups.weight
    if weight is None:
        weight = np.ones(len(queries))
    return QuerySetScores(stem, entries, values, queries, groups, weight)


def _query_blocks(scores: QuerySetScores) -> Iterator[dict[str, Any]]:
    n = len(scores.queries)
    step = max(1, ROWS_PER_BLOCK // max(n, 1))
    for start in range(0, len(scores.entries), step):
        entries = scores.entries[start : start + step]
        rows = np.arange(len(entries)).repeat(n)
        heads = {
            name: words(rows, [str(getattr(entry, name)) for entry in entries])
            for name in SCORE_COLUMNS[:5]
        }
        queries = np.tile(np.arange(n), len(entries))
        yield {
            **heads,
            "threshold": np.array([entry.threshold for entry in entries])[rows],
            "query": words(queries, scores.queries),
            "value": np.concatenate(scores.values[start : start + step]),
            "group": words(queries, scores.groups),
            "weight": np.tile(scores.weight, len(entries)),
        }


def _score_lines(entries: list[ScoreEntry]) -> Iterator[str]:
    yield "\t".join(SCORE_COLUMNS) + "\n"
    for entry in entries:
        cells = (getattr(entry, name) for name in SCORE_COLUMNS)
        yield (
            "\t".join("" if cell is None else " ".join(str(cell).split()) for cell in cells) + "\n"
        )
