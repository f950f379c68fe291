"""Run files of every format: told by content, equal rows, only clear errors from broken ones."""

import gzip
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.files.formats import Problems
from pooling.core.files.run_files import FORMATS, format_of, read_parts
from pooling.core.files.run_ranking import FewScores, FigureTally, OddIds
from tests.pooling.core.files.run_reading import errors_of, read, rows_of
from tests.pooling.core.files.run_samples import (
    FAULTY,
    RANKINGS,
    READ_HERE,
    ROWS,
    SAMPLES,
    TSV,
)
from tests.sizes import cases


def figures_of(data: bytes):
    tally = FigureTally()
    tally.add(read(data)[1])
    return tally.figures()


@pytest.mark.parametrize(
    "data",
    [
        *SAMPLES.values(),
        RANKINGS,
        TSV,
        *(gzip.compress(sample, mtime=0) for sample in [*SAMPLES.values()][:3]),
    ],
)
def test_every_format_gives_the_same_ranking(data):
    assert rows_of(data) == ROWS


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_told_by_its_content_whatever_the_name(name):
    assert format_of(io.BytesIO(SAMPLES[name]), "upload.bin") == name


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_with_a_fault_is_refused_with_its_place(name):
    data, message = FAULTY[name]
    assert format_of(io.BytesIO(data), "upload.bin") == name
    assert errors_of(data)[0].startswith(message), errors_of(data)


def test_equal_scores_are_ordered_by_id_descending_in_bytes():
    data = "".join(f"q Q0 {d} 1 1.0 t\n" for d in ["a", "B", "é", "z", "a1"]).encode()
    assert [d for _, d, _ in rows_of(data)] == ["é", "z", "a1", "a", "B"]


def test_scores_that_differ_below_float32_tie_unless_float64_is_asked_for():
    data = b"q Q0 a 1 1.00000001 t\nq Q0 b 2 1.0 t\n"
    assert [d for _, d, _ in rows_of(data)] == ["b", "a"]
    assert [d for _, d, _ in rows_of(data, score_type="float64")] == ["a", "b"]


def test_the_rank_column_is_trusted_only_when_asked_for():
    data = b"q Q0 a 2 9 t\nq Q0 b 1 1 t\n"
    assert [d for _, d, _ in rows_of(data)] == ["a", "b"]
    assert [d for _, d, _ in rows_of(data, score_type="rank")] == ["b", "a"]
    assert figures_of(data).misranked == 1


def test_the_figures_say_depth_and_share_of_ties():
    data = b"q Q0 b 1 1 t\nq Q0 a 2 1 t\nq Q0 c 3 0 t\np Q0 a 1 1 t\n"
    assert figures_of(data) == (4, 2, 1, 2.0, 3, 0.5, 0)


def headless(data: bytes, name: str = "a.tsv", **columns: int):
    problems = Problems()
    parts = list(read_parts(io.BytesIO(data), name, problems, columns=columns))
    rows = [
        (int(line), run.queries[query].decode(), doc.decode(), float(score), int(rank))
        for run, lines in parts
        for line, query, doc, score, rank in zip(
            lines, run.query, run.docs, run.scores, run.ranks, strict=True
        )
    ]
    return rows, problems.lines()


def test_a_table_without_a_header_is_read_by_the_numbers_of_its_columns():
    of_ranks = b"q1\td1\t1\nq1\td2\t2\n"  # as MS MARCO's runs are
    assert headless(of_ranks, query=1, document=2, rank=3) == (
        [(1, "q1", "d1", -1, 1), (2, "q1", "d2", -2, 2)],
        [],
    )
    packed = gzip.compress(b".5,x,d1,q1\n")
    assert headless(packed, "a.gz", score=1, document=3, query=4)[0] == [(1, "q1", "d1", 0.5, 0)]
    six = b"q1\tQ0\td1\t1\t.5\tt\n"
    assert headless(six, query=1, document=3, rank=4, score=5)[0] == [(1, "q1", "d1", 0.5, 1)]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"q1\td1\n", "Line 1: there is no column 3: this line has 2."),
        (
            b"q1 d1 1\n",
            "Line 1: there is no column 2: this line has 1; cells are parted by commas or tabs.",
        ),
        (b"q1\td1\tx\n", 'Line 1: the score "x" is not a finite number.'),
        (b"q1\td1\t1\nq1\td2\n", "Line 2: expected 3 fields, found 2."),
        (b"PAR1", "The file is no table"),
        (b"", "a.tsv is empty."),
    ],
)
def test_what_is_wrong_with_a_table_without_a_header_has_its_place(data, error):
    _, errors = headless(data, query=1, document=2, score=3)
    assert len(errors) == 1 and errors[0].startswith(error), errors


