"""An answer as its author gave it, with what her browser measured meanwhile."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID


class Telemetry(NamedTuple):
    """The making of an answer, as the browser measured it; None where it is unknown.

    Forms, statements, copies and files read the fields from here. A new one also needs a column of
    the same name in Judgment, and a script that measures it.

    active_ms, played_ms : time the person was active, and how much of its clips was played, in
        milliseconds
    n_replays, n_changes : how often a clip was begun anew, and the grade changed before it was sent
    """

    active_ms: int | None = None
    played_ms: int | None = None
    n_replays: int | None = None
    n_changes: int | None = None

    def within_limits(self) -> "Telemetry":
        """Clamp each value to 0 and its limit: no answer is refused for a wrong clock."""
        return Telemetry(
            *(
                None if value is None else max(0, min(value, limit_of(name)))
                for name, value in zip(self._fields, self, strict=True)
            )
        )


def limit_of(field: str) -> int:
    """The largest value of a field of Telemetry: an hour of milliseconds, or a thousand times."""
    return 3_600_000 if field.endswith("_ms") else 1_000


class JudgmentAnswer(NamedTuple):
    """An annotator's answer to one hand-out.

    submission_id : made by the browser, once an answer; a resend carries the same
    grade : a grade of the collection's scheme
    guidelines : the version of the guidelines on screen; None for the newest one
    is_change : whether she looked at her earlier answer and gives this one in its place, be it of
        the same grade
    """

    submission_id: UUID
    grade: int
    reasons: Sequence[str] = ()
    comment: str = ""
    telemetry: Telemetry = Telemetry()
    guidelines: int | None = None
    is_change: bool = False
