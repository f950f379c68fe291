"""The judge screen's calls: what they answer, and what they never tell."""

import re
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now

from annotate.models import Gold, HandOut, Judgment, Report, Seat
from annotate.services import seating
from annotate.services.pages import annotator_progress
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return campaigns.open_collection(6, "birds", grades=3, batch_candidates=4, grouped=False)


def call(client, name, body=None, slug="birds"):
    return client.post(f"/c/{slug}/judge/{name}", body or {}, content_type="application/json")


def answer_to(card, grade=1, **fields):
    return {"submission_id": str(uuid4()), "hand_out": card["hand_out"], "grade": grade, **fields}


def test_cards_come_with_progress(client, annotator):
    answer = call(client, "next").json()
    assert answer["order"] == [card["hand_out"] for card in answer["cards"]]
    assert len(answer["cards"]) == 4
    assert answer["progress"] == {
        "batch": 1,
        "position": 1,
        "of": 4,
        "done": 0,
        "last_day": 0,
        "total": None,
    }
    assert answer["empty"] is None


@pytest.fixture
def long_batch(client):
    """A collection whose batches are longer than what a browser holds."""
    collection = campaigns.open_collection(15, "long", grades=3, batch_candidates=15)
    client.force_login(cast.annotator(collection).user)


@pytest.mark.usefixtures("long_batch")
def test_ten_cards_lie_ahead_and_each_is_sent_once(client):
    cards = call(client, "next", slug="long").json()["cards"]
    at_hand = [card["hand_out"] for card in cards]
    assert len(at_hand) == 11
    for n_answers, card in enumerate(cards[:6], start=1):
        body = {**answer_to(card), "at_hand": at_hand}
        reply = call(client, "answer", body, slug="long").json()
        new = [card["hand_out"] for card in reply["cards"]]
        assert len(new) == (1 if n_answers <= 4 else 0)  # fifteen in all
        assert reply["order"] == (at_hand[n_answers:] + new)[:11]
        at_hand += new
    assert len(set(at_hand)) == 15


@pytest.mark.usefixtures("long_batch")
def test_a_card_that_lies_ahead_is_not_shown_yet(client):
    first, second = call(client, "next", slug="long").json()["cards"][:2]

    def shown():
        return set(HandOut.objects.exclude(shown_at=None).values_list("token", flat=True))

    assert shown() == {UUID(first["hand_out"])}
    call(client, "answer", {**answer_to(first), "at_hand": [second["hand_out"]]}, slug="long")
    assert shown() == {UUID(first["hand_out"]), UUID(second["hand_out"])}


@pytest.mark.parametrize("at_hand", ["x", {"a": 1}, [3, None, "x", "1" * 36, ["y"]], [""] * 300])
def test_no_label_is_refused_for_what_it_says_is_at_hand(client, annotator, at_hand):
    cards = call(client, "next").json()["cards"]
    reply = call(client, "answer", {**answer_to(cards[0]), "at_hand": at_hand})
    assert reply.status_code == 200
    assert reply.json()["cards"] == cards[1:]
    assert Judgment.objects.count() == 1


def test_other_peoples_cards_are_never_named(client, annotator, collection):
    own_order = call(client, "next").json()["order"]
    client.force_login(cast.annotator(collection).user)
    reply = call(client, "next", {"at_hand": own_order}).json()
    assert reply["order"] == [card["hand_out"] for card in reply["cards"]]
    assert not set(own_order) & set(reply["order"])


def test_a_card_is_an_allow_list(client, annotator):
    card = call(client, "next").json()["cards"][0]
    assert set(card) == {"hand_out", "query", "document", "position", "of", "ask_reasons"}
    assert set(card["query"]) == {"label", "warning", "parts"}
    assert set(card["query"]["parts"][0]) == {"kind", "text"}


def test_an_answer_carries_the_next_cards(client, annotator):
    cards = call(client, "next").json()["cards"]
    heed = {"active_ms": 4200, "played_ms": 1800, "n_replays": 2, "n_changes": 1, "guidelines": 1}
    answered = call(client, "answer", answer_to(cards[0], comment="near", **heed))
    assert answered.status_code == 200
    assert [card["hand_out"] for card in answered.json()["cards"]] == [
        c["hand_out"] for c in cards[1:]
    ]
    stored = Judgment.objects.get()
    assert (stored.active_ms, stored.comment.text, stored.shown_at is not None) == (
        4200,
        "near",
        True,
    )
    assert (stored.played_ms, stored.n_replays, stored.n_changes, stored.guidelines.version) == (
        1800,
        2,
        1,
        1,
    )
    assert answered.json()["guidelines"]["version"] == 1


# of an answer within a batch, BEGIN and COMMIT among them; docs/adr/0006 says what for
N_STATEMENTS = 12


