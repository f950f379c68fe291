"""Files of labels: TREC qrels and tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.files.formats import FormatError, Problems
from annotate.core.files.references.reference_formats import read_reference
from tests.annotate.core.files.samples import file, packed


def references(stream):
    problems = Problems()
    rows = [row[:4] for row in read_reference(stream, "qrels", problems)]
    return rows, problems.lines()


@pytest.mark.parametrize("make", [file, packed])
def test_qrels_are_read_with_blanks_or_tabs_and_negative_grades(make):
    rows, faults = references(make("301 0 FR940202-2-00150 1", "", "301\t0\tFR940104-0-00001\t-2"))
    assert rows == [("301", "FR940202-2-00150", 1, 1), ("301", "FR940104-0-00001", -2, 3)]
    assert faults == []


@pytest.mark.parametrize("separator", ["\t", ","])
def test_a_table_of_labels_is_told_by_its_header(separator):
    lines = [
        separator.join(row)
        for row in (("query-id", "corpus-id", "score"), ("q1", "d1", "2"), ("q1", "d2", "0"))
    ]
    assert references(file(*lines)) == ([("q1", "d1", 2, 2), ("q1", "d2", 0, 3)], [])


def test_the_columns_of_a_table_of_labels_may_stand_in_any_order():
    assert references(file("grade,document,note,query", "1,d,x,q"))[0] == [("q", "d", 1, 2)]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("q1 0 d1", "expected 4 fields (query, iteration, document, grade), found 3."),
        ("q1 0 d1 1 2", "found 5."),
        ("q1 0 d1 NaN", 'grade "NaN" is no grade; write one, or leave out rows without a grade.'),
        ("q1 0 d1 1.5", 'grade "1.5" is no whole number; scores are uploaded as a run.'),
        ("q1 0 " + "x" * 300 + " 1", "longer than 255 bytes"),
        ("q1 0 d\x01 1", "control character"),
    ],
)
def test_a_faulty_label_is_named_and_the_others_are_read(line, why):
    rows, faults = references(file("q 0 d 1", line, "q 0 e 1"))
    assert len(rows) == 2
    assert faults[0].startswith("Line 2: ")
    assert why in faults[0]


@pytest.mark.parametrize(
    "stream", [file(), packed(), file(" ", ""), file("q1,d1"), file("qid,docid", "a,b")]
)
def test_what_is_no_file_of_labels_is_refused(stream):
    with pytest.raises(FormatError):
        references(stream)


ID = st.text("abz09.#_-:/é", min_size=1, max_size=9)


@given(st.lists(st.tuples(ID, ID, st.integers(-2, 100)), min_size=1, max_size=20))
def test_any_qrels_written_are_read_back(rows):
    read, faults = references(
        file(*(f"{query} 0 {document} {grade}" for query, document, grade in rows))
    )
    assert [row[:3] for row in read] == rows
    assert faults == []


@given(st.binary(max_size=300))
def test_any_bytes_are_rows_or_a_reason(data):
    problems = Problems()
    stream = file()
    stream.write(data)
    try:
        rows = list(read_reference(stream, "x", problems))
    except FormatError as error:
        problems.add(error)
        rows = []
    assert rows or problems or b"\n" in data
