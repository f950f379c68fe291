"""The real package ir_datasets, off line, with definitions of one's own."""

import sys
from pathlib import Path

import pytest

from assayer.datasets.data_sets import DOCUMENT, QUERY, SourceFault
from assayer.datasets.ir_datasets_source import IrDataset
from assayer.datasets.summary import new_levels
from tests.assayer.datasets.folders import faults, figures_of, label_rows, texts

DEFINITIONS = """
from typing import NamedTuple

import ir_datasets
from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, GenericQuery, TrecQrel, TrecQuery


class Article(NamedTuple):
    doc_id: str
    title: str
    abstract: str

    def default_text(self):
        return f"{self.title} {self.abstract}"


class Bare(NamedTuple):
    doc_id: str
    body: str
    url: str


class Docs(BaseDocs):
    def __init__(self, docs):
        self.docs = docs

    def docs_iter(self):
        return iter(self.docs)

    def docs_cls(self):
        return type(self.docs[0])

    def docs_store(self):
        raise AssertionError("no store is built")


class Queries(BaseQueries):
    def __init__(self, queries):
        self.queries = queries

    def queries_iter(self):
        return iter(self.queries)


class Qrels(BaseQrels):
    def __init__(self, qrels):
        self.qrels = qrels

    def qrels_iter(self):
        return iter(self.qrels)

    def qrels_defs(self):
        return {2: "highly relevant: all of it", 1: "w" * 300, 0: "not relevant"}


ARTICLES = [Article("d1", "Stars", "Two red stars"), Article("d2", "", "a triangle")]
TOPICS = [TrecQuery("q1", "stars", "Find stars.", "Relevant are stars."), GenericQuery("q2", "two")]
QRELS = [TrecQrel("q1", "d1", 2, "0"), TrecQrel("q1", "d2", -1, "0"), TrecQrel("q2", "d2", 1, "0")]
SETS = {
    "whole": (Docs(ARTICLES), Queries(TOPICS), Qrels(QRELS)),
    "bare": (Docs([Bare("d1", "a page", "http://x")]), Queries(TOPICS)),
    "docless": (Queries(TOPICS), Qrels(QRELS)),
    "docs": (Docs(ARTICLES),),
    "faulty": (
        Docs([*ARTICLES, Article("d 3", "", "c")]),
        Queries([*TOPICS, TOPICS[0]]),
        Qrels([*QRELS, TrecQrel("q1", "d9", 1, "0"), TrecQrel("q1", "d1", 0.5, "0")]),
    ),
}
for name, parts in SETS.items():
    if f"assayer-tests/{name}" not in ir_datasets.registry:
        ir_datasets.registry.register(f"assayer-tests/{name}", ir_datasets.Dataset(*parts))
"""


@pytest.fixture
def definitions(tmp_path):
    path = tmp_path / "own_definitions.py"
    path.write_text(DEFINITIONS)
    yield path
    sys.modules.pop(path.stem, None)


def test_queries_docs_and_qrels_are_read_by_their_iterators(definitions):
    dataset = IrDataset("assayer-tests/whole", definitions)
    assert texts(dataset, DOCUMENT) == {"d1": ["Stars", "Two red stars"], "d2": ["a triangle"]}
    assert texts(dataset, QUERY) == {
        "q1": ["stars", "Find stars.", "Relevant are stars."],
        "q2": ["two"],
    }
    assert label_rows(dataset, "test") == [("q1", "d1", 2), ("q1", "d2", -1), ("q2", "d2", 1)]
    assert faults(figures_of(dataset)) == []


def test_what_qrels_mean_becomes_levels(definitions):
    dataset = IrDataset("assayer-tests/whole", definitions)
    levels = new_levels(dataset, [1, 2])
    assert [(level.grade, level.name) for level in levels] == [
        (2, "Highly relevant"),
        (1, "Grade 1"),
        (0, "Not relevant"),
    ]
    assert levels[0].sentence == "all of it"
    assert levels[1].sentence == "w" * 199 + "…"


def test_docs_of_any_form_and_none_at_all(definitions):
    assert texts(IrDataset("assayer-tests/bare", definitions), DOCUMENT) == {
        "d1": ["a page", "http://x"]
    }
    dataset = IrDataset("assayer-tests/docless", definitions)
    assert (dataset.has_documents, texts(dataset, DOCUMENT)) == (False, {})
    assert faults(figures_of(dataset)) == []
    assert IrDataset("assayer-tests/bare", definitions).splits == ()


def test_faults_name_the_id_and_the_row(definitions):
    sentences = faults(figures_of(IrDataset("assayer-tests/faulty", definitions)))
    assert sorted(sentence.split('"')[0] for sentence in sentences) == [
        "assayer-tests/faulty: Line 3: id ",
        "assayer-tests/faulty: Line 3: the query ",
        "assayer-tests/faulty: Line 4: there is no document ",
        "assayer-tests/faulty: Line 5: grade ",
    ]


def test_what_is_not_there_is_told(definitions, tmp_path):
    with pytest.raises(SourceFault, match="ir_datasets knows no assayer-tests/none"):
        IrDataset("assayer-tests/none", definitions)
    with pytest.raises(SourceFault, match="has no queries"):
        IrDataset("assayer-tests/docs", definitions)
    with pytest.raises(SourceFault, match="is no Python file"):
        IrDataset("assayer-tests/whole", Path(tmp_path / "none.py"))


def test_without_the_package_a_sentence_says_what_to_install(definitions, monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(SourceFault, match="pip install ir-datasets"):
        IrDataset("assayer-tests/whole", definitions)
