"""The committed study as arrays, read by the product's own readers."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from annotate.core.files.archives.sources import FileSource
from annotate.core.files.formats import Problems
from annotate.core.files.items.item_formats import read_items
from annotate.core.files.items.item_rows import ItemRow
from metrics.core.measures.alignment import LabelledPairs, RankedGrades, Rankings, align
from pooling.core.files.text.runs import canonical_order, read_qrels, read_run

SHAPES = Path(__file__).resolve().parents[2] / "demo" / "shapes"
SYSTEMS = ("heron", "otter", "finch")


class Tables(NamedTuple):
    """Ids of captions and items; (captions, items) arrays of true grades and reference pairs."""

    captions: list[str]
    items: list[str]
    truth: np.ndarray
    reference: np.ndarray


def collection() -> list[ItemRow]:
    """Captions and items; the file has no fault."""
    problems = Problems()
    with (SHAPES / "collection.jsonl").open("rb") as stream:
        rows = list(read_items(FileSource(stream, "collection.jsonl"), problems))
    assert problems.lines() == []
    return rows


@cache
def tables() -> Tables:
    """The collection's ids with truth and reference."""
    rows = collection()
    captions = sorted(row.id for row in rows if row.side == "query")
    items = sorted(row.id for row in rows if row.side == "document")
    truth, reference = (
        _grades(name, captions, items) for name in ("truth.qrels", "reference.qrels")
    )
    return Tables(captions, items, truth, reference > 0)


def _grades(name: str, captions: list[str], items: list[str]) -> np.ndarray:
    with (SHAPES / name).open("rb") as stream:
        qrels = read_qrels(stream, name=name)
    grades = np.zeros((len(captions), len(items)), dtype=int)
    rows = np.searchsorted(captions, qrels.queries.astype(str))[qrels.query]
    grades[rows, np.searchsorted(items, qrels.docs.astype(str))] = qrels.grades
    return grades


@cache
def run(system: str, direction: str = "forward") -> np.ndarray:
    """(topics, depth) indices of a system's ranked targets in canonical order, best first."""
    study = tables()
    topics, targets = (
        (study.captions, study.items) if direction == "forward" else (study.items, study.captions)
    )
    name = f"{system}.{direction}.run.gz"
    with (SHAPES / "runs" / name).open("rb") as stream:
        rankings = read_run(stream, name=name)
    ordered = canonical_order(rankings)
    assert (ordered.n_tied, ordered.n_misranked) == (0, 0)
    assert rankings.queries.astype(str).tolist() == topics
    return np.searchsorted(targets, rankings.docs[ordered.order].astype(str)).reshape(
        len(topics), -1
    )


def ranked(ranking: np.ndarray, grades: np.ndarray) -> RankedGrades:
    """A run beside the labels of a (topics, targets) array."""
    topics, depth = ranking.shape
    query, doc = np.indices(grades.shape).reshape(2, -1)
    indptr = np.arange(topics + 1) * depth
    return align(
        Rankings(indptr, ranking.ravel().astype(np.int64)),
        LabelledPairs(query, doc, grades.ravel()),
    )
