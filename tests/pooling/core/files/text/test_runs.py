"""TREC files as arrays: every value as Python reads it, every bad line named."""

import gzip
import io
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.files.formats import FormatError
from pooling.core.files.text import text_blocks
from pooling.core.files.text.runs import canonical_order, read_qrels, read_run
from tests.sizes import cases

IDS = st.text(
    st.characters(min_codepoint=33, exclude_categories=("Cs", "Z", "Cc")), min_size=1, max_size=40
)
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-(10**6), 10**6, allow_nan=False, places=6).map(str),
    st.integers(-(10**12), 10**12).map(str),
    st.sampled_from(
        [
            ".5",
            "5.",
            "+1.25",
            "-0",
            "1e-3",
            "-1E5",
            "0000001.5",
            "123456789.123456789",
            "9007199254740993",
        ]
    ),
)
BLANKS = st.sampled_from([" ", "\t", "  ", " \t "])


def read(text: str | bytes, **options):
    return read_run(
        io.BytesIO(text.encode() if isinstance(text, str) else text), name="a.run", **options
    )


def errors_of(text: str | bytes) -> list[str]:
    errors: list[FormatError] = []
    canonical_order(read(text, on_error=errors.append), on_error=errors.append)
    return [str(error) for error in errors]


@cases(200)
@given(
    st.lists(st.tuples(IDS, IDS, st.integers(0, 10**7), NUMBERS, BLANKS), min_size=1, max_size=30),
    st.booleans(),
)
def test_every_field_is_read_as_python_reads_it(rows, carriage_return):
    end = "\r\n" if carriage_return else "\n"
    text = "".join(
        blank.join([q, "Q0", doc, str(rank), score, "tag"]) + end
        for q, doc, rank, score, blank in rows
    )
    run = read(text)
    assert [run.queries[code].decode() for code in run.query] == [row[0] for row in rows]
    assert [doc.decode() for doc in run.docs] == [row[1] for row in rows]
    assert run.ranks.tolist() == [row[2] for row in rows]
    assert run.scores.tolist() == [float(row[3]) for row in rows]
    assert run.tag == "tag"


@pytest.mark.parametrize("digits", [1, 7, 8, 9, 15, 16, 17])
def test_scores_of_any_precision_are_the_nearest_doubles(digits):
    rng = np.random.default_rng(digits)
    texts = [
        f"{value:.{digits}g}"
        for value in rng.standard_normal(20_000) * 10.0 ** rng.integers(-3, 7, 20_000)
    ]
    run = read("".join(f"q Q0 d{i} 1 {text} t\n" for i, text in enumerate(texts)))
    assert run.scores.tolist() == [float(text) for text in texts]


def test_scores_half_way_between_two_doubles_are_rounded_once():
    """19 digits of a midpoint: rounding to 64 bits and then to 53 would err on some."""
    lower = np.random.default_rng(1).random(5000) + 1
    middle = [(Fraction(low) + Fraction(float(np.nextafter(low, 2)))) / 2 for low in lower]
    texts = [
        f"{int(half * 10**16) // 10**16}.{int(half * 10**16) % 10**16 + 1:016d}" for half in middle
    ]
    run = read("".join(f"q Q0 d{i} 1 {text} t\n" for i, text in enumerate(texts)))
    assert run.scores.tolist() == [float(text) for text in texts]


def test_blocks_join_without_a_seam(monkeypatch):
    monkeypatch.setattr(text_blocks, "BLOCK", 1 << 18)
    lines = [
        f"q{i // 1000} Q0 {'long' * (i % 7)}d{i} {i % 1000} {1000 - i % 1000} t\n"
        for i in range(60_000)
    ]
    text = "".join(lines)
    assert len(text) > 3 * text_blocks.BLOCK
    run = read(text)
    assert len(run.queries) == 60
    assert run.docs[-1] == b"long" * (59_999 % 7) + b"d59999"
    assert np.array_equal(run.ranks, np.arange(60_000) % 1000)