def test_an_answer_takes_few_statements(client, annotator):
    cards = call(client, "next").json()["cards"]
    # the first one freezes the scheme
    cards = call(client, "answer", answer_to(cards[0])).json()["cards"]
    statements = []
    with connection.execute_wrapper(
        lambda execute, sql, *rest: (statements.append(sql), execute(sql, *rest))[1]
    ):
        assert call(client, "answer", answer_to(cards[0])).status_code == 200
    # a savepoint is here what a transaction is to the server
    assert len(statements) <= N_STATEMENTS, "\n".join(statements)


TYPED = [("near \ud83d!", "near \ufffd!"), ("a\x00b", "a\ufffdb"), ("\U0001f426", "\U0001f426")]


@pytest.mark.parametrize(("typed", "stored"), TYPED)
def test_no_label_is_refused_for_what_its_comment_cannot_store(client, annotator, typed, stored):
    first, second = call(client, "next").json()["cards"][:2]
    assert call(client, "answer", answer_to(first, comment=typed)).status_code == 200
    assert Judgment.objects.get().comment.text == stored
    report_body = {
        "submission_id": str(uuid4()),
        "kind": "escalated",
        "note": typed,
        "reason": typed,
    }
    assert call(client, "report", report_body | {"hand_out": second["hand_out"]}).status_code == 200
    report = Report.objects.get()
    assert (report.note, report.reason) == (stored, stored)


def test_the_end_of_a_batch_is_said_and_more_is_served_when_asked_for(
    client, annotator, collection
):
    cards = call(client, "next").json()["cards"]
    while cards:
        last = call(client, "answer", answer_to(cards[0])).json()
        cards = last["cards"]
    assert last["empty"]["reason"] == "batch_done"
    assert last["batch_end"] == "4 labels in this batch. 2 pairs are left for you."
    assert last["progress"] == {
        "batch": 1,
        "position": 4,
        "of": 4,
        "done": 4,
        "last_day": 4,
        "total": 4,
    }
    cards = call(client, "next").json()["cards"]
    assert len(cards) == 2
    for card in cards:
        call(client, "answer", answer_to(card))
    empty = call(client, "next").json()["empty"]
    assert (empty["reason"], empty["message"][:27]) == ("none_left", "You have judged every pair ")
    client.force_login(cast.annotator(collection).user)
    empty = call(client, "next").json()["empty"]
    assert (empty["reason"], empty["message"][:27]) == ("none_left", "Nothing is left that can co")


def test_what_others_hold_is_said_with_the_time_it_may_be_free(client, annotator, collection):
    client.force_login(cast.annotator(collection).user)
    call(client, "next")
    client.force_login(cast.annotator(collection).user)
    call(client, "next")
    held_seats = Seat.objects.filter(state="held").order_by("pk")
    held_seats.update(leased_until=Now() + timedelta(days=20))
    held_seats.filter(pk=held_seats[0].pk).update(leased_until=Now() + timedelta(days=10))
    client.force_login(annotator.user)
    empty = call(client, "next").json()["empty"]
    assert empty["reason"] == "others_hold"
    match = re.fullmatch(
        r"6 pairs are with other people; the next may be free in (\d+) min\.", empty["message"]
    )
    # less what the machine has taken meanwhile
    assert 9 * 86_400 < empty["retry_seconds"] <= 10 * 86_400
    assert abs(60 * int(match[1]) - empty["retry_seconds"]) <= 31


def test_a_closed_pool_is_said(client, annotator, collection):
    seating.close_round(round_=collection.rounds.get())
    assert call(client, "next").json()["empty"]["reason"] == "closed"


@pytest.mark.parametrize(("hours", "n"), [(23.9, 1), (24.1, 0)])
def test_an_answer_counts_for_24_hours_whatever_the_day_is(client, annotator, hours, n):
    card = call(client, "next").json()["cards"][0]
    call(client, "answer", answer_to(card))
    campaigns.make_older(annotator.judgments.all(), hours=hours)
    figures = annotator_progress.progress(annotator=annotator)
    assert (figures["last_day"], figures["total"]) == (n, 1)


def test_undo_brings_the_card_back(client, annotator):
    card = call(client, "next").json()["cards"][0]
    call(client, "answer", answer_to(card))
    assert client.get("/c/birds/judge/recent").json()["judged"][0]["grade"] == 1
    undo = {"hand_out": card["hand_out"], "submission_id": str(uuid4())}
    back = call(client, "undo", undo).json()
    assert back["cards"][0]["hand_out"] == card["hand_out"]
    assert client.get("/c/birds/judge/recent").json()["judged"] == []
    assert back["progress"]["last_day"] == 0
    assert annotator_progress.progress(annotator=annotator)["total"] == 0
    assert back["undone"]["earlier"] is not None
    again = call(client, "answer", answer_to(card, grade=2)).json()
    assert again["progress"]["last_day"] == 1
    call(client, "undo", undo)  # on its way twice: it does not take back what was answered since
    assert client.get("/c/birds/judge/recent").json()["judged"][0]["grade"] == 2
    assert annotator_progress.progress(annotator=annotator)["total"] == 1


