"""The bar shows each role its sections and tabs, and nobody another collection."""

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.urls import resolve, reverse

from annotate.models import Membership, Role
from annotate.services.review import inbox
from config.site.navigation import SECTIONS, navigation
from metrics.services.numbers.alarms import raising_events
from tests import campaigns, cast
from tests.addresses import access_table
from tests.addresses.test_every_page import NO_PAGES

pytestmark = pytest.mark.django_db
SAMPLES = {**access_table.PLAIN_CASES, "pk": 1, "slug": "shapes"}
SECTION_OF = {label.lower(): label for label in SECTIONS}  # by the beginning of an address
SECTION_OF |= {"judge": "Judging", "training": "Judging"}
RESULTS = ["Leaderboard", "Explorer", "Analysis", "Runs", "Downloads", "Releases"]


def sections(user, address):
    request = RequestFactory().get(address)
    request.user = user
    request.resolver_match = resolve(address)
    return navigation(request)["nav"]


def collection_page(user):
    return sections(user, reverse("metrics:collection", args=["shapes"]))


def labels(links):
    return {section.label: [tab.label for tab in section.tabs] for section in links}


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        (Role.ANNOTATOR, {"Home": ["Overview"], "Judging": ["Judge"]}),
        (
            Role.LEAD,
            {
                "Home": ["Overview", "Dashboard", "Imports", "Settings"],
                "Judging": ["Pools", "Golds", "Training"],
                "People": ["Members"],
                "Results": RESULTS,
                "Inbox": ["Waiting", "Log"],
            },
        ),
        (
            Role.RESEARCHER,
            {
                "Home": ["Overview", "Dashboard", "Imports"],
                "Judging": ["Pools"],
                "Results": RESULTS,
            },
        ),
    ],
)
def test_each_role_has_its_sections_and_tabs(client, collection, role, expected):
    judges = role == Role.ANNOTATOR
    person = cast.annotator(collection).user if judges else cast.member(collection, role)
    links = collection_page(person)
    assert labels(links) == expected
    client.force_login(person)
    for section in links:
        for tab in section.tabs:
            assert client.get(tab.url).status_code == 200, tab


def test_who_leads_and_judges_has_the_judge_screen_last(collection):
    person = cast.member(collection, Role.LEAD)
    Membership.objects.create(collection=collection, user=person, role=Role.ANNOTATOR)
    assert labels(collection_page(person))["Judging"] == ["Pools", "Golds", "Training", "Judge"]


def test_a_stranger_and_who_is_outside_a_collection_find_none(collection):
    person = cast.member(collection, Role.LEAD)
    assert collection_page(cast.user()) == []
    assert sections(person, reverse("annotate:home")) == []


def pages(principal):
    """Path of every page of a collection that a principal may open, by the name of its URL."""
    rows = access_table.table()
    return {
        address.name: reverse(
            address.name, kwargs={name: SAMPLES[name] for name in address.arguments}
        )
        for address in access_table.addresses()
        if "slug" in address.arguments
        and not address.name.startswith("api:")
        and address.name not in NO_PAGES
        and rows[address.name, "GET"][principal] == "200"
    }


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.LEAD, Role.RESEARCHER])
def test_every_page_has_its_place_in_one_tab_of_one_section(collection, role):
    person = cast.member(collection, role)
    paths = pages(role.value)
    assert len(paths) >= {Role.ANNOTATOR: 2, Role.LEAD: 25, Role.RESEARCHER: 20}[role]
    lost = {}
    for name, path in paths.items():
        links = sections(person, path)
        open_tabs = [tab.label for section in links for tab in section.tabs if tab.is_current]
        open_sections = [section.label for section in links if section.is_current]
        beginning = path.removeprefix("/c/shapes/").partition("/")[0]
        if len(open_tabs) != 1 or open_sections != [SECTION_OF.get(beginning, "Home")]:
            lost[name] = open_sections, open_tabs
    assert lost == {}


@pytest.mark.parametrize(
    ("address", "section", "tab"),
    [
        ("metrics:collection", "Home", "Overview"),
        ("metrics:dashboard-person", "Home", "Dashboard"),
        ("annotate:import", "Home", "Imports"),
        ("annotate:inbox-pair", "Inbox", "Waiting"),
        ("annotate:review-log", "Inbox", "Log"),
        ("pooling:pair", "Judging", "Pools"),
        ("metrics:pool-bias", "Judging", "Pools"),
        ("metrics:compare", "Results", "Leaderboard"),
    ],
)
def test_a_page_belongs_to_the_tab_above_it(collection, address, section, tab):
    links = sections(cast.member(collection, Role.LEAD), pages("lead")[address])
    assert [link.label for link in links if link.is_current] == [section]
    assert [link.label for part in links for link in part.tabs if link.is_current] == [tab]


def test_overview_is_the_tab_of_no_other_page(collection):
    links = sections(
        cast.member(collection, Role.LEAD), reverse("annotate:part-media", args=["shapes", 1])
    )
    assert [link for link in links if link.is_current] == []


def test_the_open_page_is_told_from_the_one_above_it(collection):
    person = cast.member(collection, Role.LEAD)
    for page, is_open in (("pooling:runs", True), ("pooling:run-upload", False)):
        links = sections(person, reverse(page, args=["shapes"]))
        (tab,) = [tab for link in links for tab in link.tabs if tab.is_current]
        assert (tab.label, tab.is_open) == ("Runs", is_open)


def test_every_section_has_its_picture():
    pictures = {
        label: render_to_string("shell/_section_icon.html", {"section": {"label": label}})
        for label in SECTIONS
    }
    assert all("<path" in picture for picture in pictures.values())
    assert len(set(pictures.values())) == len(SECTIONS)


@pytest.mark.parametrize(
    ("role", "opened"),
    [
        (Role.ANNOTATOR, {"Judging": "annotate:judge"}),
        (
            Role.LEAD,
            {
                "Judging": "pooling:pools",
                "People": "annotate:members",
                "Results": "metrics:leaderboard",
            },
        ),
        (Role.RESEARCHER, {"Judging": "pooling:pools", "Results": "metrics:leaderboard"}),
    ],
)
def test_the_address_of_a_section_opens_its_first_page(client, collection, role, opened):
    client.force_login(cast.member(collection, role))
    for label in SECTIONS:
        if label in ("Home", "Inbox"):
            continue  # their addresses are pages
        answer = client.get(f"/c/shapes/{label.lower()}/")
        if label in opened:
            assert answer.status_code == 302
            assert answer.headers["Location"] == reverse(opened[label], args=["shapes"])
        else:
            assert answer.status_code == 404


def test_what_waits_is_counted_at_its_tab_and_at_its_section():
    campaign = campaigns.campaign("shapes", n_annotators=2)
    n_waiting = inbox.count(collection=campaign.collection).n
    links = {link.label: link for link in collection_page(campaign.lead)}
    assert n_waiting > 0 and links["Inbox"].waiting_count == (n_waiting, "waiting")
    assert [tab.waiting_count.n for tab in links["Inbox"].tabs] == [n_waiting, 0]
    n_alarms = len(raising_events(collection=campaign.collection))
    assert n_alarms > 1 and links["Home"].waiting_count == (n_alarms, "alarms up")
    assert [tab.waiting_count.n for tab in links["Home"].tabs] == [0, n_alarms, 0, 0]
    assert {link.waiting_count.n for link in collection_page(campaign.researcher)} == {0}
