"""Rounds, the seats they want, and who holds them.

Two rules keep every count right without counters. `reconcile_pairs`, behind the pairs' row locks,
is the only code that adds or withdraws free seats and writes resolutions; `plain` and `settled` are its
short cuts for the many pairs of which it is plain what it would do. `claim_batch` takes free or lapsed seats
with SKIP LOCKED, so that two people never wait for, or get, the same one.

standings : what stands for a pair: labels, seats, wishes, reports; reads alone
plan : what its seats and resolution should be
reconciling : makes them so, pair by pair
plain : makes them so for the pairs of one round that nobody has touched, in SQL
settled : resolutions of many pairs that no open round wants, in SQL
rebuilding : makes them so for a whole collection
rounds : rounds opened, closed and opened again
"""

from .plan import Plan, label_policy, n_missing, plan
from .rebuilding import Rebuilt, rebuild_pairs
from .reconciling import CHUNK, lock_annotator, note_changes, reconcile_answered, reconcile_locked, reconcile_pairs
from .rounds import (
    RoundExists,
    Told,
    Wanted,
    begin_closing,
    begin_reopening,
    close_round,
    finish_closing,
    finish_opening,
    nobody,
    open_round,
    reopen_round,
    want_pairs,
)
from .settled import resolve_pairs
from .standings import CANNOT_JUDGE_LIMIT, Standing

__all__ = [
    "CANNOT_JUDGE_LIMIT", "CHUNK", "Plan", "Rebuilt", "RoundExists", "Standing", "Told", "Wanted", "begin_closing",
    "begin_reopening", "close_round", "finish_closing", "finish_opening", "label_policy", "lock_annotator",
    "n_missing", "nobody", "note_changes", "open_round", "plan", "rebuild_pairs", "reconcile_answered",
    "reconcile_locked", "reconcile_pairs", "reopen_round", "resolve_pairs", "want_pairs",
]  # fmt: skip
