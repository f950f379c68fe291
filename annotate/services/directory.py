"""The collections a person takes part in, and what waits for her in each."""

from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, QuerySet

from annotate import access
from annotate.models import Annotator, Collection, Item, Membership, Report, Role, Round, User
from annotate.services.training_gate import in_training


class Entry(NamedTuple):
    """One collection on a person's first page: a sentence and the name of the page it leads to."""

    collection: Collection
    roles: list[Role]
    todo: str
    label: str
    page: str


def entries(*, user: User) -> list[Entry]:
    """Every collection this person may enter, by name; the same two queries for one and for a hundred."""
    held: dict[int, list[Role]] = {}
    for collection_id, role in Membership.objects.filter(user=user).order_by("role").values_list("collection", "role"):
        held.setdefault(collection_id, []).append(Role(role))
    return [_entry(user, row, held.get(row.pk, [])) for row in _with_state(user)]


def _with_state(user: User) -> QuerySet[Collection]:
    own = {"collection": OuterRef("pk")}
    open_rounds = Round.objects.filter(**own, kind=Round.Kind.POOL, state=Round.State.OPEN)
    paused = Annotator.objects.filter(**own, user=user, paused_at__isnull=False)
    reports = Report.objects.filter(**own, settled_at=None).order_by().values("collection").annotate(n=Count("pk"))
    return access.collections_of(user=user).order_by("name", "pk").annotate(
        has_items=Exists(Item.objects.filter(**own)),
        has_open_round=Exists(open_rounds),
        has_people=Exists(Annotator.objects.filter(**own)),
        is_paused=Exists(paused),
        is_in_training=Exists(Annotator.objects.filter(in_training(), **own, user=user)),
        n_reports=reports.values("n"),
    )


def _entry(user: User, collection: Collection, held: list[Role]) -> Entry:
    roles = set(held) | ({Role.LEAD, Role.RESEARCHER} if user.is_superuser else set())
    if Role.RESEARCHER in roles and not collection.has_items:
        step = ("It holds no items yet.", "Load items", "annotate:collection")
    elif Role.RESEARCHER in roles and not collection.has_open_round:
        step = ("No pool is open.", "Upload runs and open a pool", "pooling:runs")
    elif Role.LEAD in roles and collection.n_reports:
        step = (f"Pairs that wait for a lead: {collection.n_reports}.", "See the dashboard", "metrics:dashboard")
    elif Role.LEAD in roles and not collection.has_people:
        step = ("Nobody judges yet.", "Invite annotators", "annotate:members")
    elif Role.ANNOTATOR in roles:
        step = _to_judge(collection)
    elif Role.LEAD in roles:
        step = ("Judging is under way.", "See the dashboard", "metrics:dashboard")
    else:
        step = ("Judging is under way.", "See the leaderboard", "metrics:leaderboard")
    return Entry(collection, held, *step)


def _to_judge(collection: Collection) -> tuple[str, str, str]:
    if collection.is_paused:
        return ("Your work is paused; the lead can let you go on.", "Overview", "annotate:collection")
    if collection.is_in_training:
        return ("A training comes before judging.", "Training", "annotate:training")
    if not collection.has_open_round:
        return ("No pool is open for judging right now.", "Overview", "annotate:collection")
    return ("Pairs wait to be judged.", "Judge", "annotate:judge")
