"""A collection's page, making one, and loading files in the browser."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.forms import ItemsForm
from annotate.models import Collection, Item, Judgment, Membership, Part, ReferenceSet, Role, Side
from tests import campaigns, factories
from tests.annotate.core.files import archive

pytestmark = pytest.mark.django_db
LEVELS = {
    "levels-TOTAL_FORMS": 7,
    "levels-INITIAL_FORMS": 7,
    "levels-0-grade": 3,
    "levels-0-name": "Yes",
    "levels-0-reasons": "size, colour",
    "levels-1-grade": 0,
    "levels-1-name": "No",
}
NEW = {"name": "Birds", "slug": "birds", "measurement": "ordinal", "positive_from": 3, **LEVELS}


@pytest.fixture(autouse=True)
def media_root(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def made():
    return factories.collection("shapes", grades=3)


@pytest.fixture
def researcher(client, made):
    person = factories.member(made, Role.RESEARCHER)
    client.force_login(person)
    return person


def page(client, name, /, *args, status=200):
    answer = client.get(reverse(f"annotate:{name}", args=args))
    assert answer.status_code == status
    return answer.content.decode()


def send(client, name, /, *args, status=302, **fields):
    answer = client.post(reverse(f"annotate:{name}", args=args), fields)
    assert answer.status_code == status, answer.content.decode()
    return answer


def upload(*lines, name="collection.jsonl"):
    return SimpleUploadedFile(name, "".join(line + "\n" for line in lines).encode())


def line(id_, side="document", **fields):
    return json.dumps({"side": side, "id": id_, **(fields or {"text": "x"})})


def test_a_researcher_is_told_to_load_items_then_labels_then_runs(client, made, researcher):
    assert "A collection needs queries and documents" in page(client, "collection", made.slug)
    factories.items(made, Side.QUERY, 2)
    factories.items(made, Side.DOCUMENT, 3)
    text = page(client, "collection", made.slug)
    assert "Load reference labels" in text
    assert "Upload runs" in text


def test_a_lead_sees_the_figures_but_loads_nothing(client, made):
    client.force_login(factories.member(made, Role.LEAD))
    text = page(client, "collection", made.slug)
    assert "Reference labels" in text
    assert reverse("annotate:items-new", args=[made.slug]) not in text
    for name in ("items-new", "reference-new", "judgments-import"):
        page(client, name, made.slug, status=404)


def test_an_annotator_sees_own_progress_alone(client, made):
    campaigns.open_pool_round(made, factories.pairs(made, 4))
    client.force_login(factories.annotator(made).user)
    text = page(client, "collection", made.slug)
    assert "Start judging" in text
    assert "Judged today" in text
    for secret in ("Reference labels", "Open pools", "Pairs judged", "What next", "relevant</span>"):
        assert secret not in text


def test_an_annotator_without_an_open_pool_is_told_so(client, made):
    client.force_login(factories.annotator(made).user)
    text = page(client, "collection", made.slug)
    assert "No pool is open" in text
    assert "Start judging" not in text


def test_a_stranger_finds_no_collection(client, made):
    client.force_login(factories.user())
    page(client, "collection", made.slug, status=404)
    page(client, "collection-new", status=404)


def test_an_annotator_makes_no_collections(client, made):
    client.force_login(factories.annotator(made).user)
    page(client, "collection-new", status=404)
    assert "New collection" not in page(client, "home")


def test_a_collection_is_made_with_its_levels_and_items(client, researcher):
    assert "New collection" in page(client, "home")
    assert "Relevant" in page(client, "collection-new")
    send(client, "collection-new", **NEW, file=upload(line("q1", "query"), line("d1")))
    made = Collection.objects.get(slug="birds")
    assert [(level.grade, level.key, level.reasons) for level in made.levels.all()] == [
        (3, "3", ["size", "colour"]),
        (0, "0", []),
    ]
    assert Item.objects.filter(collection=made).count() == 2
    roles = set(Membership.objects.filter(collection=made, user=researcher).values_list("role", flat=True))
    assert roles == {"lead", "researcher"}
    assert "2 new items" in page(client, "collection", "birds")


def test_a_file_with_faults_makes_no_collection_and_names_the_lines(client, researcher):
    answer = send(client, "collection-new", status=422, **NEW, file=upload(line("q1", "query"), "{", line("d 1")))
    text = answer.content.decode()
    assert "Line 2: this is no JSON" in text
    assert "Line 3: id" in text
    assert not Collection.objects.filter(slug="birds").exists()
    assert "is made" not in page(client, "home")


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


def test_a_zip_brings_media_and_one_that_leads_out_is_refused(client, made, researcher, tmp_path):
    fine = archive({"collection.jsonl": line("d1", image="m/a.png").encode(), "m/a.png": b"PNG"})
    send(client, "items-new", made.slug, file=SimpleUploadedFile("set.zip", fine.getvalue()))
    assert Part.objects.get().path == "m/a.png"
    bad = archive({"collection.jsonl": line("d2").encode(), "../../evil.png": b"x"})
    answer = send(client, "items-new", made.slug, status=422, file=SimpleUploadedFile("set.zip", bad.getvalue()))
    assert "leads out of the folder" in answer.content.decode()
    assert not (tmp_path / "evil.png").exists()


def test_a_file_beyond_the_limit_names_the_command(client, made, researcher, monkeypatch):
    monkeypatch.setattr(ItemsForm.base_fields["file"], "max_size", 10)
    answer = send(client, "items-new", made.slug, status=422, file=upload(line("d1")))
    assert "load_collection" in answer.content.decode()


def test_reference_labels_are_loaded_with_their_grades_mapped(client, made, researcher):
    factories.items(made, Side.QUERY, 1)
    factories.items(made, Side.DOCUMENT, 2)
    labels = upload("q0 0 d0 1", "q0 0 d1 0", name="a.qrels")
    send(client, "reference-new", made.slug, name="original", file=labels, grades="1:2", min_grade=1)
    reference = ReferenceSet.objects.get()
    assert [label.grade for label in reference.labels.all()] == [2]
    text = page(client, "collection", made.slug)
    assert re.search(r"<dt>original</dt>\s*<dd>1</dd>", text)


def test_a_faulty_reference_file_is_named_line_by_line(client, made, researcher):
    answer = send(
        client,
        "reference-new",
        made.slug,
        status=422,
        name="original",
        min_grade=0,
        file=upload("q9 0 d0 1", "q0 0", name="a.qrels"),
    )
    text = answer.content.decode()
    assert "Line 1: the collection has no query" in text
    assert "Line 2: expected 4 fields" in text
    assert not ReferenceSet.objects.exists()


def test_judgments_are_imported_with_the_columns_named(client, made, researcher):
    factories.items(made, Side.QUERY, 1)
    factories.items(made, Side.DOCUMENT, 2)
    table = upload("caption,image,e1,e2", "q0,d0,1,2", "q0,d1,0,", name="experts.csv")
    fields = {"name": "experts", "query": "caption", "document": "image", "layout": "wide", "annotators": "e1, e2"}
    send(client, "judgments-import", made.slug, file=table, **fields)
    assert Judgment.objects.count() == 3
    assert re.search(r"<dt>experts</dt>\s*<dd>3</dd>", page(client, "collection", made.slug))


def test_an_import_that_does_not_fit_is_explained(client, made, researcher):
    fields = {"name": "experts", "query": "query", "document": "document", "layout": "long"}
    table = ("who,query,document,grade", "a,q0,d0,1")
    answer = send(client, "judgments-import", made.slug, status=422, file=upload(*table), **fields)
    assert "Name it, or choose the other layout" in answer.content.decode()
    fields |= {"annotator": "annotator", "grade": "grade"}
    answer = send(client, "judgments-import", made.slug, status=422, file=upload(*table), **fields)
    assert "no column &quot;annotator&quot;" in answer.content.decode()


def test_captions_and_names_are_written_as_text(client, made, researcher):
    send(
        client,
        "reference-new",
        made.slug,
        status=422,
        name="<script>alert(1)</script>",
        min_grade=0,
        file=upload("<b>x</b> 0 d0 1", name="<i>.qrels"),
    )
    answer = send(
        client,
        "reference-new",
        made.slug,
        status=422,
        name="x",
        min_grade=0,
        file=upload("<b>x</b> 0 d0 1", name="a.qrels"),
    )
    assert "<b>x</b>" not in answer.content.decode()


def test_the_page_needs_as_many_queries_for_many_as_for_few(client, made, researcher, django_assert_max_num_queries):
    factories.pairs(made, 400)
    with django_assert_max_num_queries(28):
        page(client, "collection", made.slug)
