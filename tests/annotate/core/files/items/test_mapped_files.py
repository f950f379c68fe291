"""Files in shapes of their own: what their columns are taken for, guessed or chosen."""

import pytest

from annotate.core.files.archives.sources import FileSource
from annotate.core.files.formats import FormatError, Problems
from annotate.core.files.items.item_columns import guess_columns, mapping_fault, row_kind
from annotate.core.files.items.item_formats import label_files, read_items
from annotate.core.files.items.mapped_files import read_mapped_labels
from annotate.core.files.records import first_records
from tests.annotate.core.files.samples import file, items_of, packed, zipped


def guess_of(*lines, kind=""):
    return guess_columns(first_records(file(*lines), "table.csv"), kind)


def items_by(columns, *lines, make=file):
    problems = Problems()
    rows = read_items(FileSource(make(*lines), "table.csv"), problems, columns)
    return [(row.side, row.id, contents(row)) for row in rows], problems.lines()


def contents(row):
    return [part.text or part.path for part in row.parts]


def labels_by(columns, *lines):
    problems = Problems()
    rows = read_mapped_labels(file(*lines), "table.csv", problems, columns)
    return [(row.query, row.document, row.grade, row.is_listed) for row in rows], problems.lines()


SHAPES = {
    "a document a row": (
        ("id,caption,image path", "7,a dog runs,m/7.jpg", "8,a cat sits,m/8.jpg"),
        {"document_id": "id", "document_text": "caption", "document_image": "image path"},
    ),
    "a pair a row": (
        ("qid,query,doc_id,passage,rel", "1,red shoes,d1,nice shoe,2", "1,red shoes,d2,an ox,0"),
        {
            "query_id": "qid",
            "query_text": "query",
            "document_id": "doc_id",
            "document_text": "passage",
            "grade": "rel",
        },
    ),
    "pairs of ids": (
        ("query\tdocument", "q1\td1", "q2\td2"),
        {"query_id": "query", "document_id": "document"},
    ),
    "captions under other names": (
        ("img,raw_caption", "1.jpg,a dog runs", "1.jpg,a dog barks"),
        {"document_image": "img", "query_text": "raw_caption"},
    ),
    "an array of objects": (
        ('[{"uid": "a1", "title": "One", "body": "text of it"},', '{"uid": "a2", "body": "b b"}]'),
        {"document_id": "uid", "document_title": "title", "document_text": "body"},
    ),
    "queries alone": (
        ('{"qid": "q1", "question": "why is it"}', '{"qid": "q2", "question": "is it"}'),
        {"query_id": "qid", "query_text": "question"},
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_columns_of_usual_shapes_are_guessed(shape):
    lines, columns = SHAPES[shape]
    assert guess_of(*lines) == columns
    assert mapping_fault(columns) == ""


def test_a_document_a_row_has_its_text_and_its_image():
    lines, columns = SHAPES["a document a row"]
    items = [
        ("document", "7", ["a dog runs", "m/7.jpg"]),
        ("document", "8", ["a cat sits", "m/8.jpg"]),
    ]
    assert items_by(columns, *lines) == (items, [])
    assert items_by(columns, *lines, make=packed) == (items, [])


def test_an_item_that_several_pairs_repeat_comes_once_and_grades_are_labels():
    lines, columns = SHAPES["a pair a row"]
    ids = [(side, item_id) for side, item_id, _ in items_by(columns, *lines)[0]]
    assert ids == [("query", "1"), ("document", "d1"), ("document", "d2")]
    assert labels_by(columns, *lines) == ([("1", "d1", 2, False), ("1", "d2", 0, False)], [])


def test_captions_without_ids_are_called_after_what_they_describe_and_are_labels_of_it():
    lines, columns = SHAPES["captions under other names"]
    assert row_kind(columns) == "caption"
    assert items_by(columns, *lines)[0] == [
        ("query", "1.jpg#0", ["a dog runs"]),
        ("document", "1.jpg", ["1.jpg"]),
        ("query", "1.jpg#1", ["a dog barks"]),
    ]
    assert labels_by(columns, *lines)[0] == [
        ("1.jpg#0", "1.jpg", 1, True),
        ("1.jpg#1", "1.jpg", 1, True),
    ]


def test_captions_with_ids_keep_them_and_are_labels_of_what_they_describe():
    lines = ("caption_id,caption,video", "c1,a dog runs,1.png", "c2,a cat sits,2.png")
    columns = guess_of(*lines)
    assert columns == {
        "query_id": "caption_id",
        "query_text": "caption",
        "document_image": "video",
    }
    assert row_kind(columns) == "caption"
    assert [row[:2] for row in items_by(columns, *lines)[0]] == [
        ("query", "c1"),
        ("document", "1.png"),
        ("query", "c2"),
        ("document", "2.png"),
    ]
    labels = [("c1", "1.png"), ("c2", "2.png")]
    assert [row[:2] for row in labels_by(columns, *lines)[0]] == labels
    assert label_files(FileSource(file(*lines), "table.csv"), columns) == ["table.csv"]


def test_lists_of_captions_are_captions():
    line = '[{"clip": "c1", "raw": ["a man", "a boy"]}]'
    columns = {"document_id": "clip", "query_text": "raw"}
    assert [item_id for _, item_id, _ in items_by(columns, line)[0]] == ["c1#0", "c1#1", "c1"]


def test_pairs_of_texts_without_ids_are_numbered_equal_texts_once():
    lines = ("query,document,grade", "red hat,a hat,1", "red hat,a cat,0", "blue,a hat,0")
    columns = {"query_text": "query", "document_text": "document", "grade": "grade"}
    ids = [item_id for _, item_id, _ in items_by(columns, *lines)[0]]
    assert ids == ["q1", "d1", "d2", "q2"]
    assert labels_by(columns, *lines)[0] == [
        ("q1", "d1", 1, False),
        ("q1", "d2", 0, False),
        ("q2", "d1", 0, False),
    ]


def test_a_table_without_a_header_has_numbered_columns():
    columns = {"document_id": "1", "document_text": "2"}
    assert items_by(columns, "a,x y", "b,z")[0] == [
        ("document", "a", ["x y"]),
        ("document", "b", ["z"]),
    ]


def test_items_without_a_column_to_show_are_known_by_id_and_a_blank_cell_is_a_fault():
    assert items_by({"document_id": "id"}, "id,n", "a,1")[0] == [("document", "a", [])]
    items, faults = items_by({"document_id": "id", "document_text": "t"}, "id,t", "a,", "b,x")
    assert items == [("document", "b", ["x"])]
    assert faults[0].startswith("Line 2: item has nothing to show")


def test_faults_have_their_lines():
    lines, columns = SHAPES["a pair a row"]
    assert labels_by(columns, *lines, "2,a,d1,b,high")[1] == [
        'Line 4: grade "high" is no whole number.'
    ]
    assert items_by({"document_id": "qid"}, "qid,n", "a b,1")[1][0].startswith("Line 2: id")


@pytest.mark.parametrize(
    ("columns", "word"),
    [
        ({"split": "a"}, "Choose the column of an id"),
        ({"document_text": "a"}, "Choose the column of the document's id too"),
        ({"query_id": "a", "document_group": "b"}, "Choose the column of the document's id too"),
        ({"document_id": "a", "grade": "b"}, "A grade is of a query and a document"),
        ({"document_it": "a"}, 'There is no field "document_it"'),
    ],
)
def test_columns_that_make_no_items_are_refused_with_what_to_choose(columns, word):
    assert mapping_fault(columns).startswith(word)
    with pytest.raises(FormatError, match=word.split('"')[0]):
        items_by(columns, "a,b", "1,2")


def test_a_column_that_the_table_lacks_is_named_with_those_it_has():
    with pytest.raises(FormatError, match='there is no column "clip"; there are "a", "b"'):
        items_by({"document_id": "clip"}, "a,b", "1,2")


def test_only_grades_and_captions_are_labels():
    source = FileSource(file("a,b"), "table.csv")
    assert label_files(source, {"query_id": "a", "document_id": "b"}) == []
    assert label_files(source, SHAPES["captions under other names"][1]) == ["table.csv"]


def test_texts_and_media_without_a_table_are_documents_named_by_their_files():
    source = zipped({"a/one.txt": "first text", "a/two pics/x.PNG": "PNG", "p.html": "<p>Hi</p>"})
    rows, faults = items_of(source)
    assert faults == []
    assert [(row.side, row.id, contents(row)) for row in rows] == [
        ("document", "a/one.txt", ["first text"]),
        ("document", "a/two_pics/x.PNG", ["a/two pics/x.PNG"]),
        ("document", "p.html", ["p.html"]),
    ]


def test_a_text_that_is_empty_or_no_text_is_a_fault_with_its_name():
    rows, faults = items_of(zipped({"one.txt": "", "two.txt": "x"}))
    assert [row.id for row in rows] == ["two.txt"]
    assert faults == ['the file "one.txt" is empty.']


def test_one_text_alone_and_texts_beside_a_table_are_no_documents():
    rows, _ = items_of(zipped({"t.csv": "side,id,text\nquery,q1,x", "readme.txt": "d1"}))
    assert [row.id for row in rows] == ["q1"]
