"""The inbox for programs: what waits, one batch, one pair, and the log of decisions."""

import json

import pytest

from annotate.models import ApiToken, CountingJudgment, Gold, Report, ReviewAction, Role
from annotate.services.judging import claiming, unplayable_pairs
from annotate.services.review import adjudicating, exclusions
from annotate.services.review.batch_details import lines_of
from annotate.services.review.pair_history import history_of
from annotate.services.supervision import verdicts
from tests import campaigns, cast
from tests.annotate.views.review.inbox_rows import (
    dispute,
    fail_batch,
    inbox_collection,
    name_person,
    report,
)

pytestmark = pytest.mark.django_db
API = "/api/v1/collections/birds/"
INBOX = f"{API}inbox/"
LISTS = ("people", "batches", "disputed", "escalated", "cannot", "golds")


@pytest.fixture
def collection():
    return inbox_collection()


@pytest.fixture
def lead(collection):
    return cast.member(collection, Role.LEAD)


@pytest.fixture
def headers(lead):
    return cast.bearer(lead, ApiToken.Scope.JUDGMENTS_READ)


def read(client, headers, url, **parameters):
    """The JSON of an address."""
    answer = client.get(url, parameters, headers=headers)
    assert answer.status_code == 200, answer.content
    return answer.json()


def kinds(client, headers):
    """The number of each kind that waits."""
    return {row["kind"]: row["n"] for row in read(client, headers, INBOX)["kinds"]}


def test_each_kind_is_counted_and_has_the_address_of_its_list(client, collection, headers):
    assert kinds(client, headers) == dict.fromkeys(LISTS, 0)
    dispute(collection, 2)
    fail_batch(collection)
    report(collection, "cannot_judge", n_people=2)
    report(collection, "escalated")
    name_person(collection)
    n = {"people": 1, "batches": 1, "disputed": 2, "escalated": 1, "cannot": 1, "golds": 0}
    assert kinds(client, headers) == n
    for row in read(client, headers, INBOX)["kinds"]:
        (name,) = {"waiting_people", "waiting_batches", "waiting_pairs", "doubtful_golds"} & set(
            page := read(client, headers, row["url"])
        )
        assert len(page[name]) == row["n"]
    assert read(client, headers, INBOX)["unplayable"] is None


def test_pairs_that_do_not_play_everywhere_are_told_of(client, collection, headers):
    report(collection, "unplayable")
    answer = read(client, headers, INBOX)
    pairs = unplayable_pairs.unplayable_pairs(collection=collection)
    assert answer["unplayable"] == {
        "n_pairs": 1,
        "n_people": 1,
        "n_waiting": pairs.n_waiting,
        "types": [{"type": reason, "n_pairs": n} for reason, n in pairs.kinds],
    }


def test_waiting_pairs_have_labels_and_reports_under_pseudonyms(client, collection, headers):
    (disputed,) = dispute(collection)
    labels = CountingJudgment.objects.labels().filter(pair=disputed)
    (row,) = read(client, headers, f"{INBOX}disputed/")["waiting_pairs"]
    assert row == {
        "id": disputed.pk,
        "url": f"{INBOX}pairs/{disputed.pk}/",
        "query": disputed.query.external_id,
        "document": disputed.document.external_id,
        "grades": [label.grade for label in labels.order_by("number")],
        "n_people": 0,
        "reports": [],
    }
    pair = report(collection, "cannot_judge", n_people=2)
    (row,) = read(client, headers, f"{INBOX}cannot/")["waiting_pairs"]
    assert (row["id"], row["n_people"], len(row["reports"])) == (pair.pk, 2, 2)
    first = Report.objects.earliest("pk")
    assert row["reports"][0] == {
        "id": first.pk,
        "annotator": first.annotator.pseudonym,
        "kind": "cannot_judge",
        "reason": "broken",
        "why": "broken",
        "note": "two birds",
        "state": "open",
        "at": row["reports"][0]["at"],
    }


