"""A person's own work for her programs: what her pages show of it, and no secret."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Annotator, ApiToken, JudgmentEvent, Role
from annotate.services.pages.annotator_progress import progress
from annotate.services.people import accounts
from tests import campaigns, cast
from tests.addresses import canaries
from tests.addresses.canaries import Crawler

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
OWN = "/api/v1/collections/made/own/"
JUDGMENTS = f"{OWN}judgments/"
SCOPE = ApiToken.Scope.JUDGMENTS_READ


@pytest.fixture
def annotator(campaign):
    """Who changed a judgment and undid one."""
    return campaign.annotators[1]


@pytest.fixture
def headers(campaign, annotator):
    return cast.bearer(annotator.user, SCOPE)


def lines(client, headers):
    answer = client.get(JUDGMENTS, headers=headers)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-ndjson")
    return [json.loads(line) for line in answer.getvalue().splitlines()]


def test_her_progress_is_that_of_her_pages(client, campaign, annotator, headers):
    value = client.get(OWN, headers=headers).json()
    figures = progress(annotator=Annotator.objects.get(pk=annotator.pk))
    assert value == {
        "collection": "made",
        "pseudonym": annotator.pseudonym,
        "paused_at": None,
        "n_last_day": figures["last_day"],
        "n_total": figures["total"],
        "batch": {"number": figures["batch"], "n": figures["of"], "n_done": figures["done"]},
        "judgments_url": JUDGMENTS,
    }
    assert 0 < value["batch"]["n_done"] < value["batch"]["n"] and value["n_total"] > 0


def test_a_newcomer_has_no_batch_and_gets_none_by_looking(client, campaign):
    newcomer = cast.annotator(campaign.collection)
    headers = cast.bearer(newcomer.user, SCOPE)
    value = client.get(OWN, headers=headers).json()
    assert (value["batch"], value["n_last_day"], value["n_total"]) == (None, 0, 0)
    assert lines(client, headers) == [] and not newcomer.batches.exists()


def test_her_judgments_are_hers_with_what_became_of_them(client, campaign, annotator, headers):
    rows = lines(client, headers)
    ids = list(annotator.judgments.order_by("pk").values_list("pk", flat=True))
    assert [row["judgment"] for row in rows] == ids and len(ids) > 4
    assert {row["comment"] for row in rows} == {f"said by {annotator.pseudonym}", ""}
    undone = JudgmentEvent.objects.get(judgment__annotator=annotator, kind="undone")
    events = {row["judgment"]: row["events"] for row in rows if row["events"]}
    assert [row["kind"] for row in events[undone.judgment_id]] == ["undone"]
    assert all(row["at"].endswith("Z") and len(row["at"]) == 24 for row in rows)
    assert any(row["changes"] in ids for row in rows)


def test_no_secret_is_in_it(client, campaign, annotator, headers):
    marks = canaries.plant(annotator)
    crawler = Crawler(client)
    for url in (OWN, JUDGMENTS):
        assert crawler.keep(url, client.get(url, headers=headers)).status_code == 200
    assert crawler.hits(marks) == set()
    words = " ".join(reply.text for reply in crawler.replies)
    for word in ("gold", "repeat", "purpose", "double", "seat", "round", "surplus", "rank"):
        assert word not in words, word


def test_the_lines_have_the_fields_of_the_file_of_her_own_data(client, campaign, annotator):
    client.force_login(annotator.user)
    file = json.loads(client.get("/account/data/", {"collection": "made"}).getvalue())
    (part,) = file["collections"]
    rows = lines(client, cast.bearer(annotator.user, SCOPE))
    moments = ("events", "at", "shown_at")
    plain = [{key: row[key] for key in row if key not in moments} for row in rows]
    assert plain == [
        {key: row[key] for key in row if key not in moments} for row in part["judgments"]
    ]


def test_who_left_has_her_judgments_but_no_work(client, campaign, annotator, headers):
    n = len(lines(client, headers))
    accounts.leave(membership=annotator.user.memberships.get())
    assert client.get(OWN, headers=headers).status_code == 404
    assert len(lines(client, headers)) == n


def test_a_paused_person_sees_that_she_is(client, campaign, annotator, headers):
    accounts.pause_annotator(annotator=annotator)
    assert client.get(OWN, headers=headers).json()["paused_at"].endswith("Z")


def test_it_is_for_annotators_with_the_scope_and_the_collection(client, campaign, annotator):
    scopes = [scope for scope in ApiToken.Scope if scope != SCOPE]
    researcher = cast.member(campaign.collection, Role.RESEARCHER)
    for headers, statuses in (
        (cast.bearer(annotator.user, *scopes), (403, 403)),
        (cast.bearer(annotator.user, SCOPE, collection=cast.collection("other")), (404, 404)),
        (cast.bearer(researcher, SCOPE), (403, 404)),
        (cast.bearer(cast.user("root", is_superuser=True), SCOPE), (403, 404)),
    ):
        answers = [client.get(address, headers=headers) for address in (OWN, JUDGMENTS)]
        assert tuple(answer.status_code for answer in answers) == statuses


def test_other_parameters_are_refused(client, campaign, headers):
    for url in (OWN, JUDGMENTS):
        assert client.get(url, {"annotator": "A1"}, headers=headers).status_code == 422


def test_progress_that_has_not_changed_is_not_sent_again(client, campaign, annotator, headers):
    tag = client.get(OWN, headers=headers)["ETag"]
    assert client.get(OWN, headers=headers | {"If-None-Match": tag}).status_code == 304
    campaigns.judge_batch(annotator, limit=1)
    assert client.get(OWN, headers=headers | {"If-None-Match": tag}).status_code == 200


def test_many_judgments_take_as_many_queries_as_few(client):
    collection = campaigns.open_collection(
        8, "made", batch_candidates=4, gold_positives=0, gold_negatives=0
    )
    annotator = cast.annotator(collection)
    headers = cast.bearer(annotator.user, SCOPE)
    counts = []
    for _ in range(2):
        campaigns.judge_batch(annotator)
        with CaptureQueriesContext(connection) as queries:
            lines(client, headers)
        counts.append(len(queries))
    assert counts[0] == counts[1]
