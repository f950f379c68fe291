"""The files that are sent are what the readers of a site take them for."""

import io

import pytest

from annotate.core.files.archives.sources import FileSource
from annotate.core.files.formats import Problems
from annotate.core.files.id_lists import read_ids
from annotate.core.files.items.item_formats import read_items
from annotate.core.files.references.reference_formats import read_reference
from annotate.core.files.text_files import lines
from assayer.datasets.beir import BeirFolder
from assayer.datasets.data_sets import DOCUMENT, QUERY
from assayer.datasets.import_files import id_file, item_files, label_file, packed
from assayer.datasets.selections import Selection
from tests.assayer.datasets.folders import QUERIES, write_beir


@pytest.fixture
def selection(tmp_path):
    return Selection(BeirFolder(write_beir(tmp_path)))


def stream(pieces):
    """The pieces of a file as an open file."""
    return io.BytesIO(b"".join(pieces))


def items_of(content):
    """Side, id, split and texts of each item that a site reads."""
    problems = Problems()
    rows = list(read_items(FileSource(content, "items.jsonl.gz"), problems))
    assert not problems
    return [(row.side, row.id, row.split, [part.text for part in row.parts]) for row in rows]


def test_items_arrive_with_ids_texts_and_splits(selection):
    (queries,) = [stream(pieces) for pieces in item_files(selection, QUERY)]
    (documents,) = [stream(pieces) for pieces in item_files(selection, DOCUMENT)]
    assert items_of(queries) == [
        ("query", "q1", "test", ["stars"]),
        ("query", "q2", "train", ["a triangle"]),
        ("query", "q3", "unused", ["nothing"]),
    ]
    assert items_of(documents) == [
        ("document", "d1", "test", ["Stars", "Two red stars"]),
        ("document", "d2", "test", ["Ein grünes Dreieck"]),
        ("document", "d,3", "test", []),
    ]


def test_the_same_rows_are_the_same_bytes(selection):
    assert len({stream(next(item_files(selection, DOCUMENT))).getvalue() for _ in range(2)}) == 1


@pytest.mark.parametrize(("part", "n_files"), [(1, 3), (100, 2), (1000, 1)])
def test_many_items_are_several_files_which_hold_each_once(selection, part, n_files):
    files = [items_of(stream(pieces)) for pieces in item_files(selection, QUERY, part)]
    assert len(files) == n_files
    assert [row[1] for rows in files for row in rows] == ["q1", "q2", "q3"]


def test_rows_that_pack_too_well_are_taken_for_no_bomb():
    """Of more than 64 MB a site refuses what unpacks to more than 50 times its size."""
    n_lines = 200
    content = stream(packed([b"a" * 400_000 + b"\n"] * n_lines))
    assert sum(1 for _ in lines(content, "documents.jsonl.gz")) == n_lines


def test_labels_arrive_with_ids_that_hold_commas(selection):
    problems = Problems()
    content = stream(label_file(selection, "test"))
    rows = list(read_reference(content, "test.tsv.gz", problems))
    assert [(row.query, row.document, row.grade) for row in rows] == [
        ("q1", "d1", 2),
        ("q1", "d,3", 0),
    ]
    assert not problems


def test_ids_of_a_query_set_arrive_whatever_they_begin_with(tmp_path):
    ids = ['{"a', "[b", "#3"]
    queries = [*QUERIES, *({"_id": item_id, "text": "a"} for item_id in ids)]
    labels = {"dev": [f"{item_id}\td1\t1" for item_id in ids]}
    dataset = BeirFolder(write_beir(tmp_path, queries=queries, labels=labels))
    names = Selection(dataset, "dev").query_set()
    problems = Problems()
    rows = list(read_ids(stream(id_file(names)), "dev.json.gz", problems))
    assert [row.id for row in rows] == ids
    assert not problems
