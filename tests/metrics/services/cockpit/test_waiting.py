"""The first page's list of what waits: its numbers, and the pages that show exactly these."""

import re
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.models import Collection, Judgment, Role
from annotate.services.judging import claiming
from annotate.services.pages.stuck_labels import StuckLabels
from annotate.services.review import inbox
from annotate.services.review.inbox import Tab
from annotate.services.review.report_settling import settle_reports
from annotate.services.supervision import pausing
from metrics.services.cockpit.people_rows import PersonRow
from metrics.services.cockpit.waiting import INBOX, WaitingRow, waiting_rows
from metrics.services.dashboard import dashboard
from metrics.services.dashboard.dashboard import DashboardOptions
from metrics.services.dashboard.waiting_facts import waiting_facts
from metrics.services.numbers.guards import PersonFlag
from tests import campaigns, cast
from tests.annotate.views.review.inbox_rows import (
    dispute,
    fail_batch,
    inbox_collection,
    name_person,
    report,
)

pytestmark = pytest.mark.django_db
WAITS = "metrics/cockpit/_waits.html"


def rows_of(collection: Collection) -> list[WaitingRow]:
    """The rows of a collection, with the labels that nobody can give."""
    return waiting_rows(facts=waiting_facts(collection=collection))


def test_what_waits_is_counted_and_each_button_leads_to_exactly_these(client):
    collection = inbox_collection()
    client.force_login(cast.member(collection, Role.LEAD))
    assert rows_of(collection) == []
    dispute(collection, 3)
    fail_batch(collection)
    report(collection, "escalated")
    rows = {row.act: row for row in rows_of(collection)}
    assert (rows["Review"].n, rows["Review"].text) == (1, "batch that failed its golds")
    assert (rows["Decide"].n, rows["Decide"].text) == (3, "disputed pairs")
    assert rows["Decide"].button == "Decide 3 disputed pairs"
    assert rows["Answer"].n == 1 and rows["Answer"].oldest_text == "now"
    cockpit = {"first_waits": list(rows.values())}
    context = {"collection": collection, "cockpit": cockpit, "may_name": True}
    part = render_to_string(WAITS, context)
    for row in rows.values():
        href = reverse(row.address, args=[collection.slug]) + row.query
        assert f'href="{href}">{row.button}</a>' in part
        assert (
            client.get(reverse(row.address, args=[collection.slug]) + row.query).status_code == 200
        )
    for act in ("Review", "Decide", "Answer"):
        row = rows[act]
        page = client.get(reverse(row.address, args=[collection.slug]) + row.query).context["page"]
        assert page.paginator.count == row.n


def test_those_who_are_no_lead_learn_the_day_alone_since_when_something_waits():
    collection = inbox_collection()
    report(collection, "escalated")
    (row,) = rows_of(collection)
    context = {"collection": collection, "cockpit": {"first_waits": [row]}, "may_name": True}
    assert '<time datetime="' in render_to_string(WAITS, context)
    part = render_to_string(WAITS, context | {"may_name": False})
    assert re.search(r"oldest:\s+(today|yesterday)</span>", part) and "<time" not in part


def test_the_badge_of_the_inbox_is_the_sum_of_its_rows(client):
    collection = inbox_collection()
    client.force_login(cast.member(collection, Role.LEAD))
    for _ in range(2):
        name_person(collection)
    dispute(collection, 3)
    fail_batch(collection)
    report(collection, "escalated")
    report(collection, "cannot_judge")
    rows = [row for row in rows_of(collection) if row.address == INBOX]
    assert sum(row.n for row in rows) == inbox.count(collection=collection).n == 8
    people = rows[0]
    assert (people.n, people.text) == (2, "flags about people")
    page = client.get(reverse(INBOX, args=[collection.slug]) + people.query)
    assert (page.context["tab"], page.context["page"].paginator.count) == (Tab.PEOPLE, 2)


