"""The standing of one annotator in her collection: roles, training, pause, and signs of life."""

from datetime import datetime
from typing import NamedTuple

from django.utils import timezone
from django.utils.text import capfirst

from annotate.core.phrases import counted, days_since, enumeration, time_since
from annotate.models import Annotator, Batch, Judgment, Membership, Role, Seat
from annotate.services.training import status as training_status


class PersonStatus(NamedTuple):
    """One annotator's standing.

    memberships : her roles in the collection; empty for one who left, was imported or is simulated
    training : None where nobody is trained
    last_answer_at : of any answer that she ever gave here
    n_in_hand : pairs that she holds now
    """

    annotator: Annotator
    memberships: list[Membership]
    training: training_status.TrainingStatus | None
    last_answer_at: datetime | None
    n_in_hand: int

    @property
    def roles_text(self) -> str:
        """Her roles, or the reason why she has none."""
        if self.memberships:
            return enumeration(
                [membership.get_role_display() for membership in self.memberships]
            ).capitalize()
        if self.annotator.origin == Annotator.Origin.PERSON:
            return "None: no longer a member"
        return f"None: {self.annotator.get_origin_display().lower()}"

    @property
    def work_text(self) -> str:
        """The state of her work: paused, or active with the pairs that she holds."""
        if self.annotator.paused_at:
            return f"Paused since {self.annotator.paused_at:%-d %B %Y, %H:%M} UTC"
        if not self.can_judge:
            return "Gets no pairs"
        in_hand = (
            f"{counted(self.n_in_hand, 'pair')} in hand" if self.n_in_hand else "no pair in hand"
        )
        return f"Active, {in_hand}"

    @property
    def pause_text(self) -> str:
        """The state after she was paused, with the pairs that she still holds."""
        in_hand = f"; {counted(self.n_in_hand, 'pair')} still in hand" if self.n_in_hand else ""
        return f"{self.annotator} gets no more pairs; what was judged stays{in_hand}."

    @property
    def resume_text(self) -> str:
        """The sentence on the pairs that she gets once she goes on, or the reason for none."""
        if not self.can_judge:
            return f"The pause ends; {self.annotator} is no annotator here and gets no pairs."
        if self.annotator.collection.archived_at:
            return "The pause ends; an archived collection gives no pairs but those in hand."
        if self.training is not None and self.training.state.name != "passed":
            return f"The pause ends; {self.annotator} gets pairs once the training is passed."
        return f"{self.annotator} gets pairs again."

    @property
    def can_judge(self) -> bool:
        """True if pairs go to her unless she is paused or in training."""
        is_simulated = self.annotator.origin == Annotator.Origin.SIMULATED
        return is_simulated or self.annotator_membership is not None

    @property
    def annotator_membership(self) -> Membership | None:
        """The role by which she judges, which a lead may take from her; None without it."""
        return next((row for row in self.memberships if row.role == Role.ANNOTATOR), None)

    @property
    def training_text(self) -> str:
        """Her training and the result of her newest try."""
        if self.training is None:
            return "Not asked for in this collection"
        named_states = {
            "passed": "Passed",
            "review": "Waits for a lead's review",
            "used_up": "No tries left",
        }
        state = named_states.get(self.training.state.name, self.training.state_text)
        return "; ".join(filter(None, (state, self.training.counts_text)))

    @property
    def seen_text(self) -> str:
        """The time since her last answer; empty before the first."""
        return time_since(self.last_answer_at, timezone.now()) if self.last_answer_at else ""

    @property
    def seen_day_text(self) -> str:
        """The days in UTC since her last answer, for those who know her by her pseudonym alone."""
        if self.last_answer_at is None:
            return "No answer yet"
        return f"{capfirst(days_since(self.last_answer_at, timezone.now()))} (UTC)"


def person_status(*, annotator: Annotator) -> PersonStatus:
    """Return the standing of one annotator, in a constant number of queries."""
    collection = annotator.collection
    training = training_status.training_of(collection=collection)
    own_seats = Seat.objects.filter(annotator=annotator, state=Seat.State.HELD)
    return PersonStatus(
        annotator=annotator,
        memberships=list(
            collection.memberships.filter(user=annotator.user_id).order_by("pk")
            if annotator.user_id
            else []
        ),
        training=training_status.training_status(annotator=annotator) if training.is_on else None,
        last_answer_at=Judgment.objects.filter(annotator=annotator)
        .order_by("-at")
        .values_list("at", flat=True)
        .first(),
        n_in_hand=own_seats.count(),
    )


def failed_batches(*, annotator: Annotator) -> list[Batch]:
    """Return her batches that wait for a lead's verdict, the oldest first; one query."""
    batches = Batch.objects.filter(annotator=annotator, collection=annotator.collection_id)
    return list(batches.waiting().with_judging_numbers().order_by("pk"))
