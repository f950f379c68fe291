"""Files brought in the browser: kept at once, read in the background, and a page on each."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.models import Import, Item, Judgment, Part, ReferenceSet, Role, Work
from annotate.services.background import progress, works
from tests import cast
from tests.annotate.core.files.samples import archive, line
from tests.annotate.views import browsing
from tests.annotate.views.browsing import send, upload
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


@pytest.fixture
def collection():
    return cast.collection("shapes", grades=3, n_queries=1, n_documents=2)


def send_labels(client, *lines, name="original", **fields):
    send(
        client,
        "load",
        "shapes",
        "reference",
        name=name,
        file=upload(*lines, name="a.qrels"),
        **fields,
    )
    return Import.objects.latest("pk")


def page(client, import_row):
    return browsing.page(client, "import", "shapes", import_row.pk)


def state(client, import_row):
    return client.get(reverse("annotate:import-state", args=["shapes", import_row.pk]))


def read(client):
    """Perform the work of the newest import; return the text of its page."""
    return page(client, perform_work(Import.objects.latest("pk")))


def test_a_zip_brings_media_and_one_that_leads_out_is_refused(
    client, collection, researcher, tmp_path
):
    fine = archive({"collection.jsonl": line("x1", image="m/a.png").encode(), "m/a.png": b"PNG"})
    send(client, "load", "shapes", "items", file=SimpleUploadedFile("set.zip", fine.getvalue()))
    assert "1 media file copied" in read(client)
    assert Part.objects.filter(path="m/a.png").exists()
    bad = archive({"collection.jsonl": line("x2").encode(), "../../evil.png": b"x"})
    answer = send(
        client,
        "load",
        "shapes",
        "items",
        status=422,
        file=SimpleUploadedFile("set.zip", bad.getvalue()),
    )
    assert "leads out of the folder" in answer.content.decode()
    assert not (tmp_path / "evil.png").exists()


def test_media_may_come_in_a_zip_of_their_own(client, collection, researcher, tmp_path):
    pictures = SimpleUploadedFile("pictures.zip", archive({"m/a.png": b"PNG"}).getvalue())
    send(
        client, "load", "shapes", "items", file=upload(line("x1", image="m/a.png")), media=pictures
    )
    assert "pictures.zip" in read(client)
    assert (tmp_path / "media" / "collections" / "shapes" / "m" / "a.png").read_bytes() == b"PNG"


def test_media_that_are_no_zip_are_refused_at_once(client, collection, researcher):
    fields = {"file": upload(line("x1")), "media": upload("x", name="a.png")}
    answer = send(client, "load", "shapes", "items", status=422, **fields)
    assert "a.png is no zip archive" in answer.content.decode()
    assert not Import.objects.exists()


def test_a_file_beyond_the_limit_names_the_command(client, collection, researcher, settings):
    settings.UPLOAD_MAX_BYTES = 10
    answer = send(client, "load", "shapes", "items", status=422, file=upload(line("x1")))
    assert "load_collection" in answer.content.decode()


def test_reference_labels_are_loaded_with_their_grades_mapped(client, collection, researcher):
    send_labels(client, "q0 0 d0 1", "q0 0 d1 0", grades="1:2", min_grade=1)
    assert not ReferenceSet.objects.exists()
    text = read(client)
    assert [label.grade for label in ReferenceSet.objects.get().labels.all()] == [2]
    assert re.search(r"<dt>Too small grades left out</dt><dd>1</dd>", text)
    assert "Upload runs" in text
    overview = client.get(reverse("metrics:collection", args=["shapes"])).content.decode()
    assert re.search(r"<dt>original</dt>\s*<dd>1</dd>", overview)


def test_a_faulty_file_is_named_line_by_line_with_unknown_ids_and_its_upload_is_gone(
    client, collection, researcher
):
    received = send_labels(client, "q9 0 d0 1", "q0 0", "q0 0 d0 1", "q0 0 d0 1")
    text = read(client)
    assert "2 faults; nothing was stored" in text
    assert re.search(
        r'<td class="number">1</td><td>query</td><td>the collection has no query', text
    )
    assert re.search(r'<td class="number">2</td><td></td><td>expected 4 fields', text)
    assert "1: q9" in text
    assert "Line 4 after line 3" in text
    assert "Upload again" in text
    assert not ReferenceSet.objects.exists()
    assert received.file.storage.exists(received.file.name)  # until the refusal is committed


def test_labels_of_unknown_items_are_left_out_where_the_form_says_so(
    client, collection, researcher
):
    send_labels(client, "q9 0 d0 1", "q0 0 d0 1", skip_unknown="on")
    text = read(client)
    assert "1 of unknown items" in text
    assert ReferenceSet.objects.get().labels.count() == 1


def test_only_the_first_50_faults_are_shown_with_their_count(client, collection, researcher):
    send_labels(client, "q0 0 d0 1", *[f"q{number} 0 d0 1" for number in range(1, 1001)])
    text = read(client)
    assert "1,000 faults" in text
    assert "The first 50 are shown" in text
    assert "1,000: q1, q2" in text
    assert text.count('<td class="number">') == 50


def test_judgments_are_imported_with_the_columns_named(client, collection, researcher):
    table = upload("caption,image,e1,e2", "q0,d0,1,2", "q0,d1,0,", name="experts.csv")
    fields = {
        "name": "experts",
        "query": "caption",
        "document": "image",
        "layout": "wide",
        "annotators": "e1, e2",
    }
    send(client, "load", "shapes", "judgments", file=table, **fields)
    assert "See the agreement" in read(client)
    assert Judgment.objects.count() == 3


def test_rows_without_a_grade_are_left_out_by_a_tick(client, collection, researcher):
    fields = {
        "name": "one",
        "query": "query",
        "document": "document",
        "layout": "long",
        "annotator": "who",
    }
    fields |= {"grade": "grade"}
    table = ("who,query,document,grade", "a,q0,d0,1", "b,q0,d0,", "b,q0,d1,NA")
    send(client, "load", "shapes", "judgments", file=upload(*table, name="a.csv"), **fields)
    assert "grade is blank; write one, or leave out rows without a grade" in read(client)
    assert not Judgment.objects.exists()
    send(
        client,
        "load",
        "shapes",
        "judgments",
        file=upload(*table, name="a.csv"),
        skip_blank="on",
        **fields,
    )
    assert "2 without a grade left out" in read(client)
    assert Judgment.objects.count() == 1
    send_labels(client, "query-id,corpus-id,score", "q0,d0,1", "q0,d1,", skip_blank="on")
    assert "1 without a grade" in read(client)


@pytest.mark.parametrize("checkbox_value", ["0", "no", "off", "False", ""])
def test_a_program_that_says_no_ticks_nothing(client, collection, researcher, checkbox_value):
    send_labels(
        client, "q9 0 d0 1", "q0 0 d0 1", skip_unknown=checkbox_value, skip_blank=checkbox_value
    )
    assert not ReferenceSet.objects.exists() and "q9" in read(client)


def test_an_import_that_does_not_fit_is_explained(client, collection, researcher):
    fields = {"name": "experts", "query": "query", "document": "document", "layout": "long"}
    table = ("who,query,document,grade", "a,q0,d0,1")
    answer = send(client, "load", "shapes", "judgments", status=422, file=upload(*table), **fields)
    assert "Name it, or choose the other layout" in answer.content.decode()
    fields |= {"annotator": "annotator", "grade": "grade"}
    send(client, "load", "shapes", "judgments", file=upload(*table), **fields)
    assert "no column &quot;annotator&quot;" in read(client)


def test_captions_and_names_are_written_as_text(client, collection, researcher):
    send_labels(client, "<b>x</b> 0 d0 1", name="<script>alert(1)</script>")
    text = read(client)
    assert "<b>x</b>" not in text
    assert "<script>alert" not in text


def test_the_same_file_twice_is_read_once_and_says_so(client, collection, researcher):
    first = send_labels(client, "q0 0 d0 1")
    assert send_labels(client, "q0 0 d0 1") == first
    read(client)
    assert send_labels(client, "q0 0 d0 1") == first
    assert "This very file came" in page(client, first)
    assert send_labels(client, "q0 0 d0 1", name="other") != first


def test_while_a_file_is_being_read_the_page_shows_rows_and_the_time_left(
    client, collection, researcher
):
    received = send_labels(client, "q0 0 d0 1")
    job = works.job_of(received.work)
    assert "No worker has been seen" in page(client, received)
    progress.advance(job=job, n_done=1200, total=88_000)
    text = page(client, received)
    assert "1,200 of 88,000 rows" in text
    assert '<progress max="88000" value="1200"' in text
    assert "If you cancel, nothing of this file is stored." in text
    perform_work(received)
    assert state(client, received).headers["HX-Redirect"] == reverse(
        "annotate:import", args=["shapes", received.pk]
    )


def test_a_file_that_waits_for_a_worker_is_cancelled_at_once(client, collection, researcher):
    received = send_labels(client, "q0 0 d0 1")
    client.post(reverse("annotate:import-cancel", args=["shapes", received.pk]))
    assert "Nothing of this file was stored" in page(client, received)
    perform_work(received)
    assert not ReferenceSet.objects.exists()


def test_a_file_that_no_worker_brings_to_an_end_says_so_and_can_be_sent_again(
    client, collection, researcher
):
    received = send_labels(client, "q0 0 d0 1")
    Work.objects.filter(import_file=received).update(attempts=works.MAX_ATTEMPTS)
    text = page(client, perform_work(received))
    assert "Rejected" in text and "Upload again" in text
    assert "never came to its end" in text and "Upload it again, or split it." in text
    assert send_labels(client, "q0 0 d0 1") != received


def test_a_lead_sees_what_came_and_cancels_nothing(client, collection, researcher):
    received = send_labels(client, "q0 0 d0 1")
    client.force_login(cast.member(collection, Role.LEAD))
    assert "Cancel</button>" not in page(client, received)
    assert (
        client.post(reverse("annotate:import-cancel", args=["shapes", received.pk])).status_code
        == 404
    )


def test_the_list_shows_what_came_newest_first_and_is_empty_at_first(
    client, collection, researcher, django_assert_max_num_queries
):
    listed = reverse("annotate:imports", args=["shapes"])
    assert "No imports yet" in client.get(listed).content.decode()
    for number in range(12):
        send_labels(client, "q0 0 d0 1", name=f"set{number}")
    with django_assert_max_num_queries(10):
        text = client.get(listed).content.decode()
    assert text.index("set11") < text.index("set0")


def test_items_reach_the_collection_only_when_the_file_was_read(client, collection, researcher):
    send(client, "load", "shapes", "items", file=upload(line("x1")))
    assert not Item.objects.filter(external_id="x1").exists()
    assert "1 new item with" in read(client)