@pytest.mark.parametrize("kind", ["cannot_judge", "escalated", "unplayable"])
def test_a_report_is_stored_and_the_next_card_comes(client, annotator, kind):
    card = call(client, "next").json()["cards"][0]
    body = {**answer_to(card), "kind": kind, "reason": "broken", "note": "grey picture"}
    after = call(client, "report", body).json()
    assert after["cards"][0]["hand_out"] != card["hand_out"]
    assert Report.objects.get().note == "grey picture"
    assert call(client, "report", body).status_code == 200
    assert Report.objects.count() == 1


def test_with_a_card_that_comes_back_goes_what_was_said_of_it(client, annotator):
    first, second = call(client, "next").json()["cards"][:2]
    call(client, "answer", answer_to(first, grade=2, comment="near"))
    call(client, "report", {**answer_to(second), "kind": "escalated"})

    def undone(card):
        body = {"hand_out": card["hand_out"], "submission_id": str(uuid4())}
        return call(client, "undo", body).json()["undone"]

    assert undone(second)["earlier"] is None
    earlier = undone(first)["earlier"]
    assert (earlier["grade"], earlier["reasons"], earlier["comment"]) == (2, [], "near")


def test_later_moves_the_card_to_the_end(client, annotator):
    card = call(client, "next").json()["cards"][0]
    after = call(client, "report", {**answer_to(card), "kind": "later"}).json()
    assert after["order"][-1] == card["hand_out"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("[1]", "not a JSON object"),
        ("{", "not JSON"),
        ("[" * 100_000, "larger than"),
        ('{"grade": 1}', "submission_id: This field is required."),
        (
            '{"submission_id": "x", "hand_out": "y", "grade": "much"}',
            "submission_id: Enter a valid UUID.",
        ),
    ],
)
def test_a_body_that_makes_no_sense_is_refused_in_words(client, annotator, body, says):
    refused = client.post("/c/birds/judge/answer", body, content_type="application/json")
    assert refused.status_code == 422
    assert says in refused.json()["error"]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"grade": 9}, 422),
        ({"reasons": ["made up"]}, 422),
        ({"hand_out": str(uuid4())}, 404),
        ({"active_ms": -5}, 422),
    ],
)
def test_a_wrong_answer_is_refused_and_changes_nothing(client, annotator, change, status):
    card = call(client, "next").json()["cards"][0]
    assert call(client, "answer", {**answer_to(card), **change}).status_code == status
    assert Judgment.objects.count() == 0


def test_an_hour_is_the_most_a_judgment_takes(client, annotator):
    card = call(client, "next").json()["cards"][0]
    call(client, "answer", answer_to(card, active_ms=10**9))
    assert Judgment.objects.get().active_ms == 3_600_000


def test_where_no_cards_are_wanted_none_are_sent_and_none_counts_as_shown(
    client, collection, annotator
):
    first, *_ = call(client, "next").json()["cards"]
    reply = call(client, "answer", {**answer_to(first), "wants_cards": False})
    assert reply.json() == {"saved": True}
    assert HandOut.objects.exclude(shown_at=None).count() == 1


def test_an_ended_session_is_told_as_json_with_where_to_sign_in(client, collection):
    ended = call(client, "answer")
    assert ended.status_code == 401
    assert ended.json() == {
        "error": "signed_out",
        "sign_in": "/accounts/login/?next=%2Fc%2Fbirds%2Fjudge%2Fsigned-in",
    }


def test_leads_and_strangers_have_no_judge_screen(client, collection):
    client.force_login(cast.member(collection, "lead"))
    assert call(client, "next").status_code == 404
    client.force_login(cast.user())
    assert call(client, "next").status_code == 404


def test_a_gold_looks_like_any_other_card(client, annotator, collection):
    gold = Gold.objects.create(
        collection=collection,
        pair=cast.pairs(collection, 1)[0],
        grade=2,
        is_positive=True,
        origin="curated",
    )
    shapes, query_texts = set(), []
    cards = call(client, "next").json()["cards"]
    while cards:
        shapes.add(str(sorted(cards[0])))
        query_texts.append(cards[0]["query"]["parts"][0]["text"])
        cards = call(client, "answer", answer_to(cards[0])).json()["cards"]
    assert len(shapes) == 1
    assert f"text of {gold.pair.query.external_id}" in query_texts
    assert len(query_texts) == 5


def test_an_answer_costs_a_constant_number_of_queries(
    client, annotator, django_assert_max_num_queries
):
    cards = call(client, "next").json()["cards"]
    for card in cards[:-1]:
        with django_assert_max_num_queries(19):
            call(client, "answer", answer_to(card))
