"""Addresses that take a form alone: a page for browsers, the bare status for programs."""

import pytest
from django.urls import reverse

pytestmark = pytest.mark.django_db
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def address(client, collection, lead):
    client.force_login(lead)
    return reverse("annotate:collection-delete", args=[collection.slug])


def test_whoever_opens_one_is_told_so_and_led_back(client, address):
    answer = client.get(address, headers=BROWSER)
    assert answer.status_code == 405 and answer.headers["Allow"] == "POST"
    assert "<h1>There is nothing to open here</h1>" in answer.text
    assert answer.headers["Content-Length"] == str(len(answer.content))


def test_a_page_that_takes_no_such_form_says_so_too(client):
    answer = client.put("/c/birds/runs/", headers=BROWSER)
    assert answer.status_code == 405 and "405</p>" in answer.text


def test_programs_get_the_status_alone(client, address):
    answer = client.get(address, headers={"Accept": "application/json"})
    assert answer.status_code == 405 and answer.headers["Allow"] == "POST"
    assert answer.content == b""
    answer = client.put("/api/v1/collections/", headers=BROWSER)
    assert "405</p>" not in answer.text
