"""The bar shows each role its pages, and nobody another collection."""

import pytest
from django.test import RequestFactory
from django.urls import resolve, reverse

from annotate.models import Role
from config.site.navigation import navigation
from tests import cast

pytestmark = pytest.mark.django_db


def labels(user, address):
    request = RequestFactory().get(address)
    request.user = user
    request.resolver_match = resolve(address)
    return [entry.label for entry in navigation(request)["nav"]]


@pytest.mark.parametrize(
    ("role", "visible", "hidden"),
    [
        (
            Role.ANNOTATOR,
            {"Overview", "Judge"},
            {"Members", "Settings", "Dashboard", "Runs", "Leaderboard"},
        ),
        (Role.LEAD, {"Overview", "Members", "Settings"}, {"Judge"}),
        (Role.RESEARCHER, {"Overview"}, {"Judge", "Members", "Settings"}),
    ],
)
def test_each_role_finds_its_pages(collection, role, visible, hidden):
    link_labels = set(
        labels(cast.member(collection, role), reverse("annotate:collection", args=["shapes"]))
    )
    assert visible <= link_labels
    assert not hidden & link_labels


def test_a_stranger_and_who_is_outside_a_collection_find_none(collection):
    person = cast.member(collection, Role.LEAD)
    assert labels(cast.user(), reverse("annotate:collection", args=["shapes"])) == []
    assert labels(person, reverse("annotate:home")) == []


def test_the_open_page_and_the_one_above_it_are_marked(client, collection):
    client.force_login(cast.member(collection, Role.LEAD))
    answer = client.get(reverse("annotate:members", args=["shapes"]))
    assert [entry.label for entry in answer.context["nav"] if entry.is_current] == ["Members"]
    answer = client.get(reverse("annotate:collection", args=["shapes"]))
    assert [entry.label for entry in answer.context["nav"] if entry.is_current] == ["Overview"]
