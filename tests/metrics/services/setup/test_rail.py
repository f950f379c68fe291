"""The rail: on which pages it stands, which step is present, and the way on."""

from functools import partial

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotate.models import Import, Role, Side
from annotate.services.collection.collections import change_guidelines, change_policy
from metrics.services.setup.rail import RAIL_PAGES, rail
from tests import cast
from tests.pages import text_of
from tests.signed_in import lead  # noqa: F401 - the fixture

pytestmark = pytest.mark.django_db
TRAINING = {"quiz_mark": 1, "measure": "accuracy", "pass_mark": 1, "wait_minutes": 0}


@pytest.fixture
def rail_on(collection):
    """Function that returns the rail of a page for who leads and researches."""
    person = cast.member(collection, Role.LEAD, cast.member(collection, Role.RESEARCHER))
    return partial(rail, collection=collection, user=person)


@pytest.mark.parametrize(
    ("page", "place", "title"),
    [
        ("annotate:load", {"import_kind": Import.Kind.ITEMS}, "Step 1 of 11: Data"),
        (
            "annotate:load",
            {"import_kind": Import.Kind.REFERENCE},
            "Step 2 of 11: Reference labels",
        ),
        ("annotate:load", {"import_kind": Import.Kind.JUDGMENTS}, "Set-up: 2 of 11 steps done"),
        ("annotate:levels", {}, "Step 3 of 11: Levels"),
        ("pooling:run", {}, "Step 5 of 11: Runs"),
        ("annotate:members", {}, "Step 10 of 11: People"),
        ("annotate:import", {}, "Set-up: 2 of 11 steps done"),
    ],
)
def test_the_page_tells_the_present_step(rail_on, page, place, title):
    setup_rail = rail_on(page=page, **place)
    assert setup_rail.title == title
    present = [line.step for line in setup_rail.lines if line.is_present]
    assert present == ([setup_rail.present_step] if setup_rail.present_step else [])


def test_an_optional_step_may_be_left_out_and_an_open_one_may_not(collection, rail_on):
    assert rail_on(page="annotate:policy").onward_text == "Leave out, go on to Data"
    change_policy(collection=collection, by=None, labels_per_pair=2, ceiling=2)
    assert rail_on(page="annotate:policy").onward_text == "Go on to Data"
    assert rail_on(page="pooling:runs").onward_text == ""


def test_from_a_step_that_may_be_left_out_the_way_on_is_the_next_of_the_list(collection, rail_on):
    cast.pairs(collection, 1)
    change_guidelines(collection=collection, markdown="", wording=[], by=None)
    assert rail_on(page="annotate:levels").onward_text == "Go on to Guidelines"
    assert rail_on(page="annotate:guidelines").onward_text == "Leave out, go on to Runs"
    data = rail_on(page="annotate:load", import_kind=Import.Kind.ITEMS)
    assert data.onward_text == "Go on to Runs"
    assert data.next_address == reverse("pooling:run-upload", args=["shapes"])


def test_a_saved_page_leads_on_from_itself(client, collection, lead):  # noqa: F811
    change_guidelines(collection=collection, markdown="", wording=[], by=None)
    next_page = reverse("metrics:setup-next", args=["shapes"])
    for page, expected in (
        ("annotate:levels", "annotate:guidelines"),
        ("annotate:guidelines", "annotate:policy"),
        ("nothing", "annotate:members"),
    ):
        assert client.get(next_page, {"after": page}).url == reverse(expected, args=["shapes"])


@pytest.mark.usefixtures("media_root")
def test_reference_labels_lead_on_to_the_next_step_and_items_to_the_next_needed(client, collection):
    cast.pairs(collection, 1)
    change_guidelines(collection=collection, markdown="", wording=[], by=None)
    client.force_login(cast.member(collection, Role.LEAD, cast.member(collection, Role.RESEARCHER)))
    upload = SimpleUploadedFile("original.qrels", b"q0 0 d0 1\n")
    load = reverse("annotate:load", args=["shapes", Import.Kind.REFERENCE])
    answer = client.post(load, {"name": "original", "file": upload})
    assert client.get(answer.url).url == reverse("annotate:guidelines", args=["shapes"])
    item = SimpleUploadedFile("items.jsonl", b'{"id": "d0", "side": "document", "text": "One"}\n')
    load = reverse("annotate:load", args=["shapes", Import.Kind.ITEMS])
    answer = client.post(load, {"file": item})
    assert client.get(answer.url).url == reverse("pooling:run-upload", args=["shapes"])


