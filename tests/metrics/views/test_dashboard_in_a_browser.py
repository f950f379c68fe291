"""The dashboard's details, a person's page and the alarms in a browser: drawn, no axe findings."""

import json
import re
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.templatetags.static import static
from playwright.sync_api import expect

from annotate.core.phrases import time_since
from annotate.models import (
    Concern,
    Resolution,
    ReviewAction,
    ReviewWork,
    Role,
    Work,
    WorkerHeartbeat,
)
from annotate.services.background import kept
from annotate.services.judging import claiming, reports
from metrics.models import Observation
from metrics.services.dashboard import details as dashboard_details
from metrics.services.numbers import alarms, refresh
from tests import cast
from tests.addresses.page_checks import violations
from tests.annotate.views.review import inbox_rows
from tests.browsing import wait_for_expression
from tests.metrics import studies
from tests.works import finished_work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def rooms(live_server, page):
    """A study judged by two people, with details and an active alarm; its lead's browser."""
    study = studies.judged_study("study", seeds=range(2))
    lead = cast.member(study, Role.LEAD)
    alarms.set_alarm(collection=study, kind="alpha", below=1.1, n_at_least=1, by=lead)
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
    cast.sign_in(page.context, live_server.url, lead)
    page.complaints = []
    page.on(
        "console", lambda line: page.complaints.append(line.text) if line.type == "error" else None
    )
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.base = f"{live_server.url}/c/study/dashboard"
    return study


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)])
def test_every_chart_is_drawn_and_axe_finds_nothing(rooms, page, scheme):
    page.emulate_media(color_scheme=scheme)
    person = rooms.annotators.first().pk
    pages = (
        ("/", 0),
        ("/agreement/", 2),
        ("/people/", 0),
        ("/forecast/", 1),
        ("/levels/", 2),
        (f"/people/{person}/", 3),
        ("/alarms/", 0),
    )
    for path, charts in pages:
        page.goto(page.base + path)
        wait_for_expression(
            page, f"document.querySelectorAll('figure.chart[data-drawn] svg').length == {charts}"
        )
        assert (path, violations(page)) == (path, [])
        page.set_viewport_size({"width": 390, "height": 844})
        wait_for_expression(
            page, "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
        page.set_viewport_size({"width": 1280, "height": 900})
    assert page.complaints == []


@pytest.fixture
def twelve_people(live_server, page):
    """A study of twelve people with two points of alpha and two reports; its lead's browser."""
    study = studies.judged_study("study", seeds=range(12), n=3, n_queries=12, batch_candidates=4)
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
    point = Observation.objects.get(collection=study, kind="agreement")
    Observation.objects.create(
        collection=study,
        kind="agreement",
        n_judgments=1,
        value=point.value,
        at=point.at - timedelta(days=2),
    )
    for kind, annotator in zip(
        ("escalated", "cannot_judge"), study.annotators.order_by("pk")[:2], strict=True
    ):
        hand_out = claiming.open_hand_outs(annotator=annotator).first()
        reports.report_pair(
            annotator=annotator,
            token=hand_out.token,
            submission_id=uuid4(),
            kind=kind,
            reason="broken",
            note="two birds",
        )
    # just now, however slow this is
    WorkerHeartbeat.objects.create(name="worker", queues=["short"], at="2999-01-01T00:00Z")
    cast.sign_in(page.context, live_server.url, cast.member(study, Role.LEAD))
    page.set_viewport_size({"width": 1280, "height": 800})
    page.base = f"{live_server.url}/c/study/dashboard"
    return study


def test_the_evidence_of_a_flag_opens_by_keyboard_and_by_press(rooms, page):
    concern = Concern.objects.create(
        collection=rooms,
        annotator=rooms.annotators.first(),
        guard="speed",
        evidence={"n_hits": 41, "n": 50, "n_expected": 5.0, "mark": 1.0},
    )
    for path in ("/", "/people/"):
        page.goto(page.base + path)
        flag = page.get_by_role("button", name=concern.short)
        evidence = page.get_by_role("tooltip").filter(has_text=concern.sentence)
        expect(evidence).to_be_hidden()
        assert not [fault for fault in violations(page) if "term" in fault[1]]
        flag.focus()
        expect(evidence).to_be_visible()
        page.keyboard.press("Escape")
        expect(evidence).to_be_hidden()
        flag.click()
        expect(evidence).to_be_in_viewport()


def bottom_of(cockpit):
    """The distance from the top of the page to the end of the four answers."""
    box = cockpit.bounding_box()
    return box["y"] + box["height"]


@pytest.mark.usefixtures("twelve_people")
def test_the_four_answers_about_twelve_people_fit_the_first_screen_in_250_words(page):
    page.goto(f"{page.base}/")
    cockpit = page.locator(".cockpit")
    assert [heading.inner_text() for heading in cockpit.locator("h2").all()] == [
        "How far",
        "How good",
        "What waits for you",
        "Who \N{MIDDLE DOT} 5 of 12 people, those with flags first",
    ]
    assert cockpit.locator(".cockpit-who tbody tr").count() == 5
    assert cockpit.locator(".cockpit-waits li a").count() >= 2
    assert bottom_of(cockpit) <= 800
    assert len(page.locator("#numbers").inner_text().split()) <= 250


@pytest.mark.parametrize("selector", [".cockpit-who tbody a", ".cockpit-who .term-word"])
def test_what_has_the_focus_keeps_it_while_numbers_come_in(rooms, page, selector):
    page.goto(page.base + "/")
    shown = page.locator("#numbers").get_attribute("data-version")
    page.locator(selector).last.focus()
    words = page.evaluate("document.activeElement.textContent")
    studies.judge(cast.annotator(rooms))
    refresh.refresh(collection=rooms)
    wait_for_expression(page, f"document.querySelector('#numbers').dataset.version != '{shown}'")
    wait_for_expression(page, f"document.activeElement.textContent === {json.dumps(words)}")


def test_the_four_answers_fit_the_first_screen_while_things_of_every_kind_wait(twelve_people, page):
    study, lead = twelve_people, cast.user()
    inbox_rows.name_person(study)
    batch = study.batches.order_by("pk").first()
    study.batches.filter(pk=batch.pk).update(
        finished_at=datetime(2999, 1, 1, tzinfo=UTC), n_golds=2, n_golds_right=0, gold_action="warn"
    )
    Resolution.objects.filter(pk=Resolution.objects.filter(collection=study).first().pk).update(
        status="disputed", grade=None
    )
    alarms.set_alarm(collection=study, kind="alpha", below=1.1, n_at_least=1, by=lead)
    study.annotators.update(paused_at=datetime(2026, 12, 1, tzinfo=UTC))
    action = ReviewAction.objects.create(
        collection=study, kind="labels_withdrawn", annotator=batch.annotator, by=lead
    )
    work = finished_work(study, "review", action.pk, Work.State.FAILED)
    ReviewWork.objects.create(action=action, n_total=1, work=work)
    page.goto(f"{page.base}/")
    waits = page.locator(".cockpit-waits")
    assert waits.locator("li").count() == 5
    assert waits.locator("li a").count() == 8
    assert [line.inner_text() for line in waits.locator(".cockpit-since p").all()] == [
        "36 labels by 12 people \N{MIDDLE DOT} alpha still -0.25",
        "Run gamma and 2 more added",
        "Pool depth 3 opened with 36 pairs",
    ]
    expect(waits.locator("li").first).to_contain_text("1 alarm that is up")
    more = waits.locator("li").last
    expect(more).to_contain_text(re.compile("And 4 more kinds: 1 escalated pair, .*half-way"))
    expect(waits.get_by_role("link", name="Inbox")).to_be_visible()
    assert bottom_of(page.locator(".cockpit")) <= 800
    assert len(page.locator(".cockpit").inner_text().split()) <= 250


def test_how_long_ago_people_were_seen_stays_true_on_a_page_that_nothing_changes(rooms, page):
    """Moments count on in the browser: the page is asked for no more."""
    page.clock.install()
    page.route("**/numbers/**", lambda route: route.abort())
    page.goto(page.base + "/")
    seen = page.locator(".cockpit-who time").first
    expect(seen).to_have_text(re.compile("now|[0-9]+ min"))
    page.clock.fast_forward("09:59:00")
    expect(seen).to_have_text(re.compile("(9|10) h"))
    page.clock.fast_forward("40:00:00")
    expect(seen).to_have_text(re.compile("2 days|3 days"))


def test_moments_are_told_in_a_browser_as_the_server_tells_them(rooms, page):
    page.goto(page.base + "/")
    now = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
    for seconds in (-5, 59, 60, 3599, 3600, 86_399, 86_400, 150_000, 28 * 86_400):
        moment = now - timedelta(seconds=seconds)
        words = page.evaluate(
            """async ([source, moment, now]) => (await import(source)).timeSince(moment, now)""",
            [
                f"{page.base.partition('/c/')[0]}{static('js/live/ago.js')}",
                moment.timestamp() * 1000,
                now.timestamp() * 1000,
            ],
        )
        assert (seconds, words) == (seconds, time_since(moment, now))
