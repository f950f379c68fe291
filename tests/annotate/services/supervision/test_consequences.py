"""The sentences of what a lead decides about a person."""

from datetime import UTC, datetime

from annotate.models import Annotator
from annotate.services.supervision.consequences import (
    pause_consequences,
    rejection_consequences,
    withdrawal_consequences,
)
from annotate.services.supervision.withdrawing import Withdrawable

PERSON = Annotator(pseudonym="calm-heron")
SINCE = datetime(2026, 5, 4, 3, 2, tzinfo=UTC)


def test_a_pause_names_the_pairs_in_hand_and_its_way_back():
    pause = pause_consequences(annotator=PERSON, n_in_hand=3, resume_text="")
    assert pause.button == "Pause, with 3 pairs in hand"
    assert pause.sentences[1] == (
        "What is in hand, 3 pairs, goes to others once its time is up; until then the card on the "
        "screen and the next one can still be answered."
    )
    assert "Resume" not in pause.way_back  # no offer to who was never paused
    idle = pause_consequences(annotator=PERSON, n_in_hand=0, resume_text="")
    assert idle.button == "Pause"
    paused_person = Annotator(pseudonym="calm-heron", paused_at=SINCE)
    resumption = pause_consequences(annotator=paused_person, n_in_hand=0, resume_text="Again.")
    assert (resumption.act, resumption.sentences) == ("resume", ("Again.",))


def test_a_withdrawal_has_its_number_on_the_button_and_sends_it_with_the_moment():
    withdrawal = withdrawal_consequences(
        annotator=PERSON, since=SINCE, withdrawable=Withdrawable(312, 0, 300)
    )
    assert (withdrawal.button, withdrawal.n) == ("Withdraw 312 labels", 312)
    assert withdrawal.sentences[0] == (
        "312 labels of calm-heron, on 300 pairs, given from 4 May 2026, 03:02 UTC on, would be "
        "withdrawn."
    )
    assert withdrawal.fields == (("since", SINCE.isoformat()),)
    with_checks = withdrawal_consequences(
        annotator=PERSON, since=SINCE, withdrawable=Withdrawable(1, 2, 3)
    )
    assert (with_checks.button, with_checks.n) == ("Withdraw 3 answers", 3)


def test_a_rejection_stands_against_the_person_and_asking_again_does_not():
    again, rejection = rejection_consequences(annotator=PERSON, n=18)
    assert rejection.button == "Reject 18 answers"
    assert again.button == "Ask others for 18 answers again"
    assert "stands against the person" in rejection.sentences[1]
    assert "does not stand against" in again.sentences[1]
    assert {again.n, rejection.n} == {18}
