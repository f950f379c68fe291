"""A person's page: her standing, answers, and what leads do about her work, with its log."""

import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.models import (
    Annotator,
    Batch,
    Judgment,
    Membership,
    Part,
    Preview,
    Resolution,
    ReviewAction,
    ReviewWork,
    Role,
    Work,
)
from annotate.services.background import works
from annotate.services.judging import claiming
from annotate.services.supervision import bulk_decisions, withdrawing
from metrics.services.numbers import refresh
from tests import campaigns, cast
from tests.annotate.views.review.inbox_rows import (
    address,
    dispute,
    fail_batch,
    inbox_collection,
    report,
)
from tests.pages import CHANGED_SINCE, notice_form, text_of
from tests.works import finished_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return inbox_collection()


@pytest.fixture
def lead(client, collection):
    """The collection's lead, signed in."""
    person = cast.member(collection, Role.LEAD)
    client.force_login(person)
    return person


@pytest.fixture
def one_row_at_a_time(monkeypatch):
    """Have a worker go on with each decision of more than one row, one row at a time."""
    monkeypatch.setattr(bulk_decisions, "SYNCHRONOUS_ROWS", 1)
    monkeypatch.setattr(bulk_decisions, "STRETCH", 1)


def person_page(part, pk, **query):
    url = reverse(f"metrics:dashboard-person{part}", args=["birds", pk])
    return url + (f"?{urlencode(query)}" if query else "")


