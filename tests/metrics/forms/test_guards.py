"""A lead sets the marks of guards among the settings; an empty one switches a guard off."""

import pytest
from django.urls import reverse

from metrics.services.numbers.guards import DEFAULT_MARKS, marks_of
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def set_mark(client, collection, guard, mark):
    """The page after a mark was sent."""
    url = reverse("metrics:guard-set", args=[collection.slug, guard])
    return text_of(client.post(url, {"mark": mark}, follow=True))


def test_a_lead_sets_marks_and_switches_a_guard_off(client, collection, lead):
    client.force_login(lead)
    page = text_of(client.get(reverse("metrics:guards", args=[collection.slug])))
    assert "a flag says where to look" in page and 'value="85"' in page
    assert "“Golds” is set" in set_mark(client, collection, "gold", "70")
    assert "“Speed” is off" in set_mark(client, collection, "speed", "")
    expected = {**DEFAULT_MARKS, "gold": 70.0, "speed": None}
    assert marks_of(collection=collection) == expected
    for guard, mark, message in (
        ("gold", "101", "Golds right are per cent"),
        ("speed", "0", "Speed is seconds"),
        ("run", "6", "Runs are held to a chance"),
        ("clip", "x", "Enter a number"),
    ):
        page = set_mark(client, collection, guard, mark)
        assert message in page and f'value="{mark}"' in page and "is set" not in page
    assert marks_of(collection=collection) == expected
    url = reverse("metrics:guard-set", args=[collection.slug, "dog"])
    assert client.post(url, {"mark": "1"}).status_code == 404
