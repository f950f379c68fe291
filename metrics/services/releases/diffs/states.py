"""The two sides of a diff: a collection as a release holds it, and as it is now."""

import io
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial, reduce
from hashlib import sha256
from itertools import islice
from operator import and_
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import parquet

from annotate.models import Change, Collection, Direction, JudgmentOutcome, QuerySet, Seat
from metrics.core.files.stretches import FileStretch
from metrics.core.labels.label_sources import LabelSource
from metrics.core.releases.diffs.label_changes import PAIR, PERSON_AND_PAIR
from metrics.core.releases.diffs.score_changes import BoardKey, BoardScoreKey, Scores
from metrics.core.releases.manifest import ScoreEntry
from metrics.core.statistics.groups import Groups
from metrics.http import QrelsRequest
from metrics.models import Release, ReleaseFile, ReleaseRun, Score
from metrics.services.downloads.grades import counting_labels, grades_of
from metrics.services.downloads.items import ExternalIds
from metrics.services.releases.aliases import run_aliases
from metrics.services.releases.manifest.label_facts import agreement_entry
from metrics.services.releases.manifest.numbers import count_numbers
from metrics.services.releases.query_sets import query_set_lines
from metrics.services.scores import labels
from metrics.services.scores.measuring import N_POSITIVE, NAMES
from metrics.services.scores.query_groups import groups_of

GRADE = "grade"
BOARD_COLUMNS = ["direction", "query_set", "measure"]
SCORE_COLUMNS = (
    "threshold",
    "mean",
    "low",
    "high",
    "best",
    "n_queries",
    "n_missing",
    "n_with_positive",
)
LABELS_PER_BLOCK = 50_000
Condition: TypeAlias = pc.Expression


class ArchiveMissing(Exception):
    """The archive of a release is not in the store, as the message says."""


class BoardValues(NamedTuple):
    """The values of runs on the Q queries of a board.

    values : (Q,) of each run, by the run's key; groups : of the queries
    """

    values: dict[str, NDArray[np.float64]]
    groups: Groups


class State(NamedTuple):
    """One side of a diff, under a label source.

    grades : of pairs: query, document, grade
    labels : of annotators, those that count: query, document, annotator, grade
    agreement : the fields of `AgreementEntry`
    scores_wait : whether labels have come that the scores do not know yet
    query_sets : a checksum of the items of each, by direction and name
    run_names : what this side calls the runs, by their keys
    board_values : reads the values of some boards
    """

    grades: pa.Table
    labels: pa.Table
    agreement: dict[str, Any]
    scores: Scores
    scores_wait: bool
    query_sets: dict[tuple[str, str], str]
    run_names: dict[str, str]
    board_values: Callable[[Sequence[BoardKey]], dict[BoardKey, BoardValues]]


def released_state(*, release: Release, source: LabelSource) -> State:
    """The state that a release holds. Raises ArchiveMissing."""
    rows = ReleaseRun.objects.filter(release=release).values_list("alias", "run_key")
    # a key that nobody kept is that of no other release
    keys = {alias: str(key or f"{alias} of release {release.pk}") for alias, key in rows}
    entries = (ScoreEntry(**row) for row in release.manifest["scores"])
    files = ReleaseFile.objects.filter(release=release, path__startswith="query-sets/")
    checksums = dict(files.values_list("path", "sha256"))
    return State(
        grades=released_grades(release=release, source=source),
        labels=released_labels(release=release),
        agreement=release.manifest["agreement"],
        scores={
            BoardScoreKey(BoardKey(row.direction, row.query_set, row.measure), keys[row.run]): row
            for row in entries
            if row.label_source == source.key
        },
        scores_wait=False,
        query_sets={
            (row["direction"], row["name"]): checksums[row["file"]]
            for row in release.manifest["query_sets"]
        },
        run_names={key: alias for alias, key in keys.items()},
        board_values=partial(_released_values, release, source, keys),
    )


