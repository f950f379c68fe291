"""The product's promises, the sizes at which they are measured, and the tests that measure them.

A test gets the sizes of its row from the `figures` fixture, and records its measurements and goals.
"""

from collections.abc import Mapping
from typing import NamedTuple

# environment variable: the file to which tests write their measurements
FIGURES = "ASSAYER_FIGURES"


class ScorecardRow(NamedTuple):
    """One promise.

    goal : in words; the test records each figure with its bound
    sizes : the amounts that the test runs, by name
    node : pytest's address of the test, or of the module of tests
    """

    id: str
    promise: str
    goal: str
    sizes: Mapping[str, int]
    node: str

    def holds(self, node: str) -> bool:
        """Whether a test belongs to the row."""
        return node == self.node or node.startswith((f"{self.node}[", f"{self.node}::"))


ROWS = (
    ScorecardRow(
        "A1",
        "An answer that was acknowledged is on disk, once, "
        "though all of PostgreSQL is killed again and again.",
        "None lost, none stored twice, by the ledger of the clients; `fsck` finds nothing.",
        {"kills": 50, "answers": 40_000},
        "tests/benchmarks/judging/test_kills.py::test_nothing_acknowledged_is_lost[postgres]",
    ),
    ScorecardRow(
        "A2",
        "An answer that was acknowledged is on disk, once, "
        "though web workers are killed again and again.",
        "None lost, none stored twice. People pause for 0.5 s: "
        "at most 0.5 % of their tries fail, and are made again.",
        {"kills": 50, "answers": 6_000},
        "tests/benchmarks/judging/test_kills.py::test_nothing_acknowledged_is_lost[web worker]",
    ),
    ScorecardRow(
        "A3",
        "On a line that cuts, delays and resets in both directions every answer is stored, "
        "and stored once.",
        "None lost, none stored twice, by the ledger of the clients.",
        {"answers": 10_000},
        "tests/scorecard/test_bad_line.py::test_on_a_bad_line_every_answer_is_stored_once",
    ),
    ScorecardRow(
        "A4",
        "After Redis is emptied and killed, and workers are killed, "
        "the numbers become those of a clean rebuild.",
        "Every number equals the rebuilt one, and no change is left to be counted, within 120 s.",
        {"kills of workers": 20},
        "tests/scorecard/test_killed_workers.py::test_the_numbers_become_those_of_a_rebuild",
    ),
    ScorecardRow(
        "A5",
        "On a full disk nothing is acknowledged that is not stored, it is told, "
        "and work goes on once there is room.",
        "None lost, none acknowledged while it is full, `/readyz` 503; "
        "the next one at most 5 s after there is room.",
        {"answers": 4_000},
        "tests/scorecard/test_full_disk.py::test_a_full_disk_loses_nothing_and_is_told",
    ),
    ScorecardRow(
        "A6",
        "A backup is restored whole, and soon.",
        "At most 5 minutes; `fsck` finds nothing, "
        "and the files of judgments and of qrels are the same bytes.",
        {"judgments": 1_000_000},
        "tests/benchmarks/files/test_backups.py::"
        "test_a_million_judgments_are_restored_within_five_minutes",
    ),
    ScorecardRow(
        "A7",
        "`fsck` looks for everything that must not be, and finds it.",
        "At least 20 checks, and each finds what was planted for it.",
        {"checks": 20},
        "tests/tables/test_fsck.py::test_each_check_fires_on_a_planted_violation",
    ),
    ScorecardRow(
        "B1",
        "No seat is handed out twice, and nobody is handed a pair twice, however many ask at once.",
        "None of the claims, over 180 connections of the 200 that the server takes.",
        {"claims": 1_000_000, "connections": 180},
        "tests/scorecard/test_claims.py::"
        "test_no_seat_is_handed_out_twice_and_nobody_gets_a_pair_twice",
    ),
    ScorecardRow(
        "B2",
        "Two people who disagree at the same moment have a third one asked, and nobody else.",
        "No disagreement without a third label, none with more.",
        {"disagreements": 4_000},
        "tests/scorecard/test_claims.py::"
        "test_every_disagreement_of_one_moment_asks_for_one_label_more",
    ),
    ScorecardRow(
        "B3",
        "A double click and a second tab judge once, and an answer that comes late is kept.",
        "A judgment for each double click, a label for each pair of two tabs, "
        "every late answer stored.",
        {"double clicks": 4_000, "pairs in two tabs": 4_000, "late answers": 10_000},
        "tests/scorecard/test_double_clicks.py",
    ),
    ScorecardRow(
        "B4",
        "What somebody has who never comes back is handed out again.",
        "Every seat, at most 60 s after the lease is over.",
        {"people": 100},
        "tests/scorecard/test_claims.py::test_what_vanished_people_hold_is_handed_out_again",
    ),
    ScorecardRow(
        "D2",
        "A malformed run file is refused whole, in a sentence.",
        "No crash, nothing stored, a sentence for each; where the file is a text with lines, "
        "it names one, or a field.",
        {
            "TREC": 10_000,
            "JSONL": 1_000,
            "CSV": 1_000,
            "npz": 1_000,
            "gzip": 1_000,
            "zip": 1_000,
            "Parquet": 1_000,
        },
        "tests/scorecard/test_malformed_runs.py",
    ),
    ScorecardRow(
        "D3",
        "A file made to take all memory or time is refused at once.",
        "Each within 2 s of processor time, and within 256 MiB.",
        {"bombs": 20},
        "tests/pooling/core/files/test_bombs.py::test_every_bomb_is_refused_at_once",
    ),
    ScorecardRow(
        "E1",
        "A thousand people judge without waiting.",
        "99 of 100 answers within 150 ms, people who answer every 10 s; of a rush within 15 s, "
        "99 of 100 within 2 s.",
        {"people": 1_000},
        "tests/benchmarks/judging/test_judging_load.py::test_a_thousand_annotators",
    ),
    ScorecardRow(
        "E1 beside",
        "They judge on while a large run, "
        "many labels and a download of all judgments are worked on.",
        "99 of 100 answers within 500 ms.",
        {
            "people": 1_000,
            "lines of the run": 7_000_000,
            "labels imported": 500_000,
            "judgments loaded down": 660_000,
        },
        "tests/benchmarks/judging/test_judging_load.py::test_a_thousand_annotators_beside_large_jobs",
    ),
    ScorecardRow(
        "E2",
        "A run of seven million lines is read within a minute, in little memory.",
        "At most 60 s and 150 MiB beyond an idle worker; "
        "the web server that takes the file at most 20 MiB beyond.",
        {"lines": 6_980_000},
        "tests/benchmarks/files/test_run_ingest.py",
    ),
    ScorecardRow(
        "E3",
        "All judgments of a large collection are one file, soon, in little memory, "
        "and always the same one.",
        "At most 30 s and 200 MiB in all for each format; the same bytes twice.",
        {"judgments": 1_000_000},
        "tests/scorecard/test_export.py::test_all_judgments_are_one_file_soon_and_the_same_twice",
    ),
)


def row_of(node: str) -> ScorecardRow:
    """The row of a test."""
    return next(row for row in ROWS if row.holds(node))
