"""The demo's campaign half-way through: lived in, made once, and nothing in it stays undefined."""

import re
from itertools import pairwise

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from annotate.checks.check import run
from annotate.models import (
    Annotator,
    Batch,
    Collection,
    Judgment,
    JudgmentComment,
    Membership,
    Report,
    Resolution,
    ReviewAction,
    RoundPairState,
    User,
)
from annotate.services.background import kept
from annotate.services.people.accounts import ensure_demo_accounts
from config.management.commands.fsck import CHECKS
from metrics.models import Observation
from metrics.services.mails import lead_mails
from metrics.services.mails.concern_mails import CONCERN_MAIL
from metrics.services.numbers.guards import flags_of
from metrics.services.rehearsal.campaign import SLUG, ensure_campaign
from metrics.services.rehearsal.profiles import CARELESS, NOTES_OF_REPORTS, TOO_FAST
from tests.tables.table_cleanup import module_rows
from tests.works import value_requests

ROLES = ("annotator", "lead", "researcher")
UNDEFINED = re.compile(r"[Nn]ot defined")
# Pages that say so however a campaign goes, and why.
MAY_BE_UNDEFINED = {
    f"/c/{SLUG}/judging/training/": "it says when Spearman's correlation is not defined",
    f"/c/{SLUG}/dashboard/alarms/": "it says what an alarm does while alpha is not defined",
    f"/c/{SLUG}/results/analysis/measures/": "it is no collection with a protocol of its own",
}
MUST_BE_SEEN = (
    "dashboard/",
    "inbox/",
    "inbox/log/",
    "judging/golds/",
    "judging/pools/",
    "people/members/",
    "results/analysis/labels/",
    "results/analysis/planner/",
    "results/analysis/pool/",
    "results/analysis/systems/",
    "results/comments/",
    "results/downloads/",
    "results/explorer/",
    "results/leaderboard/",
    "results/leaderboard/compare/",
    "results/runs/",
)


@pytest.fixture(scope="module")
def media(tmp_path_factory):
    """The folder of the campaign's media."""
    return tmp_path_factory.mktemp("media")


@pytest.fixture(scope="module")
def whole(django_db_setup, django_db_blocker, media):
    """The campaign, made after the accounts."""
    with module_rows(django_db_blocker), override_settings(MEDIA_ROOT=media):
        ensure_demo_accounts(passwords=dict.fromkeys((*ROLES, "admin"), "a long demo password"))
        ensure_campaign()
        yield


@pytest.fixture
def lived_in(whole, settings, media):
    """The campaign as it is stored."""
    settings.MEDIA_ROOT = media
    return Collection.objects.get(slug=SLUG)


def n_actions(collection, kind):
    return ReviewAction.objects.filter(collection=collection, kind=kind).count()


@pytest.mark.full
@pytest.mark.django_db
def test_twelve_people_have_given_nine_hundred_labels(lived_in):
    labels = Judgment.objects.filter(collection=lived_in, purpose="label")
    assert labels.count() == 900
    people = Annotator.objects.filter(collection=lived_in, origin="simulated")
    assert people.count() == 12 == labels.order_by().values("annotator").distinct().count()
    assert [person.pseudonym for person in people.exclude(paused_at=None)] == ["Lotte"]
    assert JudgmentComment.objects.filter(judgment__collection=lived_in).count() >= 10
    assert lived_in.is_rehearsal and "simulated" in lived_in.description


@pytest.mark.full
@pytest.mark.django_db
def test_guards_name_the_careless_and_the_fast(lived_in, settings):
    """The queue draws at random, so of the honest, whom chance may name, nothing is asserted.

    By the shares of profiles.py and 20 golds or more, the fast one's golds fall once in ten million
    campaigns. The careless one, of some 40 golds, escapes as seldom.
    """
    flags = flags_of(collection=lived_in)
    words_by_name = {
        person.pseudonym: [flag.short for flag in flags[person.pk]]
        for person in Annotator.objects.filter(pk__in=flags)
    }
    assert "golds low" in words_by_name[CARELESS.name]
    assert "too fast" in words_by_name[TOO_FAST.name]
    assert "golds low" not in words_by_name[TOO_FAST.name]
    settings.SENDS_MAIL = True
    User.objects.filter(username="lead").update(email="lead@example.org")
    assert not lead_mails.collections_due(CONCERN_MAIL)


