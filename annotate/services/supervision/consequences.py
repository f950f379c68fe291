"""The consequences of what a lead decides about a person and her batches."""

from datetime import datetime

from annotate.core.consequences import Consequences
from annotate.core.phrases import counted
from annotate.models import Annotator, Batch
from annotate.services.supervision.withdrawing import Withdrawable, Withdrawal

_PLACES_TAKEN = ", except where others have given a pair its labels meanwhile"


def pause_consequences(*, annotator: Annotator, n_in_hand: int, resume_text: str) -> Consequences:
    """Return the consequences of pausing a person, or of letting a paused one go on.

    n_in_hand : pairs that she holds now; resume_text : whether she gets pairs once she goes on
    """
    if annotator.paused_at:
        return Consequences(
            act="resume",
            title="Resume",
            button="Resume",
            sentences=(resume_text,),
            way_back="A pause brings this state back.",
            is_danger=False,
        )
    in_hand = counted(n_in_hand, "pair")
    return Consequences(
        act="pause",
        title="Pause",
        button=f"Pause, with {in_hand} in hand" if n_in_hand else "Pause",
        sentences=(
            f"{annotator} gets no more pairs; what was judged stays and counts.",
            f"What is in hand, {in_hand}, goes to others once its time is up; until then the card "
            "on the screen and the next one can still be answered."
            if n_in_hand
            else "There is no pair in hand.",
        ),
        way_back="The pause can be taken back here at any time.",
        needs_reason=True,
        is_danger=False,
    )


def withdrawal_consequences(
    *, annotator: Annotator, since: datetime, withdrawable: Withdrawable
) -> Consequences:
    """Return the consequences of withdrawing a person's answers from a moment on."""
    labels = counted(withdrawable.n_labels, "label")
    return Consequences(
        act="withdraw",
        title="Withdraw",
        button=f"Withdraw {counted(withdrawable.n, 'answer')}"
        if withdrawable.n_checks
        else f"Withdraw {labels}",
        sentences=(
            f"{labels} of {annotator}{withdrawable.rest_text}, given from "
            f"{since:%-d %B %Y, %H:%M} UTC on, would be withdrawn.",
            "They stay in the log and no longer count; others are asked for new ones.",
        ),
        way_back="They can be restored here, except where others have given a pair its labels "
        "meanwhile.",
        n=withdrawable.n,
        needs_reason=True,
        fields=(("since", since.isoformat()),),
    )


def rejection_consequences(*, annotator: Annotator, n: int) -> tuple[Consequences, ...]:
    """Return the consequences of asking others again for a batch, and of rejecting it.

    n : answers of the batch that count now
    """
    answers = counted(n, "answer")
    effect = f"{answers} of {annotator} would no longer count; others are asked for the labels."
    return tuple(
        Consequences(
            act=act,
            title=title,
            button=button,
            sentences=(effect, mark),
            way_back="It can be taken back here: the answers then count again, except where others "
            "have given a pair its labels meanwhile.",
            n=n,
            needs_reason=True,
            is_danger=act == "reject",
        )
        for act, title, button, mark in (
            (
                "requeue",
                "Ask others again",
                f"Ask others for {answers} again",
                "It does not stand against the person.",
            ),
            (
                "reject",
                "Reject",
                f"Reject {answers}",
                "The rejection stands against the person.",
            ),
        )
    )


def restoration_consequences(*, annotator: Annotator, withdrawal: Withdrawal) -> Consequences:
    """Return the consequences of restoring the answers of a withdrawal."""
    n = withdrawal.n + withdrawal.n_others
    answers = counted(n, "answer")
    verb = "was" if withdrawal.n_others == 1 else "were"
    sentence = (
        f"{withdrawal.n_others:,} of them {verb} withdrawn in between for another reason, or by "
        "another lead."
    )
    moments = ("since", withdrawal.since), ("until", withdrawal.until)
    return Consequences(
        act="restore",
        title="Restore",
        subject=answers,
        button=f"Restore {answers}",
        sentences=(
            f"{answers} of {annotator} would count again{_PLACES_TAKEN}.",
            *([sentence] if withdrawal.n_others else []),
        ),
        way_back="They can be withdrawn here again, with all that is given from a moment on.",
        n=n,
        needs_reason=True,
        is_danger=False,
        fields=tuple((name, f"{at:%Y-%m-%dT%H:%M:%S.%f%z}") for name, at in moments),
    )


def reopening_consequences(*, batch: Batch, n: int) -> Consequences:
    """Return the consequences of taking back the verdict on a batch.

    n : answers of the batch that are withdrawn, whatever for
    """
    answers = counted(n, "answer")
    subject = f"{answers} of {batch.annotator}, withdrawn for whatever reason,"
    labels = f"{subject} would count again{_PLACES_TAKEN}."
    is_held = batch.gold_action in Batch.HOLDING
    return Consequences(
        act="reopen",
        title="Take the verdict back",
        button=f"Take the verdict back, with {answers}" if n else "Take the verdict back",
        sentences=(
            labels if n else "No answer is withdrawn: what counts stays as it is.",
            "The batch waits in the inbox again." if is_held else "The batch has no verdict then.",
        ),
        way_back="It can be given a verdict here again at any time.",
        n=n,
        is_danger=False,
        fields=(("verdict", batch.verdict),),
    )
