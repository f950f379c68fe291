"""Folders of data sets as others write them, and what the readers make of them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from annotate.core.files.formats import Problems
from assayer.datasets.data_sets import DataSet
from assayer.datasets.selections import Selection
from assayer.datasets.survey import Survey, survey

CORPUS = (
    {"_id": "d1", "title": "Stars", "text": "Two red stars"},
    {"_id": "d2", "title": "", "text": "Ein grünes Dreieck"},
    {"_id": "d,3", "text": ""},
)
QUERIES = (
    {"_id": "q1", "text": "stars"},
    {"_id": "q2", "text": "a triangle"},
    {"_id": "q3", "text": "nothing"},
)
HEADER = "query-id\tcorpus-id\tscore"
LABELS: Mapping[str, tuple[str, ...]] = {
    "test": ("q1\td1\t2", "q1\td,3\t0"),
    "train": ("q2\td2\t1", "q1\td2\t1"),
}


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    """A file with a line each; returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def json_lines(rows: Iterable[Mapping[str, object]]) -> list[str]:
    """Rows as lines of JSON."""
    return [json.dumps(row, ensure_ascii=False) for row in rows]


def write_beir(
    folder: Path,
    *,
    corpus: Iterable[Mapping[str, object]] = CORPUS,
    queries: Iterable[Mapping[str, object]] = QUERIES,
    labels: Mapping[str, Iterable[str]] = LABELS,
) -> Path:
    """A BEIR folder; returns it."""
    write_lines(folder / "corpus.jsonl", json_lines(corpus))
    write_lines(folder / "queries.jsonl", json_lines(queries))
    for split, rows in labels.items():
        write_lines(folder / "qrels" / f"{split}.tsv", [HEADER, *rows])
    return folder


def texts(dataset: DataSet, side: str) -> dict[object, list[object]]:
    """The texts of the items of a side by their ids."""
    problems = Problems()
    rows = {
        item.record["id"]: [part.get("text", part.get("path")) for part in item.record["parts"]]
        for item in dataset.items(side, problems)
    }
    assert not problems
    return rows


def label_rows(dataset: DataSet, split: str) -> list[tuple[str, str, int]]:
    """The labels of a split."""
    problems = Problems()
    rows = [(row.query, row.document, row.grade) for row in dataset.labels(split, problems)]
    assert not problems
    return rows


def figures_of(dataset: DataSet, split: str = "", *, skip_unknown: bool = False) -> Survey:
    """The survey of a data set."""
    return survey(Selection(dataset, split), skip_unknown=skip_unknown)


def faults(figures: Survey) -> list[str]:
    """The faults of a survey with their files."""
    return [f"{error.file}: {error}" for error in figures.problems.errors]
