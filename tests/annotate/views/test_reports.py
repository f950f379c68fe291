"""The lead's page of what annotators could not judge."""

from uuid import uuid4

import pytest

from annotate.models import Report, Resolution, Round, Seat
from annotate.services import claiming, judging, seating
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    made = factories.collection("birds", batch_candidates=3)
    seating.open_round(
        collection=made, kind=Round.Kind.POOL, name="pool", policy=factories.policy(made),
        pair_ids=[pair.pk for pair in factories.pairs(made, 3)],
    )  # fmt: skip
    return made


def escalate(made, n=1):
    ann = factories.annotator(made)
    claiming.current_batch(annotator=ann)
    for hand_out in list(claiming.unanswered(annotator=ann))[:n]:
        judging.report_pair(
            annotator=ann, token=hand_out.token, submission_id=uuid4(), kind=Report.Kind.ESCALATED, note="two birds"
        )
    return ann


def test_a_lead_sees_what_was_escalated_and_settles_it(client, made):
    ann = escalate(made)
    client.force_login(factories.member(made, "lead"))
    page = client.get("/c/birds/reports/").content.decode()
    assert "two birds" in page and ann.pseudonym in page
    assert Resolution.objects.get().status == "escalated"
    answer = client.post(f"/c/birds/reports/{Report.objects.get().pk}/settle/", follow=True)
    assert "back in the queue" in answer.content.decode()
    assert "No open reports" in answer.content.decode()
    assert Seat.objects.filter(state="free").count() == 1
    assert not Resolution.objects.exists()


def test_the_page_asks_as_often_for_many_reports_as_for_one(client, made, django_assert_num_queries):
    client.force_login(factories.member(made, "lead"))
    escalate(made)
    with django_assert_num_queries(9):
        client.get("/c/birds/reports/")
    escalate(made, n=2)
    with django_assert_num_queries(9):
        client.get("/c/birds/reports/")


@pytest.mark.parametrize("path", ["https://media.example.org/bird.jpg", "media/bird.jpg"])
def test_a_medium_is_linked_where_it_lies(client, made, path):
    escalate(made)
    pair = Report.objects.get().pair
    for item in (pair.query, pair.document):
        item.parts.update(kind="image", text="", path=path)
    client.force_login(factories.member(made, "lead"))
    page = client.get("/c/birds/reports/").content.decode()
    for part in (pair.query.parts.get(), pair.document.parts.get()):
        assert f'href="{path if "://" in path else f"/c/birds/media/{part.pk}/"}"' in page