def test_gzip_reads_as_plain_text_does():
    text = b"q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n"
    plain, packed = read(text), read(gzip.compress(text))
    assert all(np.array_equal(left, right) for left, right in zip(plain, packed, strict=True))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q Q0 d 1 2 t\nq Q0 d 2 t\n", "Line 2: expected 6 fields, found 5."),
        ("q Q0 d 1 2 t\n\nq Q0 e 2 1 t\n", "Line 2: expected 6 fields, found 0."),
        ("q Q0 d 1 nan t\n", 'Line 1: the score "nan" is not a finite number.'),
        ("q Q0 d 1 1e999 t\n", 'Line 1: the score "1e999" is not a finite number.'),
        ("q Q0 d 1 1_0 t\n", 'Line 1: the score "1_0" is not a finite number.'),
        ("q Q0 d 1 . t\n", 'Line 1: the score "." is not a finite number.'),
        ("q Q0 d one 2 t\n", 'Line 1: the rank "one" is not a whole number.'),
        (
            "q Q0 d 1 2 t\nq Q0 d 2 1 t\n",
            'Line 2: document "d" stands twice for query "q"; keep one line of them.',
        ),
        (b"q Q0 d\xff 1 2 t\n", "Line 1: is not UTF-8 text; save the file as UTF-8."),
        (b"q Q0 d\x00 1 2 t\n", "Line 1: holds a control character; expected plain text in UTF-8."),
    ],
)
def test_a_bad_line_is_named_with_its_number_and_reason(text, message):
    assert errors_of(text) == [message]
    with pytest.raises(FormatError, match=r"^Line"):
        canonical_order(read(text))


def test_different_faults_close_together_come_in_the_order_of_lines():
    assert errors_of("q Q0 d 1 oops t\nshort\nq Q0 e x 1 t\n") == [
        'Line 1: the score "oops" is not a finite number.',
        "Line 2: expected 6 fields, found 1.",
        'Line 3: the rank "x" is not a whole number.',
    ]


@pytest.mark.parametrize("block", [text_blocks.BLOCK, 1 << 16])
def test_all_bad_lines_are_named_in_their_order(block, monkeypatch):
    monkeypatch.setattr(text_blocks, "BLOCK", block)
    good = "".join(f"q Q0 d{i} 1 1 t\n" for i in range(20_000))
    errors = errors_of(good + "too short\nq Q0 x 1 oops t\n" + good.replace("d", "e") + "short\n")
    assert errors == [
        "Line 20001: expected 6 fields, found 2.",
        'Line 20002: the score "oops" is not a finite number.',
        "Line 40003: expected 6 fields, found 1.",
    ]


@pytest.mark.parametrize("content", [b"", b"\n\n", gzip.compress(b"", mtime=0)])
def test_an_empty_file_says_so(content):
    with pytest.raises(FormatError, match=r"The file is empty\."):
        read(content)


