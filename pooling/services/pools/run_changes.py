"""Several changes of a run at once, all or none."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db import transaction

from annotate.models import Collection, User
from pooling.models import Run
from pooling.services.pools import run_retirement
from pooling.services.runs import descriptions as run_descriptions
from pooling.services.runs import holds as run_holds
from pooling.services.runs import publication as run_publication


class RunChanges(NamedTuple):
    """The new values of a run's properties; None leaves one as it is.

    description : fields of RunDescription; those left out stay as they are
    """

    description: Mapping[str, Any] | None = None
    score_type: str | None = None
    is_hidden: bool | None = None
    may_be_published: bool | None = None
    is_retired: bool | None = None
    is_on_hold: bool | None = None


@transaction.atomic
def change_run(*, run: Run, changes: RunChanges, by: User) -> None:
    """Describe, read again, hide or publish, retire or bring back, allow releases to show it.

    Raises what describing, retiring and allowing raise. Afterwards a run whose pools are to be gone
    through has `marks_due`.
    """
    # the collection before its run, as an upload locks them
    Collection.objects.select_for_update(no_key=True).get(pk=run.collection_id)
    # what is left out is read here: two who change a run at once take turns
    Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    run.refresh_from_db()
    if changes.description is not None:
        description = run_descriptions.description_of(run)._replace(**changes.description)
        run_descriptions.describe_run(run=run, description=description, by=by)
    if changes.is_hidden is not None and changes.is_hidden != run.is_hidden:
        (run_descriptions.hide_run if changes.is_hidden else run_descriptions.publish_run)(
            run=run, by=by
        )
    if changes.may_be_published is not None:
        run_publication.set_may_be_published(
            run=run, may_be_published=changes.may_be_published, by=by
        )
    if changes.is_retired is not None and changes.is_retired != bool(run.retired_at):
        (run_retirement.retire_run if changes.is_retired else run_retirement.restore_run)(
            run=run, by=by
        )
    if changes.is_on_hold is False and run.on_hold_since:
        run_holds.accept_run(run=run, by=by)
    if changes.score_type is not None and changes.score_type != run.score_type:
        run_descriptions.reread_run(run=run, score_type=changes.score_type, by=by)
