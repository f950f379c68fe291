"""Sentences of the pages on which leads review: batches, pairs, withdrawals, policy changes."""

from datetime import UTC, datetime

import pytest
from django.template import Context, Template

from annotate.core.labels.policy_changes import PolicyEffect, ResolutionChange
from annotate.core.phrases import counted
from annotate.models import (
    Batch,
    Gold,
    Guidelines,
    HandOut,
    Invitation,
    Judgment,
    Level,
    Report,
)
from annotate.services.golds.batch_checks import GoldCheck
from annotate.services.pages.overview import Overview
from annotate.services.people.invitation_mail import delivery_note
from annotate.services.policy.policies import PolicyPreview
from annotate.services.review.batch_details import BatchLine, golds_sentence
from annotate.services.review.inbox import OF_PAIRS, Tab
from annotate.services.review.inbox_hints import HINTS, saving_hint
from annotate.services.review.pair_history import History
from annotate.services.supervision.withdrawing import Withdrawable

MOMENT = datetime(2026, 3, 5, 7, 8, tzinfo=UTC)
ALONE, JOINED = GoldCheck(2, 1, 2, 1, 3, 3), GoldCheck(2, 1, 5, 3, 1, 3)


def overview(**fields):
    return Overview(**{**dict.fromkeys(Overview._fields, ()), **fields})


def history(**fields):
    unset = dict.fromkeys(History._fields, ())
    return History(**{**unset, "n_kept_back": 0, **fields})


@pytest.mark.parametrize(
    "n_golds, checked, is_out, sentence",
    [
        (None, ALONE, False, "Its golds have not been checked."),
        (2, ALONE, False, "1 of 2 golds right."),
        (2, JOINED, True, "1 of 2 golds right."),
        (
            2,
            JOINED,
            False,
            "1 of 2 golds right; with those of the batches before it, 3 of 5 in batches 1 to 3.",
        ),
    ],
)
def test_a_batch_says_how_many_golds_are_right(n_golds, checked, is_out, sentence):
    batch = Batch(n_golds=n_golds, n_golds_right=1)
    assert golds_sentence(batch, check=checked, is_out=is_out) == sentence


@pytest.mark.parametrize(
    "numbers, rest_text",
    [
        ((1, 0, 1), ", on 1 pair"),
        ((1200, 1, 1300), " and 1 answer to golds and other checks, on 1,300 pairs"),
        ((0, 2, 2), " and 2 answers to golds and other checks, on 2 pairs"),
    ],
)
def test_a_withdrawal_says_what_it_takes_beside_labels(numbers, rest_text):
    assert Withdrawable(*numbers).rest_text == rest_text


@pytest.mark.parametrize(
    "fields, note",
    [
        ({"mailed_at": MOMENT, "by_mail": True}, ", sent 5 Mar 07:08"),
        ({"by_mail": False}, ""),
        ({"by_mail": True}, ", being sent"),
        (
            {"by_mail": True, "mail_attempts": 3},
            "; <strong>could not be sent</strong> (3 tries), revoke it and make a link instead",
        ),
    ],
)
def test_an_invitation_says_what_became_of_its_mail(fields, note):
    assert delivery_note(Invitation(**fields)) == note


@pytest.mark.parametrize(
    "n, note",
    [
        (0, ""),
        (1, "1 comment or note by annotators: leads see what it says."),
        (2, "2 comments or notes by annotators: leads see what they say."),
    ],
)
def test_a_pair_says_how_many_comments_are_kept_back(n, note):
    assert history(n_kept_back=n).kept_back_note == note


@pytest.mark.parametrize(
    "fields, note",
    [
        ({}, "It is a gold of grade 2 (curated)"),
        ({"retired_at": MOMENT}, "It is a gold of grade 2 (curated, retired)"),
        ({"explanation": "a red cross"}, "It is a gold of grade 2 (curated): a red cross"),
    ],
)
def test_a_pair_says_which_golds_it_is(fields, note):
    gold = Gold(grade=2, origin=Gold.Origin.CURATED, **fields)
    assert history(golds=[gold]).gold_notes == [note]


@pytest.mark.parametrize(
    "n_rounds, n_pairs, effect, begin",
    [
        (1, 1, "1 pair would change", "In 1 pool or import that follows: "),
        (2, 1200, "1,200 pairs would change", "In 2 pools or imports that follow: "),
    ],
)
def test_a_policy_change_says_what_follows_it(n_rounds, n_pairs, effect, begin):
    preview = PolicyPreview("key", n_rounds, PolicyEffect(n_pairs, 1100, 1, 0, 2, []))
    assert preview.effect == effect
    assert preview.button == f"Apply: {effect}"
    assert preview.sentence == begin + (
        "1,100 become relevant, 1 become not relevant, 0 without a grade get one, 2 lose theirs "
        "until another label or a lead decides."
    )


