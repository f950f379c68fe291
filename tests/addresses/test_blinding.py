"""No secret reaches an annotator's browser: secrets are marked, and all she can reach is read."""

import pytest
from django.urls import reverse

from annotate import http
from annotate.models import Annotator, Gold, Part, Role
from annotate.services.people import accounts
from tests import cast
from tests.addresses import access_table, canaries
from tests.addresses.canaries import Crawler

pytestmark = pytest.mark.django_db
MEDIUM_FIELDS = {"url", "type", "sources", "start", "end", "n_bytes"}


@pytest.fixture
def world(media_root):
    """Two campaigns; the annotator of the first one has half of a batch left."""
    return access_table.build(media_root)


@pytest.fixture
def annotator(world):
    """A newcomer of the first campaign; the other annotators have judged before her."""
    newcomer = cast.annotator(world.campaign.collection)
    world.clients["annotator"].force_login(newcomer.user)
    return Annotator.objects.select_related("collection").get(pk=newcomer.pk)


def crawl(world, annotator):
    """Mark every secret and visit everything; returns the crawler and the marks."""
    marks = canaries.plant(annotator)
    link = accounts.invite(
        collection=world.campaign.collection, role=Role.ANNOTATOR, by=world.campaign.lead
    ).token
    crawler = Crawler(world.clients["annotator"])
    canaries.visit(crawler, world._replace(link=link))
    return crawler, marks


def test_no_secret_reaches_an_annotator_and_what_she_may_read_is_found(world, annotator):
    Part.objects.filter(kind="text").update(text="zqreadablezq")
    crawler, marks = crawl(world, annotator)
    assert crawler.hits(marks) == set()
    assert {hit.split(" in ")[0] for hit in crawler.hits({"zqreadablezq": "Part.text"})} == {
        "Part.text (zqreadablezq)"
    }
    assert {reply.status for reply in crawler.replies} >= {200, 302, 404, 422}
    assert not [reply.request for reply in crawler.replies if reply.status >= 500]
    assert annotator.judgments.count() >= 3


def test_every_column_of_text_is_marked_or_known_to_be_open(annotator):
    marked = set(canaries.plant(annotator).values())
    assert not set(canaries.columns()) - canaries.READABLE - marked
    assert set(canaries.columns()) >= canaries.READABLE


@pytest.mark.full
def test_a_field_too_many_on_a_card_is_found(world, annotator, monkeypatch):
    plain = http.card_json

    def leaking(dealt, **fields):
        gold = Gold.objects.filter(pair__seats__hand_outs__token=dealt.token).first()
        return {**plain(dealt, **fields), "why": gold.explanation if gold else ""}

    monkeypatch.setattr(http, "card_json", leaking)
    crawler, marks = crawl(world, annotator)
    assert {hit.split(" ")[0] for hit in crawler.hits(marks)} == {"Gold.explanation"}


def test_a_card_has_these_fields_and_no_others(world, annotator):
    answer = world.clients["annotator"].post(
        reverse("annotate:judge-next", args=["made"]), {}, "application/json"
    )
    for card in answer.json()["cards"]:
        assert set(card) == {"hand_out", "query", "document", "position", "of", "ask_reasons"}
        for item in (card["query"], card["document"]):
            assert set(item) == {"label", "warning", "parts"}
            for part in item["parts"]:
                assert set(part) <= {"kind", "text", *MEDIUM_FIELDS}
                assert all(
                    set(source) == {"url", "type", "what", "defect"}
                    for source in part.get("sources", [])
                )
