"""Which queries and labels of a data set go along, and under which names."""

import pytest

from annotate.core.files.formats import Problems
from assayer.datasets.beir import BeirFolder
from assayer.datasets.data_sets import DOCUMENT, QUERY, SourceFault
from assayer.datasets.selections import Selection
from tests.assayer.datasets.folders import CORPUS, LABELS, write_beir


def splits(selection):
    """The split of each query that goes along."""
    items = selection.items(QUERY, Problems())
    return {item.record["id"]: item.record["split"] for item in items}


def test_queries_have_the_first_split_that_names_them(tmp_path):
    selection = Selection(BeirFolder(write_beir(tmp_path)))
    assert selection.splits == ["test", "train"]
    assert [selection.set_name(split) for split in selection.splits] == ["original", "train"]
    assert splits(selection) == {"q1": "test", "q2": "train", "q3": "unused"}


def test_of_one_split_only_its_queries_go_along_and_are_evaluated(tmp_path):
    selection = Selection(BeirFolder(write_beir(tmp_path)), "train")
    assert splits(selection) == {"q1": "test", "q2": "test"}
    assert list(selection.query_set()) == ["q1", "q2"]
    assert selection.set_name("train") == "train"


def test_the_only_split_is_evaluated_whatever_it_is_called(tmp_path):
    selection = Selection(BeirFolder(write_beir(tmp_path, labels={"dev": LABELS["train"]})))
    assert splits(selection) == {"q1": "test", "q2": "test", "q3": "unused"}
    assert selection.set_name("dev") == "original"


def test_without_labels_all_queries_are_evaluated(tmp_path):
    selection = Selection(BeirFolder(write_beir(tmp_path, labels={})))
    assert set(splits(selection).values()) == {"test"}


def test_a_split_that_is_not_there_and_splits_without_test_are_told(tmp_path):
    labels = {"dev": LABELS["test"], "train": LABELS["train"]}
    dataset = BeirFolder(write_beir(tmp_path / "b", labels=labels))
    with pytest.raises(SourceFault, match="b has no split test; it has dev and train"):
        Selection(dataset, "test")
    with pytest.raises(SourceFault, match="say by --split which one"):
        Selection(dataset)
    with pytest.raises(SourceFault, match="it has none"):
        Selection(BeirFolder(write_beir(tmp_path / "c", labels={})), "test")


def test_media_stay_out_where_nobody_has_their_files(tmp_path):
    media = {"media": [{"kind": "image", "path": "a.png"}]}
    row = {"_id": "d4", "text": "four", "metadata": media}
    dataset = BeirFolder(write_beir(tmp_path, corpus=[*CORPUS, row]))
    for with_media, n_parts in ((True, 2), (False, 1)):
        selection = Selection(dataset, with_media=with_media)
        *_, item = selection.items(DOCUMENT, Problems())
        assert len(item.record["parts"]) == n_parts
