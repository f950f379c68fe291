"""Digits of other scripts, odd white space, bytes that are no character: told with their place."""

import io
import zipfile

import h5py
import numpy as np
import pytest

from annotate.core.files.formats import Problems
from annotate.core.files.id_lists import read_ids
from annotate.core.files.judgments.judgment_formats import JudgmentColumns, read_judgments
from annotate.core.files.references.reference_formats import read_reference
from metrics.core.files.labels import read_labels
from metrics.core.files.scores import read_scores
from metrics.core.measures.measures import UnknownMeasure, parse
from pooling.core.files.run_files import read_parts

BEYOND = [0x110000, 0x80000000, 0xFFFFFFFF]
TREC = "is not a finite number."


def run_errors(data: bytes, name: str = "a.run") -> list[str]:
    problems = Problems()
    list(read_parts(io.BytesIO(data), name, problems))
    return problems.lines()


def archive(ids: np.ndarray) -> bytes:
    data = io.BytesIO()
    np.savez(
        data,
        sim_mat=np.zeros((len(ids), 2), np.float32),
        row_ids=ids,
        column_ids=np.array(["a", "b"]),
    )
    return data.getvalue()


def zipped(rows: bytes) -> bytes:
    data, matrix = io.BytesIO(), io.BytesIO()
    np.save(matrix, np.zeros((2, 2), np.float32))
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("scores.npy", matrix.getvalue())
        archive.writestr("rows.txt", rows)
        archive.writestr("columns.txt", "a\r\nb\r\n")
    return data.getvalue()


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("q Q0 b 2 ٣.٢ t", 'Line 2: the score "٣.٢" is not a finite number.'),
        ("q Q0 b ٢ 3.5 t", 'Line 2: the rank "٢" is not a whole number.'),
        ("q Q0 b 2 1_000 t", 'Line 2: the score "1_000" is not a finite number.'),
        (
            "q Q0 b -5 3.5 t",
            "Line 2: the rank -5 is out of range; ranks are whole numbers from 0 to 2,147,483,647.",
        ),
        ("q Q0\vb 2 3.5 t", "Line 2: holds a control character"),
        ("q Q0 b 2\f3.5 t", "Line 2: holds a control character"),
        ("q Q0 b 2\r3.5 t", "Line 2: holds a control character"),
        ("q Q0 b\u00a02 3.5 t", "Line 2: expected 6 fields, found 5."),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_trec_line_is_ascii_digits_between_blanks_or_tabs(
    line: str, fault: str, end: str
) -> None:
    (error,) = run_errors(f"q Q0 a 1 4.5 t{end}{line}{end}q\tQ0\tc 3 2.5 t{end}".encode())
    assert error.startswith(fault)


def test_ranks_may_begin_at_zero() -> None:
    assert run_errors(b"q Q0 a 0 4.5 t\nq Q0 b 1 3.5 t\n") == []


@pytest.mark.parametrize("score", ["٣.٢", "1_0", "3.5\v", "3\u00a0"])
def test_a_table_and_json_lines_take_ascii_numbers_alone(score: str) -> None:
    (error,) = run_errors(f"query,document,score\nq,a,4\nq,b,{score}\n".encode(), "a.csv")
    assert error.startswith("Line 3: the score") and error.endswith(TREC)
    escaped = (
        score.encode("unicode_escape")
        .decode()
        .replace("\\x0b", "\\u000b")
        .replace("\\xa0", "\\u00a0")
    )
    (error,) = run_errors(
        f'{{"query": "q", "document": "a", "score": "{escaped}"}}\n'.encode(), "a.jsonl"
    )
    assert error.startswith("Line 1: the score") and error.endswith(TREC)


@pytest.mark.parametrize("point", BEYOND)
@pytest.mark.parametrize("order", "<>")
def test_bytes_beyond_unicode_in_a_matrix_s_ids_are_told_with_their_entry(
    point: int, order: str
) -> None:
    ids = np.array([[65, 66], [67, point]], dtype=f"{order}u4").view(f"{order}U2").ravel()
    (error,) = run_errors(archive(ids), "a.npz")
    assert (
        error
        == "Entry 2 of row_ids holds four bytes that are no Unicode character; save the ids anew."
    )


