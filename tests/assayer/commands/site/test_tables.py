"""Tables for people and for programs."""

import sys
from datetime import UTC, datetime

from assayer.commands.site.tables import print_table

ROWS = [
    {"name": "a\tb\nc", "n": 1, "share": 0.123456789, "is_new": True, "at": None},
    {
        "name": "long name",
        "n": 12345,
        "share": None,
        "is_new": False,
        "at": datetime(2024, 5, 31, 14, 0, tzinfo=UTC),
    },
]


def test_programs_get_tabs_and_all_digits(capsys):
    print_table(ROWS)
    assert capsys.readouterr().out.splitlines() == [
        "name\tn\tshare\tis_new\tat",
        "a b c\t1\t0.123456789\tyes\t",
        "long name\t12345\t\tno\t2024-05-31T14:00:00+00:00",
    ]


def test_people_get_columns(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_table(ROWS)
    assert capsys.readouterr().out.splitlines() == [
        "name           n   share  is_new  at",
        "a b c          1  0.1235  yes",
        "long name  12345          no      2024-05-31 14:00 UTC",
    ]


def test_no_rows_are_no_table(capsys):
    print_table([])
    assert capsys.readouterr().out == ""
