"""A finished batch in a lead's inbox: what its page says, and the verdicts on it."""

import pytest

from annotate.services.judging import claiming
from annotate.services.supervision import withdrawing
from tests import campaigns, cast
from tests.annotate.views.review.inbox_rows import address, fail_batch, inbox_collection
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return inbox_collection()


def test_a_batch_of_which_no_answer_counts_says_so_and_offers_no_verdict(client, collection, lead):
    batch = fail_batch(collection)
    own_page = address("inbox-batch", batch.pk)
    assert 'value="accept"' in text_of(client.get(own_page))
    withdrawing.withdraw_annotator(
        annotator=batch.annotator, since=batch.opened_at, by=lead, reason="guessed"
    )
    page = text_of(client.get(own_page))
    assert "Nothing to decide: none of its answers counts any more." in page
    assert 'value="accept"' not in page and 'value="reject"' not in page
    pending = campaigns.open_pool_round(collection, cast.pairs(collection, 2), name="pool 2")
    batch = claiming.current_batch(annotator=cast.annotator(pending.collection))
    page = text_of(client.get(address("inbox-batch", batch.pk)))
    assert "Nothing to decide yet: it is not finished." in page and 'value="accept"' not in page


def test_a_batch_is_shown_with_its_answers_rejected_and_taken_back(client, collection, lead):
    batch = fail_batch(collection)
    act = address("inbox-batch-act", batch.pk)
    page = text_of(client.get(address("inbox-batch", batch.pk)))
    assert "0 of 2 golds right" in page and "text of" in page
    assert client.post(act, {"act": "reject"}).status_code == 422
    client.post(act, {"act": "reject", "reason": "guessed"})
    batch.refresh_from_db()
    assert (batch.verdict, client.get(address("inbox")).context["tabs"][0][1]) == ("rejected", 0)
    assert client.post(act, {"act": "accept"}).status_code == 422
    page = text_of(client.post(act, {"act": "reopen"}, follow=True))
    assert "2 answers count again." in page
    client.post(act, {"act": "requeue", "reason": "the guidelines were wrong"})
    client.post(act, {"act": "reopen"})
    client.post(act, {"act": "accept"})
    batch.refresh_from_db()
    assert batch.verdict == "accepted"


def test_a_batch_is_rejected_for_no_more_answers_than_its_page_told(client, collection, lead):
    batch = fail_batch(collection)
    act = address("inbox-batch-act", batch.pk)
    page = text_of(client.get(address("inbox-batch", batch.pk)))
    assert "Reject 2 answers" in page and "Ask others for 2 answers again" in page
    refused = text_of(client.post(act, {"act": "reject", "reason": "guessed", "expected": "1"}))
    assert "It would be about 2 answers by now, not 1; look again." in refused
    batch.refresh_from_db()
    assert batch.verdict == ""
    assert client.post(act, {"act": "reject", "reason": "x", "expected": "two"}).status_code == 422
    page = text_of(
        client.post(act, {"act": "reject", "reason": "guessed", "expected": "2"}, follow=True)
    )
    assert "The inbox went from 1 to 0." in page
    assert "Take the verdict back, with 2 answers" in page and "Undo" not in page
    assert "2 answers of" in page and "would count again, except where others" in page
    refused = client.post(act, {"act": "reopen", "verdict": "rejected", "expected": "1"})
    assert "It would be about 2 answers by now, not 1" in text_of(refused)
    assert client.post(act, {"act": "reopen", "verdict": "rejected"}).status_code == 302
    batch.refresh_from_db()
    assert batch.verdict == ""


def test_no_other_verdict_is_taken_back_than_the_one_on_the_page(client, collection, lead):
    batch = fail_batch(collection)
    act = address("inbox-batch-act", batch.pk)
    page = text_of(client.post(act, {"act": "accept"}, follow=True))
    assert 'name="verdict" value="accepted"' in page
    client.post(act, {"act": "reopen"})
    client.post(act, {"act": "reject", "reason": "guessed"})
    page = text_of(client.post(act, {"act": "reopen", "verdict": "accepted"}))
    assert f"Batch {batch.judging_number} was judged anew since, and is rejected now." in page
    batch.refresh_from_db()
    assert batch.verdict == "rejected"
