"""The consequences of taking a pair out of a training and of bringing it back."""

from collections.abc import Sequence

from django.db.models import Count, Q

from annotate.core.consequences import Consequences
from annotate.core.phrases import counted
from annotate.models import Collection, Seat, TrainingPair

N_LISTED = 20


def take_out_consequences(
    *, training_pairs: Sequence[TrainingPair]
) -> list[tuple[TrainingPair, Consequences]]:
    """Return pairs of a training, each with the consequences of taking it out; one query."""
    seats = Seat.objects.filter(
        purpose=Seat.Purpose.TRAINING, pair__in=[row.pair_id for row in training_pairs]
    )
    is_done, is_held = Q(state=Seat.State.DONE), Q(state=Seat.State.HELD)
    rows = seats.values("pair").annotate(
        n_trained=Count("annotator", filter=is_done, distinct=True),
        n_in_hand=Count("annotator", filter=is_held, distinct=True),
    )
    counts = {row["pair"]: (row["n_trained"], row["n_in_hand"]) for row in rows}
    return [(row, _taking_out(row, *counts.get(row.pair_id, (0, 0)))) for row in training_pairs]


def retired_pairs(*, collection: Collection) -> list[tuple[TrainingPair, Consequences]]:
    """Return the pairs last taken out, each with the consequences of bringing it back."""
    rows = TrainingPair.objects.filter(
        pair__collection=collection, retired_at__isnull=False
    ).select_related("pair__query", "pair__document")
    rows = rows.prefetch_related("pair__query__parts", "pair__document__parts")
    return [(row, _bringing_back(row)) for row in rows.order_by("-retired_at", "-pk")[:N_LISTED]]


def _taking_out(training_pair: TrainingPair, n_trained: int, n_in_hand: int) -> Consequences:
    annotators = counted(n_trained, "annotator")
    sentences = [
        "Nobody else is trained on it.",
        f"{annotators} answered it: their tries and results stay as they are."
        if n_trained
        else "Nobody has answered it.",
    ]
    if n_in_hand:
        in_hand = counted(n_in_hand, "annotator")
        sentences.append(f"{in_hand} in a try under way can still answer it.")
    return Consequences(
        act="retire",
        title="Take out",
        subject=_items_of(training_pair),
        button=f"Take out, answered by {annotators}" if n_trained else "Take out",
        sentences=tuple(sentences),
        way_back="It can be brought back here, with its level and its reason.",
        is_danger=False,
    )


def _bringing_back(training_pair: TrainingPair) -> Consequences:
    return Consequences(
        act="restore",
        title="Bring back",
        subject=_items_of(training_pair),
        button="Bring back",
        sentences=(
            "Tries that begin from now on can have it again.",
            "Who meets it in a try never gets it as work.",
        ),
        way_back="It can be taken out here at any time.",
        is_danger=False,
    )


def _items_of(training_pair: TrainingPair) -> str:
    pair = training_pair.pair
    return f"{pair.query.external_id} and {pair.document.external_id}"
