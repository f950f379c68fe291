"""Files of scores: each form gives the same table; open choices, gaps and doubles are reported."""

import io

import numpy as np
import pytest

from annotate.core.files.formats import FormatError
from metrics.core.files.scores import read_scores

QUERIES, RUNS = ["q1", "q2", "q3"], ["A", "B"]
VALUES = [[0.5, 1], [0.25, 0], [0.125, 0.0625]]
CELLS = [
    (query, run, value)
    for query, row in zip(QUERIES, VALUES, strict=True)
    for run, value in zip(RUNS, row, strict=True)
]
EVALUATED = "".join(
    "".join(f"AP {query} {value}\nRR {query} 1\n" for query, of, value in CELLS if of == run)
    + f"runid all {run}\nnum_q all 3\nAP all 0.3\nRR all 1\n"
    for run in RUNS
)
ROWS = "run\tdirection\tquery_set\tlabel_source\tmeasure\tthreshold\tquery\tvalue\n" + "".join(
    f"{run}\t{direction}\tall\t{source}\t{measure}\t1\t{query}\t"
    f"{value if (source, measure) == ('only', 'AP') else 1}\n"
    for direction in ("forward", "reverse")
    for source in ("over:a", "only")
    for measure in ("AP", "RR")
    for query, run, value in CELLS
)


def read(text, **chosen):
    return read_scores(io.BytesIO(text.encode()), name="folder/s.txt", chosen_values=chosen)


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("query,A,B\nq1,0.5,1\nq2,.25,0\nq3,0.125,6.25e-2\n", {}),
        ("topicnum\tA\tB\nq1\t0.5\t1\nq2\t.25\t0\nq3\t0.125\t0.0625\n", {}),
        (EVALUATED, {"measure": "AP"}),
        (ROWS, {"measure": "AP", "label_source": "only", "direction": "reverse"}),
        (
            "query\tsystem\tvalue\n"
            + "".join(f"{query}\t{run}\t{value}\n" for query, run, value in CELLS),
            {},
        ),
    ],
)
def test_every_form_gives_the_same_table(text, chosen):
    table = read(text, **chosen)
    assert (table.queries, table.runs, table.values.tolist()) == (QUERIES, RUNS, VALUES)
    assert table.of("B") == {"q1": 1, "q2": 0, "q3": 0.0625}


@pytest.mark.parametrize(
    ("head", "has_queries", "has_runs"),
    [
        ("Query", True, False),
        ("topic_id", True, False),
        ("id", False, False),
        ("name", False, False),
        ("run", False, True),
        ("System", False, True),
        ("Models", False, True),
        ("Topics", True, False),
    ],
)
def test_the_heading_of_the_names_tells_queries_or_runs(head, has_queries, has_runs):
    table = read(f"{head},A,B\nx,1,2\ny,2,3\n")
    assert (table.row_head, table.has_queries, table.has_runs) == (head, has_queries, has_runs)
    assert table.of_queries(np.array([1])).row_head == head


@pytest.mark.parametrize(
    "text",
    [
        "A,B,qid\n0.5,1,q1\n.25,0,q2\n0.125,.0625,q3\n",
        ",topic,A,B\n0,q1,0.5,1\n1,q2,.25,0\n2,q3,0.125,.0625\n",
    ],
)
def test_the_column_of_queries_may_stand_anywhere(text):
    table = read(text)
    assert (table.queries, table.runs, table.values.tolist()) == (QUERIES, RUNS, VALUES)
    assert read("turn,A\n31_1,1\n31_2,0\n").queries == ["31_1", "31_2"]
    assert read("A,B\n0,1\n1,1\n0,0\n").runs == ["A", "B"]


def test_the_largest_and_the_smallest_scores_and_every_zero_are_read():
    table = read("query,A,B\nq1,1e100,-1E-100\nq2,0.00e-999,-0\nq3,1e-100,0e5\n")
    assert table.values.tolist() == [[1e100, -1e-100], [0, 0], [1e-100, 0]]
    assert read("query,A\nq1,0\nq2,0\n").of("A") == {"q1": 0, "q2": 0}


def test_what_is_tiny_beside_other_scores_is_0():
    """RBP(p=0.5) of a positive at rank 500 alone is 3e-151, as Downloads write it."""
    table = read(f"query,A,B\nq1,0.5,{0.5**500}\nq2,{-(0.5**1000)},NA\n")
    assert table.of("A") == {"q1": 0.5, "q2": 0} and table.of("B") == {"q1": 0}


def test_what_evaluate_prints_is_read_with_ranks_beyond_the_list_and_runs_of_one_name():
    text = (
        "RR q1 1\nMedR q1 n/a beyond 2\nrunid all R\nMedR all n/a beyond 2\nRR q1 .5\nMedR q1 "
        "3\nrunid all R\n"
    )
    table = read(text, measure="RR")
    assert (table.runs, table.values.tolist()) == (["R", "R (2)"], [[1, 0.5]])
    assert read(text, measure="MedR").of("R") == {}


def test_queries_without_a_column_are_numbered_and_a_run_without_a_name_is_called_after_its_file():
    table = read("A,B\n0.5,1\n0.25,0\n0.125,0.0625\n")
    assert (table.queries, table.runs, table.values.tolist()) == (["1", "2", "3"], RUNS, VALUES)
    for text in ("0.5\n0.25\n\n0.125\n", "AP q1 0.5\nAP q2 0.25\nAP q3 0.125\n"):
        table = read(text)
        assert (table.runs, table.values[:, 0].tolist()) == (["s.txt"], [0.5, 0.25, 0.125])
    assert read("Topics,A\n301,0.5\n302,0.25\n").queries == ["301", "302"]


