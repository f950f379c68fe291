"""Previews of run files before they are sent: by requests, and in a real browser."""

import base64

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from playwright.sync_api import Page, expect

from annotate.core.files.archives.file_heads import PIECE
from annotate.models import Direction, Role
from pooling.models import Run
from tests import cast
from tests.pages import text_of
from tests.pooling import factories
from tests.pooling.core.files.run_samples import MATRIX, npz
from tests.pooling.views.addresses import url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
GOOD = factories.lines({0: [1, 2], 1: [3, 99]})
FAULTY = b"q0 Q0 d1 1 high tag\nq0 Q0 d2 2 1.5 tag\n"
DROP = """(box, contents) => {
  const dataTransfer = new DataTransfer();
  for (const [name, content] of contents) {
    dataTransfer.items.add(new File([atob(content)], name));
  }
  box.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
}"""


def post(client, collection, content=GOOD, name="bm25.run", **fields):
    body = {
        "name": name,
        "size": len(content),
        "at": [0],
        "piece": [SimpleUploadedFile("piece", content[:PIECE])],
        "direction": "forward",
        **fields,
    }
    return client.post(url("run-preview", collection), body)


def test_a_run_is_understood_and_nothing_is_stored(client, collection, researcher):
    answer = post(client, collection)
    text = text_of(answer)
    assert "bm25.run: TREC run" in text
    assert "The whole file was read: 4 rows, 2 queries, at most 2 documents each." in text
    assert "In this collection: 2 of 2 queries and 3 of 4 documents." in text
    assert "Its run is called bm25." in text
    assert "text of q0" in text and "text of d1" in text
    assert not Run.objects.exists()
    assert "Its run is called mine." in text_of(post(client, collection, run_name="mine"))


def test_a_run_of_the_other_direction_is_told(client, collection, researcher):
    content = factories.lines({0: [1], 1: [2]}, Direction.REVERSE)
    text = text_of(post(client, collection, content))
    assert "In the other direction, from documents to queries," in text
    text = text_of(post(client, collection, content, direction="reverse"))
    assert "In this collection: 2 of 2 documents and 2 of 2 queries." in text
    assert "First document" in text and "In the other direction" not in text


def test_the_form_tells_how_the_file_is_read(client, collection, researcher):
    text = text_of(post(client, collection, columns="query:2"))
    assert "Columns of a table without a header: " in text
    assert "Direction: " in text_of(post(client, collection, direction="up"))
    fields = {"columns": "query:2, document:1, score:3"}
    assert "2 of 2 queries" not in text_of(post(client, collection, b"d1,q0,1\n", **fields))
    assert "1 of 1 query" in text_of(post(client, collection, b"d1,q0,1\n", **fields))


def test_a_matrix_shows_its_shape_and_what_the_collection_lacks(client, collection, researcher):
    text = text_of(post(client, collection, npz(**MATRIX), "a.npz"))
    assert "a.npz: NumPy matrix" in text and "2 queries by 3 documents, as float32" in text
    assert "d1" in text and "In this collection: 2 of 2 queries and 3 of 3 documents." in text


def test_a_preview_asks_the_same_queries_however_many_ids_it_has(client, collection, researcher):
    numbers = []
    for n in (1, 200):
        content = factories.lines({source: range(30) for source in range(n)})
        with CaptureQueriesContext(connection) as queries:
            assert post(client, collection, content).status_code == 200
        numbers.append(len(queries))
    assert numbers[0] == numbers[1]


@pytest.mark.parametrize(("role", "status"), [(Role.LEAD, 404), (Role.ANNOTATOR, 404)])
def test_who_may_not_upload_runs_sees_no_preview(client, collection, role, status):
    client.force_login(cast.member(collection, role))
    assert post(client, collection).status_code == status


@pytest.mark.django_db(transaction=True)
def test_dropped_files_have_a_line_each_and_the_faulty_one_its_fault(
    page: Page, live_server, collection, researcher
):
    cast.sign_in(page.context, live_server.url, researcher)
    page.goto(live_server.url + url("run-upload", collection))
    contents = [("bm25.run", GOOD), ("clip.run", FAULTY)]
    encoded_contents = [[name, base64.b64encode(text).decode()] for name, text in contents]
    page.locator(".file-drop").evaluate(DROP, encoded_contents)
    boxes = page.locator("[data-preview] > div")
    expect(boxes).to_have_count(2)
    expect(boxes.nth(0)).to_contain_text("2 of 2 queries and 3 of 4 documents")
    expect(boxes.nth(0)).to_contain_text("text of q0")
    expect(boxes.nth(1)).to_contain_text("clip.run: TREC run")
    expect(boxes.nth(1).get_by_role("alert")).to_contain_text("Line 1: ")
    page.get_by_label("Direction").select_option("reverse")
    expect(boxes.nth(0)).to_contain_text("0 of 2 documents and 0 of 4 queries")
    expect(boxes.nth(0)).to_contain_text("In the other direction, from queries to documents")
