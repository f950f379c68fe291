"""A person's batches of judging are numbered 1, 2, 3 wherever they are named; training is not."""

import json

import pytest
from django.urls import reverse

from annotate.models import ApiToken, Batch, Gold, Item, Pair, Side
from annotate.services.golds import batch_checks
from annotate.services.judging import claiming, hand_outs, work_availability
from annotate.services.review.decisions import BatchAct, decide_batch
from annotate.services.supervision import review_log, verdicts
from annotate.services.training import people as training_people
from tests import campaigns, cast
from tests.annotate.trainees import go, trained

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    collection = trained()
    campaigns.open_pool_round(collection, cast.pairs(collection, 12, per_query=3), name="more")
    return collection


@pytest.fixture
def annotator(collection):
    """A person who passed her training at the second try."""
    annotator = cast.annotator(collection)
    go(annotator, n_wrong=5)
    go(annotator)
    return annotator


def judging_batches(annotator):
    """Her batches of judging, in the order in which she got them."""
    return Batch.objects.filter(annotator=annotator, training_try=None).order_by("pk")


def test_the_first_batch_after_the_training_is_batch_1(client, collection, annotator):
    client.force_login(annotator.user)
    screen = client.post(
        reverse("annotate:judge-next", args=["birds"]), "{}", "application/json"
    ).json()
    assert screen["progress"]["batch"] == 1
    campaigns.judge_batch(annotator)
    no_card = work_availability.no_card_reason(annotator=annotator, wants_more=False)
    assert no_card["message"].startswith("Batch 1 is done and saved.")
    campaigns.judge_batch(annotator)
    assert [batch.judging_number for batch in judging_batches(annotator)] == [1, 2]
    (first, _) = judging_batches(annotator)
    with pytest.raises(hand_outs.BatchSettled, match="Batch 1 is settled"):
        hand_outs.require_unsettled(first.hand_outs.first())


def test_training_between_two_batches_leaves_no_gap(collection, annotator, lead):
    campaigns.judge_batch(annotator)
    training_people.decide(annotator=annotator, kind="sent_back", by=lead)
    go(annotator)
    campaigns.judge_batch(annotator)
    other = cast.annotator(collection)
    go(other)
    campaigns.judge_batch(other)
    numbered_batches = judging_batches(annotator).with_judging_numbers()
    for batches in (judging_batches(annotator), numbered_batches):
        assert [batch.judging_number for batch in batches] == [1, 2]
    assert [batch.judging_number for batch in judging_batches(other)] == [1]


def test_annotated_numbers_take_no_query_each(annotator, django_assert_num_queries):
    for _ in range(3):
        campaigns.judge_batch(annotator)
    with django_assert_num_queries(1):
        batches = list(judging_batches(annotator).with_judging_numbers())
        assert [batch.judging_number for batch in batches] == [1, 2, 3]


def test_the_lead_reads_the_number_that_its_annotator_reads(client, collection, annotator, lead):
    batch = campaigns.judge_batch(annotator)
    Batch.objects.filter(pk=batch.pk).update(n_golds=2, n_golds_right=0, gold_action="warn")
    client.force_login(lead)
    inbox = client.get(reverse("annotate:inbox", args=["birds"])).content.decode()
    assert ">Batch 1</a>" in inbox
    page = client.get(reverse("annotate:inbox-batch", args=["birds", batch.pk])).content.decode()
    assert f"Batch 1 of {annotator}" in page
    with pytest.raises(verdicts.NoVerdict, match="Batch 1 has no verdict"):
        verdicts.reopen_batch(batch=batch, by=lead)
    verdict = decide_batch(batch=batch, act=BatchAct.REJECT, by=lead, reason="guessed")
    assert verdict.sentence.startswith(f"Batch 1 of {annotator} is rejected.")
    log = client.get(reverse("annotate:review-log", args=["birds"])).content.decode()
    assert ">batch 1</a>" in log
    (header, row) = review_log.csv_rows(
        review_log.entries(collection=collection, kinds=("batch_rejected",))
    )
    assert dict(zip(header, row, strict=True))["batch"] == 1


def test_the_api_and_a_persons_own_data_name_the_same_numbers(client, collection, annotator, lead):
    batch = campaigns.judge_batch(annotator)
    campaigns.judge_batch(annotator)
    Batch.objects.filter(pk=batch.pk).update(n_golds=2, n_golds_right=0, gold_action="warn")
    headers = cast.bearer(lead, ApiToken.Scope.JUDGMENTS_READ)
    api = "/api/v1/collections/birds/"
    (row,) = client.get(f"{api}inbox/batches/", headers=headers).json()["waiting_batches"]
    whole_batch = client.get(row["url"], headers=headers).json()
    verdicts.reject_batch(batch=batch, by=lead, reason="guessed")
    log = client.get(f"{api}review-log/", headers=headers).json()["review_log"]
    numbers = [row["number"], whole_batch["number"], log[0]["batch"]["number"]]
    assert numbers == [1, 1, 1]
    client.force_login(annotator.user)
    (own_data,) = json.loads(client.get(reverse("annotate:own-data")).getvalue())["collections"]
    assert [row["number"] for row in own_data["batches"]] == [1, 2]
    assert [row["number"] for row in own_data["training_tries"]] == [1, 2]
    assert all(row["opened_at"] for row in own_data["training_tries"])


def test_golds_counted_together_name_the_batches_by_these_numbers(collection, annotator):
    of_pools = {"pairs_as_query__round_pairs__round__kind": "pool"}
    queries = list(Item.objects.filter(**of_pools).order_by("pk").distinct())
    documents = cast.items(collection, Side.DOCUMENT, 2 * len(queries))
    for number, document in enumerate(documents):
        query, grade = queries[number // 2], 2 * (number % 2)
        pair = Pair.objects.create(collection=collection, query=query, document=document)
        Gold.objects.create(
            collection=collection, pair=pair, grade=grade, is_positive=grade > 0, origin="curated"
        )
    for _ in range(2):
        batch = campaigns.judge_batch(annotator, 2)
    check = batch_checks.count_golds(batch=batch)
    assert (check.n, check.is_joined, check.first, check.last) == (2, True, 1, 2)
    assert claiming.current_batch(annotator=annotator).judging_number == 3
