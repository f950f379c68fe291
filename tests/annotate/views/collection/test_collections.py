"""A collection's page, making one, and loading files in the browser."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.models import Collection, Item, Membership
from tests import cast
from tests.annotate.core.files.samples import archive, file, line
from tests.annotate.views.browsing import page, send, upload
from tests.pages import text_of
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
LEVELS = {
    "levels-TOTAL_FORMS": 7,
    "levels-INITIAL_FORMS": 7,
    "levels-0-grade": 3,
    "levels-0-name": "Yes",
    "levels-0-reasons": "size, colour; kind: animal, plant",
    "levels-1-grade": 0,
    "levels-1-name": "No",
}
NEW = {"name": "Birds", "slug": "birds", "measurement": "ordinal", "positive_from": 3, **LEVELS}


def home(client, slug):
    """The text of a collection's first page."""
    return client.get(reverse("metrics:collection", args=[slug])).content.decode()


def read(client, collection):
    """Perform the work of the newest import; return the text of its page."""
    newest = perform_work(collection.imports.latest("pk"))
    return page(client, "import", collection.slug, newest.pk)


def preview(client, *lines):
    """The preview of a first file."""
    content = file(*lines).getvalue()
    piece = SimpleUploadedFile("piece", content)
    fields = {"name": "a.jsonl", "size": len(content), "at": ["0"], "piece": [piece]}
    return client.post(reverse("annotate:new-items-preview"), fields).content.decode()


def test_a_stranger_makes_no_collection(client, collection):
    client.force_login(cast.user())
    page(client, "collection-new", status=404)


def test_an_annotator_makes_no_collections(client, collection):
    client.force_login(cast.annotator(collection).user)
    page(client, "collection-new", status=404)
    assert "New collection" not in page(client, "home")


def test_a_collection_is_made_with_its_levels_and_items(client, researcher):
    assert "New collection" in page(client, "home")
    assert "Relevant" in page(client, "collection-new")
    send(client, "collection-new", **NEW, file=upload(line("q1", "query"), line("d1")))
    collection = Collection.objects.get(slug="birds")
    assert not collection.items.exists()
    assert "1 file is being read" in home(client, "birds")
    read(client, collection)
    assert [(level.grade, level.key, level.reasons) for level in collection.levels.all()] == [
        (3, "3", ["size", "colour", {"name": "kind", "what": ["animal", "plant"]}]),
        (0, "0", []),
    ]
    assert Item.objects.filter(collection=collection).count() == 2
    roles = set(
        Membership.objects.filter(collection=collection, user=researcher).values_list(
            "role", flat=True
        )
    )
    assert roles == {"lead", "researcher"}
    assert "2 new items" in page(client, "import", "birds", collection.imports.get().pk)


def test_a_name_and_a_file_suffice_and_the_next_step_opens(client, researcher):
    levels = {"levels-2-grade": "", "measurement": "ordinal", "positive_from": 3, **LEVELS}
    answer = send(client, "collection-new", name="Côte d'Azur", file=upload(line("d1")), **levels)
    step = {"after": "annotate:load", "kind": "items"}
    assert answer.url == reverse("metrics:setup-next", args=["cote-dazur"], query=step)
    assert client.get(answer.url).url == reverse("pooling:run-upload", args=["cote-dazur"])
    send(client, "collection-new", name="Côte d'Azur", **levels)
    assert Collection.objects.filter(slug="cote-dazur-2").exists()
    send(client, "collection-new", name="鳥", **levels)
    assert Collection.objects.filter(slug="collection").exists()


def test_a_file_of_one_side_is_followed_by_the_page_that_loads_the_other(client, researcher):
    page_of_preview = preview(client, line("d1"))
    assert "The file of queries comes next" in page_of_preview
    assert 'name="lacking_side" value="queries"' in page_of_preview
    assert "lacking_side" not in preview(client, line("q1", "query"), line("d1"))
    answer = send(client, "collection-new", **NEW, file=upload(line("d1")), lacking_side="queries")
    assert answer.url == reverse("annotate:load", args=["birds", "items"])
    assert "Load the queries next." in text_of(client.get(answer.url))


def test_colours_of_levels_go_by_grade_and_not_by_row(client, researcher):
    first_choice = '<option value="" selected>By grade</option>'
    assert page(client, "collection-new").count(first_choice) == 7
    rows = {"levels-0-grade": 0, "levels-0-name": "No", "levels-1-grade": 3, "levels-1-name": "Yes"}
    send(client, "collection-new", **NEW | rows)
    levels = Collection.objects.get(slug="birds").levels
    assert list(levels.values_list("name", "colour")) == [("Yes", "green"), ("No", "slate")]


def test_a_file_with_faults_leaves_the_collection_without_items_and_names_the_lines(
    client, researcher
):
    send(client, "collection-new", **NEW, file=upload(line("q1", "query"), "{", line("d 1")))
    collection = Collection.objects.get(slug="birds")
    text = read(client, collection)
    assert "Line" in text
    assert "this is no JSON" in text
    assert not collection.items.exists()
    assert reverse("annotate:load", args=["birds", "items"]) in home(client, "birds")


def test_an_archive_that_is_refused_makes_no_collection(client, researcher):
    bad = archive({"collection.jsonl": line("d2").encode(), "../../evil.png": b"x"})
    set_file = SimpleUploadedFile("set.zip", bad.getvalue())
    answer = send(client, "collection-new", status=422, **NEW, file=set_file)
    assert "leads out of the folder" in answer.content.decode()
    assert not Collection.objects.filter(slug="birds").exists()


def test_media_without_items_are_refused(client, researcher):
    media = SimpleUploadedFile("media.zip", archive({"a.png": b"PNG"}).getvalue())
    answer = send(client, "collection-new", status=422, **NEW, media=media)
    assert "Give the file of items" in answer.content.decode()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"slug": "shapes"}, "such as &quot;shapes-2&quot;"),
        ({"positive_from": 2}, "choose one of the grades"),
        ({"levels-1-name": ""}, "2 to 7 levels"),
        ({"levels-1-grade": 3}, "the same grade"),
        ({"levels-1-grade": ""}, "Give this level a grade"),
        ({"levels-0-grade": 300}, "less than or equal to 100"),
        ({"name": ""}, "required"),
        ({"slug": "no blanks"}, "valid"),
        ({"measurement": "vague"}, "Select a valid choice"),
        ({"levels-TOTAL_FORMS": 9999}, "at most 7"),
    ],
)
def test_what_does_not_fit_is_said_and_nothing_is_made(client, researcher, change, says):
    answer = send(client, "collection-new", status=422, **{**NEW, **change})
    assert says in answer.content.decode()
    assert Collection.objects.count() == 1


def test_a_scheme_to_begin_from_fills_the_table_of_levels(client, researcher):
    text = page(client, "collection-new")
    assert text.count('aria-current="true"') == 1
    eccv = client.get(reverse("annotate:collection-new"), {"levels": "eccv"}).content.decode()
    assert "Partially yes, but" in eccv
    assert "main thing is wrong: quantity" in eccv
    assert 'name="positive_from" value="2"' in eccv
    assert "Partially yes, but" not in text


def test_an_unknown_scheme_to_begin_from_is_not_found(client, researcher):
    assert client.get(reverse("annotate:collection-new"), {"levels": "x"}).status_code == 404


def test_levels_that_were_typed_stay_when_the_form_is_refused(client, researcher):
    answer = send(client, "collection-new", status=422, **{**NEW, "positive_from": 9})
    assert 'value="Yes"' in answer.content.decode()
    assert 'aria-current="true"' not in answer.content.decode()