def test_a_damaged_archive_says_so():
    packed = gzip.compress(b"q Q0 d 1 2 t\n" * 1000)
    with pytest.raises(FormatError, match="archive is damaged or incomplete"):
        read(packed[: len(packed) // 2])


def test_blank_lines_and_blanks_at_the_end_and_a_missing_line_end_are_accepted():
    assert len(read("q Q0 d 1 2 t\n\n  \n").docs) == 1
    assert len(read("q Q0 d 1 2 t").docs) == 1


def test_the_mark_that_some_editors_put_before_a_text_belongs_to_no_id():
    assert read(b"\xef\xbb\xbfq Q0 d 1 2 t").queries.tolist() == [b"q"]


@pytest.mark.parametrize("blank", [" ", "  "])  # regular lines, and such as are read one by one
def test_ids_and_ranks_may_be_as_large_as_their_columns_are(blank):
    run = read(f"q{blank}Q0 {'d' * 255} {2**31 - 1} 1 t\nq Q0 e 0 0 t\n")
    assert (run.docs[0], run.ranks.tolist()) == (b"d" * 255, [2**31 - 1, 0])
    assert errors_of(f"q{blank}Q0 {'d' * 256} 1 1 t\nq Q0 e {2**31} 0 t\nq Q0 f -1 0 t\n") == [
        "Line 1: holds a field of more than 255 bytes; no id is longer.",
        "Line 2: the rank 2147483648 is out of range; ranks are whole numbers from 0 to "
        "2,147,483,647.",
        "Line 3: the rank -1 is out of range; ranks are whole numbers from 0 to 2,147,483,647.",
    ]


def test_qrels_are_read_and_a_repeated_pair_is_named():
    qrels = read_qrels(io.BytesIO(b"1 0 a 2\n1 0 b -1\n2 0 a 0\n"), name="q")
    assert (qrels.grades.tolist(), qrels.query.tolist()) == ([2, -1, 0], [0, 0, 1])
    with pytest.raises(FormatError, match=r"Line 3: document .a. stands twice for query .1."):
        read_qrels(io.BytesIO(b"1 0 a 2\n1 0 b -1\n1 0 a 0\n"), name="q")
    with pytest.raises(FormatError, match=r"Line 1: the grade .2\.5. is not a whole number"):
        read_qrels(io.BytesIO(b"1 0 a 2.5\n"), name="q")


def ordered(text: str, **options) -> list[str]:
    run = read(text)
    return [run.docs[row].decode() for row in canonical_order(run, **options).order]


def test_ties_go_by_document_id_descending_in_bytes():
    assert ordered("q Q0 a 1 5 t\nq Q0 Z 2 5 t\nq Q0 é 3 5 t\nq Q0 b 4 7 t\n") == [
        "b",
        "é",
        "a",
        "Z",
    ]


def test_scores_are_compared_as_float32_unless_told_otherwise():
    text = "q Q0 a 1 1.00000001 t\nq Q0 b 2 1.0 t\n"
    assert ordered(text) == ["b", "a"]
    assert ordered(text, score_type="float64") == ["a", "b"]


def test_ranks_decide_only_when_asked_to():
    text = "q Q0 a 2 9 t\nq Q0 b 1 1 t\n"
    assert ordered(text) == ["a", "b"]
    assert ordered(text, use_ranks=True) == ["b", "a"]
    assert canonical_order(read(text)).n_misranked == 1
    # the same rank says nothing
    assert canonical_order(read("q Q0 a 1 9 t\nq Q0 b 1 1 t\n")).n_misranked == 0


def test_scattered_queries_are_gathered():
    run = read("q1 Q0 a 1 1 t\nq2 Q0 a 1 1 t\nq1 Q0 b 2 3 t\n")
    order = canonical_order(run)
    assert order.order.tolist() == [2, 0, 1]
    assert order.indptr.tolist() == [0, 2, 3]


@cases(100)
@given(
    st.lists(
        st.tuples(st.sampled_from("pq"), st.text("abé", min_size=1, max_size=9), st.integers(0, 3)),
        min_size=1,
        max_size=30,
        unique_by=lambda row: row[:2],
    )
)
def test_the_canonical_order_is_python_s_own_sort_of_score_and_bytes(rows):
    run = read("".join(f"{q} Q0 {doc} 1 {score} t\n" for q, doc, score in rows))
    queries = list(dict.fromkeys(q for q, _, _ in rows))
    expected = sorted(rows, key=lambda row: row[1].encode(), reverse=True)
    expected.sort(key=lambda row: (queries.index(row[0]), -row[2]))
    order = canonical_order(run)
    assert [(run.docs[i].decode(), run.scores[i]) for i in order.order] == [
        (doc, score) for _, doc, score in expected
    ]
    counts = {(q, s): sum((q, s) == (r[0], r[2]) for r in rows) for q, _, s in rows}
    assert order.n_tied == sum(counts[q, s] > 1 for q, _, s in rows)
