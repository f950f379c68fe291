"""A person's work as leads see it: pauses, withdrawals under way and done, and the log."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import Batch, Resolution, ReviewAction, ReviewWork, Work
from annotate.services.background import works
from annotate.services.supervision import bulk_decisions, withdrawing
from tests import cast
from tests.annotate.views.review.inbox_rows import address, fail_batch, inbox_collection
from tests.pages import text_of
from tests.works import finished_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return inbox_collection()


def test_a_persons_labels_are_counted_withdrawn_and_restored(client, collection, lead):
    annotator = fail_batch(collection).annotator
    yesterday = (timezone.now() - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    page = text_of(client.get(address("annotator", annotator.pk, since=yesterday)))
    assert "2 labels would be withdrawn" in page
    act, answer = (
        address("annotator-act", annotator.pk),
        {"since": yesterday, "expected": "2", "reason": "guessed"},
    )
    assert client.post(act, {**answer, "act": "withdraw", "reason": ""}).status_code == 422
    assert client.post(act, {**answer, "act": "withdraw", "expected": "3"}).status_code == 422
    assert client.post(act, {**answer, "act": "withdraw", "since": "soon"}).status_code == 422
    assert Resolution.objects.count() == 2
    page = client.post(act, {**answer, "act": "withdraw"}, follow=True)
    assert "2 answers of" in text_of(page)
    (withdrawal,) = page.context["withdrawals"]
    page = text_of(client.get(address("annotator", annotator.pk)))
    since, until = (
        f'value="{moment:%Y-%m-%dT%H:%M:%S.%f}+0000"'
        for moment in (withdrawal.since, withdrawal.until)
    )
    assert since in page and until in page
    times = {"since": withdrawal.since.isoformat(), "until": withdrawal.until.isoformat()}
    page = text_of(
        client.post(act, {**times, "act": "restore", "reason": "a mistake"}, follow=True)
    )
    assert "2 answers count again." in page and Resolution.objects.count() == 2


def test_a_person_is_paused_and_resumed_with_a_reason(client, collection, lead):
    annotator = cast.annotator(collection)
    act = address("annotator-act", annotator.pk)
    assert client.post(act, {"act": "pause"}).status_code == 422
    assert "paused since" in text_of(
        client.post(act, {"act": "pause", "reason": "ill"}, follow=True)
    )
    client.post(act, {"act": "resume"})
    annotator.refresh_from_db()
    assert annotator.paused_at is None


def test_the_log_is_filtered_and_taken_away_as_a_table_no_spreadsheet_runs(
    client, collection, lead
):
    annotator = cast.annotator(collection)
    act = address("annotator-act", annotator.pk)
    client.post(act, {"act": "pause", "reason": "=1+1"})
    client.post(act, {"act": "resume"})
    assert client.get(address("review-log")).context["page"].paginator.count == 2
    page = client.get(address("review-log", kind="paused", by=lead.pk, person=annotator.pk))
    assert [row.kind for row in page.context["page"]] == ["paused"]
    assert client.get(address("review-log", kind="sung")).status_code == 422
    answer = client.get(address("review-log-csv", kind="paused"))
    head, line = b"".join(answer.streaming_content).decode().splitlines()
    assert head == "at,by,action,person,batch,query,document,item,labels,reason"
    assert (
        line.split(",", 1)[1] == f"{lead.username},Person paused,{annotator.pseudonym},,,,,0,'=1+1"
    )


def test_a_large_withdrawal_is_shown_under_way_refused_again_and_then_done(
    client, collection, lead, monkeypatch
):
    monkeypatch.setattr(bulk_decisions, "SYNCHRONOUS_ROWS", 1)
    monkeypatch.setattr(bulk_decisions, "STRETCH", 1)
    annotator = fail_batch(collection).annotator
    yesterday = (timezone.now() - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    act, answer = (
        address("annotator-act", annotator.pk),
        {"since": yesterday, "expected": "2", "reason": "guessed"},
    )
    page = text_of(client.post(act, {**answer, "act": "withdraw"}, follow=True))
    assert "Withdrawing answers of" in page and "2 answers, in the background" in page
    work = ReviewWork.objects.get()
    bulk_decisions.go_on(decision=work, handler=withdrawing.withdraw_stretch)
    pages = [
        address("annotator", annotator.pk),
        address("inbox-batch", Batch.objects.get().pk),
        address("review-log"),
        address("review-work", work.pk),
    ]
    texts = [text_of(client.get(url)) for url in pages]
    assert all("1 of 2" in text for text in texts)
    assert all(f'hx-get="{pages[3]}"' in text for text in (texts[0], texts[1], texts[3]))
    refused = client.post(act, {**answer, "expected": "1", "act": "withdraw"})
    assert (refused.status_code, "Wait until that is done" in text_of(refused)) == (
        422,
        True,
    )
    works.perform(work=work.work)
    done_panel = text_of(client.get(pages[3]))
    assert "<strong>Done.</strong> 2 answers of" in done_panel and "hx-get" not in done_panel
    assert f'id="work-{work.pk}"' in done_panel and f'href="{pages[0]}"' in done_panel
    # the log's line, which what is said at last replaces
    assert f'id="work-{work.pk}-moved"' in texts[0]
    assert f'<span id="work-{work.pk}-moved" hx-swap-oob="true">2</span>' in done_panel


def test_a_decision_that_stopped_half_way_says_so_and_is_tried_again(
    client, collection, lead, monkeypatch
):
    monkeypatch.setattr(bulk_decisions, "SYNCHRONOUS_ROWS", 1)
    monkeypatch.setattr(bulk_decisions, "STRETCH", 1)
    annotator = fail_batch(collection).annotator
    withdrawing.withdraw_annotator(
        annotator=annotator, since=timezone.now() - timedelta(days=1), by=lead, reason="guessed"
    )
    decision = bulk_decisions.go_on(
        decision=ReviewWork.objects.get(), handler=withdrawing.withdraw_stretch
    )
    works.finish(
        work=decision.work, state="failed", code="worn-out", message="The worker's log says why."
    )
    pages = [
        address("annotator", annotator.pk),
        address("inbox-batch", Batch.objects.get().pk),
        address("review-log"),
        address("review-work", decision.pk),
    ]
    again = address("review-work-again", decision.pk)
    stop = (
        f"Withdrawing answers of {annotator}: it stopped at 1 of 2 answers. The worker&#x27;s log "
        "says why."
    )
    for url in pages:
        text = text_of(client.get(url))
        assert (
            stop in text
            and f'action="{again}"' in text
            and "hx-get" not in text.split(stop)[1].split("</form>")[0]
        )
        assert text.count(f'id="work-{decision.pk}-moved"') == (0 if url == pages[1] else 1)
    page = text_of(client.post(again, follow=True))
    assert "2 answers, in the background" in page and stop not in page
    works.perform(work=Work.objects.get(review_work=decision))
    assert ReviewWork.objects.get().n_done == 2
    assert client.post(again).status_code == 302 and ReviewWork.objects.get().is_done


def test_a_persons_page_asks_as_often_for_many_lines_of_the_log(
    client, collection, lead, django_assert_max_num_queries
):
    annotator = fail_batch(collection).annotator
    url = address("annotator", annotator.pk)
    client.get(url)
    with django_assert_max_num_queries(99) as few:
        client.get(url)
    for _ in range(3):
        action = ReviewAction.objects.create(
            collection=collection, kind="labels_withdrawn", annotator=annotator, by=lead
        )
        ReviewWork.objects.create(
            action=action, n_total=0, work=finished_work(collection, "review", action.pk)
        )
    with django_assert_max_num_queries(len(few)):
        client.get(url)