@pytest.mark.full
@pytest.mark.django_db
def test_a_lead_has_decided_a_part_and_the_other_part_waits(lived_in):
    assert n_actions(lived_in, "adjudicated") == 3
    assert n_actions(lived_in, "batch_rejected") == n_actions(lived_in, "paused") == 1
    assert n_actions(lived_in, "reports_settled") == n_actions(lived_in, "item_excluded") == 1
    actions = ReviewAction.objects.filter(collection=lived_in).exclude(kind="golds_made")
    assert {action.by.username for action in actions} == {"lead"}
    assert Resolution.objects.filter(collection=lived_in, status="disputed").count() >= 3
    assert Batch.objects.filter(collection=lived_in, verdict="held").exists()
    waiting_reports = Report.objects.open().filter(collection=lived_in)
    assert {*waiting_reports.values_list("kind", flat=True)} == {"cannot_judge", "escalated"}
    for report in waiting_reports.filter(kind="cannot_judge"):
        assert report.note in NOTES_OF_REPORTS[report.reason]


@pytest.mark.full
@pytest.mark.django_db
def test_one_pool_is_nearly_complete_and_the_other_half_open(lived_in):
    states = RoundPairState.objects.filter(round__collection=lived_in, round__kind="pool")
    for name, least, most in (("Captions, depth 5", 0.85, 1.0), ("Scenes, depth 5", 0.3, 0.8)):
        pairs = states.filter(round__name=name)
        assert least < pairs.filter(state="complete").count() / pairs.count() < most


@pytest.mark.full
@pytest.mark.django_db
def test_its_moments_are_in_order_over_five_days_and_in_the_past(lived_in):
    judgments = Judgment.objects.filter(collection=lived_in).order_by("pk")
    moments = list(judgments.values_list("at", flat=True))
    assert all(earlier < later for earlier, later in pairwise(moments))
    days = (moments[-1] - moments[0]).total_seconds() / 86_400
    minutes_ago = (timezone.now() - moments[-1]).total_seconds() / 60
    assert 4 <= days <= 5 and minutes_ago >= 4
    assert lived_in.created_at < moments[0]
    nights = [later - earlier for earlier, later in pairwise(moments)]
    assert sum(night.total_seconds() > 10 * 3600 for night in nights) == 4
    for kind in ("agreement", "scores"):
        assert Observation.objects.filter(collection=lived_in, kind=kind).count() >= 10
    assert [finding.lines for finding in run(CHECKS)] == []


@pytest.mark.full
@pytest.mark.django_db
def test_each_account_has_the_role_of_its_name(lived_in):
    members = Membership.objects.filter(collection=lived_in)
    assert sorted(members.values_list("user__username", "role")) == [(role, role) for role in ROLES]
    before = Judgment.objects.count()
    assert ensure_campaign() is None
    assert Judgment.objects.count() == before


def answer_of(client, address):
    """The answer at an address; of one that adds parameters to it, that with these."""
    answer = client.get(address)
    if answer.status_code == 302 and answer.url.startswith(f"{address}?"):
        return client.get(answer.url)
    return answer


def pages_of(client):
    """The pages that links lead to, one of each kind, as they are once computed."""
    addresses, pages = [f"/c/{SLUG}/"], {}
    kinds = set()
    while addresses:
        address = addresses.pop(0).split("#")[0].split("?")[0]
        kind = re.sub(r"\d+", "N", re.sub(r"(/analysis/[a-z]+/).+", r"\1one/", address))
        if kind in kinds or not address.startswith(f"/c/{SLUG}/"):
            continue
        kinds.add(kind)
        with value_requests() as inquiries:
            answer = answer_of(client, address)
        if inquiries:
            for inquiry in inquiries:
                kept.compute(inquiry=inquiry)
            answer = answer_of(client, address)
        if answer.status_code == 200 and "text/html" in answer["Content-Type"]:
            pages[address] = answer.content.decode()
            addresses += re.findall(r'<a [^>]*href="(/c/[^"]*/)(?:[?#][^"]*)?"', pages[address])
    return pages


@pytest.mark.full
@pytest.mark.django_db
def test_every_page_of_the_lead_shows_something(lived_in):
    client = Client()
    client.force_login(User.objects.get(username="lead"))
    pages = pages_of(client)
    assert {f"/c/{SLUG}/{path}" for path in MUST_BE_SEEN} <= set(pages)
    assert any("/inbox/batches/" in address for address in pages)
    undefined = {address for address, page in pages.items() if UNDEFINED.search(page)}
    assert undefined == set(MAY_BE_UNDEFINED)
