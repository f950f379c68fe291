"""Folders as they are on the Hub of Hugging Face, written by pyarrow and by its own package."""

import json
import os
import subprocess
import sys

import pyarrow as pa
import pytest
from pyarrow import parquet

from annotate.core.files.formats import FormatError, Problems
from assayer.datasets.data_sets import DOCUMENT, QUERY, SourceFault
from assayer.datasets.hub_folder import HubFolder
from tests.assayer.datasets import hub_writer
from tests.assayer.datasets.folders import (
    CORPUS,
    HEADER,
    LABELS,
    QUERIES,
    faults,
    figures_of,
    json_lines,
    label_rows,
    texts,
    write_lines,
)

DOCUMENTS = {"d1": ["Stars", "Two red stars"], "d2": ["Ein grünes Dreieck"], "d,3": []}
ASKED = {"q1": ["stars"], "q2": ["a triangle"], "q3": ["nothing"]}
TEST = [("q1", "d1", 2), ("q1", "d,3", 0)]
TRAIN = [("q2", "d2", 1), ("q1", "d2", 1)]
CARD = """---
configs:
- config_name: corpus
  data_files:
  - split: corpus
    path: corpus/corpus-*
- config_name: default
  data_files:
  - split: train
    path: data/train-*
  - split: test
    path: data/test-*
- config_name: queries
  data_files:
  - split: queries
    path: queries.jsonl
---
"""


def rows_of(split):
    """The labels of a split with the columns of the Hub."""
    columns = HEADER.split("\t")
    cells = (line.split("\t") for line in LABELS[split])
    return [dict(zip(columns, (*ids, int(grade)), strict=True)) for *ids, grade in cells]


def write_parquet(path, rows):
    """A Parquet file of rows, in several row groups."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=2)


def check(dataset):
    """Fails unless the data set is that of the folders."""
    assert texts(dataset, DOCUMENT) == DOCUMENTS
    assert texts(dataset, QUERY) == ASKED
    assert sorted(dataset.splits) == ["test", "train"]
    assert label_rows(dataset, "test") == TEST
    assert label_rows(dataset, "train") == TRAIN
    assert faults(figures_of(dataset)) == []


def test_what_its_own_package_writes_is_read_by_the_card(tmp_path):
    corpus = [{"title": "", **row} for row in CORPUS]
    labels = {split: rows_of(split) for split in LABELS}
    arguments = [json.dumps(rows) for rows in (corpus, list(QUERIES), labels)]
    folder = tmp_path / "shapes"
    folder.mkdir()
    homes = {name: str(tmp_path / "home") for name in ("HOME", "HF_HOME", "TMPDIR")}
    (tmp_path / "home").mkdir()
    subprocess.run(
        [sys.executable, hub_writer.__file__, str(folder), *arguments],
        env={**homes, "PATH": os.environ["PATH"], "HF_HUB_OFFLINE": "1"},
        check=True,
        capture_output=True,
    )
    (folder / "README.md").write_text(CARD)
    check(HubFolder(folder))


def test_parquet_of_a_corpus_is_read_in_pieces_and_labels_beside_it(tmp_path):
    folder = tmp_path / "shapes"
    write_parquet(folder / "corpus/corpus-00000-of-00002.parquet", list(CORPUS[:2]))
    write_parquet(folder / "corpus/corpus-00001-of-00002.parquet", list(CORPUS[2:]))
    write_parquet(folder / "queries/queries-00000-of-00001.parquet", list(QUERIES))
    for split in LABELS:
        write_lines(tmp_path / f"shapes-qrels/{split}.tsv", [HEADER, *LABELS[split]])
    check(HubFolder(folder))


@pytest.mark.parametrize("place", ["qrels", "shapes-qrels/data", "shapes-qrels"])
def test_json_lines_with_labels_inside(tmp_path, place):
    folder = tmp_path / "all"
    write_lines(folder / "corpus.jsonl", json_lines(CORPUS))
    write_lines(folder / "queries.jsonl", json_lines(QUERIES))
    for split in LABELS:
        write_lines(folder / place / f"{split}.jsonl", json_lines(rows_of(split)))
    check(HubFolder(folder))


def test_faults_name_the_file_and_row(tmp_path):
    write_parquet(tmp_path / "corpus.parquet", [*CORPUS, {"_id": "d1", "text": "again"}])
    write_lines(tmp_path / "queries.jsonl", json_lines(QUERIES))
    labels = [
        {**row, "score": score} for row, score in zip(rows_of("test"), (1.0, 0.5), strict=True)
    ]
    write_parquet(tmp_path / "qrels/test.parquet", labels)
    sentences = faults(figures_of(HubFolder(tmp_path)))
    assert len(sentences) == 2
    assert sentences[0].startswith('corpus.parquet: Line 4: the document "d1" stands already')
    assert sentences[1].startswith('test.parquet: Line 2: grade "0.5" is no whole number')


def test_a_damaged_parquet_file_is_told(tmp_path):
    write_parquet(tmp_path / "corpus.parquet", list(CORPUS))
    write_lines(tmp_path / "queries.jsonl", json_lines(QUERIES))
    path = tmp_path / "corpus.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FormatError, match="damaged or cut short"):
        list(HubFolder(tmp_path).items(DOCUMENT, Problems()))
    (sentence,) = faults(figures_of(HubFolder(tmp_path)))
    assert "damaged or cut short" in sentence


def test_labels_without_a_corpus_have_documents_by_their_ids_alone(tmp_path):
    write_lines(tmp_path / "queries.jsonl", json_lines(QUERIES))
    write_lines(tmp_path / "qrels/test.jsonl", json_lines(rows_of("test")))
    dataset = HubFolder(tmp_path)
    assert not dataset.has_documents
    assert faults(figures_of(dataset)) == []


def test_a_folder_without_queries_and_a_card_that_leads_out_are_told(tmp_path):
    write_lines(tmp_path / "corpus.jsonl", json_lines(CORPUS))
    with pytest.raises(SourceFault, match="has no queries"):
        HubFolder(tmp_path)
    (tmp_path / "README.md").write_text(CARD.replace("queries.jsonl", "../queries.jsonl"))
    with pytest.raises(SourceFault, match="lies outside"):
        HubFolder(tmp_path)