def test_lists_come_in_pages_with_filters(client, collection, headers):
    pairs = dispute(collection, 3)
    page = read(client, headers, f"{INBOX}disputed/", page_size=2)
    assert [row["id"] for row in page["waiting_pairs"]] == [pair.pk for pair in pairs[:2]]
    page = read(client, headers, page["next"])
    assert [row["id"] for row in page["waiting_pairs"]] == [pairs[2].pk]
    assert page["next"] is None
    other = dispute(collection)[0]
    rows = read(client, headers, f"{INBOX}disputed/", query=other.query.external_id)
    assert other.pk in [row["id"] for row in rows["waiting_pairs"]]
    assert read(client, headers, f"{INBOX}disputed/", query="none")["waiting_pairs"] == []
    batches = [fail_batch(collection) for _ in range(2)]
    rows = read(client, headers, f"{INBOX}batches/")["waiting_batches"]
    assert [row["id"] for row in rows] == [batch.pk for batch in batches]
    rows = read(client, headers, f"{INBOX}batches/", annotator=batches[1].annotator.pseudonym)
    (row,) = rows["waiting_batches"]
    assert (row["id"], row["n_golds"], row["n_golds_right"]) == (batches[1].pk, 2, 0)
    assert (row["is_held"], row["n_pairs"]) == (False, batches[1].hand_outs.count())


@pytest.mark.parametrize("kind", ["batches", "disputed", "escalated", "cannot"])
def test_a_list_takes_as_many_queries_for_many_as_for_one(
    client, collection, headers, kind, django_assert_num_queries, django_assert_max_num_queries
):
    fill = {
        "batches": fail_batch,
        "disputed": dispute,
        "escalated": lambda collection: report(collection, "escalated"),
        "cannot": lambda collection: report(collection, "cannot_judge"),
    }[kind]
    fill(collection)
    read(client, headers, f"{INBOX}{kind}/")
    with django_assert_max_num_queries(99) as few:
        read(client, headers, f"{INBOX}{kind}/")
    fill(collection)
    fill(collection)
    with django_assert_num_queries(len(few)):
        read(client, headers, f"{INBOX}{kind}/")


@pytest.mark.parametrize("address", ["", *(f"{kind}/" for kind in LISTS)])
def test_unknown_parameters_are_refused(client, headers, address):
    answer = client.get(f"{INBOX}{address}", {"tab": "x"}, headers=headers)
    assert answer.status_code == 422 and '"tab" is no parameter' in answer.json()["detail"]


def test_doubtful_golds_are_those_of_the_page(client):
    collection = cast.collection("birds", grades=2, batch_candidates=4, gold_negatives=0)
    headers = cast.bearer(cast.member(collection, Role.LEAD), ApiToken.Scope.JUDGMENTS_READ)
    pairs = cast.pairs(collection, 24)
    for number, pair in enumerate(pairs[:4]):
        Gold.objects.create(
            collection=collection,
            pair=pair,
            grade=number > 0,
            is_positive=number > 0,
            origin="curated",
        )
    campaigns.open_pool_round(collection, pairs[4:])
    for _ in range(3):
        annotator = cast.annotator(collection)
        while claiming.current_batch(annotator=annotator):
            campaigns.judge_batch(annotator, 1)
    page = client.get(f"{INBOX}golds/", headers=headers)
    client.force_login(cast.member(collection, Role.LEAD))
    doubtful = client.get("/c/birds/inbox/?tab=golds").context["doubtful"]
    assert [row["id"] for row in page.json()["doubtful_golds"]] == [
        line.gold.pk for line in doubtful
    ]
    assert kinds(client, headers)["golds"] == len(doubtful)


def test_a_batch_has_its_lines_and_the_check_of_its_golds(client, campaign):
    lead = cast.bearer(campaign.lead, ApiToken.Scope.JUDGMENTS_READ)
    for batch in campaign.collection.batches.all():
        url = f"/api/v1/collections/made/inbox/batches/{batch.pk}/"
        answer = read(client, lead, url)
        assert (answer["url"], answer["annotator"]) == (url, batch.annotator.pseudonym)
        assert batch.annotator.user.username not in json.dumps(answer)
        lines = lines_of(batch=batch)
        assert [
            (row["position"], row["pair"], row["outcome"], row["gold_grade"], row["is_right"])
            for row in answer["lines"]
        ] == [
            (
                line.hand_out.position,
                line.hand_out.seat.pair_id,
                line.outcome,
                line.gold and line.gold.grade,
                line.is_right,
            )
            for line in lines
        ]
        for row, line in zip(answer["lines"], lines, strict=True):
            assert row["grade"] == (line.judgment and line.judgment.level.grade)
            assert row["reports"] == line.report_texts
            assert row["url"] == f"/api/v1/collections/made/inbox/pairs/{row['pair']}/"
        comments = {row["comment"] for row in answer["lines"]} - {None}
        assert comments <= {f"said by {batch.annotator.pseudonym}"}


