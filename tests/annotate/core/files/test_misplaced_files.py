"""Files loaded in the wrong place are recognised; documents may be known by their ids alone."""

import pytest

from annotate.core.files.archives.sources import FileSource
from annotate.core.files.formats import FormatError, Problems, guarded
from annotate.core.files.items.item_formats import format_of, read_items
from annotate.core.files.misplaced_files import ITEMS, LABELS, PAIRS, RUN, misplaced_sentence
from annotate.core.files.references.reference_formats import read_reference
from pooling.core.files.run_files import read_parts
from tests.annotate.core.files.samples import file, items_of, zipped

QRELS = "q1 0 d1 1"
STRATIFIED = "q1 0 d1 2 -1"
TREC_RUN = "q1 Q0 d1 1 3.25 mine"
JSON_RUN = '{"query": "q1", "document": "d1", "score": 1.5}'
JSON_ITEMS = '{"side": "document", "id": "d1", "text": "a dog"}'
CORPUS = '{"_id": "d1", "title": "", "text": "a dog"}'


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (QRELS, LABELS),
        ("q1\tQ0\td1\t-2", LABELS),
        ("q1\t0\td1\t-2", LABELS),
        (STRATIFIED, LABELS),
        (TREC_RUN, RUN),
        ("q1 Q0 d1 1 -inf mine", RUN),
        (JSON_RUN, RUN),
        ('{"query": "q1", "ranking": ["d1"]}', RUN),
        (JSON_ITEMS, ITEMS),
        (CORPUS, ITEMS),
        ("side,id,text", ""),
        ("query-id\tcorpus-id\tscore", PAIRS),
        ("side,query,document", ""),
        ("d1", ""),
        ("", ""),
        ("{", ""),
        ("[1]", ""),
        ("four words of text", ""),
    ],
)
def test_a_first_line_says_what_a_file_is(first, kind):
    for expected in (ITEMS, LABELS, RUN):
        sentence = misplaced_sentence(first, expected=expected)
        is_mistaken = expected == ITEMS if kind == PAIRS else kind not in ("", expected)
        assert bool(sentence) is is_mistaken, (first, expected)


@pytest.mark.parametrize(
    ("first", "fault"),
    [
        (
            QRELS,
            "Line 1: this looks like qrels (query, iteration, document, grade). Load it as "
            "reference labels.",
        ),
        (
            TREC_RUN,
            "Line 1: this looks like a TREC run (query, Q0, document, rank, score, tag). Upload "
            "it as a run.",
        ),
        (JSON_RUN, "Line 1: this looks like a run (JSON lines). Upload it as a run."),
        ('{"q1": {"d1": 1}}', "Line 1: this is one JSON object of objects"),
    ],
)
def test_labels_and_runs_are_no_items(first, fault):
    problems = Problems()
    assert not list(guarded(read_items(FileSource(file(first), "a.txt"), problems), problems))
    assert problems.lines()[0].startswith(fault)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (
            [TREC_RUN, "q1 Q0 d2 2 3 mine"],
            "looks like a TREC run (query, Q0, document, rank, score, tag). Upload it as a run.",
        ),
        (
            [QRELS, "", "q1 0 d2 0"],
            "looks like qrels (query, iteration, document, grade). Load it as reference labels.",
        ),
        ([JSON_RUN, JSON_RUN], "looks like a run (JSON lines). Upload it as a run."),
        (
            ["query,document,annotator,grade", "q1,d1,Ada,1"],
            "looks like a table of queries and documents, as labels and runs have it. Load it as "
            "reference labels, or upload it as a run.",
        ),
    ],
)
def test_labels_and_runs_among_texts_are_no_documents(lines, fault):
    rows, faults = items_of(zipped({"a.txt": "\n".join(lines), "readme.txt": "From 2 systems."}))
    assert [row.id for row in rows] == ["readme.txt"]
    assert faults == [f'the file "a.txt" {fault}']


def test_a_text_whose_first_line_alone_looks_like_labels_is_a_document():
    texts = {"1.txt": "Page 1 of 12", "2.txt": "Page 2 of 12\n\nOf ships.", "3.txt": "Of sails."}
    rows, faults = items_of(zipped(texts))
    assert ([row.id for row in rows], faults) == ([*texts], [])


def test_topics_that_look_like_qrels_are_topics_all_the_same():
    assert format_of(FileSource(file("7\t12 monkeys 5"), "topics.txt")).name == "TREC topics"


@pytest.mark.parametrize("first", [TREC_RUN, JSON_RUN, JSON_ITEMS])
def test_runs_and_items_are_no_labels(first):
    with pytest.raises(FormatError, match="this looks like"):
        list(read_reference(file(first), "a.txt", Problems()))


@pytest.mark.parametrize("first", [QRELS, STRATIFIED, JSON_ITEMS])
def test_labels_and_items_are_no_run(first):
    problems = Problems()
    assert not list(read_parts(file(first), "a.txt", problems))
    assert [line.startswith("Line 1: this looks like") for line in problems.lines()] == [True]


@pytest.mark.parametrize(
    ("lines", "items"),
    [
        (["d1", "d 2", "d3"], None),
        (["d1", "", "d2"], [("document", "d1"), ("document", "d2")]),
        (["doc_id", "d1"], [("document", "d1")]),
        (["side,id", "document,d1", "query,q1"], [("document", "d1"), ("query", "q1")]),
    ],
)
def test_documents_may_be_known_by_their_ids_alone(lines, items):
    rows, faults = items_of(FileSource(file(*lines), "ids.csv"))
    if items is None:
        assert faults == ['Line 2: the id "d 2" contains white space; write ids without it.']
    else:
        assert ([(row.side, row.id) for row in rows], {row.parts for row in rows}, faults) == (
            items,
            {()},
            [],
        )


def test_a_table_with_texts_needs_one_in_each_row():
    _, faults = items_of(
        FileSource(file("side,id,text", "document,d1,", "document,d2,a dog"), "items.csv")
    )
    assert faults == [
        "Line 2: item has nothing to show; give it a text, a page of html, an image, a video or "
        "audio."
    ]
