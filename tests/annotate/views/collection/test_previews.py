"""Previews of files before they are loaded: by requests, and in a real browser."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.core.files.archives.file_heads import MAX_BYTES, PIECE
from annotate.models import Import, Item, Part, ReferenceSet
from tests import cast
from tests.annotate.core.files.samples import archive, file, line
from tests.annotate.views.browsing import send, upload
from tests.pages import text_of
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0"
    "00000301010018dd8db00000000049454e44ae426082"
)
TABLE = ("clip id,what,who", "c1,a dog runs,Ann", "c2,a cat sits,Ben")


@pytest.fixture
def collection():
    return cast.collection("shapes", grades=3, n_queries=0, n_documents=0)


def post(client, content, name="a.csv", pieces=((0, PIECE),), size=None, kind="items", **fields):
    body = {
        "name": name,
        "size": len(content) if size is None else size,
        "at": [at for at, _ in pieces],
        "piece": [SimpleUploadedFile("piece", content[at : at + n]) for at, n in pieces],
        **fields,
    }
    return client.post(reverse("annotate:file-preview", args=["shapes", kind]), body)


def text_of_lines(*lines):
    return file(*lines).getvalue()


def test_a_preview_shows_the_file_and_stores_nothing(client, collection, researcher):
    n_items = Item.objects.count()
    answer = post(client, text_of_lines(line("d1", text="two <b>stars</b>"), "{"), "set.jsonl")
    page = text_of(answer)
    assert "set.jsonl: JSON lines" in page
    assert "1 document" in page and "taken for" in page
    assert "two &lt;b&gt;stars" in answer.content.decode()
    assert "Line 2: this is no JSON" in page
    assert (Item.objects.count(), Import.objects.count()) == (n_items, 0)


def test_a_shape_of_its_own_offers_a_menu_a_column(client, collection, researcher):
    page = post(client, text_of_lines(*TABLE)).content.decode()
    assert page.count('name="taken_for"') == 3
    assert 'value="document_text" selected' in page
    page = post(
        client,
        text_of_lines(*TABLE),
        column=["clip id", "what", "who"],
        taken_for=["document_id", "document_text", "document_text"],
    ).content.decode()
    assert "are both taken for" in page and "a dog runs</p>" not in page


def test_an_archive_asks_for_the_pieces_that_it_needs(client, collection, researcher):
    members = {f"m/{n}.png": bytes([n]) * 9_000 for n in range(60)}
    content = archive({**members, "a.jsonl": line("d1").encode()}, compression=0).getvalue()
    answer = post(client, content, "set.zip")
    assert answer.status_code == 204
    at = int(answer.headers["X-Piece"].split("-")[0])
    answer = post(client, content, "set.zip", pieces=((0, PIECE), (at, PIECE)))
    assert (answer.status_code, "set.zip: JSON lines" in text_of(answer)) == (200, True)


@pytest.mark.parametrize(
    ("sides", "kind"),
    [
        ([], "document"),
        (["document"], "query"),
        (["query"], "document"),
        (["query", "document"], "document"),
    ],
)
def test_rows_that_name_no_side_are_taken_for_the_one_that_is_missing(
    client, collection, researcher, sides, kind
):
    for side in sides:
        collection.items.create(side=side, external_id="a0")
    page = post(client, text_of_lines("id,text", "a1,a red hat")).content.decode()
    assert f'<option value="{kind}" selected>' in page


@pytest.mark.parametrize(
    "fields",
    [{"at": ["x"]}, {"at": ["-1"]}, {"at": ["0", "5"]}, {"size": 0}, {"name": ""}],
)
def test_what_is_no_piece_of_a_file_is_refused(client, collection, researcher, fields):
    body = {"name": "a", "size": 3, "at": ["0"], "piece": [SimpleUploadedFile("p", b"abc")]}
    answer = client.post(
        reverse("annotate:file-preview", args=["shapes", "items"]), {**body, **fields}
    )
    assert answer.status_code == 422


def test_no_more_than_a_head_is_taken(client, collection, researcher):
    content = b"x" * (MAX_BYTES + 1)
    assert post(client, content, pieces=((0, len(content)),)).status_code == 422


def test_a_file_is_loaded_by_the_columns_that_were_chosen(client, collection, researcher):
    fields = {
        "column": ["clip id", "what", "who"],
        "taken_for": ["document_id", "document_text", ""],
    }
    send(client, "load", "shapes", "items", file=upload(*TABLE, name="a.csv"), **fields)
    row = Import.objects.latest("pk")
    assert row.parameters == {"columns": {"document_id": "clip id", "document_text": "what"}}
    perform_work(row)
    assert Part.objects.get(item__external_id="c1").text == "a dog runs"
    fields["taken_for"] = ["document_id", "document_text", "document_text"]
    answer = send(
        client, "load", "shapes", "items", status=422, file=upload(*TABLE, name="a.csv"), **fields
    )
    assert "are both taken for the document" in text_of(answer)


def test_grades_of_pairs_are_loaded_as_labels(client, collection, researcher):
    lines = ("query,document,grade", "red hat,x1,1", "red hat,x2,0", "blue hat,x1,2")
    columns = {"query_text": "query", "document_id": "document", "grade": "grade"}
    send(
        client,
        "load",
        "shapes",
        "items",
        file=upload(*lines, name="a.csv"),
        columns=json.dumps(columns),
    )
    perform_work(Import.objects.latest("pk"))
    labels = ReferenceSet.objects.get(name="original").labels
    assert sorted(labels.values_list("query__external_id", "document__external_id", "grade")) == [
        ("q1", "x1", 1),
        ("q1", "x2", 0),
        ("q2", "x1", 2),
    ]


@pytest.mark.parametrize("text", ["[1]", "{", '{"document_id": 1}'])
def test_columns_that_are_no_object_are_refused(client, collection, researcher, text):
    answer = send(
        client,
        "load",
        "shapes",
        "items",
        status=422,
        file=upload(*TABLE, name="a.csv"),
        columns=text,
    )
    assert "Write columns as a JSON object" in text_of(answer)


@pytest.mark.django_db(transaction=True)
def test_columns_are_chosen_and_a_folder_is_packed_in_a_browser(
    collection, researcher, page: Page, live_server, tmp_path
):
    cast.sign_in(page.context, live_server.url, researcher)
    page.goto(f"{live_server.url}/c/shapes/imports/items/")
    preview = page.locator("[data-preview]")
    table = {"name": "a.csv", "mimeType": "text/csv", "buffer": text_of_lines(*TABLE)}
    page.locator("[name=file]").set_input_files(table)
    expect(preview.get_by_role("heading", level=2)).to_have_text("a.csv: read by its columns")
    preview.get_by_label("who is").select_option("document_warning")
    expect(preview).to_contain_text("Content warning: Ann")
    expect(preview.get_by_label("who is")).to_be_focused()
    preview.get_by_label("who is").select_option("document_text")
    expect(preview.get_by_role("alert")).to_contain_text("are both taken for")
    folder = tmp_path / "birds"
    (folder / "inner").mkdir(parents=True)
    (folder / "note.txt").write_text("A first note.")
    (folder / "inner" / "dot.png").write_bytes(PNG)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a folder").click()
    chooser.value.set_files(folder)
    expect(preview.get_by_role("heading", level=2)).to_contain_text("birds.zip: texts and media")
    expect(preview).to_contain_text("A first note.")
    expect(preview.get_by_role("img", name="inner/dot.png")).to_have_js_property("naturalWidth", 1)
    page.get_by_role("button", name="Load items").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Upload runs")
    perform_work(Import.objects.latest("pk"))
    assert sorted(
        Item.objects.filter(parts__isnull=False).values_list("external_id", flat=True)[:9]
    )
    assert Part.objects.get(item__external_id="note.txt").text == "A first note."
    assert Part.objects.get(item__external_id="inner/dot.png").path == "inner/dot.png"
