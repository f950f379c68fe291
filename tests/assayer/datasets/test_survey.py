"""A survey counts everything, and names what an import would refuse, with its place."""

import pytest

from assayer.datasets.beir import BeirFolder
from assayer.datasets.summary import summary_lines
from tests.assayer.datasets.folders import (
    CORPUS,
    LABELS,
    QUERIES,
    faults,
    figures_of,
    write_beir,
    write_lines,
)


def test_figures_and_first_rows_are_told(tmp_path):
    figures = figures_of(BeirFolder(write_beir(tmp_path)))
    assert faults(figures) == []
    assert list(summary_lines(figures)) == [
        "3 queries",
        "3 documents, of which 1 shown by their ids alone",
        "queries by split: test 1, train 1, unused 1 (those of test are evaluated)",
        'reference set "original": 2 labels (grade 0: 1; grade 2: 1)',
        'reference set "train": 2 labels (grade 1: 2)',
        'query q1 "stars"',
        'query q2 "a triangle"',
        'query q3 "nothing"',
        'document d1 "Stars" "Two red stars"',
        'document d2 "Ein grünes Dreieck"',
        "document d,3",
        "label q1 d1 2",
        "label q1 d,3 0",
        "label q2 d2 1",
    ]
    assert figures.all_grades() == [0, 1, 2]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"_id": "", "text": "a"}, "corpus.jsonl: Line 4: id is blank; every item needs an id."),
        ({"text": "a"}, "corpus.jsonl: Line 4: id is missing or no text."),
        (
            {"_id": "a\nb", "text": "a"},
            "corpus.jsonl: Line 4: id 'a\\nb' contains white space; write ids without it.",
        ),
        ({"_id": 4.5, "text": "a"}, "corpus.jsonl: Line 4: id is missing or no text."),
        (
            {"_id": "d2", "text": "other"},
            'corpus.jsonl: Line 4: the document "d2" stands already in line 2; keep one of them.',
        ),
        (
            {"_id": "d4", "text": "a\x00b"},
            "corpus.jsonl: Line 4: text contains a NUL character; remove it.",
        ),
    ],
)
def test_faults_of_items_have_their_file_and_line(tmp_path, row, fault):
    dataset = BeirFolder(write_beir(tmp_path, corpus=[*CORPUS, row]))
    assert faults(figures_of(dataset)) == [fault]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("q1\td2\t0.5", 'test.tsv: Line 4: grade "0.5" is no whole number; scores are uploaded as'),
        ("q1\td2\thigh", 'test.tsv: Line 4: grade "high" is no whole number.'),
        ("q1\td2\t", "test.tsv: Line 4: grade is blank; write one"),
        ("q1\td9\t1", 'test.tsv: Line 4: there is no document "d9"; --skip-unknown leaves such'),
        ("q9\td1\t1", 'test.tsv: Line 4: there is no query "q9"; --skip-unknown leaves such'),
        ("q1\td2", "test.tsv: Line 4: expected 3 fields, found 2."),
    ],
)
def test_faults_of_labels_have_their_file_and_line(tmp_path, row, fault):
    dataset = BeirFolder(write_beir(tmp_path, labels={"test": [*LABELS["test"], row]}))
    (sentence,) = faults(figures_of(dataset))
    assert sentence.startswith(fault)


def test_a_line_that_is_no_json_and_a_file_cut_short_are_told(tmp_path):
    folder = write_beir(tmp_path)
    write_lines(folder / "queries.jsonl", ['{"_id": "q1", "text": "stars"}', '{"_id": "q2", "te'])
    figures = figures_of(BeirFolder(folder), skip_unknown=True)
    (sentence,) = faults(figures)
    assert sentence.startswith("queries.jsonl: Line 2: this is no JSON")


def test_labels_of_items_that_are_not_there_may_be_left_out_and_are_counted(tmp_path):
    labels = {"test": [*LABELS["test"], "q1\td9\t1", "q8\td1\t1"]}
    figures = figures_of(BeirFolder(write_beir(tmp_path, labels=labels)), skip_unknown=True)
    assert faults(figures) == []
    assert figures.n_unknown == 2
    assert "labels of items that are not there: 2" in list(summary_lines(figures))


def test_negative_grades_are_counted_and_need_no_level(tmp_path):
    labels = {"test": ["q1\td1\t-1", "q1\td2\t1"]}
    figures = figures_of(BeirFolder(write_beir(tmp_path, labels=labels)))
    assert figures.grades == {"original": {-1: 1, 1: 1}}
    assert figures.all_grades() == [1]


def test_a_query_stands_twice_in_a_split_that_stays_out_and_harms_nothing(tmp_path):
    dataset = BeirFolder(write_beir(tmp_path, queries=[*QUERIES, QUERIES[2]]))
    assert len(faults(figures_of(dataset))) == 1
    assert faults(figures_of(dataset, "train")) == []
