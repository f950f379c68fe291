"""The lead's inbox: what waits, what is decided about a pair, and that nobody else sees it."""

import re
from uuid import uuid4

import pytest
from django.urls import reverse

from annotate.models import Gold, Item, Pair, Report, Resolution, ReviewAction
from annotate.services.judging import reports, undoing
from annotate.services.review import inbox
from tests import campaigns, cast
from tests.annotate.views.review.inbox_rows import (
    address,
    dispute,
    fail_batch,
    inbox_collection,
    name_person,
    report,
)
from tests.pages import CHANGED_SINCE, notice_form, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return inbox_collection()


def test_each_tab_counts_what_waits_and_says_what_it_is_for(client, collection, lead):
    empty = text_of(client.get(address("inbox")))
    assert "No batch waits" in empty and 'class="badge badge-bad"' not in empty
    for tab, words in [
        ("people", "Nobody has a flag"),
        ("disputed", "Nothing is disputed"),
        ("escalated", "Nothing was escalated"),
        ("cannot", "Everything can be judged so far"),
        ("golds", "No gold is in doubt"),
    ]:
        assert words in text_of(client.get(address("inbox", tab=tab)))
    dispute(collection)
    fail_batch(collection)
    report(collection, "cannot_judge", n_people=2)
    report(collection, "escalated")
    inbox_page = client.get(address("inbox", tab="cannot"))
    assert dict(inbox_page.context["tabs"]) == {
        "people": 0,
        "batches": 1,
        "disputed": 1,
        "escalated": 1,
        "cannot": 1,
        "golds": None,
    }
    assert [(row.n_people, len(row.reports)) for row in inbox_page.context["rows"]] == [(2, 2)]
    assert "two birds" in text_of(inbox_page)
    assert '4<span class="unseen"> waiting</span>' in text_of(inbox_page)
    assert client.get(address("inbox")).context["tab"] == "batches"


@pytest.mark.parametrize("tab", ["people", "batches", "disputed", "escalated", "cannot"])
def test_a_tab_asks_as_often_for_many_as_for_one(
    client, collection, lead, tab, django_assert_max_num_queries
):
    fill = {
        "people": name_person,
        "batches": fail_batch,
        "disputed": dispute,
        "escalated": lambda collection: report(collection, "escalated"),
        "cannot": lambda collection: report(collection, "cannot_judge"),
    }[tab]
    fill(collection)
    with django_assert_max_num_queries(99) as few:
        client.get(address("inbox", tab=tab))
    fill(collection)
    fill(collection)
    with django_assert_max_num_queries(len(few)):
        client.get(address("inbox", tab=tab))


def test_names_are_hidden_until_asked_for(client, collection, lead):
    pair = report(collection, "escalated")
    name = Report.objects.get().annotator.user.username
    for url in (address("inbox", tab="escalated"), address("inbox-pair", pair.pk, tab="escalated")):
        assert name not in text_of(client.get(url))
        assert name in text_of(client.get(f"{url}&names=1"))


def test_a_lead_sees_all_that_was_said_and_decides_and_is_shown_the_next_pair(
    client, collection, lead
):
    first, second = dispute(collection, 2)
    page = text_of(client.get(address("inbox-pair", first.pk, tab="disputed")))
    assert "text of q0" in page and "only a wing" in page and "Disputed: labels" in page
    answer = client.post(
        address("inbox-pair-adjudicate", first.pk, tab="disputed"), {"grade": "2", "note": "a wing"}
    )
    assert answer.url == address("inbox-pair", second.pk, tab="disputed")
    assert Resolution.objects.get(pair=first).status == "adjudicated"
    following = text_of(client.get(answer.url))
    assert (
        "Grade 2 decides" in following
        and f'href="{address("inbox-pair", first.pk, tab="disputed")}"' in following
    )
    answer = client.post(
        address("inbox-pair-adjudicate", second.pk, tab="disputed"), {"grade": "0"}
    )
    assert answer.url == address("inbox", tab="disputed")
    again = client.get(address("inbox-pair", first.pk, tab="disputed"))
    assert "A lead decided on grade 2; the labels were" in text_of(again)
    client.post(address("inbox-pair-act", first.pk, tab="disputed"), {"act": "undo"})
    assert Resolution.objects.get(pair=first).status == "disputed"


def test_a_page_without_the_present_decision_is_refused_and_shows_it(client, collection, lead):
    (pair,) = dispute(collection)
    own_page, act = address("inbox-pair", pair.pk), address("inbox-pair-adjudicate", pair.pk)
    first_tab, second_tab = (shown_decision(client.get(own_page)) for _ in range(2))
    client.post(act, {"grade": "2", "decision": first_tab})
    refused = client.post(act, {"grade": "0", "decision": second_tab, "note": "no wing"})
    page = text_of(refused)
    assert refused.status_code == 422 and "Nothing was changed." in page and "no wing" in page
    assert "It was decided on grade 2 by you, <time" in page and "; look again." in page
    assert Resolution.objects.get(pair=pair).grade == 2
    client.post(act, {"grade": "0", "decision": shown_decision(refused)})
    assert Resolution.objects.get(pair=pair).grade == 0
    for words in ("x", "-1", str(2**63)):
        refused = client.post(act, {"grade": "1", "decision": words})
        assert refused.status_code == 422
        assert "The page sent no whole number; look again." in text_of(refused)
    assert Resolution.objects.get(pair=pair).grade == 0