def yesterday():
    """The moment a day ago as a form sends it."""
    return (timezone.now() - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")


def shown(client, annotator):
    """The text of a person's page."""
    return text_of(client.get(person_page("", annotator.pk)))


def field_of(page, name):
    """The field of this id, with all that stands in it."""
    return re.search(rf'<label for="{name}">.*?</div>\s*</div>', page, re.DOTALL)[0]


def test_a_refusal_stands_at_the_field_where_the_reason_was_typed(client, collection, lead):
    annotator = fail_batch(collection).annotator
    act = person_page("-act", annotator.pk)
    page = text_of(client.post(act, {"act": "pause", "reason": ""}))
    assert "Say why: the reason stays in the log." in field_of(page, "pause-reason")
    assert page.count("Say why") == 1
    moment = {"act": "withdraw", "since": yesterday()}
    page = text_of(client.post(act, {**moment, "expected": "2", "reason": ""}))
    assert "Say why" in field_of(page, "withdraw-reason") and page.count("Say why") == 1
    page = text_of(client.post(act, {**moment, "expected": "1", "reason": "guessed"}))
    refused_field = field_of(page, "withdraw-reason")
    assert 'value="guessed"' in refused_field and 'class="field-error"' in refused_field
    page = text_of(client.post(act, {"act": "withdraw", "since": "soon", "reason": "guessed"}))
    assert re.search(r'id="id_since_error">[^<]+valid date', page)
    page = text_of(client.post(act, {"act": "sing", "reason": "guessed"}))
    assert "There is no such action." in page


def test_the_last_answers_are_listed_and_filtered_by_level_and_disagreement(
    client, collection, lead
):
    (pair,) = dispute(collection)
    first, second = collection.annotators.order_by("pk")
    report(collection, "cannot_judge")  # no label
    for annotator, own_grade, others_grade in ((first, 0, 2), (second, 2, 0)):
        rows = client.get(person_page("", annotator.pk)).context["answers"]
        assert [(row.pair, row.level.grade) for row in rows] == [(pair, own_grade)]
        assert [level.grade for level in rows[0].others_levels] == [others_grade]

    def n_rows(**query):
        return len(client.get(person_page("", first.pk, **query)).context["answers"])

    assert (n_rows(grade=0), n_rows(grade=2), n_rows(differs="on")) == (1, 0, 1)
    assert n_rows(grade="many") == 1  # a filter that is none
    withdrawing.withdraw_annotator(
        annotator=second, since=timezone.now() - timedelta(days=1), by=lead, reason="guessed"
    )
    assert (n_rows(), n_rows(differs="on")) == (1, 0)


def test_answers_about_images_show_their_previews(client, collection, lead):
    batch = fail_batch(collection)
    pair = batch.hand_outs.first().seat.pair
    preview = Preview.objects.create(
        collection=collection, checksum="sha256:a", content=b"x", width=1, height=1
    )
    image = {"kind": "image", "path": "a.png", "checksum": "sha256:a", "preview": preview}
    for item in (pair.query, pair.document):
        part = Part.objects.create(item=item, position=1, previewed_at=timezone.now(), **image)
        preview_address = reverse("annotate:part-preview", args=["birds", part.pk, preview.pk])
        assert preview_address in text_of(client.get(person_page("", batch.annotator_id)))


def test_a_person_who_agrees_with_everybody_is_not_listed_as_disagreeing(client, collection, lead):
    pairs = cast.pairs(collection, 2)
    campaigns.open_pool_round(collection, pairs)
    for _ in range(2):
        annotator = cast.annotator(collection)
        campaigns.judge_batch(annotator)
    page = client.get(person_page("", annotator.pk))
    assert len(page.context["answers"]) == 2
    page = client.get(person_page("", annotator.pk, differs="on"))
    assert page.context["answers"] == [] and "No label like this counts." in text_of(page)


def test_the_page_tells_where_the_person_stands(client, collection, lead):
    annotator = cast.annotator(collection)
    page = shown(client, annotator)
    assert "No answer yet" in page and "Active, no pair in hand" in page
    assert "Not asked for in this collection" in page and ">Annotator</dd>" in page
    campaigns.open_pool_round(collection, cast.pairs(collection, 3))
    claiming.current_batch(annotator=annotator)
    page = shown(client, annotator)
    assert "Active, 3 pairs in hand" in page
    assert "Pause, with 3 pairs in hand" in page
    page = shown(client, fail_batch(collection).annotator)
    assert re.search(r">(now|\d+ min)</time>, at\s", page) and "Review batch 1" in page
    Membership.objects.filter(user=annotator.user).delete()
    page = shown(client, annotator)
    assert "None: no longer a member" in page and "Gets no pairs" in page


def test_researchers_see_a_person_by_pseudonym_and_cannot_act(client, collection):
    annotator = fail_batch(collection).annotator
    client.force_login(cast.member(collection, Role.RESEARCHER))
    page = text_of(client.get(person_page("", annotator.pk, names=1)))
    assert annotator.pseudonym in page and annotator.user.username not in page
    assert "Last answers" in page and 'name="act"' not in page and "Withdraw" not in page
    assert client.post(person_page("-act", annotator.pk), {"act": "pause"}).status_code == 404


def test_roles_and_the_minute_of_an_answer_which_can_tell_who_it_is_are_for_leads(
    client, collection, lead
):
    dispute(collection)
    annotator = collection.annotators.earliest("pk")
    cast.member(collection, Role.LEAD, annotator.user)
    refresh.refresh(collection=collection)
    addresses = (person_page("", annotator.pk), reverse("metrics:dashboard", args=["birds"]))
    page, first_page = (text_of(client.get(url)) for url in addresses)
    assert "<dd>Annotator and lead</dd>" in page
    ticking = r"<dd><time [^>]*data-ago=[^>]*>(now|\d+ min)</time>"
    assert re.search(ticking + r", at\s+<time [^>]*>\d[^<]* UTC</time></dd>", page)
    assert re.search(r'class="nowrap"><time [^>]*>\d+ \w+ \d\d:\d\d UTC</time>', page)
    last_seen = r'data-label="Last seen">\s*'
    assert re.search(last_seen + r"<time [^>]*>(now|\d+ min)</time></td>", first_page)
    client.force_login(cast.member(collection, Role.RESEARCHER))
    page, first_page = (text_of(client.get(url)) for url in addresses)
    assert "Roles" not in page and "Annotator and lead" not in page
    assert re.search(r"<dt>Last seen</dt><dd>(Today|Yesterday) \(UTC\)</dd>", page)
    assert re.search(r'class="nowrap"><time datetime="[\d-]{10}">\d+ \w+ \d{4}</time></td>', page)
    assert re.search(last_seen + r"(today|yesterday) \(UTC\)</td>", first_page)


def test_a_persons_page_asks_as_often_for_many_answers(
    client, collection, lead, django_assert_max_num_queries
):
    dispute(collection)
    annotator = collection.annotators.earliest("pk")
    url = person_page("", annotator.pk)
    client.get(url)
    with django_assert_max_num_queries(99) as few:
        assert len(client.get(url).context["answers"]) == 1
    campaigns.open_pool_round(collection, cast.pairs(collection, 9), name="more")
    campaigns.judge_batch(annotator)
    with django_assert_max_num_queries(len(few)):
        assert len(client.get(url).context["answers"]) == 10


def test_a_persons_labels_are_counted_withdrawn_and_restored(client, collection, lead):
    annotator = fail_batch(collection).annotator
    page = text_of(client.get(person_page("", annotator.pk, since=yesterday())))
    assert "Withdraw 2 labels" in page and "others are asked for new ones" in page
    act = person_page("-act", annotator.pk)
    answer = {"since": yesterday(), "expected": "2", "reason": "guessed"}
    assert client.post(act, {**answer, "act": "withdraw", "reason": ""}).status_code == 422
    assert client.post(act, {**answer, "act": "withdraw", "expected": "1"}).status_code == 422
    assert client.post(act, {**answer, "act": "withdraw", "since": "soon"}).status_code == 422
    assert Resolution.objects.count() == 2
    page = client.post(act, {**answer, "act": "withdraw"}, follow=True)
    assert "2 answers of" in text_of(page)
    (withdrawal,) = page.context["withdrawals"]
    page = shown(client, annotator)
    since, until = (
        f'value="{moment:%Y-%m-%dT%H:%M:%S.%f}+0000"'
        for moment in (withdrawal.since, withdrawal.until)
    )
    assert since in page and until in page
    assert "Restore 2 answers" in page and "would count again, except where others" in page
    times = {"since": withdrawal.since.isoformat(), "until": withdrawal.until.isoformat()}
    fewer = {**times, "act": "restore", "reason": "a mistake", "expected": "1"}
    assert client.post(act, fewer).status_code == 422
    page = text_of(
        client.post(act, {**times, "act": "restore", "reason": "a mistake"}, follow=True)
    )
    assert "2 answers count again." in page and Resolution.objects.count() == 2


def test_the_log_is_filtered_and_taken_away_as_a_table_no_spreadsheet_runs(
    client, collection, lead
):
    annotator = cast.annotator(collection)
    act = person_page("-act", annotator.pk)
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
    client, collection, lead, one_row_at_a_time
):
    annotator = fail_batch(collection).annotator
    act = person_page("-act", annotator.pk)
    answer = {"since": yesterday(), "expected": "2", "reason": "guessed"}
    page = text_of(client.post(act, {**answer, "act": "withdraw"}, follow=True))
    assert "Withdrawing answers of" in page and "2 answers, in the background" in page
    work = ReviewWork.objects.get()
    bulk_decisions.go_on(decision=work, handler=withdrawing.withdraw_stretch)
    pages = [
        person_page("", annotator.pk),
        address("inbox-batch", Batch.objects.get().pk),
        address("review-log"),
        address("review-work", work.pk),
    ]
    texts = [text_of(client.get(url)) for url in pages]
    assert all("1 of 2" in text for text in texts)
    assert all(f'hx-get="{pages[3]}"' in text for text in (texts[0], texts[1], texts[3]))
    refused = client.post(act, {**answer, "expected": "1", "act": "withdraw"})
    assert refused.status_code == 422 and "Wait until that is done" in text_of(refused)
    moments = {"since": yesterday(), "until": timezone.now().isoformat()}
    undo = text_of(client.post(act, {"act": "restore", "reason": "Undo", **moments}))
    assert "Nothing was changed." in undo and "Wait until that is done" in undo
    works.perform(work=work.work)
    done_panel = text_of(client.get(pages[3]))
    assert "<strong>Done.</strong> 2 answers of" in done_panel and "hx-get" not in done_panel
    assert f'id="work-{work.pk}"' in done_panel and f'href="{pages[0]}"' in done_panel
    # the log's line, which what is said at last replaces
    assert f'id="work-{work.pk}-moved"' in texts[0]
    assert f'<span id="work-{work.pk}-moved" hx-swap-oob="true">2</span>' in done_panel


