"""List of the collections a person takes part in, with her next step in each."""

from typing import NamedTuple

from django.db.models import Exists, OuterRef

from annotate import access
from annotate.models import Annotator, Collection, Item, Membership, Role, Round, User
from annotate.services.judging import work_availability
from annotate.services.judging.work_availability import NoWorkReason
from annotate.services.review import inbox


class CollectionEntry(NamedTuple):
    """A collection on a person's first page, with a sentence and the link of her next step."""

    collection: Collection
    roles: list[Role]
    todo: str
    label: str
    page: str


def entries(*, user: User) -> list[CollectionEntry]:
    """Every collection this person may enter, by name; seven queries for one and for a hundred."""
    roles_by_collection: dict[int, list[Role]] = {}
    for collection_id, role in (
        Membership.objects.filter(user=user).order_by("role").values_list("collection", "role")
    ):
        roles_by_collection.setdefault(collection_id, []).append(Role(role))
    states = {state.collection.pk: state for state in _states(user)}
    led_collections = [
        pk for pk in states if user.is_superuser or Role.LEAD in roles_by_collection.get(pk, [])
    ]
    inbox_counts = inbox.waiting_counts(collection_keys=led_collections)
    annotated_collections = [
        pk for pk, roles in roles_by_collection.items() if Role.ANNOTATOR in roles
    ]
    annotators = (
        list(Annotator.objects.filter(user=user, collection__in=annotated_collections))
        if annotated_collections
        else []
    )
    reasons = work_availability.no_work_reasons(annotators=annotators)
    no_work = {annotator.collection_id: reasons[annotator.pk] for annotator in annotators}
    return [
        _entry(
            user,
            state,
            roles_by_collection.get(pk, []),
            sum(inbox_counts.get(pk, ())),
            no_work.get(pk, work_availability.CLOSED),
        )
        for pk, state in states.items()
    ]


class _CollectionState(NamedTuple):
    """A collection and what it has so far."""

    collection: Collection
    has_items: bool
    has_open_round: bool
    has_people: bool


def _states(user: User) -> list[_CollectionState]:
    of_collection = {"collection": OuterRef("pk")}
    open_rounds = Round.objects.filter(
        **of_collection, kind=Round.Kind.POOL, state=Round.State.OPEN
    )
    rows = (
        access.collections_of(user=user)
        .order_by("name", "pk")
        .annotate(
            has_items=Exists(Item.objects.filter(**of_collection)),
            has_open_round=Exists(open_rounds),
            has_people=Exists(Membership.objects.filter(**of_collection, role=Role.ANNOTATOR)),
        )
    )
    return [
        _CollectionState(row, row.has_items, row.has_open_round, row.has_people) for row in rows
    ]


def _entry(
    user: User,
    state: _CollectionState,
    held_roles: list[Role],
    n_waiting: int,
    no_work: NoWorkReason | None,
) -> CollectionEntry:
    roles = set(held_roles) | ({Role.LEAD, Role.RESEARCHER} if user.is_superuser else set())
    if Role.RESEARCHER in roles and not state.has_items:
        step = ("It holds no items yet.", "Load items", "metrics:collection")
    elif Role.RESEARCHER in roles and not state.has_open_round:
        step = ("No pool is open.", "Upload runs and open a pool", "pooling:runs")
    elif Role.LEAD in roles and n_waiting:
        step = (
            f"Batches and pairs that wait for a lead: {n_waiting}.",
            "Open the inbox",
            "annotate:inbox",
        )
    elif Role.LEAD in roles and not state.has_people:
        step = ("Nobody judges yet.", "Invite annotators", "annotate:members")
    elif Role.ANNOTATOR in roles:
        step = _annotator_step(no_work)
    elif Role.LEAD in roles:
        step = ("Judging is under way.", "See the dashboard", "metrics:dashboard")
    else:
        step = ("Judging is under way.", "See the leaderboard", "metrics:leaderboard")
    return CollectionEntry(state.collection, held_roles, *step)


def _annotator_step(no_work: NoWorkReason | None) -> tuple[str, str, str]:
    """The sentence of an annotator's next step, and the text and the address name of its link."""
    if no_work is None:
        return ("Pairs wait to be judged.", "Judge", "annotate:judge")
    if no_work["reason"] == "training":
        return (no_work["message"], "Training", "annotate:training")
    return (no_work["message"], "Overview", "metrics:collection")
