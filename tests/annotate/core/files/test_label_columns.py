"""Columns of files of labels in any shape: guesses, and choices that make no labels."""

import pytest

from annotate.core.files.label_columns import JUDGMENT_FIELDS, REFERENCE_FIELDS


def records(header, *rows):
    names = header.split(",")
    return [dict(zip(names, row.split(","), strict=True)) for row in rows]


@pytest.mark.parametrize(
    ("fields", "rows", "guess"),
    [
        (REFERENCE_FIELDS, ("topic,clip_id,rel", "q0,d0,1"), "query document grade"),
        (REFERENCE_FIELDS, ("a,b,c,note", "q0,d0,1,so so"), "query document grade -"),
        (REFERENCE_FIELDS, ("a,b,c", "11,22,1"), "query document grade"),
        (REFERENCE_FIELDS, ("qid,strata,x,y", "q0,3,d0,1"), "query stratum document grade"),
        (JUDGMENT_FIELDS, ("who,q,d,g", "ann,q0,d0,1"), "query document annotator grade"),
        (JUDGMENT_FIELDS, ("q,d,rater,g,at", "q0,d0,a,1,5"), "query document annotator grade time"),
        (JUDGMENT_FIELDS, ("q,d,ann,ben", "q0,d0,1,0"), "query document annotators annotators"),
        (JUDGMENT_FIELDS, ("1,2,3,4", "q0,d0,ann,0"), "query document annotator grade"),
    ],
)
def test_columns_are_guessed_by_names_then_by_values(fields, rows, guess):
    guesses = fields.guess(records(*rows))
    assert [field or "-" for _, field in guesses] == guess.split()


@pytest.mark.parametrize(
    ("fields", "choices", "fault"),
    [
        (REFERENCE_FIELDS, {"a": "query", "b": "document", "c": "grade"}, ""),
        (REFERENCE_FIELDS, {"a": "query", "c": "grade"}, "Choose the column of the document's id."),
        (REFERENCE_FIELDS, {"a": "query", "b": "query"}, '"a" and "b" are both taken for'),
        (REFERENCE_FIELDS, {"a": "answer"}, 'There is no field "answer"'),
        (JUDGMENT_FIELDS, {"a": "query", "b": "document"}, "Choose the column of the annotator."),
        (
            JUDGMENT_FIELDS,
            {"a": "query", "b": "document", "c": "annotators", "d": "annotators"},
            "",
        ),
        (
            JUDGMENT_FIELDS,
            {"a": "query", "b": "document", "c": "annotators", "d": "grade"},
            'With columns of annotators\' grades leave out "d", the grade.',
        ),
    ],
)
def test_choices_that_make_no_labels_are_refused_in_a_sentence(fields, choices, fault):
    assert fields.fault(fields.columns_of(choices.items())).startswith(fault)
    assert bool(fields.fault(fields.columns_of(choices.items()))) == bool(fault)