@pytest.mark.parametrize("seed", range(3))
def test_labels_that_nobody_present_can_give_equal_a_count_by_hand(seed):
    draws = Random(seed)
    collection = inbox_collection()  # two labels a pair
    pairs = cast.pairs(collection, 5)
    campaigns.open_pool_round(collection, pairs)
    people = [cast.annotator(collection) for _ in range(3)]
    for person in people:
        claiming.current_batch(annotator=person)
        hand_outs = list(
            claiming.open_hand_outs(annotator=person).select_related("batch__annotator")
        )
        for hand_out in hand_outs:
            campaigns.judge(hand_out, 1)
    lead = cast.member(collection, Role.LEAD)
    paused_people = draws.sample(people, draws.randint(1, 3))
    for person in paused_people:
        pausing.pause(annotator=person, by=lead, reason="ill")
    # two more labels are wanted of each of these pairs
    more_pairs = cast.pairs(collection, draws.randint(1, 4))
    campaigns.open_pool_round(collection, more_pairs, name="more")
    able = {person.pk for person in people} - {person.pk for person in paused_people}
    n_stuck = 0
    for pair in [*pairs, *more_pairs]:
        judges = set(Judgment.objects.filter(pair=pair).values_list("annotator", flat=True))
        n_wanted = 2 - len(judges)
        n_stuck += max(0, n_wanted - len(able - judges))
    rows = [row for row in rows_of(collection) if row.act.startswith("Invite ")]
    assert sum(row.n for row in rows) == n_stuck


def test_labels_that_are_not_all_counted_are_said_to_be_more():
    facts = waiting_facts(collection=inbox_collection())
    counted_labels = StuckLabels(2000, 2000, False, 2, 0, 0)
    for stuck, count_text in (
        (counted_labels, "2,000"),
        (counted_labels._replace(is_more=True), "2,000 or more"),
    ):
        (row,) = waiting_rows(facts=facts._replace(stuck=stuck))
        assert (row.count_text, row.text) == (count_text, "labels that nobody here can give")
    (row,) = waiting_rows(facts=facts._replace(stuck=counted_labels._replace(n_newcomers=2)))
    assert row.button == "Invite 2 more for 2,000 labels that nobody here can give"


def person_row(**numbers):
    defaults = {
        "n_gold": 2,
        "n_right": 1,
        "gold_low": 9.5,
        "gold_high": 90.5,
        "flags": (),
        "drift": "",
    }
    moment = timezone.now() - timedelta(minutes=2, seconds=9)
    return PersonRow({**defaults, **numbers}, 3, False, 0, moment)


def test_golds_accuse_whom_a_guard_names_and_nobody_else():
    row = person_row()
    assert (row.golds_text, row.has_failed_golds, row.n_notes) == ("1 of 2", False, 0)
    assert row.seen_text == "2 min"
    flag = PersonFlag("gold", "golds low", "Golds 11 of 39.", timezone.now())
    row = person_row(n_gold=39, n_right=11, gold_low=16.5, gold_high=43.8, flags=(flag,))
    assert row.has_failed_golds and row.n_notes == 1
    assert not person_row(flags=(flag._replace(guard="speed"),)).has_failed_golds
    assert person_row(n_gold=0).golds_text == ""
    assert (row._replace(n_rejected=2).batches_text, row.batches_text) == ("2 batches rejected", "")
    assert (
        person_row(drift="Equal to another label in 90 % of ...")._replace(n_rejected=1).n_notes
        == 2
    )


def version_of(collection: Collection, now: datetime | None = None) -> str:
    """The version of the first page's live part; `now` : by default the present."""
    options = DashboardOptions("ordinal")
    return dashboard.state_of(collection=collection, options=options, now=now).version


def test_a_new_report_its_settling_and_a_pause_each_change_the_version_of_the_live_part():
    collection = inbox_collection()
    lead = cast.member(collection, Role.LEAD)
    versions = [version_of(collection)]
    assert version_of(collection) == versions[0]
    pair = report(collection, "escalated")
    versions.append(version_of(collection))
    settle_reports(pair=pair, by=lead)
    versions.append(version_of(collection))
    pausing.pause(annotator=collection.annotators.first(), by=lead, reason="ill")
    versions.append(version_of(collection))
    assert len(set(versions)) == len(versions)


def test_each_hour_has_a_version_of_its_own_so_that_counts_of_24_hours_grow_no_older():
    collection = inbox_collection()
    hour = datetime(2026, 3, 5, 14, tzinfo=UTC)
    moments = [hour, hour + timedelta(minutes=59, seconds=59), hour + timedelta(hours=1)]
    first, last, next_one = (version_of(collection, moment) for moment in moments)
    assert first == last != next_one


def test_what_waits_takes_as_many_queries_of_many_people_and_things_as_of_few():
    collection = inbox_collection()

    def n_queries() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert rows_of(collection)
        return len(queries)

    dispute(collection)
    report(collection, "escalated")
    fail_batch(collection)
    n_at_first = n_queries()
    dispute(collection, 3)
    report(collection, "escalated")
    report(collection, "cannot_judge")
    fail_batch(collection)
    assert n_queries() == n_at_first
