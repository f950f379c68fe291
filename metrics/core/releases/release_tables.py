"""The Parquet tables of a release, for programs that load them: columns, types and meanings.

The types are those of Croissant 1.1 (https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from annotate.core.files.judgments.judgment_exports import SCHEMA
from metrics.core.releases import tables
from metrics.core.releases.manifest import FileEntry

TEXT, INTEGER, FLOAT = "sc:Text", "sc:Integer", "sc:Float"
BOOLEAN, MOMENT = "sc:Boolean", "sc:DateTime"


class TableColumn(NamedTuple):
    """A column; about: its content in a sentence, with what an empty cell says."""

    name: str
    data_type: str
    about: str
    is_list: bool = False


class ReleaseTable(NamedTuple):
    """A table: its name among those of the release, its file, what a row is, its columns."""

    name: str
    path: str
    about: str
    columns: tuple[TableColumn, ...]


ABOUT = {
    "best": "The mean as if every unjudged target were positive; empty where it is not bounded.",
    "best_rank": "Smallest rank that a pooled run gives the pair; empty: none, or not shown.",
    "direction": "Which side is searched with: forward is from queries to documents.",
    "document": "Id of the document.",
    "grade": "Grade of the pair under the label source.",
    "group": "Group of the query: intervals and tests resample groups.",
    "high": "Upper end of the 95 % interval; empty where undefined.",
    "inclusion_probability": "Chance with which the pair was drawn; empty: not shown.",
    "is_propagated": "Whether the grade is that of the pair's originals.",
    "label_source": "Key of the label source, as in manifest.json.",
    "low": "Lower end of the 95 % interval; empty where undefined.",
    "mean": "Mean over the queries; empty where it is undefined.",
    "measure": "Name of the measure.",
    "n_missing": "Queries that the run does not answer.",
    "n_queries": "Queries of the mean.",
    "n_with_positive": "Queries with a positive target.",
    "pool": "Name of the pool.",
    "query": "Id of the query; a source item's in scores of reverse runs.",
    "query_set": "Name of the query set.",
    "run": "Alias of the run, as in manifest.json.",
    "stratum": "Stratum of the draw; empty: not shown.",
    "threshold": "The smallest grade that counts as positive.",
    "value": "Value of the measure; empty where it is undefined.",
    "weight": "Weight of the query in means and intervals: 1, but where a pool drew queries.",
}
ABOUT_JUDGMENTS = {
    "query": "Id of the query.",
    "document": "Id of the document.",
    "annotator": "Pseudonym of the annotator.",
    "origin": "What the annotator is: person, import, simulated or model.",
    "grade": "Grade of the scheme.",
    "level": "Name of the grade.",
    "reasons": "Reasons that the annotator chose, in that order; an empty list if there are none.",
    "shown_at": "When the pair was shown; empty where it is unknown.",
    "at": "When the answer came; empty where it is unknown.",
    "active_ms": "Time the annotator was active on the pair, in milliseconds; empty: unknown.",
    "played_ms": "How much of the clips was played, in milliseconds; empty where it is unknown.",
    "n_replays": "How often a clip was begun anew; empty where it is unknown.",
    "n_changes": "How often the grade changed before it was sent; empty where it is unknown.",
    "guidelines": "Version of the guidelines that the annotator read; empty where it is unknown.",
    "grouped": "Whether the batch showed one query's pairs together; empty where it is unknown.",
    "purpose": "Why the judgment was asked for: label, gold, training, repeat, adjudication...",
    "why": "Which judgment of the pair it is: first, double, disagreement, top-up.",
    "round": "Name of the round.",
    "status": "Whether the judgment counts, or why not: superseded, undone, withdrawn, surplus.",
}


def croissant_type(kind: pa.DataType) -> str:
    """The Croissant type of values of an Arrow type, of a list's values for lists.

    Raises TypeError for a type that no table of a release has.
    """
    if pa.types.is_dictionary(kind) or pa.types.is_list(kind):
        return croissant_type(kind.value_type)
    types = (
        (pa.types.is_string, TEXT),
        (pa.types.is_integer, INTEGER),
        (pa.types.is_floating, FLOAT),
        (pa.types.is_boolean, BOOLEAN),
        (pa.types.is_timestamp, MOMENT),
    )
    for is_of_type, data_type in types:
        if is_of_type(kind):
            return data_type
    raise TypeError(f"no Croissant type for {kind}")


def _columns(schema: pa.Schema, about: Mapping[str, str]) -> tuple[TableColumn, ...]:
    return tuple(
        TableColumn(
            field.name,
            croissant_type(field.type),
            about[field.name],
            pa.types.is_list(field.type),
        )
        for field in schema
    )


TABLES = (
    ReleaseTable(
        "qrels",
        "qrels/qrels.parquet",
        "A row is the grade of a pair in a query set under a label source.",
        _columns(tables.QRELS, ABOUT),
    ),
    ReleaseTable(
        "judgments",
        "judgments/judgments.parquet",
        "A row is one answer of one annotator about a pair, whether it counts or not.",
        _columns(SCHEMA, ABOUT_JUDGMENTS),
    ),
    ReleaseTable(
        "scores",
        "scores/scores.parquet",
        "A row is a run's mean of a measure over a query set under a label source.",
        _columns(tables.SCORES, ABOUT),
    ),
    ReleaseTable(
        "per-query",
        "scores/per-query.parquet",
        "A row is a run's value of a measure for one query under a label source.",
        _columns(tables.QUERY_SCORES, ABOUT),
    ),
    ReleaseTable(
        "pool-pairs",
        "pools/pairs.parquet",
        "A row is a pair of a pool, as it was when the pool was opened.",
        _columns(tables.POOL_PAIRS, ABOUT),
    ),
)


def released_tables(files: Sequence[FileEntry]) -> list[ReleaseTable]:
    """Return the tables that are among the files of a release."""
    paths = {file.path for file in files}
    return [table for table in TABLES if table.path in paths]


def filled_tables(files: Sequence[FileEntry]) -> list[ReleaseTable]:
    """Return the tables that have rows, since the package `datasets` loads none without."""
    paths = {file.path for file in files if file.n_rows}
    return [table for table in TABLES if table.path in paths]
