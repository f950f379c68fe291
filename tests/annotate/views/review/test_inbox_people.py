"""People whom guards name stand in the inbox until a lead says that it is fine, and can return."""

import pytest

from annotate.models import ApiToken, Batch, Concern, ConcernEvent, Role
from tests import campaigns, cast
from tests.annotate.views.review.inbox_rows import address, inbox_collection, name_person
from tests.pages import text_of

pytestmark = pytest.mark.django_db
SENTENCE = "41 of the last 50 answers took less than 1 s; at most 5 are expected."


@pytest.fixture
def collection():
    return inbox_collection()


def act(client, concern, act):
    """The page after a decision."""
    answer = client.post(address("inbox-concern-act", concern.pk), {"act": act}, follow=True)
    return text_of(answer)


def test_a_named_person_comes_first_with_the_evidence_and_what_to_do(client, collection, lead):
    campaigns.open_pool_round(collection, cast.pairs(collection, 4))
    older, concern = name_person(collection), name_person(collection)
    batch = campaigns.judge_batch(concern.annotator, limit=20)
    Batch.objects.filter(pk=batch.pk).update(finished_at="2026-01-01T00:00:00Z")
    inbox_page = client.get(address("inbox"))
    assert inbox_page.context["tab"] == "people"
    assert list(inbox_page.context["page"]) == [concern, older]
    text = text_of(inbox_page)
    assert SENTENCE in text and "Too fast" in text
    assert f'href="/c/birds/dashboard/people/{concern.annotator_id}/"' in text
    assert f'href="{address("inbox-batch", batch.pk)}"' in text
    assert text.count("Last batch") == 1


def test_evidence_that_no_look_sees_any_more_says_since_when(client, collection, lead):
    concern = name_person(collection)
    assert "No longer so since" not in text_of(client.get(address("inbox")))
    Concern.objects.filter(pk=concern.pk).update(faded_at="2026-03-05T13:14Z")
    text = text_of(client.get(address("inbox")))
    assert "No longer so since" in text and "5 Mar 2026 13:14" in text


def test_settled_it_leaves_with_who_and_when_and_is_opened_again(client, collection, lead):
    concern = name_person(collection)
    text = act(client, concern, "settle")
    assert "is fine; only answers from now on" in text and "Nobody has a flag" in text
    assert f"it is fine, says {lead.username} on" in text
    assert f"{concern.annotator} stands in the inbox again." in act(client, concern, "reopen")
    assert Concern.objects.get().state == "open"
    assert [*ConcernEvent.objects.order_by("pk").values_list("kind", "by")] == [
        ("settled", lead.pk),
        ("reopened", lead.pk),
    ]
    assert "There is no such decision" in act(client, concern, "dance")
    act(client, concern, "settle")
    name_person(collection)
    Concern.objects.filter(state="open").update(annotator=concern.annotator)
    assert "has this flag again since" in act(client, concern, "reopen")


def test_a_program_decides_as_the_page_does(client, collection):
    concern = name_person(collection)
    lead = cast.member(collection, Role.LEAD)
    headers = cast.bearer(lead, ApiToken.Scope.JUDGMENTS_READ, ApiToken.Scope.COLLECTIONS_WRITE)
    url = "/api/v1/collections/birds/inbox/people/"
    (row,) = client.get(url, headers=headers).json()["waiting_people"]
    assert (row["annotator"], row["guard"], row["sentence"]) == (
        concern.annotator.pseudonym,
        "speed",
        SENTENCE,
    )

    def send(act):
        """The answer to a decision."""
        body = {"act": act}
        return client.post(
            f"{url}{concern.pk}/act/", body, content_type="application/json", headers=headers
        )

    assert send("settle").json()["state"] == "settled"
    assert client.get(url, headers=headers).json()["waiting_people"] == []
    assert send("reopen").json()["state"] == "open"
    assert send("dance").status_code == 422