def released_grades(*, release: Release, source: LabelSource) -> pa.Table:
    """The grades of pairs in the qrels of a release: query, document, grade."""
    condition = pc.field("label_source") == source.key
    return _once(_read_rows(release, "qrels/qrels.parquet", [*PAIR, GRADE], condition))


def released_labels(*, release: Release) -> pa.Table:
    """The labels that count among the judgments of a release: a pair's, annotator and grade."""
    counts = pc.field("status") == JudgmentOutcome.Outcome.COUNTS.value
    is_label = pc.field("purpose").isin([str(purpose) for purpose in Seat.FOR_LABELS])
    columns = [*PERSON_AND_PAIR, GRADE]
    return _read_rows(release, "judgments/judgments.parquet", columns, counts & is_label)


def present_run_names(*, collection: Collection) -> dict[str, str]:
    """The names that a release made now would give its runs, by their keys."""
    return {str(alias.run.pk): alias.alias for alias in run_aliases(collection=collection)}


def present_state(*, collection: Collection, source: LabelSource) -> State:
    """The state at this moment: the grades and labels that count, and the scores as stored.

    Runs have the names that a release made now would give them.
    """
    aliases = present_run_names(collection=collection)
    return State(
        grades=present_grades(collection=collection, source=source),
        labels=present_labels(collection=collection),
        agreement=asdict(
            agreement_entry(
                numbers=count_numbers(collection=collection), marks=collection.alpha_marks
            )
        ),
        scores=_present_scores(collection, source, aliases),
        scores_wait=Change.objects.filter(collection=collection).exists(),
        query_sets=_present_query_sets(collection),
        run_names=aliases,
        board_values=partial(_present_values, collection, source),
    )


def _read_rows(release: Release, path: str, columns: list[str], condition: Condition) -> pa.Table:
    """The rows of a table of a release that meet a condition; these columns, words as text.

    Read by row groups, so that the others are never in memory together. Raises ArchiveMissing.
    """
    file = release.files.get(path=path)
    try:
        archive = release.open_archive()
    except (FileNotFoundError, ValueError) as error:  # it has none once it is withdrawn
        raise ArchiveMissing(
            f"The archive of release {release.version} is not in the store, so it cannot be "
            "compared: the operator of this site can put it back from a backup."
        ) from error
    with FileStretch(archive, file.offset, file.n_bytes) as stretch:
        source = io.BytesIO(stretch.read())
    table = parquet.ParquetFile(source)
    schema = table.schema_arrow
    texts = [name for name in schema.names if pa.types.is_string(schema.field(name).type)]
    table = parquet.ParquetFile(source, read_dictionary=texts)
    parts = [
        table.read_row_group(number).filter(condition).select(columns)
        for number in range(table.num_row_groups)
    ]
    rows = pa.concat_tables(parts) if parts else schema.empty_table().select(columns)
    return rows.cast(pa.schema([schema.field(name) for name in columns]))


def _once(grades: pa.Table) -> pa.Table:
    """Each pair once: query sets that share it give it one grade."""
    return grades.group_by([*PAIR, GRADE], use_threads=False).aggregate([])


def _present_query_sets(collection: Collection) -> dict[tuple[str, str], str]:
    external_ids, checksums = ExternalIds(collection), {}
    for query_set in QuerySet.objects.filter(collection=collection):
        text = "".join(query_set_lines(query_set=query_set, external_ids=external_ids))
        checksums[query_set.direction, query_set.name] = sha256(text.encode()).hexdigest()
    return checksums


def _present_scores(collection: Collection, source: LabelSource, aliases: dict[str, str]) -> Scores:
    """The stored scores in the order in which a release would have them."""
    rows = Score.objects.filter(
        query_set__collection=collection,
        label_source=source.key,
        measure__in=[name for name in NAMES if name != N_POSITIVE],
        run__in=[int(key) for key in aliases],
    ).values_list("run", "query_set__direction", "query_set__name", "measure", *SCORE_COLUMNS)
    scores = {
        BoardScoreKey(BoardKey(direction, query_set, measure), str(run)): ScoreEntry(
            aliases[str(run)], direction, query_set, source.key, measure, *numbers
        )
        for run, direction, query_set, measure, *numbers in rows
    }
    return {
        key: scores[key]
        for key in sorted(
            scores,
            key=lambda key: (
                key.board.direction != Direction.FORWARD,
                key.board.query_set.encode(),
                aliases[key.run].encode(),
                NAMES.index(key.board.measure),
            ),
        )
    }