@pytest.mark.parametrize(
    "with_closed, begin",
    [(False, "It can be taken back here: "), (True, "This cannot be taken back at once: ")],
)
def test_a_policy_change_promises_a_way_back_only_where_there_is_one(with_closed, begin):
    assert PolicyPreview("key", 1, with_closed=with_closed).way_back.startswith(begin)


def test_a_policy_change_that_is_being_counted_says_nothing():
    assert PolicyPreview("key", 1).sentence == ""


@pytest.mark.parametrize(
    "change, before, after",
    [
        (ResolutionChange("agreed", 2, "disputed", None, 1), "agreed 2", "no grade"),
        (ResolutionChange("disputed", None, "majority", 0, 1), "disputed", "majority 0"),
    ],
)
def test_a_resolution_is_named_before_and_after_its_change(change, before, after):
    assert (change.before, change.after) == (before, after)


@pytest.mark.parametrize(
    "fields, text",
    [
        ({}, "Cannot judge"),
        ({"reason": "does_not_play"}, "Cannot judge: It does not load or play"),
        ({"note": "no sound"}, "Cannot judge “no sound”"),
        (
            {"reason": "does_not_play", "note": "Thai", "state": "undone"},
            "Cannot judge: It does not load or play “Thai” (taken back)",
        ),
    ],
)
def test_a_batch_says_what_was_reported(fields, text):
    report = Report(kind="cannot_judge", **fields)
    assert BatchLine(None, None, None, [report], None, "x").report_texts == [text]


@pytest.mark.parametrize(
    "n, text",
    [(0, ""), (1, "1 file is being read."), (1200, "1,200 files are being read.")],
)
def test_the_overview_says_how_many_files_are_being_read(n, text):
    assert overview(n_being_read=n).being_read_text == text


@pytest.mark.parametrize("n, text", [(0, "0 pairs"), (1, "1 pair"), (1200, "1,200 pairs")])
def test_counted_nouns_are_plural_unless_there_is_one(n, text):
    assert counted(n, "pair") == text
    template = Template('{% load phrases %}{{ n|counted:"pair" }}')
    assert template.render(Context({"n": n})) == text


@pytest.mark.parametrize(
    "version, text", [(1, "Version 1, of 5 March 2026"), (2, "Version 2, changed on 5 March 2026")]
)
def test_guidelines_name_their_version_and_its_day(version, text):
    assert Guidelines(version=version, at=MOMENT).version_text == text


def test_every_tab_has_a_hint_and_those_of_people_and_pairs_an_advice():
    assert set(HINTS) == set(Tab)
    assert {tab for tab, hint in HINTS.items() if hint.advice} == {Tab.PEOPLE, *OF_PAIRS}


@pytest.mark.parametrize(
    "fields, words",
    [
        ({}, ""),
        ({"note": "a cat?"}, "a cat?"),
        ({"reason": "ambiguous"}, "The query can mean several things"),
        (
            {"reason": "ambiguous", "note": "a cat?"},
            "The query can mean several things: a cat?",
        ),
    ],
)
def test_a_report_has_its_reason_and_its_note_for_words(fields, words):
    assert Report(**fields).words == words


def test_a_key_that_saves_leads_on_to_the_next_pair_of_its_tab():
    assert saving_hint(None) == "A key saves at once."
    assert saving_hint(Tab.DISPUTED) == "A key saves at once and shows the next pair."


@pytest.mark.parametrize(
    ("grade", "is_right", "words"),
    [
        (None, None, ""),
        (2, True, "gold: Partly (2), answered rightly"),
        (0, False, "gold: Partly (0), answered wrongly"),
        (1, None, "gold: Partly (1)"),
    ],
)
def test_a_tile_says_its_gold(grade, is_right, words):
    gold = None if grade is None else Gold(grade=grade)
    assert BatchLine(None, None, gold, [], is_right, "x", "Partly").gold_words == words


def test_a_tile_is_called_by_its_place_and_its_level_or_why_it_has_none():
    judgment = Judgment(level=Level(name="Exact"), reasons=["wing", "beak"])
    hand_out = HandOut(position=3)
    line = BatchLine(hand_out, judgment, None, [], None, "x")
    assert (line.title, line.remarks) == ("Pair 3, Exact", ["wing, beak"])
    assert BatchLine(hand_out, None, None, [], None, "x").title == "Pair 3, not answered"
