r"""Where somebody stands in her training: one state, from what has happened since she was last sent there.

    quiz -> ready -> trying -> passed
                  ^     |  \-> review -> passed (a lead admits)
                  |     v
                waiting (the try failed; the next one from a moment on)
                        \-> used_up (no tries are left; a lead decides)

Without a quiz one begins at ready; without pairs, a passed quiz is all there is to pass. From every state a lead may
admit, exempt, or send back to the beginning.
"""

from datetime import datetime, timedelta
from typing import NamedTuple


class Rules(NamedTuple):
    """What the training asks: tries (None: no limit), the wait between them, and whether a lead looks at who passed."""

    has_quiz: bool
    has_pairs: bool
    max_tries: int | None
    wait: timedelta
    needs_review: bool


class Past(NamedTuple):
    """What somebody has done since she was last sent to the training; the tries are those that ended by themselves.

    admitted : the newest decision let her in, or ""
    last_failed_at : when the last try ended if it failed
    last_passed : whether the last try was passed, and so waits for a lead
    """

    admitted: str
    quiz_passed: bool
    is_trying: bool
    n_tries: int
    last_passed: bool
    last_failed_at: datetime | None


class State(NamedTuple):
    """One of the names above, and from when on the next try may begin."""

    name: str
    ready_at: datetime | None = None


def state(past: Past, rules: Rules, *, now: datetime) -> State:
    """Where she stands at this moment."""
    if past.admitted:
        return State("passed")
    if rules.has_quiz and not past.quiz_passed:
        return State("quiz")
    if past.is_trying:
        return State("trying")
    if past.last_passed or not rules.has_pairs:
        return State("review")
    return _between_tries(past, rules, now)


def _between_tries(past: Past, rules: Rules, now: datetime) -> State:
    if rules.max_tries is not None and past.n_tries >= rules.max_tries:
        return State("used_up")
    ready_at = past.last_failed_at + rules.wait if past.last_failed_at else None
    return State("waiting", ready_at) if ready_at and ready_at > now else State("ready")
