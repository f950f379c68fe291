"""Golds that a lead adds and retires, and how people answered them."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import Change, Gold, Item, Part, ReviewAction
from annotate.services.golds import golds
from annotate.services.review import exclusions
from tests import campaigns, cast
from tests.annotate.views.browsing import page
from tests.pages import CHANGED_SINCE, notice_form, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lead")]
GIVEN = {
    "query": "q0",
    "document": "d1",
    "grade": 1,
    "explanation": "The red one is the small one.",
}


@pytest.fixture
def collection():
    collection = cast.collection("shapes", batch_candidates=2, gold_negatives=0, grouped=False)
    campaigns.open_pool_round(collection, cast.pairs(collection, 6)[2:])
    return collection


def add(client, **fields):
    return client.post(reverse("annotate:golds", args=["shapes"]), {**GIVEN, **fields})


def test_a_lead_adds_a_pair_whose_grade_she_knows_and_says_why(client, collection):
    assert add(client).status_code == 302
    gold = Gold.objects.get()
    assert (gold.origin, gold.grade, gold.is_positive, gold.explanation) == (
        "curated",
        1,
        True,
        GIVEN["explanation"],
    )
    assert Change.objects.filter(pair=gold.pair).exists()
    assert GIVEN["explanation"] in page(client, "golds", "shapes")
    assert {hand_out.seat.purpose for hand_out in campaigns.first_batch(collection)} == {
        "label",
        "gold",
    }


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"query": "nobody"}, "This collection has no query with the id &quot;nobody&quot;."),
        ({"document": "nobody"}, "no document with the id &quot;nobody&quot;"),
        ({"grade": 7}, "Select a valid choice"),
        ({"explanation": ""}, "This field is required"),
    ],
)
def test_what_cannot_be_a_gold_is_refused_in_words(client, collection, fields, message):
    answer = add(client, **fields)
    assert answer.status_code == 422
    assert message in text_of(answer)
    assert not Gold.objects.exists()


def test_a_gold_in_use_is_not_added_again_but_a_retired_one_comes_back_as_the_new_one(
    client, collection
):
    add(client)
    assert (
        "a gold already, of grade 1 (curated): retire it first"
        in add(client, grade=0).content.decode()
    )
    gold = Gold.objects.get()
    url = reverse("annotate:gold-retire", args=["shapes", gold.pk])
    client.post(url, {"act": "retire"})
    assert Gold.objects.get().retired_at is not None
    assert "Bring back" in page(client, "golds", "shapes")
    assert {hand_out.seat.purpose for hand_out in campaigns.first_batch(collection)} == {"label"}
    client.post(url)
    assert Gold.objects.get().retired_at is None
    client.post(url)
    add(client, grade=0)
    assert Gold.objects.values_list("grade", "is_positive", "retired_at").get() == (0, False, None)


def logged():
    rows = ReviewAction.objects.order_by("pk").select_related("by", "pair__query", "pair__document")
    return [(row.kind, row.by.username, row.pair.query.external_id, row.reason) for row in rows]


def test_the_log_says_who_added_retired_and_brought_back_which_gold_and_why(client, collection):
    lead = collection.memberships.get().user.username
    add(client)
    url = reverse("annotate:gold-retire", args=["shapes", Gold.objects.get().pk])
    client.post(url, {"reason": "Both are red."})
    client.post(url)
    assert logged() == [
        ("gold_added", lead, "q0", f"Grade 1, curated: {GIVEN['explanation']}"),
        ("gold_retired", lead, "q0", "Grade 1, curated: Both are red."),
        ("gold_restored", lead, "q0", "Grade 1, curated."),
    ]
    log = text_of(client.get(reverse("annotate:review-log", args=["shapes"])))
    assert all(
        words in log
        for words in ("Gold added", "Gold retired", "Gold brought back", "Both are red.")
    )
    assert (
        "Gold retired"
        in b"".join(client.get(reverse("annotate:review-log-csv", args=["shapes"]))).decode()
    )
    log_page = text_of(
        client.get(reverse("annotate:review-log", args=["shapes"]), {"kind": "gold_retired"})
    )
    assert log_page.count('<th scope="row"') == 1


def test_retired_golds_and_the_log_show_items_in_a_bounded_number_of_queries(client, collection):
    Part.objects.filter(item__external_id__in=("d1", "d2", "d3")).update(
        kind="image", text="", path="a.png"
    )

    def n_queries(name):
        with CaptureQueriesContext(connection) as queries:
            text = page(client, name, "shapes")
        assert "text of q0" in text and "Image of d1" in text
        return len(queries)

    lead = collection.memberships.get().user

    def retire(document):
        gold = golds.add_gold(collection=collection, by=None, **{**GIVEN, "document": document})
        golds.retire_gold(gold=gold, by=None)
        item = Item.objects.get(external_id=document)
        exclusions.exclude_item(item=item, by=lead, reason="another one")

    golds.retire_gold(gold=golds.add_gold(collection=collection, by=None, **GIVEN), by=None)
    retire("d2")
    before = n_queries("golds"), n_queries("review-log")
    retire("d3")
    assert (n_queries("golds"), n_queries("review-log")) == before


def test_retiring_twice_is_one_line_and_a_reason_that_cannot_be_kept_changes_nothing(
    client, collection
):
    gold = golds.add_gold(collection=collection, by=None, **GIVEN)
    golds.retire_gold(gold=gold, by=None)
    golds.retire_gold(gold=gold, by=None)
    assert list(ReviewAction.objects.order_by("pk").values_list("kind", flat=True)) == [
        "gold_added",
        "gold_retired",
    ]
    url = reverse("annotate:gold-retire", args=["shapes", gold.pk])
    answer = client.post(url, {"reason": "a\0b"})
    assert Gold.objects.get().retired_at is not None
    assert answer.status_code == 422
    text = text_of(answer)
    assert "Null characters" in text and "Nothing was changed." in text


def test_a_gold_is_retired_for_no_more_answers_than_told(client, collection):
    gold = golds.add_gold(collection=collection, by=None, **GIVEN)
    for hand_out in campaigns.first_batch(collection):
        campaigns.judge(hand_out, 1)
    assert 'name="expected" value="1"' in page(client, "golds", "shapes")
    url = reverse("annotate:gold-retire", args=["shapes", gold.pk])
    refused = client.post(url, {"act": "retire", "expected": "0"})
    assert refused.status_code == 422
    text = text_of(refused)
    assert "Nothing was changed." in text
    assert "It would be about 1 answer by now, not 0; look again." in text
    unreadable = client.post(url, {"act": "retire", "expected": "abc"})
    assert "The page sent no whole number; look again." in text_of(unreadable)
    assert Gold.objects.get().retired_at is None
    client.post(url, {"act": "retire", "expected": "1"})
    assert Gold.objects.get().retired_at is not None


def test_a_long_explanation_is_cut_in_the_log_alone(collection):
    gold = golds.add_gold(collection=collection, by=None, **{**GIVEN, "explanation": "x" * 2000})
    assert (len(ReviewAction.objects.get().reason), len(gold.explanation)) == (500, 2000)


def test_an_excluded_item_is_no_gold(collection):
    item = Item.objects.get(external_id="d1")
    exclusions.exclude_item(item=item, by=cast.user(), reason="broken")
    with pytest.raises(golds.BadGold, match="This document is excluded: broken"):
        golds.add_gold(collection=collection, by=None, **GIVEN)


def test_how_people_answered_is_told_at_a_constant_number_of_queries(
    client, collection, django_assert_max_num_queries
):
    add(client)
    for _ in range(2):
        for hand_out in campaigns.first_batch(collection):
            campaigns.judge(hand_out, 0)
    with django_assert_max_num_queries(24):
        assert ">2 of 2<" in page(client, "golds", "shapes").replace(" \n", "")


def test_retiring_tells_how_many_answers_it_is_about_and_is_taken_back_from_its_notice(
    client, collection
):
    add(client)
    for _ in range(2):
        for hand_out in campaigns.first_batch(collection):
            campaigns.judge(hand_out, 0)
    text = " ".join(page(client, "golds", "shapes").split())
    assert "2 answers to it, 2 of them wrong, would count neither for nor against" in text
    assert ">Retire, with 2 answers</button>" in text
    url = reverse("annotate:gold-retire", args=["shapes", Gold.objects.get().pk])
    first, second = [client.post(url, {"act": "retire"}, follow=True) for _ in range(2)]
    assert Gold.objects.get().retired_at is not None  # a second tab brings nothing back
    assert "Nothing was changed: it had been done before." in second.content.decode()
    undo_url, fields = notice_form(first.content.decode())
    client.post(undo_url, fields)
    assert Gold.objects.get().retired_at is None
    client.post(url, {"act": "retire"})
    stale = client.post(undo_url, fields)
    assert stale.status_code == 422 and CHANGED_SINCE in text_of(stale)
    assert Gold.objects.get().retired_at is not None
