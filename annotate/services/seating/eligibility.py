"""Conditions in SQL for a seat to be claimed, and for its pair to come to a person.

Statements that hand out seats, renew them, give them back after an undo, store answers, and say why
there is no work or whose labels are stuck hold them. In them `seat` is the seat's row, and the
person's key a parameter or a column.

A person meets a pair by holding a seat of it, judging it (a late answer may have no seat), or
reporting it without taking that back. It comes to her once, but for repeats, which ask her again.
"""

from annotate.models import Seat
from annotate.statements import text_list

# free, or held by somebody whose time is over
CLAIMABLE = "(seat.state = 'free' OR seat.state = 'held' AND seat.leased_until < clock_timestamp())"


def _meetings(other_seats: str = "true") -> list[tuple[str, str]]:
    """The tables whose rows are meetings, each with the condition that `meeting`, a row, is one."""
    return [
        ("annotate_seat", other_seats),
        ("annotate_judgment", "true"),
        ("annotate_report", "meeting.state <> 'undone'"),
    ]


def never_met(annotator: str, *, pair: str = "seat.pair_id", but_for: str = "seat.id") -> str:
    """The person has never met the pair, but for holding one seat.

    but_for : that seat's key; 0 for none
    """
    conditions = [
        f"""NOT EXISTS (SELECT FROM {table} meeting
                        WHERE meeting.annotator_id = {annotator} AND meeting.pair_id = {pair}
                          AND {condition})"""
        for table, condition in _meetings(other_seats=f"meeting.id <> {but_for}")
    ]
    return f"({' AND '.join(conditions)})"


def met_pairs(annotators: str) -> str:
    """SELECT of pair_id and annotator_id: all pairs that these people have met."""
    return " UNION ".join(
        f"""SELECT pair_id, annotator_id FROM {table} meeting
            WHERE annotator_id = ANY({annotators}) AND {condition}"""  # noqa: S608 - own words
        for table, condition in _meetings()
    )


def has_no_other_seat(annotator: str) -> str:
    """No other seat of the pair is the person's: she can go on with this one, or with a repeat."""
    return f"""
        (seat.purpose = 'repeat' OR NOT EXISTS (
            SELECT FROM annotate_seat own
            WHERE own.annotator_id = {annotator} AND own.pair_id = seat.pair_id
              AND own.id <> seat.id))
    """


def has_no_other_label(annotator: str) -> str:
    """No other label of the pair is the person's, so that an answer to this seat counts."""
    label_purposes = text_list(Seat.FOR_LABELS)
    return f"""
        (seat.purpose <> 'label' OR NOT EXISTS (
            SELECT FROM annotate_seat own
            WHERE own.annotator_id = {annotator} AND own.pair_id = seat.pair_id
              AND own.id <> seat.id AND own.purpose IN {label_purposes}))
    """
