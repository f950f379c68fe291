"""Files of judgments, with columns named by the caller."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.files.formats import Blanks, FormatError, Problems
from annotate.core.files.judgments.judgment_formats import (
    JudgmentColumns,
    read_judgments,
)
from tests.annotate.core.files.samples import file, packed

LONG = JudgmentColumns()


def judgments(stream, columns=LONG):
    problems = Problems()
    return list(read_judgments(stream, "judged", columns, problems)), problems.lines()


WIDE = JudgmentColumns(query="caption", document="image", annotators=("e1", "e2", "e3"))


def test_one_column_an_annotator_gives_one_label_each_and_blanks_are_missing():
    rows, faults = judgments(file("image,caption,e1,e2,e3", "i1,c1,1,4,", "i2,c1,2,2,2"), WIDE)
    labels = [(row.annotator, row.document, row.grade, row.line) for row in rows]
    assert labels == [
        ("e1", "i1", 1, 2),
        ("e2", "i1", 4, 2),
        ("e1", "i2", 2, 3),
        ("e2", "i2", 2, 3),
        ("e3", "i2", 2, 3),
    ]
    assert faults == []


def test_one_label_a_line_with_words_for_grades_and_a_time():
    columns = JudgmentColumns("q", "d", "who", "said", time="at", grades={"yes": 1, "no": 0})
    rows, faults = judgments(
        file(
            "who\tq\td\tsaid\tat",
            "w1  \tq1\td1\tyes\t2011-07-01T12:00:00Z",
            "w2\tq1\td1\tno\t1309521600",
            "w3\tq1\td1\t1\t",
            "w4\tq1\td1\tno\t2011-07-01 14:00+02:00",
        ),
        columns,
    )
    noon = datetime(2011, 7, 1, 12, tzinfo=UTC)
    assert [(row.annotator, row.grade, row.at) for row in rows] == [
        ("w1", 1, noon),
        ("w2", 0, noon),
        ("w3", 1, None),
        ("w4", 0, noon),
    ]
    assert faults == []


def test_json_lines_are_read_with_the_same_names():
    rows, faults = judgments(
        file('{"annotator": 7, "query": "q", "document": "d", "grade": 2, "more": []}')
    )
    assert [tuple(row)[:4] for row in rows] == [("7", "q", "d", 2)]
    assert faults == []


@pytest.mark.parametrize("grade", ["1.5", "-1", "good"])
def test_a_grade_that_is_none_is_named(grade):
    rows, faults = judgments(file("annotator,query,document,grade", "a,q,d,1", f"a,q,e,{grade}"))
    assert len(rows) == 1
    assert faults == [f'Line 3: grade "{grade}" is no grade: a whole number from 0 on.']


def test_an_annotators_field_that_no_object_has_is_a_fault():
    columns = JudgmentColumns(annotators=("ann", "bob"))
    rows, faults = judgments(file('{"query": "q", "document": "d", "ann": 1, "bop": 2}'), columns)
    assert (len(rows), faults) == (1, ['No object has a field "bob".'])
    problems = Problems()
    misspelt = file('{"annotator": "a", "query": "q", "document": "d", "grad": 1}')
    assert list(read_judgments(misspelt, "x", LONG, problems, Blanks(are_left_out=True))) == []
    assert problems.lines() == ['No object has a field "grade".']


def test_a_word_that_the_caller_explains_is_a_grade_and_not_blank():
    columns = JudgmentColumns(grades={"none": 0})
    rows, faults = judgments(
        file("annotator,query,document,grade", "a,q,d,none", "a,q,e,null"), columns
    )
    assert [row.grade for row in rows] == [0] and len(faults) == 1


def test_blank_cells_of_annotators_own_columns_are_no_faults():
    columns, blanks, problems = (
        JudgmentColumns(annotators=("a", "b")),
        Blanks(are_left_out=True),
        Problems(),
    )
    stream = file("query,document,a,b", "q,d,1,", "q,e,NA,nan", "q,f,2,0")
    assert len(list(read_judgments(stream, "x", columns, problems, blanks))) == 3
    assert (problems.n, blanks.n) == (0, 3)


def test_faults_of_ids_times_and_missing_fields_are_named():
    columns = JudgmentColumns(time="at")
    faults = judgments(file("annotator,query,document,grade,at", ",q q,d,1,soon"), columns)[1]
    assert [fault.split(" ")[2] for fault in faults] == ["query", "at", "annotator"]
    assert judgments(file('{"query": "q", "document": "d", "grade": 1}'))[1] == [
        'Line 1: the object has no field "annotator".'
    ]


def test_a_column_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(FormatError, match='no column "document"; it names "worker", "query"'):
        judgments(file("worker,query", "1,2"))


@pytest.mark.parametrize("stream", [file(), file("", ""), packed()])
def test_an_empty_file_of_judgments_is_refused(stream):
    with pytest.raises(FormatError, match="judged is empty"):
        judgments(stream)


@given(st.binary(max_size=300))
def test_any_bytes_are_rows_or_a_reason(data):
    problems = Problems()
    stream = file()
    stream.write(data)
    try:
        rows = list(read_judgments(stream, "x", JudgmentColumns(), problems))
    except FormatError as error:
        problems.add(error)
        rows = []
    assert rows or problems or b"\n" in data


@pytest.mark.parametrize("make", [file, packed])
def test_columns_of_a_table_without_a_header_are_named_by_number(make):
    columns = JudgmentColumns(query="2", document="1", annotator="4", grade="3", time="5")
    rows, faults = judgments(make("d1,q1,2,ada,1700000000", "d2,q1,0,bob,1700000001"), columns)
    assert faults == []
    assert [(row.query, row.document, row.annotator, row.grade, row.line) for row in rows] == [
        ("q1", "d1", "ada", 2, 1),
        ("q1", "d2", "bob", 0, 2),
    ]


def test_one_column_an_annotator_may_be_numbered_too():
    columns = JudgmentColumns(query="1", document="2", annotators=("3", "4"))
    rows, faults = judgments(file("q1\td1\t2\t", "q1\td2\t0\t1"), columns)
    assert faults == []
    labels = [(row.document, row.annotator, row.grade) for row in rows]
    assert labels == [("d1", "3", 2), ("d2", "3", 0), ("d2", "4", 1)]


def test_annotators_who_are_called_by_numbers_are_columns_of_a_header():
    columns = JudgmentColumns(query="q", document="d", annotators=("1", "2"))
    rows, _ = judgments(file("q,d,1,2", "q1,d1,0,1"), columns)
    assert [(row.annotator, row.grade) for row in rows] == [("1", 0), ("2", 1)]


def test_a_number_beyond_the_columns_is_refused_with_how_many_there_are():
    columns = JudgmentColumns(query="1", document="2", annotator="3", grade="5")
    with pytest.raises(FormatError, match=r"the table has no column 5: its first line has 4\."):
        judgments(file("q1,d1,ada,2"), columns)
