"""BEIR folders are read as they stand."""

import gzip
import json

import pytest

from assayer.datasets.beir import BeirFolder, split_of
from assayer.datasets.data_sets import DOCUMENT, QUERY, SourceFault
from tests.assayer.datasets.folders import CORPUS, label_rows, texts, write_beir


def test_titles_and_texts_are_parts_and_what_has_neither_is_shown_by_its_id(tmp_path):
    dataset = BeirFolder(write_beir(tmp_path / "shapes"))
    assert dataset.name == "shapes"
    assert texts(dataset, DOCUMENT) == {
        "d1": ["Stars", "Two red stars"],
        "d2": ["Ein grünes Dreieck"],
        "d,3": [],
    }
    assert texts(dataset, QUERY) == {"q1": ["stars"], "q2": ["a triangle"], "q3": ["nothing"]}
    assert dataset.splits == ("test", "train")
    assert label_rows(dataset, "test") == [("q1", "d1", 2), ("q1", "d,3", 0)]
    assert label_rows(dataset, "train") == [("q2", "d2", 1), ("q1", "d2", 1)]


def test_packed_files_and_whole_numbers_as_ids_are_read(tmp_path):
    folder = write_beir(tmp_path, corpus=[*CORPUS, {"_id": 4, "text": "four"}])
    path = folder / "corpus.jsonl"
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    assert list(texts(BeirFolder(folder), DOCUMENT)) == ["d1", "d2", "d,3", 4]


def test_media_of_a_release_are_parts_after_the_text(tmp_path):
    media = [{"kind": "video", "path": "a.webm", "also": ["a.mp4"]}]
    row = {"_id": "d1", "title": "", "text": "a clip", "metadata": {"media": media}}
    dataset = BeirFolder(write_beir(tmp_path, corpus=[row]))
    (item,) = dataset.items(DOCUMENT, None)
    assert item.record["parts"] == [{"kind": "text", "text": "a clip"}, *media]
    assert (item.file, item.line) == ("corpus.jsonl", 1)


@pytest.mark.parametrize("name", ["corpus", "queries"])
def test_a_folder_without_a_side_is_told(tmp_path, name):
    folder = write_beir(tmp_path)
    (folder / f"{name}.jsonl").unlink()
    with pytest.raises(SourceFault, match=rf"has no file {name}\.jsonl"):
        BeirFolder(folder)
    with pytest.raises(SourceFault, match="is no folder"):
        BeirFolder(tmp_path / "elsewhere")


def test_the_release_of_documents_that_search_has_its_sides_swapped(tmp_path):
    """Its BEIR folder calls those queries, as they search."""
    folder = write_beir(
        tmp_path / "beir",
        corpus=[{"_id": "q1", "text": "caption"}],
        queries=[{"_id": "d1", "text": "image"}],
        labels={"test": ["d1\tq1\t1"]},
    )
    manifest = {
        "levels": [{"grade": 1, "name": "Fits", "sentence": "It does."}],
        "collection": {"positive_from": 1},
        "query_sets": [{"name": "all", "direction": "reverse"}],
        "label_sources": [{"key": "only"}],
    }
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    for path in (folder, tmp_path):
        dataset = BeirFolder(path)
        assert texts(dataset, QUERY) == {"q1": ["caption"]}
        assert texts(dataset, DOCUMENT) == {"d1": ["image"]}
        assert label_rows(dataset, "test") == [("q1", "d1", 1)]
        assert dataset.levels == {1: "Fits: It does."}
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(SourceFault, match="no manifest of a release"):
        BeirFolder(folder)


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("test.tsv", "test"),
        ("dev.tsv.gz", "dev"),
        ("test-00000-of-00002.parquet", "test"),
        ("dev-small-00001-of-00002.parquet", "dev-small"),
        ("dev-small.jsonl", "dev-small"),
    ],
)
def test_a_file_names_its_split(tmp_path, name, split):
    assert split_of(tmp_path / name) == split
