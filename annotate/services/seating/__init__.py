"""Rounds, the seats they want, and who holds them.

Two rules keep every count right without counters. `reconcile_pairs`, behind the pairs' row locks,
is the only code that adds or withdraws free seats and writes resolutions; `bulk_seats` and
`bulk_resolutions` are its short cuts for the many pairs whose outcome is plain. `queues` chooses
the next free or lapsed seats of a person with SKIP LOCKED, so that two people never wait for, or
get, the same one.

evidence : a pair's labels, seats, reports and the rounds that want it; reads alone
seat_plan : the seats and resolution a pair should have
reconciling : makes them so, pair by pair
bulk_seats : makes them so for the pairs of one round that nobody has touched, in SQL
bulk_resolutions : resolutions of many pairs that no open round wants, in SQL
rebuilding : makes them so for a whole collection
model_grades : grades by a model of the annotators, written as resolutions
pair_creation : pairs found or created in bulk
eligibility : whether a seat can be claimed, and whether its pair may come to a person
queues : the next seats of a person
rounds : rounds opened, closed and opened again
round_policies : rounds brought under another policy
"""

from .bulk_resolutions import resolve_pairs
from .evidence import CANNOT_JUDGE_LIMIT, PairEvidence
from .rebuilding import RebuildCounts, rebuild_pairs
from .reconciling import (
    CHUNK,
    lock_annotator,
    note_changes,
    reconcile_answered,
    reconcile_locked,
    reconcile_pairs,
)
from .rounds import (
    OpeningRound,
    RoundExists,
    RowsCallback,
    begin_closing,
    begin_opening,
    begin_reopening,
    close_round,
    finish_closing,
    finish_opening,
    ignore_rows,
    open_round,
    reopen_round,
)
from .seat_plan import SeatPlan, label_policy, n_missing, plan

__all__ = [
    "CANNOT_JUDGE_LIMIT",
    "CHUNK",
    "OpeningRound",
    "PairEvidence",
    "RebuildCounts",
    "RoundExists",
    "RowsCallback",
    "SeatPlan",
    "begin_closing",
    "begin_opening",
    "begin_reopening",
    "close_round",
    "finish_closing",
    "finish_opening",
    "ignore_rows",
    "label_policy",
    "lock_annotator",
    "n_missing",
    "note_changes",
    "open_round",
    "plan",
    "rebuild_pairs",
    "reconcile_answered",
    "reconcile_locked",
    "reconcile_pairs",
    "reopen_round",
    "resolve_pairs",
]
