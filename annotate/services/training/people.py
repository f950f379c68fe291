"""A lead's decisions about people in training, and the list of everybody's status."""

from collections.abc import Sequence

from django.db import transaction

from annotate.core.consequences import Consequences, require_told
from annotate.core.phrases import counted
from annotate.models import Annotator, Collection, Role, TrainingDecision, User
from annotate.services.seating import lock_annotator
from annotate.services.training.status import TrainingStatus, training_statuses
from annotate.services.training.tries import break_off, give_back_pairs, pairs_in_hand


class AlreadyDecided(Exception):
    """The newest decision about this person says the same; nothing was changed."""


@transaction.atomic
def decide(
    *,
    annotator: Annotator,
    kind: TrainingDecision.Kind,
    by: User | None,
    reason: str = "",
    expected: int | None = None,
) -> TrainingDecision:
    """Let a person in, or send her back to the beginning of the training.

    A try under way is broken off. Sent back, she also gives back the pairs she holds; her judgments
    stay. Raises AlreadyDecided, CountChanged.

    expected : number of pairs in hand that a lead was told of before he sent her back
    """
    lock_annotator(annotator.pk)
    last = TrainingDecision.objects.filter(annotator=annotator).order_by("-pk").first()
    if last is not None and last.kind == kind and kind in TrainingDecision.ADMITTING:
        raise AlreadyDecided(f"{annotator} is {last.get_kind_display().lower()} already.")
    if kind == TrainingDecision.Kind.SENT_BACK:
        n_in_hand = pairs_in_hand(annotators=[annotator]).get(annotator.pk, 0)
        require_told(n_in_hand, expected=expected, noun="pair")
    break_off(annotator=annotator)
    if kind == TrainingDecision.Kind.SENT_BACK:
        give_back_pairs(annotator=annotator)
    return TrainingDecision.objects.create(annotator=annotator, kind=kind, by=by, reason=reason)


def people(*, collection: Collection) -> list[TrainingStatus]:
    """Return the status of every annotator of the collection, those who wait for a lead first."""
    members = collection.memberships.filter(role=Role.ANNOTATOR).values("user")
    annotators = Annotator.objects.filter(collection=collection, user__in=members).select_related(
        "user"
    )
    order = {"review": 0, "used_up": 1}
    statuses = training_statuses(
        collection=collection, annotators=annotators.order_by("user__username")
    )
    return sorted(statuses, key=lambda status: order.get(status.state.name, 2))


def send_back_consequences(
    *, statuses: Sequence[TrainingStatus]
) -> list[tuple[TrainingStatus, Consequences]]:
    """Return people in training, each with the consequences of sending her back; one query."""
    counts = pairs_in_hand(annotators=[status.annotator for status in statuses])
    return [
        (status, _sending_back(status, counts.get(status.annotator.pk, 0))) for status in statuses
    ]


def _sending_back(status: TrainingStatus, n_in_hand: int) -> Consequences:
    pairs = counted(n_in_hand, "pair")
    return Consequences(
        act=TrainingDecision.Kind.SENT_BACK,
        title="Send back",
        subject=str(status.annotator.user or status.annotator),
        button=f"Send back, with {pairs} in hand" if n_in_hand else "Send back",
        sentences=(
            f"{status.annotator} begins the training anew, and gets no pairs until it is passed; "
            "a try under way is broken off.",
            f"What is in hand, {pairs}, goes to others; what was judged stays and counts."
            if n_in_hand
            else "There is no pair in hand; what was judged stays and counts.",
        ),
        way_back="Admit lets the person judge again at any time; the pairs do not come back.",
        n=n_in_hand,
        may_have_reason=True,
        is_danger=False,
    )
