"""A collection's page, making one, and loading files in the browser."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.models import Collection, Item, Membership, Role, Side
from tests import campaigns, cast
from tests.annotate.core.files.samples import archive, line
from tests.annotate.views.browsing import page, send, upload
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


def read(client, collection):
    """Perform the work of the newest import; return the text of its page."""
    newest = perform_work(collection.imports.latest("pk"))
    return page(client, "import", collection.slug, newest.pk)


def test_a_researcher_is_told_to_load_items_then_labels_then_runs(client, collection, researcher):
    assert "A collection needs queries and documents" in page(client, "collection", collection.slug)
    cast.items(collection, Side.QUERY, 2)
    cast.items(collection, Side.DOCUMENT, 3)
    text = page(client, "collection", collection.slug)
    assert "Load reference labels" in text
    assert "Upload runs" in text


def test_a_lead_sees_the_figures_but_loads_nothing(client, collection):
    client.force_login(cast.member(collection, Role.LEAD))
    text = page(client, "collection", collection.slug)
    assert "Reference labels" in text
    assert reverse("annotate:load", args=[collection.slug, "items"]) not in text
    for kind in ("items", "reference", "judgments"):
        page(client, "load", collection.slug, kind, status=404)


def test_an_annotator_sees_own_progress_alone(client, collection):
    campaigns.open_pool_round(collection, cast.pairs(collection, 4))
    client.force_login(cast.annotator(collection).user)
    text = page(client, "collection", collection.slug)
    assert "Start judging" in text
    assert "Judged today" in text
    for secret in (
        "Reference labels",
        "Open pools",
        "Pairs judged",
        "What next",
        "relevant</span>",
    ):
        assert secret not in text


def test_an_annotator_without_an_open_pool_is_told_so(client, collection):
    client.force_login(cast.annotator(collection).user)
    text = page(client, "collection", collection.slug)
    assert "No pool is open" in text
    assert "Start judging" not in text


def test_a_stranger_finds_no_collection(client, collection):
    client.force_login(cast.user())
    page(client, "collection", collection.slug, status=404)
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
    assert "being read" in page(client, "collection", "birds")
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


def test_a_file_with_faults_leaves_the_collection_without_items_and_names_the_lines(
    client, researcher
):
    send(client, "collection-new", **NEW, file=upload(line("q1", "query"), "{", line("d 1")))
    collection = Collection.objects.get(slug="birds")
    text = read(client, collection)
    assert "Line" in text
    assert "this is no JSON" in text
    assert not collection.items.exists()
    assert reverse("annotate:load", args=["birds", "items"]) in page(client, "collection", "birds")


def test_an_archive_that_is_refused_makes_no_collection(client, researcher):
    bad = archive({"collection.jsonl": line("d2").encode(), "../../evil.png": b"x"})
    file = SimpleUploadedFile("set.zip", bad.getvalue())
    answer = send(client, "collection-new", status=422, **NEW, file=file)
    assert "leads out of the folder" in answer.content.decode()
    assert not Collection.objects.filter(slug="birds").exists()


def test_media_without_items_are_refused(client, researcher):
    media = SimpleUploadedFile("media.zip", archive({"a.png": b"PNG"}).getvalue())
    answer = send(client, "collection-new", status=422, **NEW, media=media)
    assert "Give the file of items" in answer.content.decode()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"slug": "shapes"}, "already exists"),
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


def test_the_page_needs_as_many_queries_for_many_as_for_few(
    client, collection, researcher, django_assert_max_num_queries
):
    cast.pairs(collection, 400)
    with django_assert_max_num_queries(28):
        page(client, "collection", collection.slug)


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
