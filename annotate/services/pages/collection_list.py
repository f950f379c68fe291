"""List of the collections a person takes part in, and what she can do in each."""

from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery

from annotate import access
from annotate.models import Annotator, Collection, Invitation, Item, Membership, Role, Round, User
from annotate.services.judging import work_availability
from annotate.services.judging.work_availability import NoWorkReason
from annotate.services.pages.pairs_left import PairsLeft, pairs_left
from annotate.services.review import inbox


class EntryLink(NamedTuple):
    """Something else that a person can do in a collection, and the address name of its page."""

    text: str
    page: str


class CollectionEntry(NamedTuple):
    """A collection on a person's first page, with a sentence and the link of her next step.

    links : what else she can do there at once
    """

    collection: Collection
    roles: list[Role]
    is_open: bool
    todo: str
    label: str
    page: str
    links: list[EntryLink]

    @property
    def introduction(self) -> str:
        """A rehearsal in words; empty for a collection of people."""
        if not self.collection.is_rehearsal:
            return ""
        state = "under way" if self.is_open else "that is over"
        return f"A campaign {state} with simulated people; look around."


class _CollectionState(NamedTuple):
    """A collection, what it has so far, and what waits in it for this person.

    n_inbox : batches and pairs that wait for a lead
    no_work : the reason why she has nothing to judge; None where pairs are left
    """

    collection: Collection
    held_roles: list[Role]
    roles: set[Role]
    n_inbox: int
    no_work: NoWorkReason | None
    outlook: PairsLeft
    has_items: bool
    has_open_round: bool
    has_people: bool
    n_invited: int

    @property
    def pairs_text(self) -> str:
        """The pairs that wait for her, in words."""
        if not self.outlook.n:
            return "Pairs wait for you"
        return f"{self.outlook.text} {'waits' if self.outlook.n == 1 else 'wait'} for you"

    @property
    def is_judge(self) -> bool:
        """True if she judges here and there is something for her."""
        return Role.ANNOTATOR in self.roles and self.no_work is None


def entries(*, user: User) -> list[CollectionEntry]:
    """Every collection this person may enter, by name, but archived ones; nine queries in all."""
    return [
        CollectionEntry(
            state.collection,
            state.held_roles,
            state.has_open_round,
            *(step := _next_step(state)),
            [link for link in _links(state) if link.page != step[2]],
        )
        for state in _states(user)
    ]


def archived_collections(*, user: User) -> list[Collection]:
    """The archived collections this person may enter, by name."""
    collections = access.collections_of(user=user).filter(archived_at__isnull=False)
    return list(collections.order_by("name", "pk"))


def _collections(user: User) -> QuerySet[Any]:
    """Those a person may enter, by name, but archived ones, with what each has so far."""
    of_collection = {"collection": OuterRef("pk")}
    open_rounds = Round.objects.filter(
        **of_collection, kind=Round.Kind.POOL, state=Round.State.OPEN
    )
    invitations = Invitation.objects.usable().filter(**of_collection, role=Role.ANNOTATOR)
    collections = access.collections_of(user=user).filter(archived_at=None)
    return collections.order_by("name", "pk").annotate(
        has_items=Exists(Item.objects.filter(**of_collection)),
        has_open_round=Exists(open_rounds),
        n_invited=Subquery(invitations.values("collection").annotate(n=Count("pk")).values("n")),
        has_people=Exists(Membership.objects.filter(**of_collection, role=Role.ANNOTATOR))
        | Exists(Annotator.objects.filter(**of_collection, origin=Annotator.Origin.SIMULATED)),
    )


def _states(user: User) -> list[_CollectionState]:
    held_roles: dict[int, list[Role]] = {}
    memberships = Membership.objects.filter(user=user).order_by("role")
    for key, role in memberships.values_list("collection", "role"):
        held_roles.setdefault(key, []).append(Role(role))
    collections = list(_collections(user))
    admin_roles = {Role.LEAD, Role.RESEARCHER} if user.is_superuser else set()
    roles = {row.pk: {*held_roles.get(row.pk, ()), *admin_roles} for row in collections}
    led_keys = [key for key, own_roles in roles.items() if Role.LEAD in own_roles]
    judged_keys = [key for key, own_roles in roles.items() if Role.ANNOTATOR in own_roles]
    inbox_counts = inbox.waiting_counts(collection_keys=led_keys)
    annotators = (
        list(Annotator.objects.filter(user=user, collection__in=judged_keys)) if judged_keys else []
    )
    reasons = work_availability.no_work_reasons(annotators=annotators)
    pairs_by_annotator = pairs_left(annotators=annotators)
    annotator_keys = {annotator.collection_id: annotator.pk for annotator in annotators}
    return [
        _CollectionState(
            row,
            held_roles.get(row.pk, []),
            roles[row.pk],
            sum(inbox_counts.get(row.pk, ())),
            reasons[annotator_keys[row.pk]]
            if row.pk in annotator_keys
            else work_availability.CLOSED,
            pairs_by_annotator.get(annotator_keys.get(row.pk, 0), PairsLeft(0)),
            row.has_items,
            row.has_open_round,
            row.has_people,
            row.n_invited or 0,
        )
        for row in collections
    ]


def _next_step(state: _CollectionState) -> tuple[str, str, str]:
    """The sentence of the next step, and the text and the address name of its link."""
    roles = state.roles
    if Role.RESEARCHER in roles and not state.has_items:
        step = ("It holds no items yet.", "Load items", "metrics:collection")
    elif Role.RESEARCHER in roles and not state.has_open_round:
        step = ("No pool is open.", "Upload runs and open a pool", "pooling:runs")
    elif Role.LEAD in roles and state.n_inbox:
        step = (
            f"What waits for a lead: {state.n_inbox:,}.",
            "Open the inbox",
            "annotate:inbox",
        )
    elif Role.LEAD in roles and not state.has_people and state.n_invited:
        step = (f"{state.n_invited:,} invited, not come yet.", "See members", "annotate:members")
    elif Role.LEAD in roles and not state.has_people:
        step = ("Nobody judges yet.", "Invite annotators", "annotate:members")
    elif Role.ANNOTATOR in roles:
        step = _annotator_step(state)
    elif Role.LEAD in roles:
        step = ("Judging is under way.", "See the dashboard", "metrics:dashboard")
    else:
        step = ("Judging is under way.", "See the leaderboard", "metrics:leaderboard")
    return step


def _annotator_step(state: _CollectionState) -> tuple[str, str, str]:
    if state.no_work is None:
        return (f"{state.pairs_text}.", "Judge", "annotate:judge")
    if state.no_work["reason"] == "training":
        return (state.no_work["message"], "Training", "annotate:training")
    return (state.no_work["message"], "Overview", "metrics:collection")


def _links(state: _CollectionState) -> list[EntryLink]:
    links = []
    if state.is_judge:
        links.append(EntryLink(f"Judge: {state.pairs_text}", "annotate:judge"))
    if Role.LEAD in state.roles:
        n_inbox = f"{state.n_inbox:,}" if state.n_inbox else "empty"
        links.append(EntryLink(f"Inbox: {n_inbox}", "annotate:inbox"))
    if state.roles & set(access.LEADERS):
        links.append(EntryLink("Dashboard", "metrics:dashboard"))
        links.append(EntryLink("Leaderboard", "metrics:leaderboard"))
    return links