def test_a_decision_that_stopped_half_way_says_so_and_is_tried_again(
    client, collection, lead, one_row_at_a_time
):
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
        person_page("", annotator.pk),
        address("inbox-batch", Batch.objects.get().pk),
        address("review-log"),
        address("review-work", decision.pk),
    ]
    again = address("review-work-again", decision.pk)
    stop = f"Withdrawing answers of {annotator}: it stopped at 1 of 2 answers. The worker&#x27;s"
    for url in pages:
        text = text_of(client.get(url))
        assert stop in text and f'action="{again}"' in text
        assert "hx-get" not in text.split(stop)[1].split("</form>")[0]
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
    url = person_page("", annotator.pk)
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


def test_the_notice_of_a_pause_and_of_a_withdrawal_has_a_button_that_takes_it_back(
    client, collection, lead
):
    annotator = fail_batch(collection).annotator
    url = person_page("-act", annotator.pk)
    withdrawal = {"act": "withdraw", "since": yesterday(), "expected": "2", "reason": "guessed"}
    pause = {"act": "pause", "reason": "ill"}
    for acts in ([pause], [pause, {"act": "resume"}], [withdrawal]):
        for act in acts:
            page = text_of(client.post(url, act, follow=True))
        assert ("Paused since" in page) == (act is pause)
        was_paused = Annotator.objects.get(pk=annotator.pk).paused_at is not None
        undo_url, fields = notice_form(page)
        assert undo_url == url
        client.post(url, fields, follow=True)
        annotator.refresh_from_db()
        assert act is withdrawal or (annotator.paused_at is None) == was_paused
        Annotator.objects.update(paused_at=None)
    assert Resolution.objects.count() == 2
    assert "undo" not in text_of(client.get(address("inbox")))


def test_undo_takes_back_no_pause_but_its_own(client, collection, lead):
    annotator = cast.annotator(collection)
    url = person_page("-act", annotator.pk)
    pause = {"act": "pause", "reason": "ill"}
    undo_url, fields = notice_form(text_of(client.post(url, pause, follow=True)))
    assert "undo" not in text_of(client.post(url, pause, follow=True))  # it was paused before
    client.post(url, {"act": "resume"})
    client.post(url, pause)
    assert CHANGED_SINCE in text_of(client.post(undo_url, fields))
    annotator.refresh_from_db()
    assert annotator.paused_at is not None


def test_undo_restores_no_earlier_withdrawal_of_the_same_reason(client, collection, lead):
    annotator = fail_batch(collection).annotator
    answers = list(Judgment.objects.filter(annotator=annotator).order_by("pk"))
    url = person_page("-act", annotator.pk)
    for answer in reversed(answers):
        act = {"act": "withdraw", "since": answer.at.isoformat(), "reason": "guessed"}
        page = text_of(client.post(url, {**act, "expected": "1"}, follow=True))
    undo_url, fields = notice_form(page)
    assert client.post(undo_url, fields).status_code == 302
    assert Resolution.objects.count() == 1
