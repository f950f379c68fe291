"""Bytes to lines, objects and rows: gzip or plain, encodings, limits, damage."""

import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.files import text_files
from annotate.core.files.formats import FormatError, Problems
from tests.annotate.core.files.samples import file, packed

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\ufeff"))


def read(stream, **options):
    return list(text_files.lines(stream, "a.tsv", **options))


@given(st.lists(TEXT, max_size=20))
def test_lines_come_back_numbered_and_gzip_makes_no_difference(texts):
    expected = list(enumerate(texts, start=1))
    assert read(file(*texts)) == expected
    assert read(packed(*texts)) == expected


def test_windows_line_ends_and_a_byte_order_mark_are_left_out():
    assert read(io.BytesIO("\ufeffé\r\nb".encode())) == [(1, "é"), (2, "b")]


def test_a_wrong_encoding_is_named_with_its_line():
    with pytest.raises(FormatError, match=r"Line 2: byte 2 of the line is no UTF-8"):
        read(io.BytesIO("a\ncafé au lait".encode("latin-1").replace(b"caf\xe9", b"c\xe9")))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le"])
def test_utf_16_is_refused(encoding):
    with pytest.raises(FormatError, match=r"Line 1"):
        read(io.BytesIO("\ufeffé".encode(encoding)))


def test_a_gzip_file_cut_short_is_named_with_the_line_it_broke_at():
    whole = packed(*(f"line {i} {i * 7919 % 1000}" for i in range(5000))).getvalue()
    with pytest.raises(FormatError, match="damaged or cut short") as caught:
        read(io.BytesIO(whole[: len(whole) // 2]))
    assert caught.value.line > 1


def test_damage_inside_a_gzip_file_is_named():
    whole = bytearray(packed(*(str(i) for i in range(5000))).getvalue())
    whole[len(whole) // 2] ^= 0xFF
    with pytest.raises(FormatError, match="damaged"):
        read(io.BytesIO(bytes(whole)))


def test_a_gzip_bomb_is_refused_before_it_is_unpacked():
    bomb = io.BytesIO()
    with gzip.GzipFile(fileobj=bomb, mode="wb") as packed:
        for _ in range(80):
            packed.write((b"0" * 1000 + b"\n") * 1_000)
    bomb.seek(0)
    limits = text_files.Limits(free=1_000_000)
    with pytest.raises(FormatError, match="unpacks to more than 50 times"):
        read(bomb, limits=limits)


def test_a_line_without_an_end_is_refused():
    with pytest.raises(FormatError, match="Line 1: the line is longer than 100 bytes"):
        read(io.BytesIO(b"x" * 5000), limits=text_files.Limits(line=100))


def test_a_file_beyond_the_limit_is_refused():
    with pytest.raises(FormatError, match="larger than 1 MB"):
        read(
            io.BytesIO((b"x" * 99 + b"\n") * 12_000), limits=text_files.Limits(unpacked=1024 * 1024)
        )


def objects(*texts):
    problems = Problems()
    return list(text_files.json_objects(file(*texts), "a.jsonl", problems)), problems.lines()


def test_blank_lines_between_objects_are_skipped():
    assert objects('{"a": 1}', "", ' {"b": 2} ') == ([(1, {"a": 1}), (3, {"b": 2})], [])


@pytest.mark.parametrize(
    "text", ["{", "[1]", "3", "{'a': 1}", '{"a": NaN}', '{"a": Infinity}', "[" * 200_000]
)
def test_lines_that_hold_no_json_object_are_named(text):
    rows, faults = objects('{"a": 1}', text)
    assert rows == [(1, {"a": 1})]
    assert len(faults) == 1
    assert faults[0].startswith("Line 2: ")


def table(*texts):
    problems = Problems()
    return list(text_files.table_rows(file(*texts), "a.csv", problems)), problems.lines()


def test_cells_are_given_by_column_and_a_quoted_cell_may_hold_line_ends():
    rows, faults = table("id,text", '1,"two', 'lines, one cell"', "2,x")
    assert rows == [(2, {"id": "1", "text": "two\nlines, one cell"}), (4, {"id": "2", "text": "x"})]
    assert faults == []


def test_a_tab_in_the_header_makes_quotes_plain_characters():
    assert table("id\ttext", '1\t"hi", he said')[0] == [(2, {"id": "1", "text": '"hi", he said'})]


def test_a_row_of_another_length_is_named():
    assert table("a,b", "1,2,3", "1,2")[1] == ["Line 2: expected 2 fields, found 3."]


def test_a_column_named_twice_is_refused():
    with pytest.raises(FormatError, match='Line 1: column "a" stands twice'):
        table("a,b,a", "1,2,3")


def test_a_quote_that_never_ends_is_named_where_it_begins():
    with pytest.raises(FormatError, match="Line 3: the quotes"):
        table("a,b", "1,2", '1,"2', "1,2")


@given(st.lists(st.tuples(TEXT, TEXT), max_size=8))
def test_any_table_written_as_json_reads_back(rows):
    texts = [json.dumps({"a": a, "b": b}) for a, b in rows]
    assert [record for _, record in objects(*texts)[0]] == [{"a": a, "b": b} for a, b in rows]
