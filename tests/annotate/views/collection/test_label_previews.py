"""Previews of files of labels before they are loaded: by requests, and in a real browser."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.models import Import, Judgment, ReferenceLabel
from annotate.services.collection.media import media_folder
from tests import cast, clips
from tests.annotate.views.browsing import page as page_of
from tests.annotate.views.browsing import send
from tests.annotate.views.collection.test_previews import post, text_of_lines
from tests.pages import text_of
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
QRELS = ("q0 0 d0 2", "q0 0 d1 x", "q8 0 d9 1")
REFERENCE = {"kind": "reference", "min_grade": "0"}
JUDGMENTS = {"kind": "judgments"}


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


SHAPES = {
    "csv": ("thema,clip,urteil", "q0,d0,1", "q8,d1,2"),
    "json lines": (
        '{"thema": "q0", "clip": "d0", "urteil": 1}',
        '{"thema": "q8", "clip": "d1", "urteil": 2}',
    ),
    "json array": (
        '[{"thema": "q0", "clip": "d0", "urteil": 1}, {"thema": "q8", "clip": "d1", "urteil": 2}]',
    ),
}
TURNED = {"column": ["thema", "clip", "urteil"], "taken_for": ["document", "query", "grade"]}


@pytest.mark.parametrize("lines", SHAPES.values(), ids=SHAPES)
def test_labels_in_a_shape_of_their_own_are_mapped_by_hand(client, collection, researcher, lines):
    text = preview(client, *lines, name="a.txt", **REFERENCE)
    assert "a.txt: read by its columns" in text
    assert text.count('name="taken_for"') == 3
    labels = text.split("The first labels")[1]
    assert rows_of(labels) == [
        ["q0 text of q0", "d0 text of d0", "1"],
        ["q8", "d1 text of d1", "2"],
    ]
    turned = preview(client, *lines, name="a.txt", **REFERENCE, **TURNED)
    assert rows_of(turned.split("The first labels")[1])[0][:2] == ["d0", "q0"]
    assert 'value="document" selected' in turned
    lacking = TURNED | {"taken_for": ["query", "", "grade"]}
    text = preview(client, *lines, name="a.txt", **REFERENCE, **lacking)
    assert "Choose the column of the document&#x27;s id." in text
    assert "The first labels" not in text and text.count('name="taken_for"') == 3


def test_a_first_line_that_is_a_row_already_is_seen_or_said(client, collection, researcher):
    text = preview(client, "q0,d0,1", "q1,d1,2", **REFERENCE)
    assert len(rows_of(text.split("The first labels")[1])) == 2
    text = preview(client, "q0,d0,1", "q1,d1,2", **REFERENCE, header="names")
    assert len(rows_of(text.split("The first labels")[1])) == 1


def test_a_known_table_is_mapped_by_hand_on_request_alone(client, collection, researcher):
    lines = ("query-id,corpus-id,score", "q0,d0,1")
    text = preview(client, *lines, **REFERENCE)
    assert "data-preview-by-hand" in text and 'name="taken_for"' not in text
    text = preview(client, *lines, **REFERENCE, by_hand="1")
    assert 'value="grade" selected' in text
    assert "data-preview-by-hand" not in preview(client, *QRELS, **REFERENCE)


@pytest.mark.parametrize("lines", SHAPES.values(), ids=SHAPES)
def test_labels_are_loaded_as_they_were_mapped(client, collection, researcher, lines):
    fields = {"name": "own", "skip_unknown": "on"} | TURNED

    def load(*taken_for, status):
        file = SimpleUploadedFile("a.txt", text_of_lines(*lines))
        answers = fields | {"file": file, "taken_for": taken_for}
        return text_of(send(client, "load", "shapes", "reference", status=status, **answers))

    assert "Choose the column of the document" in load("query", "", "grade", status=422)
    load("query", "document", "grade", status=302)
    perform_work(Import.objects.get())
    label = ReferenceLabel.objects.get(reference_set__name="own")
    assert (label.query.external_id, label.document.external_id, label.grade) == ("q0", "d0", 1)


def test_judgments_are_shown_by_columns_that_are_guessed_or_chosen(client, collection, researcher):
    lines = ("q,d,who,label", "q0,d0,ann,2", "q0,d7,ben,1")
    text = preview(client, *lines, **JUDGMENTS)
    assert "a.tsv: CSV or TSV" in text and text.count('name="taken_for"') == 4
    labels = text.split("The first labels")[1]
    assert rows_of(labels)[0] == ["ann", "q0 text of q0", "d0 text of d0", "2"]
    assert rows_of(labels)[1] == ["ben", "q0 text of q0", "d7", "1"]
    assert "Not in this collection: 1 document, first d7." in text
    choices = {"column": ["q", "d", "who", "label"]}
    choices["taken_for"] = ["query", "document", "", "annotators"]
    text = preview(client, *lines, **JUDGMENTS, **choices)
    assert rows_of(text.split("The first labels")[1])[0][0] == "label"
    choices["taken_for"] = ["query", "document", "", "grade"]
    assert "Choose the column of the annotator." in preview(client, *lines, **JUDGMENTS, **choices)


@pytest.mark.parametrize(
    "lines",
    [
        ("thema,clip,ann,ben", "q0,d0,1,", "q0,d1,0,2"),
        (
            '[{"thema": "q0", "clip": "d0", "ann": 1}, ',
            '{"thema": "q0", "clip": "d1", "ann": 0, "ben": 2}]',
        ),
    ],
    ids=["csv", "json array"],
)
def test_judgments_are_imported_as_they_were_mapped(client, collection, researcher, lines):
    assert "3 labels" in preview(client, *lines, **JUDGMENTS)
    send(
        client,
        "load",
        "shapes",
        "judgments",
        name="experts",
        file=SimpleUploadedFile("a.txt", text_of_lines(*lines)),
        column=["thema", "clip", "ann", "ben"],
        taken_for=["query", "document", "annotators", "annotators"],
    )
    perform_work(Import.objects.get())
    grades: dict[int, list[int]] = {}
    for judgment in Judgment.objects.order_by("level__grade").select_related("level"):
        grades.setdefault(judgment.annotator_id, []).append(judgment.level.grade)
    assert sorted(grades.values()) == [[0, 1], [2]]


def test_items_are_read_in_as_many_queries_however_many_there_are(client, collection, researcher):
    def queries(*lines):
        with CaptureQueriesContext(connection) as captured:
            post(client, text_of_lines(*lines), "a.tsv", **REFERENCE)
        return len(captured)

    assert queries("q0 0 d0 2") == queries("q0 0 d0 2", "q1 0 d1 1", "q1 0 d2 0")


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("reference", ["grades", "min_grade", "skip_unknown", "make_documents", "skip_blank"]),
        ("judgments", ["grades", "skip_blank"]),
    ],
)
def test_what_few_files_need_waits_below_the_preview_until_it_is_refused(
    client, collection, researcher, kind, names
):
    before, _, below = page_of(client, "load", "shapes", kind).partition("data-preview=")
    fine_print = below.partition("<summary>More settings")[2].partition("</details>")[0]
    assert re.findall(r'name="(\w+)"', fine_print) == names
    assert not any(f'name="{name}"' in before for name in names) and 'name="file"' in before
    assert "<details open" not in " ".join(below.split()).replace(' class="stack"', "")
    refused = text_of(send(client, "load", "shapes", kind, status=422, grades="yes"))
    assert "<details open" in refused.partition("data-preview=")[2].replace(' class="stack"', "")


@pytest.mark.parametrize("lines", [("q0", "q1", "q8", "q0"), ('{"q0": 1, "q1": [], "q8": {}}',)])
def test_a_query_set_is_shown_with_its_items_and_what_lacks(client, collection, researcher, lines):
    query_set = {"kind": "query_set", "direction": "forward"}
    text = preview(client, *lines, name="ids.txt", **query_set)
    assert "The whole file was read: the ids of 3 queries." in text
    assert rows_of(text) == [["q0 text of q0"], ["q1 text of q1"], ["q8"]]
    assert "Not in this collection: 1 query, first q8." in text
    assert ("stands already in line 1" in text) == (len(lines) > 1)
    text = preview(client, "d0", "q1", **query_set | {"direction": "reverse"})
    assert rows_of(text) == [["d0 text of d0"], ["q1"]]
    assert "Not in this collection: 1 document, first q1." in text
    assert "Direction: " in preview(client, "d0", **query_set | {"direction": "up"})
    assert "data-preview" in page_of(client, "load", "shapes", "query_set")


@pytest.mark.django_db(transaction=True)
def test_a_changed_field_of_the_form_is_followed_and_keeps_the_focus(
    page: Page, live_server, collection, researcher
):
    cast.sign_in(page.context, live_server.url, researcher)
    page.goto(f"{live_server.url}/c/shapes/imports/judgments/")
    table = b"query,document,annotator,label,when\nq0,d0,ann,2,7\n"
    page.locator("[name=file]").set_input_files(
        {"name": "a.csv", "mimeType": "text/csv", "buffer": table}
    )
    panel = page.locator("[data-preview]")
    expect(panel.get_by_role("cell", name="ann", exact=True)).to_have_count(2)
    expect(panel).not_to_contain_text("1 Jan 1970")
    panel.get_by_label("when is").select_option("time")
    expect(panel.get_by_role("columnheader", name="Time")).to_be_visible()
    expect(panel.get_by_label("when is")).to_be_focused()
    page.get_by_text("More settings").click()
    page.locator("[name=grades]").fill("2:0")
    page.locator("[name=name]").focus()
    expect(panel.locator("tbody").last).to_contain_text("0")
    expect(page.locator("[name=name]")).to_be_focused()


@pytest.mark.django_db(transaction=True)
def test_a_clip_of_the_collection_shows_its_frame(page: Page, live_server, collection, researcher):
    clip = collection.items.get(external_id="d0").parts.create(
        position=1, kind="video", path="a.webm"
    )
    folder = media_folder(collection)
    folder.mkdir(parents=True)
    (folder / "a.webm").write_bytes(clips.encode_clip("webm", "libvpx"))
    cast.sign_in(page.context, live_server.url, researcher)
    page.goto(live_server.url + reverse("annotate:load", args=["shapes", "reference"]))
    page.locator("[name=file]").set_input_files(
        {"name": "a.tsv", "mimeType": "text/plain", "buffer": b"q0 0 d0 2\n"}
    )
    frame = page.locator("[data-preview] video")
    expect(frame).to_have_attribute("aria-label", f"Video of {clip.item.external_id}")
    expect(frame).not_to_have_attribute("data-frame", "")
    frame.scroll_into_view_if_needed()
    expect(frame).to_have_attribute("preload", "metadata")
