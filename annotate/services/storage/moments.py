"""The moments of a rehearsal, moved to those of the campaign that it simulates.

Moments are the database's clock, which no program passes to it. A campaign of days that was
simulated in a minute would show a pace of a minute; so this one step, of the owner of the tables,
moves every moment of the collection. Its order is kept, and with it all that follows from it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from django.db import connection, models, transaction

from annotate.models import Collection
from annotate.services.storage.collection_rows import (
    NotOwner,
    applications_with_rows,
    is_owner,
    models_with_rows,
)

_LONG_BEFORE = timedelta(days=3_650)
_SEGMENTS = """
    WITH segment AS (
        SELECT * FROM unnest(
            %(real)s::timestamptz[], %(simulated)s::timestamptz[], %(rate)s::float8[]
        ) AS segment(real, simulated, rate))
"""
_MOVED = """
    "{column}" = (SELECT segment.simulated + (owned."{column}" - segment.real) * segment.rate
                  FROM segment WHERE segment.real <= owned."{column}"
                  ORDER BY segment.real DESC LIMIT 1)
"""


class NotRehearsal(Exception):
    """The collection is no rehearsal: its moments are facts; nothing was changed."""


class BadCheckpoints(ValueError):
    """The checkpoints would change the order of moments, or lie in the future."""


class Checkpoint(NamedTuple):
    """A moment of the database's clock, and the simulated one that it stands for."""

    real: datetime
    simulated: datetime


@transaction.atomic
def move_moments(*, collection: Collection, checkpoints: Sequence[Checkpoint]) -> int:
    """Move every moment of a rehearsal's rows; returns how many rows have moments.

    checkpoints : in the order of time; a moment between two of them moves in proportion, one before
        the first or after the last as far as these. Nothing is brought nearer together, so that no
        two moments become one.
    Raises NotRehearsal, BadCheckpoints, NotOwner.
    """
    # behind the row's lock: nobody makes a campaign of a rehearsal meanwhile
    locked_collection = Collection.objects.select_for_update().get(pk=collection.pk)
    if not locked_collection.is_rehearsal:
        raise NotRehearsal(f"“{collection}” is no rehearsal, so its moments stay as they are.")
    require_mover()
    segments = _segments(checkpoints)
    n_rows = 0
    with connection.cursor() as cursor:
        # read by the triggers of tables that only grow
        cursor.execute("SELECT set_config('assayer.rehearsal', %s, true)", [str(collection.pk)])
        for label in applications_with_rows():
            for model, condition in models_with_rows(label):
                columns: list[str] = [
                    field.column
                    for field in model._meta.concrete_fields
                    if isinstance(field, models.DateTimeField) and field.column
                ]
                if columns:
                    cursor.execute(
                        _statement(model._meta.db_table, columns, condition),
                        {**segments, "collection": collection.pk},
                    )
                    n_rows += cursor.rowcount
        cursor.execute("SELECT set_config('assayer.rehearsal', '', true)")
    return n_rows


def require_mover() -> None:
    """Raise NotOwner where the database role may not move moments."""
    if not is_owner():
        raise NotOwner(
            "No moment was moved: the database role does not own the tables. The operator can make "
            "the campaign, as the role that does: python3 manage.py load_demo --campaign"
        )


def database_moment() -> datetime:
    """The database's clock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (moment,) = cursor.fetchone()
    return moment  # type: ignore[no-any-return]


def _segments(checkpoints: Sequence[Checkpoint]) -> dict[str, list[datetime] | list[float]]:
    """Starts and rates of the pieces of the map from real to simulated moments.

    Raises BadCheckpoints.
    """
    if not checkpoints or checkpoints[-1].simulated > checkpoints[-1].real:
        raise BadCheckpoints("Checkpoints begin somewhere and end in the past.")
    rates = []
    for earlier, later in pairwise(checkpoints):
        real, simulated = later.real - earlier.real, later.simulated - earlier.simulated
        if real <= timedelta(0) or simulated < real:
            raise BadCheckpoints(f"{later.simulated} comes too soon after {earlier.simulated}.")
        rates.append(simulated / real)
    first = checkpoints[0]
    return {
        "real": [first.real - _LONG_BEFORE, *(point.real for point in checkpoints)],
        "simulated": [first.simulated - _LONG_BEFORE, *(point.simulated for point in checkpoints)],
        "rate": [1.0, *rates, 1.0],
    }


def _statement(table: str, columns: Sequence[str], condition: str) -> str:
    moved_columns = ", ".join(_MOVED.format(column=column) for column in columns)
    is_set = " OR ".join(f'owned."{column}" IS NOT NULL' for column in columns)
    return (
        f'{_SEGMENTS} UPDATE "{table}" AS owned SET {moved_columns} '  # noqa: S608 - own names
        f"WHERE ({is_set}) AND {condition}"
    )