@pytest.mark.parametrize("data", [SAMPLES["trec"], SAMPLES["jsonl"], SAMPLES["table"]])
def test_a_document_twice_in_a_ranking_is_named_with_both_lines(data):
    lines = data.splitlines(keepends=True)
    last = len(lines) + 1
    first = 1 + data.startswith(b"query")
    assert errors_of(data + lines[first - 1]) == [
        f'Line {last}: document "d1" of query "q1" stands already in line {first}.'
    ]


@pytest.mark.parametrize(
    ("data", "name", "error"),
    [
        (b"", "a.run", "The file"),
        (b"\n\n", "a.run", "The file"),
        (b"query,document,score\n", "a.csv", "The file holds no rows."),
        (b"query,document\nq,d\n", "a.csv", "Line 1: the header names no column score"),
        (b"q,d,1\n", "a.csv", "Line 1: the header names no column query"),
        (
            b"q\td\t1\n",
            "a.txt",
            "Line 1: the header names no column query; the first line should read",
        ),
        (
            b"query,document,rank\nq,d,0\n",
            "a.csv",
            'Line 2: the rank "0" is no whole number from 1 on.',
        ),
        (b"query,document,score\nq,d\n", "a.csv", "Line 2: expected 3 fields, found 2."),
        (b"query,document,score\nq,,1\n", "a.csv", "Line 2: the document id is blank"),
        (
            b"query,document,score\nq,d,nan\n",
            "a.csv",
            'Line 2: the score "nan" is not a finite number.',
        ),
        (
            b"query,document,score\nq,d,1_0\n",
            "a.csv",
            'Line 2: the score "1_0" is not a finite number.',
        ),
        (
            b'{"query":"q","document":"d"}\n',
            "a.jsonl",
            'Line 1: the score "None" is not a finite number.',
        ),
        (b'{"query":"q","document":"d","score":1e999}\n', "a", 'Line 1: the score "inf"'),
        (
            b'{"query":"q","document":"d","score":NaN}\n',
            "a",
            "Line 1: this is no JSON: NaN is no JSON number.",
        ),
        (b'{"query":null,"document":"d","score":1}\n', "a", "Line 1: query is missing or no text"),
        (
            b'{"query":"q d","document":"d","score":1}\n',
            "a",
            'Line 1: the query id "q d" contains white space',
        ),
        (
            b'{"query":"\\ud800","document":"d","score":1}\n',
            "a",
            "Line 1: the query id '\\ud800' contains a control",
        ),
        (
            b'{"query":"q","ranking":[["d"]]}\n',
            "a",
            "Line 1: ranking is not a list of [document, score] pairs.",
        ),
        (b'{"query":' + b"[" * 200_000 + b"\n", "a", "Line 1: "),
        (b"\x80\x04\x95", "a.pkl", "Pickles are never loaded"),
        (
            b"\x93NUMPY\x01\x00",
            "a.npy",
            "A .npy file holds no ids: zip it with rows.txt and columns.txt",
        ),
        (b"%PDF-1.7\n1 0 obj\n", "a.pdf", "A PDF is no run"),
        (b"\xd0\xcf\x11\xe0\xa1", "a.xls", "An Excel file is no run"),
        ("q Q0 d 1 1 t\n".encode("utf-16"), "a.run", "Line 1: the file is UTF-16"),
        (
            gzip.compress(b"q Q0 d 1 1 t\n" * 99, mtime=0)[:-20],
            "a.run.gz",
            "The packed file is damaged",
        ),
        (
            gzip.compress(gzip.compress(b"q Q0 d 1 1 t\n", mtime=0), mtime=0),
            "a.gz",
            "Line 1: byte 2 of the line is no UTF-8",
        ),
        (
            b"q Q0 " + b"d" * 300 + b" 1 1 t\n",
            "a.run",
            "Line 1: holds a field of more than 255 bytes",
        ),
    ],
)
def test_a_broken_file_is_answered_with_place_and_reason(data, name, error):
    errors = errors_of(data, name=name)
    assert len(errors) == 1
    assert errors[0].startswith(error), errors


