"""The collections a person takes part in, and what waits for her in each."""

from typing import NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from annotate import access
from annotate.models import Annotator, Collection, Item, Membership, Role, Round, User
from annotate.services import inbox, work
from annotate.services.work import Empty


class Entry(NamedTuple):
    """One collection on a person's first page: a sentence and the name of the page it leads to."""

    collection: Collection
    roles: list[Role]
    todo: str
    label: str
    page: str


def entries(*, user: User) -> list[Entry]:
    """Every collection this person may enter, by name; the same seven queries for one and for a hundred."""
    held: dict[int, list[Role]] = {}
    for collection_id, role in Membership.objects.filter(user=user).order_by("role").values_list("collection", "role"):
        held.setdefault(collection_id, []).append(Role(role))
    rows = list(_with_state(user))
    led = [row.pk for row in rows if user.is_superuser or Role.LEAD in held.get(row.pk, [])]
    waiting = inbox.counts(collections=led)
    empty = _empty(user, [pk for pk, roles in held.items() if Role.ANNOTATOR in roles])
    return [
        _entry(user, row, held.get(row.pk, []), sum(waiting.get(row.pk, ())), empty.get(row.pk, work.CLOSED))
        for row in rows
    ]


def _empty(user: User, collections: list[int]) -> dict[int, Empty | None]:
    """Why there is nothing to judge for her, by collection; None where there is something."""
    annotators = list(Annotator.objects.filter(user=user, collection__in=collections)) if collections else []
    why = work.why_none(annotators=annotators)
    return {annotator.collection_id: why[annotator.pk] for annotator in annotators}


def _with_state(user: User) -> QuerySet[Collection]:
    own = {"collection": OuterRef("pk")}
    open_rounds = Round.objects.filter(**own, kind=Round.Kind.POOL, state=Round.State.OPEN)
    return access.collections_of(user=user).order_by("name", "pk").annotate(
        has_items=Exists(Item.objects.filter(**own)),
        has_open_round=Exists(open_rounds),
        has_people=Exists(Annotator.objects.filter(**own)),
    )


def _entry(user: User, collection: Collection, held: list[Role], n_waiting: int, empty: Empty | None) -> Entry:
    roles = set(held) | ({Role.LEAD, Role.RESEARCHER} if user.is_superuser else set())
    if Role.RESEARCHER in roles and not collection.has_items:
        step = ("It holds no items yet.", "Load items", "annotate:collection")
    elif Role.RESEARCHER in roles and not collection.has_open_round:
        step = ("No pool is open.", "Upload runs and open a pool", "pooling:runs")
    elif Role.LEAD in roles and n_waiting:
        step = (f"Batches and pairs that wait for a lead: {n_waiting}.", "Open the inbox", "annotate:inbox")
    elif Role.LEAD in roles and not collection.has_people:
        step = ("Nobody judges yet.", "Invite annotators", "annotate:members")
    elif Role.ANNOTATOR in roles:
        step = _to_judge(empty)
    elif Role.LEAD in roles:
        step = ("Judging is under way.", "See the dashboard", "metrics:dashboard")
    else:
        step = ("Judging is under way.", "See the leaderboard", "metrics:leaderboard")
    return Entry(collection, held, *step)


def _to_judge(empty: Empty | None) -> tuple[str, str, str]:
    if empty is None:
        return ("Pairs wait to be judged.", "Judge", "annotate:judge")
    if empty["reason"] == "training":
        return (empty["message"], "Training", "annotate:training")
    return (empty["message"], "Overview", "annotate:collection")
