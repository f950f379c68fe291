"""Previews of files of labels before they are loaded: by requests, and in a real browser."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from playwright.sync_api import Page, expect

from annotate.models import Import, ReferenceLabel
from tests import cast
from tests.annotate.views.collection.test_previews import post, text_of_lines
from tests.pages import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
QRELS = ("q0 0 d0 2", "q0 0 d1 x", "q8 0 d9 1")
REFERENCE = {"kind": "reference", "min_grade": "0"}
JUDGMENTS = {
    "kind": "judgments",
    "query": "q",
    "document": "d",
    "layout": "long",
    "annotator": "who",
    "grade": "label",
}


@pytest.fixture
def collection():
    return cast.collection("shapes", grades=3, n_queries=2, n_documents=3)


def preview(client, *lines, name="a.tsv", **fields):
    answer = post(client, text_of_lines(*lines), name, **fields)
    assert answer.status_code == 200
    assert not Import.objects.exists() and not ReferenceLabel.objects.exists()
    return text_of(answer)


def rows_of(text):
    """The texts of a preview's rows, cell by cell."""
    body = text.split("<tbody>")[1].split("</tbody>")[0]
    return [
        [" ".join(re.sub("<[^>]*>", " ", cell).split()) for cell in row.split("<td>")[1:]]
        for row in body.split("<tr>")[1:]
    ]


def test_reference_labels_are_shown_with_format_faults_and_unknown_items(
    client, collection, researcher
):
    text = preview(client, *QRELS, **REFERENCE)
    assert "a.tsv: TREC qrels (query, iteration, document, grade)" in text
    assert "The whole file was read: 2 labels, 1 line at fault." in text
    assert rows_of(text) == [["q0 text of q0", "d0 text of d0", "2"], ["q8", "d9", "1"]]
    assert "Not in this collection: 1 query, first q8; 1 document, first d9." in text
    assert "Line 2: grade &quot;x&quot; is no whole number" in text


def test_a_table_without_a_header_is_read_by_the_columns_of_the_form(
    client, collection, researcher
):
    fields = REFERENCE | {"columns": "query:2, document:1, grade:3"}
    text = preview(client, "d0,q0,1", **fields)
    assert rows_of(text) == [["q0 text of q0", "d0 text of d0", "1"]]
    text = preview(client, "d0,q0,1", **REFERENCE | {"columns": "query:2"})
    assert "Columns of a table without a header: " in text


def test_lists_are_turned_as_their_import_turns_them(client, collection, researcher):
    text = preview(client, '{"d0": ["q0", "q1"]}', name="a.json", **REFERENCE)
    assert rows_of(text)[1] == ["q1 text of q1", "d0 text of d0", "1"]
    assert "Not in this collection" not in text


def test_the_head_of_a_large_file_says_that_it_is_one(client, collection, researcher):
    lines = [f"q0 0 d{number} 1" for number in range(700)]
    assert "Only the first 500 labels were read." in preview(client, *lines, **REFERENCE)


def test_a_run_in_place_of_labels_is_told(client, collection, researcher):
    assert "run" in preview(client, "q0 Q0 d0 1 0.5 bm25", **REFERENCE)


def test_judgments_are_shown_by_the_columns_of_the_form(client, collection, researcher):
    lines = ("q,d,who,label", "q0,d0,ann,2", "q0,d7,ben,1")
    text = preview(client, *lines, **JUDGMENTS)
    assert "a.tsv: CSV or TSV" in text
    assert rows_of(text)[0] == ["ann", "q0 text of q0", "d0 text of d0", "2"]
    assert rows_of(text)[1] == ["ben", "q0 text of q0", "d7", "1"]
    assert "Not in this collection: 1 document, first d7." in text
    text = preview(client, *lines, **JUDGMENTS | {"query": "query"})
    assert "the header has no column &quot;query&quot;; it names" in text


def test_items_are_read_in_as_many_queries_however_many_there_are(client, collection, researcher):
    def queries(*lines):
        with CaptureQueriesContext(connection) as captured:
            post(client, text_of_lines(*lines), "a.tsv", **REFERENCE)
        return len(captured)

    assert queries("q0 0 d0 2") == queries("q0 0 d0 2", "q1 0 d1 1", "q1 0 d2 0")


def test_what_has_no_preview_is_not_found(client, collection, researcher):
    assert post(client, b"q0", kind="query_set").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_changed_field_of_the_form_is_followed_and_keeps_the_focus(
    page: Page, live_server, collection, researcher
):
    cast.sign_in(page.context, live_server.url, researcher)
    page.goto(f"{live_server.url}/c/shapes/imports/judgments/")
    table = b"query,document,annotator,label\nq0,d0,ann,2\n"
    page.locator("[name=file]").set_input_files(
        {"name": "a.csv", "mimeType": "text/csv", "buffer": table}
    )
    panel = page.locator("[data-preview]")
    expect(panel).to_contain_text("no column")
    page.locator("[name=grade]").fill("label")
    page.locator("[name=time]").focus()
    expect(panel.get_by_role("cell", name="ann")).to_be_visible()
    expect(page.locator("[name=time]")).to_be_focused()