def test_a_page_without_the_present_decision_takes_none_back(client, collection, lead):
    (pair,) = dispute(collection)
    own_page, act = address("inbox-pair", pair.pk), address("inbox-pair-act", pair.pk)
    decide = address("inbox-pair-adjudicate", pair.pk)
    client.post(decide, {"grade": "2"})
    older_tab = shown_decision(undo_form(text_of(client.get(own_page))))
    client.post(decide, {"grade": "0"})
    refused = client.post(act, {"act": "undo", "decision": older_tab, "reason": "no wing"})
    page = text_of(refused)
    assert refused.status_code == 422 and "Nothing was changed." in page
    assert "It was decided on grade 0 by you, <time" in page
    assert 'value="no wing"' in undo_form(page)
    assert Resolution.objects.get(pair=pair).grade == 0
    refused = client.post(act, {"act": "undo", "decision": "x"})
    assert refused.status_code == 422
    assert "The page sent no whole number; look again." in text_of(refused)
    assert Resolution.objects.get(pair=pair).grade == 0
    client.post(act, {"act": "undo", "decision": shown_decision(undo_form(page))})
    assert Resolution.objects.get(pair=pair).status == "disputed"


def shown_decision(page):
    """The decision that a form, or each of a pair's page, sends back."""
    text = page if isinstance(page, str) else text_of(page)
    (decision,) = set(re.findall(r'name="decision" value="(\d+)"', text))
    return decision


@pytest.mark.parametrize("grade", ["", "7", "x"])
def test_without_a_grade_of_the_scheme_nothing_is_decided(client, collection, lead, grade):
    (pair,) = dispute(collection)
    answer = client.post(address("inbox-pair-adjudicate", pair.pk), {"grade": grade})
    assert answer.status_code == 422
    assert Resolution.objects.get().status == "disputed"


def has_element(page, name, value=None):
    """True if a page has a button of this name and value, or a field of this name."""
    elements = re.findall(r"<(?:button|input|textarea)[^>]*>", page)
    attributes = [f'name="{name}"', f'value="{value}"'] if value else [f'name="{name}"']
    return any(all(words in element for words in attributes) for element in elements)


def undo_form(page):
    """The form of the page that takes an adjudication back."""
    (form,) = (
        form
        for form in page.split("<form")[1:]
        if has_element(form.split("</form>")[0], "act", "undo")
    )
    return form.split("</form>")[0]


def test_a_pair_returned_to_the_queue_is_taken_out_again_from_its_page(client, collection, lead):
    pair = report(collection, "escalated")
    url, act = (
        address(name, pair.pk, tab="escalated") for name in ("inbox-pair", "inbox-pair-act")
    )
    page = text_of(client.get(url))
    assert has_element(page, "act", "return") and not has_element(page, "act", "reopen")
    client.post(act, {"act": "return", "reason": "it plays"})
    assert Report.objects.get().events.get().by == lead
    page = text_of(client.get(url))
    assert has_element(page, "act", "reopen") and not has_element(page, "act", "return")
    client.post(act, {"act": "reopen", "reason": "it does not"})
    assert Report.objects.open().exists()
    page = text_of(client.get(url))
    assert has_element(page, "act", "return") and not has_element(page, "act", "reopen")
    assert list(ReviewAction.objects.order_by("pk").values_list("kind", "reason")) == [
        ("reports_settled", "it plays"),
        ("reports_reopened", "it does not"),
    ]


@pytest.mark.parametrize("ending", ["nothing was reported", "a grade", "pair", "query", "document"])
def test_reports_that_a_grade_or_leaving_out_settled_are_not_opened_by_themselves(
    client, collection, lead, ending
):
    pair = (
        dispute(collection)[0]
        if ending == "nothing was reported"
        else report(collection, "escalated")
    )
    if ending == "a grade":
        client.post(address("inbox-pair-adjudicate", pair.pk), {"grade": "2"})
    elif ending != "nothing was reported":
        client.post(
            address("inbox-pair-act", pair.pk),
            {"act": f"exclude-{ending}", "reason": "does not play"},
        )
    assert not Report.objects.open().exists()
    page = text_of(client.get(address("inbox-pair", pair.pk)))
    assert not has_element(page, "act", "reopen") and not has_element(page, "act", "return")


def test_a_grade_is_taken_back_with_a_reason_if_one_is_given(client, collection, lead):
    (pair,) = dispute(collection)
    for reason in ("pressed by mistake", ""):
        client.post(address("inbox-pair-adjudicate", pair.pk), {"grade": "2"})
        assert has_element(undo_form(text_of(client.get(address("inbox-pair", pair.pk)))), "reason")
        client.post(address("inbox-pair-act", pair.pk), {"act": "undo", "reason": reason})
        assert Resolution.objects.get(pair=pair).status == "disputed"
    undone = ReviewAction.objects.filter(kind="adjudication_undone").order_by("pk")
    assert list(undone.values_list("reason", flat=True)) == ["pressed by mistake", ""]


