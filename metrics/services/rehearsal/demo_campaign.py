"""The demo study "Shapes, yours": a pool open, not yet judged, each account in all roles."""

from typing import NamedTuple

from django.db import transaction

from annotate.models import Collection, Role, User
from annotate.services.people.accounts import join
from metrics.services.rehearsal.demo import load_runs, load_shapes
from pooling.models import Pool, Run
from pooling.services.pools.pools import create_pool, open_pool

SLUG, NAME = "shapes", "Shapes, yours"
POOL = "Depth 10"
DEPTH = 10


class DemoFailed(Exception):
    """The demo's pool could not be opened; the reason is the text."""


class Demo(NamedTuple):
    """The demo collection, whether it is new, and the names of the accounts that joined it now."""

    collection: Collection
    is_new: bool
    new_members: list[str]


def load_demo() -> Demo:
    """Make the demo collection, open its pool, and let the accounts named as roles join.

    Existing parts stay. Raises DemoFailed, and what loading its files raises.
    """
    # One transaction: a start that is killed halfway leaves nothing behind that the next one would
    # stumble over.
    with transaction.atomic():
        collection = Collection.objects.filter(slug=SLUG).first()
        is_new = collection is None
        if collection is None:
            collection = load_shapes(slug=SLUG, name=NAME)
        load_runs(collection=collection)
        _open_pool(collection)
        return Demo(collection, is_new, _join(collection))


def _open_pool(collection: Collection) -> None:
    if Pool.objects.filter(collection=collection).exists():
        return
    pool = create_pool(
        collection=collection,
        name=POOL,
        strategy="depth-k",
        parameters={"depth": DEPTH},
        runs=list(
            Run.objects.filter(collection=collection, state=Run.State.READY).order_by("name")
        ),
    )
    open_pool(pool=pool)
    if pool.state != Pool.State.OPEN:
        raise DemoFailed(
            f"The demo's pool could not be opened: {pool.work.error if pool.work else ''}"
        )


def _join(collection: Collection) -> list[str]:
    """Give each account that is named as a role all three: whoever tries it tries every side.

    Returns the names of those who lacked one.
    """
    new_members = []
    for user in User.objects.filter(username__in=Role.values).order_by("username"):
        held_roles = set(collection.memberships.filter(user=user).values_list("role", flat=True))
        for role in Role:
            join(collection=collection, user=user, role=role)
        if held_roles < set(Role.values):
            new_members.append(user.username)
    return new_members
