r"""The state of an annotator's training, from her history since she was last sent there.

    quiz -> ready -> trying -> passed
                  ^     |  \-> review -> passed (a lead admits)
                  |     v
                waiting (the try failed; the next one from a moment on)
                        \-> used_up (no tries are left; a lead decides)

Without a quiz it begins at ready; without pairs, the quiz is all there is to pass. From every state
a lead may admit, exempt, or send back to the beginning.
"""

from datetime import datetime, timedelta
from typing import NamedTuple


class TrainingRules(NamedTuple):
    """Rules of the training: tries (None: no limit), the wait between them, and a lead's review."""

    has_quiz: bool
    has_pairs: bool
    max_tries: int | None
    wait: timedelta
    needs_review: bool


class TrainingHistory(NamedTuple):
    """An annotator's history since she was last sent to the training.

    Tries that were cut off do not count.

    admitted : the newest decision if it let her in, else ""
    last_failed_at : the end of the last try if it failed
    last_passed : whether the last try passed, and so waits for a lead
    """

    admitted: str
    quiz_passed: bool
    is_trying: bool
    n_tries: int
    last_passed: bool
    last_failed_at: datetime | None


class TrainingState(NamedTuple):
    """One of the names above, and the moment from which the next try may begin."""

    name: str
    ready_at: datetime | None = None


def training_state(past: TrainingHistory, rules: TrainingRules, *, now: datetime) -> TrainingState:
    """The annotator's state at this moment."""
    if past.admitted:
        return TrainingState("passed")
    if rules.has_quiz and not past.quiz_passed:
        return TrainingState("quiz")
    if past.is_trying:
        return TrainingState("trying")
    if past.last_passed or not rules.has_pairs:
        return TrainingState("review")
    return _between_tries(past, rules, now)


def _between_tries(past: TrainingHistory, rules: TrainingRules, now: datetime) -> TrainingState:
    if rules.max_tries is not None and past.n_tries >= rules.max_tries:
        return TrainingState("used_up")
    ready_at = past.last_failed_at + rules.wait if past.last_failed_at else None
    return (
        TrainingState("waiting", ready_at)
        if ready_at and ready_at > now
        else TrainingState("ready")
    )
