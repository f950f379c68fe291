"""Every address that a page or a form had before it moved leads to the one that it has."""

import csv
import re
from pathlib import Path

import pytest
from django.urls import reverse

from annotate.services.imports.forms import IMPORT_FORMS
from config.old_addresses import MOVED
from tests import cast

TABLE = Path(__file__).with_name("old_addresses.csv")
SAMPLES = {"pk": 7, "key": "abc", "form": "csv", "download_kind": "disputed"}
OF_IMPORTS = {
    "items": "items/new/",
    "reference": "references/new/",
    "judgments": "judgments/import/",
    "query_set": "query-sets/new/",
}


def moves():
    """Old and new address of every page and form that has moved, in a collection `pools`."""
    with TABLE.open(newline="") as lines:
        for row in csv.DictReader(lines):
            fields = {name: SAMPLES[name] for name in re.findall(r"{(\w+)}", row["path"])}
            new = reverse(row["address"], kwargs={"slug": "pools", **fields})
            yield f"/c/pools/{row['path'].format(**fields)}", new
    for kind, path in OF_IMPORTS.items():
        yield f"/c/pools/{path}", reverse("annotate:load", args=["pools", kind])


@pytest.mark.parametrize(("old", "new"), moves())
def test_an_old_address_leads_to_the_new_one_whatever_is_sent(client, old, new):
    for answer in (client.get(old), client.head(old), client.post(old, {"field": "value"})):
        assert (answer.status_code, answer.headers["Location"]) == (308, new)


def test_the_table_is_whole():
    assert set(OF_IMPORTS) <= set(IMPORT_FORMS)
    olds = [old for old, _ in moves()]
    assert [start for start in MOVED if not any(f"/c/pools/{start}/" in old for old in olds)] == []


def test_the_query_and_what_is_encoded_arrive_as_they_were_sent(client):
    answer = client.get("/c/birds/explorer/?q=a%20b&q=%C3%A9%26")
    assert answer.headers["Location"] == "/c/birds/results/explorer/?q=a%20b&q=%C3%A9%26"
    answer = client.get("/c/birds/runs/%C3%A9%3F//x/")
    assert answer.headers["Location"] == "/c/birds/results/runs/%C3%A9%3F//x/"


def test_other_methods_and_names_that_no_collection_can_have_are_refused(client):
    assert client.put("/c/birds/runs/").status_code == 405
    assert client.get("/c/%C3%A9/runs/").status_code == 404


@pytest.mark.django_db
def test_a_small_form_that_was_open_meanwhile_is_filed(client, collection):
    client.force_login(cast.member(collection, "lead"))
    answer = client.post(
        "/c/shapes/members/invite/", {"role": "annotator", "days": 14}, follow=True
    )
    assert answer.status_code == 200
    assert collection.invitations.count() == 1