def test_half_of_a_surrogate_pair_is_no_id_of_a_matrix() -> None:
    (error,) = run_errors(archive(np.array([65, 0xD800], dtype="<u4").view("<U1")), "a.npz")
    assert error.startswith("Entry 2 of row_ids: the id '\\ud800' contains a control character")


def test_ids_of_a_matrix_that_are_bytes_are_utf_8() -> None:
    ids = np.array(["é".encode(), "é".encode("latin-1")])
    message = "Entry 2 of row_ids is no UTF-8; save the ids as text in UTF-8."
    assert run_errors(archive(ids), "a.npz") == [message]
    data = io.BytesIO()
    with h5py.File(data, "w") as file:
        file["sim_mat"], file["row_ids"], file["column_ids"] = (
            np.zeros((2, 2)),
            ids,
            np.array([b"a", b"b"]),
        )
    assert run_errors(data.getvalue(), "a.h5") == [message]


def test_lists_of_ids_beside_a_matrix_are_parted_by_ends_of_lines_alone() -> None:
    assert run_errors(zipped(b"a\nb"), "a.zip") == run_errors(zipped(b"a\r\nb\r\n"), "a.zip") == []
    (error,) = run_errors(zipped(b"a\vb\n"), "a.zip")
    assert error.startswith("Entry 1 of rows.txt: the id 'a\\x0bb' contains white space")
    (error,) = run_errors(zipped(b"a\n\xe9\n"), "a.zip")
    assert error == "Line 2 of rows.txt is no UTF-8; save the list as UTF-8."


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("q 0 b ٢", "grade"),
        ("q 0 b 2\v", "grade"),
        ("q 0 b\u00a0 2", "document 'b\\xa0' contains white space"),
        ("q\f 0 b 2", "query 'q\\x0c' contains white space"),
        ("q 0\u2003b 2", "expected 4 fields"),
    ],
)
def test_a_label_s_line_is_ascii_digits_between_blanks_or_tabs(line: str, fault: str) -> None:
    problems = Problems()
    rows = list(
        read_reference(io.BytesIO(f"q 0 a 1\n{line}\nq\t0 \tc 2\n".encode()), "a.qrels", problems)
    )
    assert [row.document for row in rows] == ["a", "c"]
    (error,) = problems.lines()
    assert error.startswith(f"Line 2: {fault}")


@pytest.mark.parametrize("id_", ["b\v", "\u00a0b", "b\x1c"])
def test_white_space_that_is_no_blank_is_no_end_of_an_id(id_: str) -> None:
    problems = Problems()
    list(read_ids(io.BytesIO(f"a\n {id_}\t\nc\n".encode()), "ids.txt", problems))
    (error,) = problems.lines()
    assert error.startswith("Line 2: the id") and "contains white space" in error
    (error,) = run_errors(f"query,document,score\nq,{id_},4\n".encode(), "a.csv")
    assert error.startswith("Line 2: the document id") and "contains white space" in error


@pytest.mark.parametrize("grade", ["٢", "2\v", "2\u00a0"])
def test_a_judgment_s_grade_is_ascii_digits(grade: str) -> None:
    problems = Problems()
    data = f"query,document,annotator,grade\nq,a,p,1\nq,b,p,{grade}\n".encode()
    columns = JudgmentColumns("query", "document", "annotator", "grade")
    assert len(list(read_judgments(io.BytesIO(data), "a.csv", columns, problems))) == 1
    (error,) = problems.lines()
    assert error.startswith("Line 3: grade")


def test_numbers_of_measures_and_of_other_tools_files_are_ascii() -> None:
    for measure in ("nDCG@²", "nDCG@٣", "P(rel=٢)@5", "P(rel=1_0)@5"):
        with pytest.raises(UnknownMeasure):
            parse(measure)
    problems = Problems()
    data = "unit,A,B\nu,1,٢\nv,1_0,2\nw,3,4\n".encode()
    options = {"unit": ["unit"], "annotator": ["A", "B"], "value": None, "level": "interval"}
    read_labels(io.BytesIO(data), problems, name="a.csv", **options)
    assert [line[:7] for line in problems.lines()] == ["Line 2:", "Line 3:"]
    with pytest.raises(Exception, match="is not a number"):
        read_scores(io.BytesIO("query,value\na,1\nb,٢\n".encode()), name="a.csv")
