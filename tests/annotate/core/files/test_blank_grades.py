"""Blank grades of labels and judgments: faults, or left out and counted."""

import pytest

from annotate.core.files.formats import Blanks, Problems
from annotate.core.files.judgments.judgment_formats import JudgmentColumns, read_judgments
from annotate.core.files.references.reference_formats import read_reference
from tests.annotate.core.files.samples import file

LONG = JudgmentColumns()
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
