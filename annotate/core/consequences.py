"""The consequences of an act, which its page tells before the act is done."""

from dataclasses import dataclass
from datetime import datetime

from annotate.core.phrases import counted


class CountChanged(Exception):
    """An act would reach another number than its page told; nothing was changed."""


class ActChanged(Exception):
    """The matter of an act has changed since its page was shown; nothing was changed by it."""


@dataclass(frozen=True, kw_only=True)
class Consequences:
    """The consequences of one act at this moment.

    act : the value by which the form names the act
    title : words that open it; subject : of what, for those who do not see the row that it is in
    button : words that do it, with the number
    sentences : what happens to what, and how much of it there is
    way_back : how it is taken back, or that it cannot be
    n : number that the act may not exceed; None where it is limited by nothing
    needs_reason : it goes into the log with a reason; may_have_reason : with one or without
    is_danger : it takes something away; fields : names and values that the form sends besides
    """

    act: str
    title: str
    button: str
    sentences: tuple[str, ...]
    way_back: str
    subject: str = ""
    n: int | None = None
    needs_reason: bool = False
    may_have_reason: bool = False
    is_danger: bool = True
    fields: tuple[tuple[str, str], ...] = ()


def require_told(n_now: int, *, expected: int | None, noun: str) -> None:
    """Raise CountChanged where an act would reach more than its page told.

    expected : the number on the page; None of who was told none, as a program
    noun : of what, in the singular
    """
    if expected is not None and n_now > expected:
        raise CountChanged(
            f"It would be about {counted(n_now, noun)} by now, not {expected:,}; look again."
        )


def require_unchanged(since: datetime, *, done_at: datetime | None) -> None:
    """Raise ActChanged where another act than the one to be taken back holds by now.

    since : moment of the act that holds; the caller has locked its row
    done_at : moment of the act that an Undo takes back; None of who takes back whichever holds
    """
    if done_at not in (None, since):
        raise ActChanged("It has been changed since; nothing was changed.")
