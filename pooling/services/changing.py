"""Several changes of a run at once, all or none."""

from typing import NamedTuple

from django.db import transaction

from annotate.models import User
from pooling.models import Run
from pooling.services import describing, holding, retiring
from pooling.services.describing import Description


class Change(NamedTuple):
    """What a run should be from now on; None leaves a thing as it is."""

    said: Description | None = None
    score_type: str | None = None
    is_hidden: bool | None = None
    is_retired: bool | None = None
    is_on_hold: bool | None = None


@transaction.atomic
def change_run(*, run: Run, change: Change, by: User) -> None:
    """Describe, read again, hide or publish, retire or bring back. Raises what describing and retiring raise.

    Afterwards a run whose pools are to be gone through has `marks_due`.
    """
    if change.said is not None:
        describing.describe_run(run=run, said=change.said, by=by)
    if change.is_hidden is not None and change.is_hidden != run.is_hidden:
        (describing.hide_run if change.is_hidden else describing.publish_run)(run=run, by=by)
    if change.is_retired is not None and change.is_retired != bool(run.retired_at):
        (retiring.retire_run if change.is_retired else retiring.restore_run)(run=run, by=by)
    if change.is_on_hold is False and run.on_hold_since:
        holding.accept_run(run=run, by=by)
    if change.score_type is not None and change.score_type != run.score_type:
        describing.reread_run(run=run, score_type=change.score_type, by=by)