@pytest.mark.parametrize("text", ["query,A,B\nq1,NA,1\nq2,,0\nq3,1,nan\n", "AP q1 NaN\nAP q2 1\n"])
def test_a_score_that_is_not_there_is_none(text):
    table = read(text)
    assert np.isnan(table.values[0, 0]) and "q1" not in table.of(table.runs[0])


@pytest.mark.parametrize(
    ("text", "chosen", "message"),
    [
        (EVALUATED, {}, "several: AP, RR. Choose one by --measure"),
        (
            ROWS,
            {"measure": "AP", "direction": "forward"},
            "several: over:a, only. Choose one by --label-source",
        ),
        (ROWS, {"measure": "P@5"}, "no score is of measure P@5; the file holds AP, RR"),
        (
            "query,A,B\nq1,1,1\n",
            {"measure": "AP"},
            "does not say the measure of its scores: leave out --measure",
        ),
        ("AP\tq1\tmuch\nAP\tq2\t1\n", {}, 'Line 2: "q2" is not a number'),
        ("AP q1 1\nAP q2 much\n", {}, 'Line 2: "much" is not a number'),
        ("AP q1 1\nAP q1 0\n", {}, 'run "s.txt" has a score on query "q1" in line 1 already'),
        ("AP\tq1\t1\nAP\tq2\tinf\n", {}, "finite"),
        ("AP q1 1\nAP q2\n", {}, "Line 2: expected measure, query and value, found 2 fields"),
        ("query,A,B\nq1,1\n", {}, "Line 2: expected 3 fields, found 2"),
        ("turn,A,B\n301,0,1\n302,0,1\n303,0,1\n", {}, 'if it names them, call it "query"'),
        ("turn,A,B\n301,0,1\n302,0,1\n", {}, 'if it names them, call it "query"'),
        ("turn,A,B\n31.1,0,1\n31.2,0,1\n", {}, 'if it names them, call it "query"'),
        (
            "\n.1,.2,.3\n.2,.2,.3\n",
            {},
            'it holds numbers; write a line before it that names the runs: "query,A,B"',
        ),
        ("0,1\n0,2\n", {}, "it holds numbers"),
        ("query,A\nq1,1_0\n", {}, 'Line 2: "1_0" is not a number, in column "A"'),
        ("query,A\nq1,\u0663\n", {}, "is not a number"),
        ("query,A\nq1,1\nq2,-1.1e100\n", {}, 'Line 3: "-1.1e100" is too large to compute with'),
        ("query,A\nq1,NA\nq2,0\nq3,1e-101\n", {}, "Line 4: 1e-101 is too small to compute with"),
        ("AP q1 1e-300\n", {}, "in another unit, so that some reach 1e-100"),
        ("query,A,note\nq1,1,good\n", {}, '"good" is not a number, in column "note"'),
        ("query,A\nq1,1\nAverage,1\n", {}, '"Average" is no query but a summary'),
        ("query;A;B\nq1;1;0\n", {}, "parted by commas or tabs"),
        (ROWS, {"measure": "RR", "threshold": "2"}, "no score is of threshold 2; the file holds 1"),
        (
            "measure,threshold,query,value\nAP,1,q,1\nRR,2,q,1\n",
            {"measure": "RR", "threshold": "1"},
            "holds each of measure RR, threshold 1, but no score of all of them",
        ),
        ("query,A\nq1,NA\n", {}, "holds no scores"),
        ("query,A\n", {}, "holds no scores"),
        ("\n", {}, "holds no scores"),
    ],
)
def test_a_score_file_that_cannot_be_read_says_why(text, chosen, message):
    with pytest.raises(FormatError, match=message):
        read(text, **chosen)


GROUPED = "run,measure,query,value,group\n" + "".join(
    f"{run},{measure},{query},{value},{group}\n"
    for measure in ("AP", "RR")
    for run in RUNS
    for query, value, group in (("q1", 0.5, "v1"), ("q2", 1, " v1 "), ("q3", 0, ""))
)


def test_a_row_a_score_may_name_the_group_of_its_query():
    table = read(GROUPED, measure="AP")
    assert table.queries == QUERIES
    assert table.groups == ["v1", "v1", ""]
    subset = table.of_queries(np.array([1, 2]))
    assert (subset.queries, subset.groups, subset.values.tolist()) == (
        ["q2", "q3"],
        ["v1", ""],
        [[1, 1], [0, 0]],
    )


def test_without_the_column_a_file_says_nothing_of_groups():
    for text in (
        "query,A,B\nq1,0.5,1\nq2,.25,0\n",
        "query,value\nq1,0.5\n",
        "AP q1 0.5\n",
        "0.5\n0.25\n",
    ):
        table = read(text)
        assert table.groups is None
        assert table.of_queries(np.array([0])).groups is None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("A,AP,q1,1,v2", 'query "q1" belongs to "v2", but in line 2 it belongs to "v1".'),
        ("C,AP,q2,1,", 'query "q2" stands by itself, but in line 3 it belongs to "v1".'),
        ("C,AP,q3,1,v1", 'query "q3" belongs to "v1", but in line 4 it stands by itself.'),
    ],
)
def test_a_query_that_rows_put_into_two_groups_is_a_fault_with_its_line(row, message):
    text = GROUPED + row.replace("A,", "D,", 1) + "\n"
    with pytest.raises(FormatError) as raised:
        read(text, measure="AP")
    assert (raised.value.line, raised.value.field, raised.value.message) == (14, "group", message)
    # rows that are not meant say nothing
    assert read(text, measure="RR").groups == ["v1", "v1", ""]