def test_a_batch_that_does_not_count_says_so(client, collection, lead, headers):
    batch = fail_batch(collection)
    url = f"{INBOX}batches/{batch.pk}/"
    answer = read(client, headers, url)
    assert (answer["counts"], answer["verdict"], answer["golds"]) == (
        True,
        "",
        "0 of 2 golds right.",
    )
    verdicts.reject_batch(batch=batch, by=lead, reason="guessed")
    answer = read(client, headers, url)
    assert (answer["counts"], answer["verdict"]) == (False, "rejected")
    assert {row["outcome"] for row in answer["lines"]} == {"withdrawn"}
    assert answer["decisions"] == []


def test_a_pair_has_all_that_people_said(client, collection, lead, headers):
    (pair,) = dispute(collection)
    url = f"{INBOX}pairs/{pair.pk}/"
    answer = read(client, headers, url)
    assert answer["summary"] == history_of(pair=pair, for_lead=True).sentence
    assert (answer["resolution"]["status"], answer["adjudicated_grade"]) == ("disputed", None)
    judgments = list(pair.judgments.order_by("pk"))
    assert [
        (row["annotator"], row["grade"], row["comment"], row["outcome"])
        for row in answer["judgments"]
    ] == [
        (judgment.annotator.pseudonym, grade, "only a wing", "counts")
        for judgment, grade in zip(judgments, (0, 2), strict=True)
    ]
    for judgment in judgments:
        assert judgment.annotator.user.username not in json.dumps(answer)
    adjudicating.adjudicate(pair=pair, by=lead, grade=2, note="a wing")
    adjudicating.undo_adjudication(pair=pair, by=lead, reason="by mistake")
    adjudicating.adjudicate(pair=pair, by=lead, grade=0)
    exclusions.exclude_item(item=pair.query, by=lead, reason="broken")
    answer = read(client, headers, url)
    assert answer["adjudicated_grade"] == 0
    assert answer["judgments"][2]["purpose"] == "adjudication"
    assert answer["judgments"][2]["events"][0]["reason"] == "by mistake"
    assert answer["query"]["excluded_reason"] == "broken" and answer["query"]["excluded_at"]
    assert answer["document"]["excluded_at"] is None


def test_a_pair_has_its_reports_and_why_it_is_excluded(client, collection, lead, headers):
    pair = report(collection, "escalated")
    exclusions.exclude_pair(pair=pair, by=lead, reason="two birds at once")
    answer = read(client, headers, f"{INBOX}pairs/{pair.pk}/")
    assert answer["exclusion"]["reason"] == "two birds at once"
    assert [(row["kind"], row["state"]) for row in answer["reports"]] == [("escalated", "settled")]
    assert answer["resolution"] is None


def test_the_log_is_read_in_pages_with_filters(client, collection, lead, headers):
    batch = fail_batch(collection)
    first, second = dispute(collection, 2)
    other_lead = cast.member(collection, Role.LEAD)
    verdicts.reject_batch(batch=batch, by=lead, reason="guessed")
    adjudicating.adjudicate(pair=first, by=other_lead, grade=2, note="a wing")
    exclusions.exclude_item(item=second.query, by=lead, reason="broken")
    verdicts.reopen_batch(batch=batch, by=None)
    page = read(client, headers, f"{API}review-log/", page_size=3)
    assert [row["kind"] for row in page["review_log"]] == [
        "batch_reopened",
        "item_excluded",
        "adjudicated",
    ]
    reopened, excluded, adjudicated = page["review_log"]
    assert (reopened["by"], reopened["n_labels"], reopened["decision"]) == (None, 2, None)
    assert reopened["batch"] == {
        "id": batch.pk,
        "number": batch.number,
        "url": f"{INBOX}batches/{batch.pk}/",
    }
    assert excluded["item"] == {"id": second.query.external_id, "side": "query"}
    assert (adjudicated["by"], adjudicated["reason"]) == (other_lead.username, "a wing")
    assert adjudicated["pair"]["url"] == f"{INBOX}pairs/{first.pk}/"
    assert adjudicated["name"] == "Adjudicated" and adjudicated["annotator"] is None
    (rejected,) = read(client, headers, page["next"])["review_log"]
    assert (rejected["kind"], rejected["annotator"]) == (
        "batch_rejected",
        batch.annotator.pseudonym,
    )
    for parameters, expected in [
        ({"by": other_lead.username}, ["adjudicated"]),
        ({"kind": "item_excluded"}, ["item_excluded"]),
        ({"annotator": batch.annotator.pseudonym}, ["batch_reopened", "batch_rejected"]),
        ({"by": lead.username, "kind": "adjudicated"}, []),
    ]:
        rows = read(client, headers, f"{API}review-log/", **parameters)["review_log"]
        assert [row["kind"] for row in rows] == expected