def test_a_reported_pair_is_excluded_and_taken_back(client, collection, lead):
    pair = report(collection, "escalated")
    act = address("inbox-pair-act", pair.pk, tab="escalated")
    refused = client.post(act, {"act": "exclude-pair"})
    assert (refused.status_code, "Say why" in text_of(refused)) == (422, True)
    for subject in ("pair", "query", "document"):
        client.post(act, {"act": f"exclude-{subject}", "reason": "does not play"})
        page = text_of(client.get(address("inbox-pair", pair.pk)))
        assert "does not play" in page and f'value="restore-{subject}"' in page
        client.post(act, {"act": f"restore-{subject}"})
    assert not Item.objects.filter(excluded_at__isnull=False).exists()
    assert ReviewAction.objects.count() == 6
    assert client.post(act, {"act": "restore-pair"}).status_code == 422
    assert client.post(act, {"act": "burn"}).status_code == 422
    for hidden_field in ("expected", "done_at"):
        refused = client.post(act, {"act": "restore-pair", hidden_field: "abc"})
        assert refused.status_code == 422 and "The page sent" in text_of(refused)


@pytest.mark.parametrize("subject", ["pair", "query", "document"])
def test_an_exclusion_tells_its_labels_keeps_to_them_and_is_taken_back_by_its_notice(
    client, collection, lead, subject
):
    (pair,) = dispute(collection)
    page = text_of(client.get(address("inbox-pair", pair.pk)))
    assert "2 labels of 2 annotators would no longer count in scores" in page
    assert page.count('name="expected" value="2"') == 3
    act = {"act": f"exclude-{subject}", "reason": "blurred"}
    own_address = address("inbox-pair-act", pair.pk)
    refused = client.post(own_address, {**act, "expected": "1"})
    assert refused.status_code == 422
    assert "It would be about 2 labels by now, not 1" in text_of(refused)
    assert not Pair.objects.left_out().filter(pk=pair.pk).exists()
    notice = text_of(client.post(own_address, {**act, "expected": "2"}, follow=True))
    assert Pair.objects.left_out().filter(pk=pair.pk).exists()
    undo_url, undo_fields = notice_form(notice)
    assert undo_fields["act"] == f"restore-{subject}"
    after = client.post(undo_url, undo_fields, follow=True)
    assert not Pair.objects.left_out().filter(pk=pair.pk).exists()
    assert 'class="undo"' not in text_of(after)
    client.post(own_address, {**act, "reason": "does not play"})
    stale = client.post(undo_url, undo_fields)
    assert stale.status_code == 422 and CHANGED_SINCE in text_of(stale)
    assert Pair.objects.left_out().filter(pk=pair.pk).exists()


def test_an_annotator_finds_none_of_it(client, collection):
    pair, batch = report(collection, "escalated"), fail_batch(collection)
    client.force_login(cast.annotator(collection).user)
    for url in (
        address("inbox"),
        address("inbox-pair", pair.pk),
        address("inbox-batch", batch.pk),
        address("review-log"),
        reverse("metrics:dashboard-person", args=[collection.slug, batch.annotator_id]),
    ):
        assert client.get(url).status_code == 404


def test_what_was_reported_of_a_gold_that_is_in_no_pool_waits_like_any_other(client):
    collection = cast.collection(
        "golds", grades=3, batch_candidates=2, grouped=False, gold_negatives=0
    )
    pairs = cast.pairs(collection, 4)
    gold = pairs[3]
    Gold.objects.create(
        collection=collection, pair=gold, grade=2, is_positive=True, origin="curated"
    )
    campaigns.open_pool_round(collection, pairs[:3])
    hand_out = next(
        hand_out_
        for hand_out_ in campaigns.first_batch(collection)
        if hand_out_.seat.pair_id == gold.pk
    )
    reports.report_pair(
        annotator=hand_out.batch.annotator,
        token=hand_out.token,
        submission_id=uuid4(),
        kind="cannot_judge",
        reason="not_enough",
    )
    client.force_login(cast.member(collection, "lead"))
    assert inbox.waiting_counts(collection_keys=[collection.pk])[collection.pk].cannot == 1
    listed = text_of(client.get(reverse("annotate:inbox", args=["golds"]) + "?tab=cannot"))
    assert "Not enough is shown to tell" in listed


def test_a_report_that_its_annotator_took_back_is_not_the_leads_to_open(client, collection, lead):
    pair = report(collection, "escalated")
    taken_back = Report.objects.get()
    undoing.take_back(annotator=taken_back.annotator, token=taken_back.hand_out.token)
    page = text_of(client.get(address("inbox-pair", pair.pk)))
    assert "taken back" in page
    assert not has_element(page, "act", "reopen") and not has_element(page, "act", "return")