def test_the_first_fifty_faults_are_kept_and_all_are_counted():
    problems = read(b"q Q0 d 1 1\n" * 812)[2]
    assert problems.n == 812
    assert str(problems.errors[49]) == "Line 50: expected 6 fields, found 5."


def test_an_odd_id_among_rows_is_refused_with_its_line():
    batch, _, problems = read("q Q0 a 1 1 t\nq Q0 b\u202e 1 0 t\n".encode())
    odd = OddIds("a.run", problems)
    for _ in range(2):
        odd.refuse("document", batch.run.docs, batch.line)
    assert problems.lines() == [
        "Line 2: the document id 'b\\u202e' contains a control character; remove it."
    ]


def test_a_gzip_bomb_is_refused():
    line = b"q Q0 d 1 1 " + b"t" * 200 + b"\n"
    with io.BytesIO() as stream:
        with gzip.GzipFile(fileobj=stream, mode="wb") as packed:
            for _ in range(400):
                packed.write(line * 1_000)
        bomb = stream.getvalue()
    assert len(bomb) < 80_000_000 / 50
    assert (
        errors_of(bomb)[-1]
        == "The file unpacks to more than 50 times its size; unpack it and load it plain."
    )


def test_reading_stops_where_almost_every_line_is_at_fault():
    assert errors_of((b"q d" + b" " * 30 + b"\n") * 350_000)[-1] == "and 9,951 more."
    assert errors_of(b"\n" * 10_000_000) == ["More than 2,097,152 bytes in a row are blank."]


@cases(2000)
@given(
    st.sampled_from([*READ_HERE, RANKINGS, TSV, *map(gzip.compress, READ_HERE)]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3), st.binary(max_size=6)), max_size=8),
    st.sampled_from(["a.run", "b.csv", "c.tsv", "d.jsonl", "e.npz"]),
    st.sampled_from(["float32", "float64", "rank"]),
)
def test_whatever_bytes_come_the_answer_is_rows_or_problems(data, changes, name, score_type):
    for position, cut, new in changes:
        at = int(position * len(data))
        data = data[:at] + new + data[at + cut :]
    batch, order, problems = read(data, name=name, score_type=score_type)
    assert problems or (
        len(batch.run.scores) == order.indptr[-1] > 0 and np.isfinite(batch.run.scores).all()
    )
    assert all(str(error) and "Traceback" not in str(error) for error in problems.errors)


@pytest.mark.parametrize(
    ("data", "is_labels"),
    [
        (b'{"q": {"a": 1, "b": 1}, "p": {"c": 0}}', True),
        (b'{"q": {"a": 1}, "p": {"c": 3}}', True),
        (b'{"q": {"a": 1.5, "b": 1}}', False),
        (b'{"q": {"a": -1, "b": -1}}', False),
        (b'{"q": {"a": 11, "b": 1}}', False),
        (b"q Q0 a 1 1 t\nq Q0 b 2 1 t\n", False),
        (b'{"q": ["a", "b"]}', False),
        (json.dumps({"q": {f"d{score}": score for score in range(6)}}).encode(), False),
    ],
)
def test_few_small_whole_numbers_without_ranks_are_the_grades_of_labels(data, is_labels):
    scores = FewScores()
    for part in read_parts(io.BytesIO(data), "a", Problems()):
        scores.add(part.run)
    assert scores.are_grades is is_labels


def test_a_run_without_rows_has_no_grades():
    assert not FewScores().are_grades