def test_the_log_takes_as_many_queries_for_many_lines(
    client, collection, lead, headers, django_assert_num_queries, django_assert_max_num_queries
):
    pairs = dispute(collection, 4)
    adjudicating.adjudicate(pair=pairs[0], by=lead, grade=2)
    verdicts.reject_batch(batch=fail_batch(collection), by=lead, reason="guessed")
    read(client, headers, f"{API}review-log/")
    with django_assert_max_num_queries(99) as few:
        read(client, headers, f"{API}review-log/")
    for pair in pairs[1:]:
        adjudicating.adjudicate(pair=pair, by=lead, grade=2)
        exclusions.exclude_item(item=pair.document, by=lead, reason="broken")
    verdicts.reject_batch(batch=fail_batch(collection), by=lead, reason="guessed")
    with django_assert_num_queries(len(few)):
        read(client, headers, f"{API}review-log/")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"who": "x"}, '"who" is no parameter; there are by, kind, annotator, cursor, page_size.'),
        ({"kind": "burnt"}, '"burnt" is not a valid choice.'),
        ({"by": "nobody"}, "The log has nobody of this name; there are {lead}."),
        ({"annotator": "X9"}, "The log has nobody of this name; there are none."),
        ({"by": "x" * 151}, "no more than 150 characters"),
    ],
)
def test_filters_of_the_log_that_are_none_are_refused(
    client, collection, lead, headers, parameters, words
):
    adjudicating.adjudicate(pair=dispute(collection)[0], by=lead, grade=2)
    answer = client.get(f"{API}review-log/", parameters, headers=headers)
    assert answer.status_code == 422
    sentence = json.dumps(answer.json(), ensure_ascii=False).replace('\\"', '"')
    assert words.format(lead=lead.username) in sentence


def test_the_inbox_is_for_leads_with_the_scope(client, collection, lead):
    pair, batch = report(collection, "escalated"), fail_batch(collection)
    adjudicating.adjudicate(pair=pair, by=lead, grade=2)
    scope = ApiToken.Scope.JUDGMENTS_READ
    other = cast.collection("other")
    cast.member(other, Role.LEAD, lead)
    researcher = cast.member(collection, Role.RESEARCHER)
    for address in (
        "inbox/",
        *(f"inbox/{kind}/" for kind in LISTS),
        f"inbox/pairs/{pair.pk}/",
        f"inbox/batches/{batch.pk}/",
        "review-log/",
    ):
        url = f"{API}{address}"
        assert client.get(url, headers=cast.bearer(lead, scope)).status_code == 200
        assert client.get(url, headers=cast.bearer(researcher, scope)).status_code == 403
        elsewhere = cast.bearer(lead, scope, collection=other)
        assert client.get(url, headers=elsewhere).status_code == 404
        others = [other_scope for other_scope in ApiToken.Scope if other_scope != scope]
        assert client.get(url, headers=cast.bearer(lead, *others)).status_code == 403
    foreign = cast.pairs(other, 1)[0]
    url = f"{INBOX}pairs/{foreign.pk}/"
    assert client.get(url, headers=cast.bearer(lead, scope)).status_code == 404
    assert ReviewAction.objects.count() == 1


def test_what_is_the_same_is_304(client, collection, headers):
    pair = report(collection, "escalated")
    for address in ("", "escalated/", f"pairs/{pair.pk}/"):
        etag = client.get(f"{INBOX}{address}", headers=headers)["ETag"]
        again = client.get(f"{INBOX}{address}", headers=headers | {"If-None-Match": etag})
        assert again.status_code == 304