def _released_values(
    release: Release, source: LabelSource, keys: dict[str, str], boards: Sequence[BoardKey]
) -> dict[BoardKey, BoardValues]:
    is_measure = pc.field("measure").isin(list({board.measure for board in boards}))
    columns = ["run", *BOARD_COLUMNS, "value", "weight", "group"]
    condition = is_measure & (pc.field("label_source") == source.key)
    rows = _read_rows(release, "scores/per-query.parquet", columns, condition)
    result = {}
    for board in boards:
        conditions = (
            pc.field(name) == value for name, value in zip(BOARD_COLUMNS, board, strict=True)
        )
        board_rows = rows.filter(reduce(and_, conditions))
        names = list(dict.fromkeys(board_rows["run"].to_pylist()))
        values = board_rows["value"].to_numpy(zero_copy_only=False).reshape(len(names), -1)
        first_rows = board_rows.slice(0, values.shape[1])
        weight = first_rows["weight"].to_numpy(zero_copy_only=False)
        groups = Groups.of(first_rows["group"].to_pylist(), weight=weight)
        run_values = {keys[name]: row for name, row in zip(names, values, strict=True)}
        result[board] = BoardValues(run_values, groups)
    return result


def _present_values(
    collection: Collection, source: LabelSource, boards: Iterable[BoardKey]
) -> dict[BoardKey, BoardValues]:
    result = {}
    for board in boards:
        query_set = QuerySet.objects.get(
            collection=collection, direction=board.direction, name=board.query_set
        )
        scores = Score.objects.filter(
            query_set=query_set, measure=board.measure, label_source=source.key
        )
        scope = labels.scope_of(query_set=query_set)
        groups = groups_of(collection=collection, direction=scope.direction, sources=scope.sources)
        rows = scores.values_list("run", "per_query")
        values = {str(run): np.frombuffer(row, dtype="<f8") for run, row in rows}
        result[board] = BoardValues(values, groups)
    return result


def present_grades(*, collection: Collection, source: LabelSource) -> pa.Table:
    """The grades of all query sets, as the qrels of a release would have them now."""
    external_ids = ExternalIds(collection)
    schema = pa.schema([*((name, pa.string()) for name in PAIR), (GRADE, pa.int32())])
    tables = [schema.empty_table()]
    for query_set in QuerySet.objects.filter(collection=collection).order_by("pk"):
        scope = labels.scope_of(query_set=query_set)
        request = QrelsRequest(scope.direction, source, query_set)
        grades = grades_of(collection=collection, qrels_request=request, scope=scope)
        ends = labels.ends(scope.direction)
        columns = {
            ends[0]: external_ids.of(grades.source),
            ends[1]: external_ids.of(grades.target),
            GRADE: grades.grade,
        }
        tables.append(pa.table({name: columns[name] for name in schema.names}, schema=schema))
    return _once(pa.concat_tables(tables))


def present_labels(*, collection: Collection) -> pa.Table:
    """The labels that count at this moment: a pair's, annotator and grade."""
    schema = pa.schema([*((name, pa.string()) for name in PERSON_AND_PAIR), (GRADE, pa.int32())])
    tables = [schema.empty_table()]
    # A COPY left open would hold the connection.
    with closing(counting_labels(collection=collection, direction=Direction.FORWARD)) as rows:
        while block := list(islice(rows, LABELS_PER_BLOCK)):
            columns = map(list, zip(*block, strict=True))
            tables.append(pa.table(dict(zip(schema.names, columns, strict=True)), schema=schema))
    return pa.concat_tables(tables)
