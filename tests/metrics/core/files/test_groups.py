"""Files of groups: tables and lines of two fields are equal.

Contradictions are reported with lines.
"""

import gzip
import io

import pytest

from annotate.core.files.formats import FormatError
from metrics.core.files.groups import as_groups, group_names, read_groups

GROUPS = {"q1": "a", "q2": "a", "q3": "", "q4": "living room"}


def read(text: str | bytes) -> dict[str, str]:
    return read_groups(io.BytesIO(text if isinstance(text, bytes) else text.encode()), name="g.txt")


@pytest.mark.parametrize(
    "text",
    [
        "query,group\nq1,a\nq2,a\nq3,\nq4,living room\n",
        "value\tgroup\tquery\n1\ta\tq1\n.5\ta\tq2\n0\ta\tq1\n1\t \tq3\n0\tliving room\tq4\n",
        "q1\ta\nq2\ta\n\nq3\t\nq4\tliving room\n",
        "\ufeffq1\ta \n q2 \ta\nq3\t\nq4\tliving room",
        gzip.compress(b"query,group\nq1,a\nq2,a\nq3,\nq4,living room\n", mtime=0),
    ],
    ids=["table", "more columns", "tabs", "byte order mark", "gzip"],
)
def test_every_form_says_the_same(text):
    assert read(text) == GROUPS


def test_without_tabs_blanks_part_a_query_from_its_group():
    assert read("q1 a\n  q2   b\n") == {"q1": "a", "q2": "b"}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            "query,group\nq1,a\nq2,b\nq1,b\n",
            4,
            'query "q1" belongs to "b", but in line 2 it belongs to "a".',
        ),
        ("q1 a\nq2 b\nq2 c\n", 3, 'query "q2" belongs to "c", but in line 2 it belongs to "b".'),
        ("q1\ta\nq1\t\n", 2, 'query "q1" stands by itself, but in line 1 it belongs to "a".'),
        (
            "query,group\nq1,\nq1,a\n",
            3,
            'query "q1" belongs to "a", but in line 2 it stands by itself.',
        ),
        ("query,group\nq1,a\nq2\n", 3, "expected 2 fields, found 1."),
        ("query,group\nq1,a\n ,b\n", 3, "the query is blank."),
        (
            "q1 a\nq2 living room\n",
            2,
            "found 3 fields; the first line of a table names the columns",
        ),
        ("q1,a\nq2,b\n", 1, "found 1 fields; the first line of a table names the columns"),
        (
            "query_id,group\nq1,a\n",
            1,
            "found 1 fields; the first line of a table names the columns",
        ),
        ("query,group\n", None, "The file names no queries."),
        ("", None, "The file names no queries."),
        (
            gzip.compress(b"q1 a\n" * 99, mtime=0)[:-9],
            100,
            "the packed file is damaged or cut short",
        ),
    ],
    ids=range(12),
)
def test_a_fault_is_told_with_its_line(text, line, message):
    with pytest.raises(FormatError) as raised:
        read(text)
    assert (raised.value.file, raised.value.line) == ("g.txt", line)
    assert message in raised.value.message


def test_queries_without_a_group_stand_by_themselves():
    names = group_names(["q9", "q2", "q3", " q1", "q4", "q8"], GROUPS)
    assert names == ["", "a", "", "a", "living room", ""]
    groups = as_groups(names)
    assert groups.of_query.tolist() == [0, 1, 2, 1, 3, 4]
    assert as_groups(["", "", ""]).are_single
    assert as_groups([]).n == 0