def test_the_notice_of_a_saved_step_does_not_leave_out_the_next_one(client, collection, lead):  # noqa: F811
    levels = collection.levels.all()
    fields = {f"name-{level.grade}": level.name for level in levels}
    guidelines = {"markdown": "# Look", "version": 1, **fields}
    answer = client.post(reverse("annotate:guidelines", args=["shapes"]), guidelines, follow=True)
    text = text_of(answer)
    notice = text.partition('class="notice')[2].partition("<h1")[0]
    assert "Step 6 of 11: Policy" in text
    assert "Saved" in notice and "Go on to" not in notice
    assert "Leave out, go on to Golds" in text


def test_once_something_was_saved_the_way_on_leaves_nothing_out(rail_on):
    assert rail_on(page="annotate:golds").saved_text == "Go on to Data"
    assert rail_on(page="annotate:members").saved_text == ""


def test_without_an_open_step_the_way_on_is_the_overview(collection):
    person = cast.member(collection, Role.LEAD)
    lead_rail = rail(collection=collection, user=person, page="annotate:training-setup")
    assert lead_rail.onward_text == "Leave out, go on to People"
    cast.annotator(collection)
    lead_rail = rail(collection=collection, user=person, page="annotate:training-setup")
    assert lead_rail.saved_text == "Go on to the overview"
    assert lead_rail.next_address == reverse("metrics:collection", args=["shapes"])


def test_other_pages_and_collections_that_are_judged_have_none_and_ask_nothing(
    collection, rail_on, django_assert_num_queries
):
    with django_assert_num_queries(0):
        assert rail_on(page="metrics:dashboard") is None
        collection.scheme_frozen_at = timezone.now()
        assert all(rail_on(page=page) is None for page in RAIL_PAGES)


def test_a_rail_takes_as_many_queries_for_much_as_for_little(
    collection, rail_on, django_assert_max_num_queries
):
    with django_assert_max_num_queries(16):
        rail_on(page="annotate:levels")
    cast.items(collection, Side.QUERY, 3)
    cast.reference(collection, {}, name="original")
    cast.annotator(collection)
    change_guidelines(collection=collection, markdown="# Twice", wording=[], by=None)
    with django_assert_max_num_queries(16):
        rail_on(page="annotate:levels")


def test_the_page_of_a_step_marks_it_and_a_judged_collection_has_no_rail(client, collection, lead):  # noqa: F811
    address = reverse("annotate:policy", args=["shapes"])
    answer = client.get(address)
    text = text_of(answer)
    assert "Step 6 of 11: Policy" in text
    assert answer.content.decode().count('aria-current="step"') == 2  # the list, and its line
    assert "Leave out, go on to Golds" in text
    collection.scheme_frozen_at = timezone.now()
    collection.save()
    assert "Step 6 of 11" not in text_of(client.get(address))


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("training-change", "Step 9 of 11: Training"),
        ("training-pair-add", "Step 9 of 11: Training"),
        ("training-golds-add", "Step 9 of 11: Training"),
        ("training-file-add", "Step 9 of 11: Training"),
        ("invite", "Step 10 of 11: People"),
    ],
)
def test_what_is_refused_is_told_beside_the_rail_of_its_page(client, collection, lead, name, place):  # noqa: F811
    answer = client.post(reverse(f"annotate:{name}", args=["shapes"]), {})
    assert answer.status_code == 422
    assert place in text_of(answer)


@pytest.mark.parametrize(
    ("name", "fields", "way_on"),
    [
        ("training-change", TRAINING, "People"),
        ("invite", {"role": "annotator", "days": 7, "email": ""}, "the overview"),
    ],
)
def test_a_page_on_which_several_are_saved_stays_with_the_way_on_at_its_notice(
    client,
    collection,
    lead,  # noqa: F811
    name,
    fields,
    way_on,
):
    answer = client.post(reverse(f"annotate:{name}", args=["shapes"]), fields, follow=True)
    assert answer.status_code == 200
    notice = text_of(answer).partition('class="notice')[2].partition("</section>")[0]
    assert f">Go on to {way_on}</a>" in notice.partition("<h2>")[0]
