"""Files of labels: TREC qrels and tables, judgments with columns named by the caller."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.files.formats import Blanks, FormatError, Problems
from annotate.core.files.judgments.judgment_formats import (
    JudgmentColumns,
    judgment_columns,
    read_judgments,
)
from annotate.core.files.references.reference_formats import read_reference
from tests.annotate.core.files.samples import file, packed


def references(stream):
    problems = Problems()
    rows = [row[:4] for row in read_reference(stream, "qrels", problems)]
    return rows, problems.lines()


LONG = JudgmentColumns()


def judgments(stream, columns=LONG):
    problems = Problems()
    return list(read_judgments(stream, "judged", columns, problems)), problems.lines()


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


BLANK = [
    ("", "is blank"),
    ("NaN", '"NaN" is no grade'),
    ("null", '"null" is no grade'),
    (" N/A ", '"N/A" is no grade'),
]


@pytest.mark.parametrize(("grade", "fact"), BLANK)
def test_a_blank_grade_is_a_fault_or_left_out_and_counted(grade, fact):
    sentence = f"Line 3: grade {fact}; write one, or leave out rows without a grade."
    for header, read in (
        (
            "annotator,query,document,grade",
            lambda *arguments: read_judgments(arguments[0], "x", LONG, *arguments[1:]),
        ),
        (
            "annotator,query-id,corpus-id,score",
            lambda *arguments: read_reference(arguments[0], "x", *arguments[1:]),
        ),
    ):
        for blanks, faults in ((None, [sentence]), (Blanks(are_left_out=True), [])):
            problems = Problems()
            rows = list(
                read(file(header, "a,q,d,1", f"a,q,e,{grade}", "a,q,f,0"), problems, blanks)
            )
            assert ([row.document for row in rows], problems.lines()) == (["d", "f"], faults)
            assert blanks is None or blanks.n == 1


def test_rows_that_nobody_judged_and_lists_of_nothing_are_blank_too():
    for read, stream in (
        (
            lambda *arguments: read_judgments(arguments[0], "x", LONG, *arguments[1:]),
            file("annotator,query,document,grade", ",q,d,", "a,q,e,1"),
        ),
        (
            lambda *arguments: read_judgments(arguments[0], "x", LONG, *arguments[1:]),
            file(
                '{"annotator": "a", "query": "q", "document": "d"}',
                '{"annotator": "a", "query": "q", "document": "e", "grade": 1}',
            ),
        ),
        (
            lambda *arguments: read_reference(arguments[0], "x", *arguments[1:]),
            file('{"q": {"d": null, "e": 1}}'),
        ),
        (
            lambda *arguments: read_reference(arguments[0], "x", *arguments[1:]),
            file("q 0 d NA", "q 0 e 1"),
        ),
    ):
        blanks, problems = Blanks(are_left_out=True), Problems()
        rows = list(read(stream, problems, blanks))
        assert ([(row.document, row.grade) for row in rows], blanks.n, problems.lines()) == (
            [("e", 1)],
            1,
            [],
        )
    table = file("query-id,corpus-id,score,stratum", "q,d,,1", "q,e,1,1")
    problems = Problems()
    assert len(list(read_reference(table, "x", problems, Blanks(are_left_out=True)))) == 1
    assert problems.lines() == [
        "Line 2: grade is blank; of a sample write -1 for what was not drawn."
    ]


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


def test_the_columns_to_choose_from_are_those_of_the_header_or_the_first_object():
    assert judgment_columns(file("a\tb", "1\t2"), "x") == ["a", "b"]
    assert judgment_columns(file('{"a": 1, "b": 2}'), "x") == ["a", "b"]


@given(st.binary(max_size=300))
def test_any_bytes_are_rows_or_a_reason(data):
    for read in (
        lambda stream, problems: read_reference(stream, "x", problems),
        lambda stream, problems: read_judgments(stream, "x", JudgmentColumns(), problems),
    ):
        problems = Problems()
        stream = file()
        stream.write(data)
        try:
            rows = list(read(stream, problems))
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
