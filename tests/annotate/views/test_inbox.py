"""The lead's inbox: what waits, what is decided about a pair, and that nobody else sees any of it."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.models import Batch, Gold, Item, Report, Resolution, ReviewAction, ReviewWork, Work
from annotate.services import claiming, inbox, reports, review_work, undoing, withdrawing
from annotate.services.background import works
from tests import campaigns, cast
from tests.works import finished_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return cast.collection(
        "birds", grades=3, positive_from=2, labels_per_pair=2, ceiling=2, gold_positives=0, gold_negatives=0,
        batch_candidates=20,
    )  # fmt: skip


def address(name, *args, **query):
    words = "&".join(f"{key}={value}" for key, value in query.items())
    return reverse(f"annotate:{name}", args=["birds", *args]) + (f"?{words}" if words else "")


def dispute(collection, n=1):
    """Pairs that two people gave the ends of the scheme."""
    pairs = cast.pairs(collection, n)
    campaigns.open_pool_round(collection, pairs, name=f"pool {uuid4()}")
    for grade in (0, 2):
        annotator = cast.annotator(collection)
        while claiming.current_batch(annotator=annotator):
            for hand_out in claiming.open_hand_outs(annotator=annotator).select_related("batch__annotator"):
                campaigns.judge(hand_out, grade, comment="only a wing")
    return pairs


def report(collection, kind, n_people=1, note="two birds"):
    """One new pair that so many people report."""
    (pair,) = cast.pairs(collection, 1)
    campaigns.open_pool_round(collection, [pair], name=f"pool {uuid4()}")
    for _ in range(n_people):
        annotator = cast.annotator(collection)
        claiming.current_batch(annotator=annotator)
        hand_out = claiming.open_hand_outs(annotator=annotator).get(seat__pair=pair)
        reports.report_pair(annotator=annotator, token=hand_out.token, submission_id=uuid4(), kind=kind,
                            reason="broken", note=note)  # fmt: skip
    return pair


def fail_batch(collection):
    """A finished batch whose golds were missed."""
    campaigns.open_pool_round(collection, cast.pairs(collection, 2), name=f"pool {uuid4()}")
    batch = campaigns.judge_batch(cast.annotator(collection), 2)
    Batch.objects.filter(pk=batch.pk).update(n_golds=2, n_golds_right=0, gold_action="warn")
    return Batch.objects.get(pk=batch.pk)


def test_each_tab_counts_what_waits_and_says_what_it_is_for(client, collection, lead):
    empty = client.get(address("inbox")).content.decode()
    assert "No batch waits" in empty and 'class="badge badge-bad"' not in empty
    for tab, words in [("disputed", "Nothing is disputed"), ("escalated", "Nothing was escalated"),
                       ("cannot", "Everything can be judged so far"), ("golds", "No gold is in doubt")]:  # fmt: skip
        assert words in client.get(address("inbox", tab=tab)).content.decode()
    dispute(collection)
    fail_batch(collection)
    report(collection, "cannot_judge", n_people=2)
    report(collection, "escalated")
    inbox_page = client.get(address("inbox", tab="cannot"))
    assert dict(inbox_page.context["tabs"]) == {"batches": 1, "disputed": 1, "escalated": 1, "cannot": 1, "golds": None}
    assert [(row.n_people, len(row.reports)) for row in inbox_page.context["rows"]] == [(2, 2)]
    assert "two birds" in inbox_page.content.decode()
    assert '4<span class="unseen"> waiting</span>' in inbox_page.content.decode()
    assert client.get(address("inbox")).context["tab"] == "batches"


@pytest.mark.parametrize("tab", ["batches", "disputed", "escalated", "cannot"])
def test_a_tab_asks_as_often_for_many_as_for_one(client, collection, lead, tab, django_assert_max_num_queries):
    fill = {"batches": fail_batch, "disputed": dispute, "escalated": lambda collection: report(collection, "escalated"),
            "cannot": lambda collection: report(collection, "cannot_judge")}[tab]  # fmt: skip
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
        assert name not in client.get(url).content.decode()
        assert name in client.get(f"{url}&names=1").content.decode()


def test_a_lead_sees_all_that_was_said_and_decides_and_is_shown_the_next_pair(client, collection, lead):
    first, second = dispute(collection, 2)
    page = client.get(address("inbox-pair", first.pk, tab="disputed")).content.decode()
    assert "text of q0" in page and "only a wing" in page and "Disputed: labels" in page
    answer = client.post(address("inbox-pair-adjudicate", first.pk, tab="disputed"), {"grade": "2", "note": "a wing"})
    assert answer.url == address("inbox-pair", second.pk, tab="disputed")
    assert Resolution.objects.get(pair=first).status == "adjudicated"
    following = client.get(answer.url).content.decode()
    assert "Grade 2 decides" in following and f'href="{address("inbox-pair", first.pk, tab="disputed")}"' in following
    answer = client.post(address("inbox-pair-adjudicate", second.pk, tab="disputed"), {"grade": "0"})
    assert answer.url == address("inbox", tab="disputed")
    again = client.get(address("inbox-pair", first.pk, tab="disputed"))
    assert "A lead decided on grade 2; the labels were" in again.content.decode()
    client.post(address("inbox-pair-act", first.pk, tab="disputed"), {"act": "undo"})
    assert Resolution.objects.get(pair=first).status == "disputed"


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
    (form,) = (form for form in page.split("<form")[1:] if has_element(form.split("</form>")[0], "act", "undo"))
    return form.split("</form>")[0]


def test_a_pair_returned_to_the_queue_is_taken_out_again_from_its_page(client, collection, lead):
    pair = report(collection, "escalated")
    url, act = (address(name, pair.pk, tab="escalated") for name in ("inbox-pair", "inbox-pair-act"))
    page = client.get(url).content.decode()
    assert has_element(page, "act", "return") and not has_element(page, "act", "reopen")
    client.post(act, {"act": "return", "reason": "it plays"})
    assert Report.objects.get().events.get().by == lead
    page = client.get(url).content.decode()
    assert has_element(page, "act", "reopen") and not has_element(page, "act", "return")
    client.post(act, {"act": "reopen", "reason": "it does not"})
    assert Report.objects.open().exists()
    page = client.get(url).content.decode()
    assert has_element(page, "act", "return") and not has_element(page, "act", "reopen")
    assert list(ReviewAction.objects.order_by("pk").values_list("kind", "reason")) == [
        ("reports_settled", "it plays"), ("reports_reopened", "it does not"),
    ]  # fmt: skip


@pytest.mark.parametrize("ending", ["nothing was reported", "a grade", "pair", "query", "document"])
def test_reports_that_a_grade_or_leaving_out_settled_are_not_opened_by_themselves(client, collection, lead, ending):
    pair = dispute(collection)[0] if ending == "nothing was reported" else report(collection, "escalated")
    if ending == "a grade":
        client.post(address("inbox-pair-adjudicate", pair.pk), {"grade": "2"})
    elif ending != "nothing was reported":
        client.post(address("inbox-pair-act", pair.pk), {"act": f"exclude-{ending}", "reason": "does not play"})
    assert not Report.objects.open().exists()
    page = client.get(address("inbox-pair", pair.pk)).content.decode()
    assert not has_element(page, "act", "reopen") and not has_element(page, "act", "return")


def test_a_grade_is_taken_back_with_a_reason_if_one_is_given(client, collection, lead):
    (pair,) = dispute(collection)
    for reason in ("pressed by mistake", ""):
        client.post(address("inbox-pair-adjudicate", pair.pk), {"grade": "2"})
        assert has_element(undo_form(client.get(address("inbox-pair", pair.pk)).content.decode()), "reason")
        client.post(address("inbox-pair-act", pair.pk), {"act": "undo", "reason": reason})
        assert Resolution.objects.get(pair=pair).status == "disputed"
    undone = ReviewAction.objects.filter(kind="adjudication_undone").order_by("pk")
    assert list(undone.values_list("reason", flat=True)) == ["pressed by mistake", ""]


def test_a_reported_pair_is_excluded_and_taken_back(client, collection, lead):
    pair = report(collection, "escalated")
    act = address("inbox-pair-act", pair.pk, tab="escalated")
    refused = client.post(act, {"act": "exclude-pair"})
    assert (refused.status_code, "Say why" in refused.content.decode()) == (422, True)
    for subject in ("pair", "query", "document"):
        client.post(act, {"act": f"exclude-{subject}", "reason": "does not play"})
        page = client.get(address("inbox-pair", pair.pk)).content.decode()
        assert "does not play" in page and f'value="restore-{subject}"' in page
        client.post(act, {"act": f"restore-{subject}"})
    assert not Item.objects.filter(excluded_at__isnull=False).exists()
    assert ReviewAction.objects.count() == 6
    assert client.post(act, {"act": "restore-pair"}).status_code == 422
    assert client.post(act, {"act": "burn"}).status_code == 422


def test_a_batch_is_shown_with_its_answers_rejected_and_taken_back(client, collection, lead):
    batch = fail_batch(collection)
    act = address("inbox-batch-act", batch.pk)
    page = client.get(address("inbox-batch", batch.pk)).content.decode()
    assert "0 of 2 golds right" in page and "text of" in page
    assert client.post(act, {"act": "reject"}).status_code == 422
    client.post(act, {"act": "reject", "reason": "guessed"})
    batch.refresh_from_db()
    assert (batch.verdict, client.get(address("inbox")).context["tabs"][0][1]) == ("rejected", 0)
    assert client.post(act, {"act": "accept"}).status_code == 422
    page = client.post(act, {"act": "reopen"}, follow=True).content.decode()
    assert "2 answers count again." in page
    client.post(act, {"act": "requeue", "reason": "the guidelines were wrong"})
    client.post(act, {"act": "reopen"})
    client.post(act, {"act": "accept"})
    batch.refresh_from_db()
    assert batch.verdict == "accepted"


def test_a_persons_labels_are_counted_withdrawn_and_restored(client, collection, lead):
    annotator = fail_batch(collection).annotator
    yesterday = (timezone.now() - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    page = client.get(address("annotator", annotator.pk, since=yesterday)).content.decode()
    assert "2 labels would be withdrawn" in page
    act, answer = address("annotator-act", annotator.pk), {"since": yesterday, "expected": "2", "reason": "guessed"}
    assert client.post(act, {**answer, "act": "withdraw", "reason": ""}).status_code == 422
    assert client.post(act, {**answer, "act": "withdraw", "expected": "3"}).status_code == 422
    assert client.post(act, {**answer, "act": "withdraw", "since": "soon"}).status_code == 422
    assert Resolution.objects.count() == 2
    page = client.post(act, {**answer, "act": "withdraw"}, follow=True)
    assert "2 answers of" in page.content.decode()
    (withdrawal,) = page.context["withdrawals"]
    page = client.get(address("annotator", annotator.pk)).content.decode()
    since, until = (f'value="{moment:%Y-%m-%dT%H:%M:%S.%f}+0000"' for moment in (withdrawal.since, withdrawal.until))
    assert since in page and until in page
    times = {"since": withdrawal.since.isoformat(), "until": withdrawal.until.isoformat()}
    page = client.post(act, {**times, "act": "restore", "reason": "a mistake"}, follow=True).content.decode()
    assert "2 answers count again." in page and Resolution.objects.count() == 2


def test_a_person_is_paused_and_resumed_with_a_reason(client, collection, lead):
    annotator = cast.annotator(collection)
    act = address("annotator-act", annotator.pk)
    assert client.post(act, {"act": "pause"}).status_code == 422
    assert "paused since" in client.post(act, {"act": "pause", "reason": "ill"}, follow=True).content.decode()
    client.post(act, {"act": "resume"})
    annotator.refresh_from_db()
    assert annotator.paused_at is None


def test_the_log_is_filtered_and_taken_away_as_a_table_no_spreadsheet_runs(client, collection, lead):
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
    assert line.split(",", 1)[1] == f"{lead.username},Person paused,{annotator.pseudonym},,,,,0,'=1+1"


def test_an_annotator_finds_none_of_it(client, collection):
    pair, batch = report(collection, "escalated"), fail_batch(collection)
    client.force_login(cast.annotator(collection).user)
    for url in (address("inbox"), address("inbox-pair", pair.pk), address("inbox-batch", batch.pk),
                address("review-log"), address("annotator", batch.annotator_id)):  # fmt: skip
        assert client.get(url).status_code == 404


def test_a_large_withdrawal_is_shown_under_way_refused_again_and_then_done(client, collection, lead, monkeypatch):
    monkeypatch.setattr(review_work, "SYNCHRONOUS_ROWS", 1)
    monkeypatch.setattr(review_work, "STRETCH", 1)
    annotator = fail_batch(collection).annotator
    yesterday = (timezone.now() - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    act, answer = address("annotator-act", annotator.pk), {"since": yesterday, "expected": "2", "reason": "guessed"}
    page = client.post(act, {**answer, "act": "withdraw"}, follow=True).content.decode()
    assert "Withdrawing answers of" in page and "2 answers, in the background" in page
    work = ReviewWork.objects.get()
    review_work.go_on(decision=work, handler=withdrawing.withdraw_stretch)
    pages = [address("annotator", annotator.pk), address("inbox-batch", Batch.objects.get().pk), address("review-log"),
             address("review-work", work.pk)]  # fmt: skip
    texts = [client.get(url).content.decode() for url in pages]
    assert all("1 of 2" in text for text in texts)
    assert all(f'hx-get="{pages[3]}"' in text for text in (texts[0], texts[1], texts[3]))
    refused = client.post(act, {**answer, "expected": "1", "act": "withdraw"})
    assert (refused.status_code, "Wait until that is done" in refused.content.decode()) == (422, True)
    works.perform(work=work.work)
    done_panel = client.get(pages[3]).content.decode()
    assert "<strong>Done.</strong> 2 answers of" in done_panel and "hx-get" not in done_panel
    assert f'id="work-{work.pk}"' in done_panel and f'href="{pages[0]}"' in done_panel
    assert f'id="work-{work.pk}-moved"' in texts[0]  # the log's line, which what is said at last replaces
    assert f'<span id="work-{work.pk}-moved" hx-swap-oob="true">2</span>' in done_panel


def test_a_decision_that_stopped_half_way_says_so_and_is_tried_again(client, collection, lead, monkeypatch):
    monkeypatch.setattr(review_work, "SYNCHRONOUS_ROWS", 1)
    monkeypatch.setattr(review_work, "STRETCH", 1)
    annotator = fail_batch(collection).annotator
    withdrawing.withdraw_annotator(
        annotator=annotator, since=timezone.now() - timedelta(days=1), by=lead, reason="guessed"
    )
    decision = review_work.go_on(decision=ReviewWork.objects.get(), handler=withdrawing.withdraw_stretch)
    works.finish(work=decision.work, state="failed", code="worn-out", message="The worker's log says why.")
    pages = [address("annotator", annotator.pk), address("inbox-batch", Batch.objects.get().pk), address("review-log"),
             address("review-work", decision.pk)]  # fmt: skip
    again = address("review-work-again", decision.pk)
    stop = f"Withdrawing answers of {annotator}: it stopped at 1 of 2 answers. The worker&#x27;s log says why."
    for url in pages:
        text = client.get(url).content.decode()
        assert stop in text and f'action="{again}"' in text and "hx-get" not in text.split(stop)[1].split("</form>")[0]
        assert text.count(f'id="work-{decision.pk}-moved"') == (0 if url == pages[1] else 1)
    page = client.post(again, follow=True).content.decode()
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
        ReviewWork.objects.create(action=action, n_total=0, work=finished_work(collection, "review", action.pk))
    with django_assert_max_num_queries(len(few)):
        client.get(url)


def test_what_was_reported_of_a_gold_that_is_in_no_pool_waits_like_any_other(client):
    collection = cast.collection("golds", grades=3, batch_candidates=2, grouped=False, gold_negatives=0)
    pairs = cast.pairs(collection, 4)
    gold = pairs[3]
    Gold.objects.create(collection=collection, pair=gold, grade=2, is_positive=True, origin="curated")
    campaigns.open_pool_round(collection, pairs[:3])
    hand_out = next(hand_out_ for hand_out_ in campaigns.first_batch(collection) if hand_out_.seat.pair_id == gold.pk)
    reports.report_pair(
        annotator=hand_out.batch.annotator, token=hand_out.token, submission_id=uuid4(), kind="cannot_judge",
        reason="not_enough",
    )  # fmt: skip
    client.force_login(cast.member(collection, "lead"))
    assert inbox.counts(collections=[collection.pk])[collection.pk].cannot == 1
    listed = client.get(reverse("annotate:inbox", args=["golds"]) + "?tab=cannot").content.decode()
    assert "Not enough is shown to tell" in listed


def test_a_report_that_its_annotator_took_back_is_not_the_leads_to_open(client, collection, lead):
    pair = report(collection, "escalated")
    taken_back = Report.objects.get()
    undoing.take_back(annotator=taken_back.annotator, token=taken_back.hand_out.token)
    page = client.get(address("inbox-pair", pair.pk)).content.decode()
    assert "taken back" in page
    assert not has_element(page, "act", "reopen") and not has_element(page, "act", "return")
