"""The page of the levels: changed in a table, or taken from a preset, until the first judgment."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.core.levels.scheme_rules import LevelSpec
from annotate.models import Collection
from annotate.services.collection import collections
from tests import cast
from tests.annotate.views.browsing import page, send
from tests.pages import text_of

pytestmark = pytest.mark.django_db
COUNTS = {"levels-TOTAL_FORMS": 7, "levels-INITIAL_FORMS": 7}
ROWS = {
    **COUNTS,
    "levels-0-grade": 3,
    "levels-0-name": "Yes",
    "levels-1-grade": 0,
    "levels-1-name": "No",
    "positive_from": 3,
}


def stored(collection):
    collection.refresh_from_db()
    return collection.positive_from, list(collection.levels.values_list("grade", "name"))


def fields_on(text):
    return dict(re.findall(r'<input[^>]* name="([^"]+)" value="([^"]*)"', text)) | COUNTS


def test_the_present_levels_stand_in_the_table_best_first(client, collection, lead):
    text = page(client, "levels", collection.slug)
    names = [level.name for level in collection.levels.order_by("-grade")]
    places = [text.index(f'value="{name}"') for name in names]
    assert places == sorted(places)
    assert 'aria-current="true"' not in text.partition("<main")[2]


def test_a_preset_fills_the_table_and_stores_nothing(client, collection, lead):
    before = stored(collection)
    answer = client.get(reverse("annotate:levels", args=[collection.slug]), {"levels": "eccv"})
    assert "Partially yes, but" in answer.content.decode()
    assert stored(collection) == before
    unknown = client.get(reverse("annotate:levels", args=[collection.slug]), {"levels": "x"})
    assert unknown.status_code == 404


def test_other_levels_take_the_place_of_the_present_ones(client, collection, lead):
    send(client, "levels", collection.slug, **ROWS)
    assert stored(collection) == (3, [(3, "Yes"), (0, "No")])
    assert collection.guidelines.latest("version").wording[0]["name"] == "Yes"


def test_a_level_keeps_its_own_key_when_its_words_are_changed_on_the_page(client, collection, lead):
    collections.replace_levels(
        collection=collection,
        levels=[LevelSpec(10, "Yes", key="2"), LevelSpec(1, "Partly"), LevelSpec(0, "No")],
        positive_from=1,
    )
    before = list(collection.levels.values_list("pk", "key"))
    text = page(client, "levels", collection.slug)
    fields = fields_on(text) | {"levels-1-sentence": "A part of it."}
    send(client, "levels", collection.slug, **fields)
    assert list(collection.levels.values_list("pk", "key")) == before
    assert collection.levels.get(grade=1).sentence == "A part of it."


def test_a_key_that_goes_by_the_grade_follows_a_changed_grade(client, collection, lead):
    fields = fields_on(page(client, "levels", collection.slug)) | {"levels-0-grade": 8}
    send(client, "levels", collection.slug, **fields)
    assert collection.levels.get(grade=8).key == "8"


def test_levels_that_somebody_saved_meanwhile_are_not_renamed_by_an_older_page(
    client, collection, lead
):
    fields = fields_on(page(client, "levels", collection.slug))
    levels = [LevelSpec(2, "Yes"), LevelSpec(1, "Partly"), LevelSpec(0, "No")]
    collections.change_scheme(collection=collection, levels=levels, positive_from=1, by=None)
    before = stored(collection)
    answer = send(client, "levels", collection.slug, status=422, **fields)
    assert "Somebody saved version 2" in answer.content.decode()
    assert stored(collection) == before
    send(client, "levels", collection.slug, **fields_on(text_of(answer)))
    assert collection.levels.get(grade=2).name == fields["levels-0-name"]


def test_what_cannot_be_a_scheme_is_said_at_its_field(client, collection, lead):
    before = stored(collection)
    answer = send(client, "levels", collection.slug, status=422, **ROWS | {"positive_from": 2})
    assert "choose one of the grades above the lowest" in answer.content.decode()
    assert 'value="Yes"' in answer.content.decode()
    assert stored(collection) == before


def test_a_grade_that_labels_have_stays(client, collection, lead):
    pair = cast.pairs(collection, 1)[0]
    cast.reference(collection, {(pair.query.external_id, pair.document.external_id): 2})
    answer = send(client, "levels", collection.slug, status=422, **ROWS)
    assert "there are reference sets with this grade" in answer.content.decode()


def test_from_the_first_judgment_on_levels_are_frozen(client, collection, lead):
    collection.scheme_frozen_at = timezone.now()
    collection.save()
    before = stored(collection)
    text = page(client, "levels", collection.slug)
    assert "frozen since the first judgment" in text
    assert ">Save<" not in text
    fields = ROWS | {"levels-0-sentence": "All of it is there."}
    answer = send(client, "levels", collection.slug, status=422, **fields)
    text = answer.content.decode().partition("<main")[2]
    assert "Nothing was saved." in text
    assert "The levels have been used; only their wording and colours may change." in text
    assert "All of it is there." in text
    assert stored(collection) == before


def draft(client, **fields):
    collection = Collection.objects.get()
    before = stored(collection)
    text = text_of(send(client, "levels-draft", "shapes", status=200, **ROWS | fields))
    assert stored(collection) == before
    return text


def error_at(field, sentence):
    return f'id="id_{field}_error" hx-swap-oob="true">{sentence}<'


def test_levels_are_told_in_words_as_they_are_typed(client, collection, lead):
    text = draft(client, **{"levels-2-grade": 4, "levels-2-name": "Surely"})
    assert "Relevant: “Surely” and “Yes”. Not relevant: “No”." in text
    assert error_at("levels-1-name", "") in text


@pytest.mark.parametrize(
    ("change", "field", "sentence"),
    [
        ({"levels-1-name": "YES "}, "levels-1-name", "Two levels have the same name"),
        ({"levels-1-grade": 3}, "levels-1-grade", "Two levels have the same grade"),
        ({"levels-1-grade": 30}, "levels-1-grade", "Two levels have the same key"),
        ({"levels-1-grade": ""}, "levels-1-grade", "Give this level a grade."),
        ({"positive_from": 2}, "positive_from", "Relevant from grade 2: choose one of"),
        ({"positive_from": ""}, "positive_from", "This field is required."),
    ],
)
def test_a_contradiction_of_levels_is_told_at_its_field_as_it_is_typed(
    client, collection, lead, change, field, sentence
):
    text = draft(client, **change)
    assert error_at(field, sentence)[:-1] in text
    assert "Relevant: " not in text
    refused = text_of(send(client, "levels", "shapes", status=422, **ROWS | change))
    assert f'id="id_{field}_error">{sentence}' in refused


def drawn(text):
    """Key, colour and name of each level in the picture."""
    picture = text.partition("levels-picture")[2].partition("</figure>")[0]
    row = r'colour-(\w+)"><kbd>(\d)</kbd>\s*.*?level-name">([^<]*)<'
    return [(key, colour, name) for colour, key, name in re.findall(row, picture, re.DOTALL)]


def test_the_page_begins_with_a_picture_of_the_levels_as_the_card_shows_them(
    client, collection, lead
):
    levels = collection.levels.order_by("-grade")
    text = page(client, "levels", collection.slug)
    assert drawn(text) == [(level.key, level.colour, level.name) for level in levels]
    assert "Relevant: “" in text
    eccv = client.get(reverse("annotate:levels", args=[collection.slug]), {"levels": "eccv"})
    picture = drawn(text_of(eccv))
    assert [name for _, _, name in picture][:2] == ["100 % yes", "Partially yes, but"]
    send(client, "levels", collection.slug, **fields_on(text_of(eccv)))
    levels = collection.levels.order_by("-grade")
    assert picture == [(level.key, level.colour, level.name) for level in levels]


def test_the_picture_follows_what_is_typed_also_where_it_is_refused(client, collection, lead):
    third = {"levels-2-grade": 12, "levels-2-name": "Surely", "levels-2-colour": "violet"}
    rows = [("1", "violet", "Surely"), ("3", "green", "Yes"), ("0", "slate", "No")]
    assert drawn(draft(client, **third)) == rows
    text = draft(client, **third | {"levels-2-key": 7, "levels-1-name": "YES"})
    assert drawn(text) == [("7", "violet", "Surely"), rows[1], ("0", "slate", "YES")]
    assert drawn(draft(client, **third | {"levels-2-grade": "", "positive_from": ""})) == rows[1:]


def test_grades_colours_and_reasons_wait_behind_more_settings_until_one_is_refused(
    client, collection, lead
):
    text = page(client, "levels", collection.slug)
    first_rows = text.partition('class="level-rows"')[2].partition("</ol>")[0]
    assert 'name="levels-0-name"' in first_rows and 'name="levels-0-sentence"' in first_rows
    assert "grade" not in first_rows and "colour" not in first_rows
    assert not re.search(r"<details open>\s*<summary>More settings", text)
    refused = text_of(send(client, "levels", "shapes", status=422, **ROWS | {"positive_from": 2}))
    assert re.search(r"<details open>\s*<summary>More settings", refused)


def test_what_is_refused_behind_more_settings_is_told_in_view_too(client, collection, lead):
    text = draft(client, **{"levels-1-grade": 3})
    in_view = text.partition('id="levels-draft"')[2].partition("hx-swap-oob")[0]
    assert 'href="#id_levels-1-grade">Grade of level' in " ".join(in_view.split())
    assert "Two levels have the same grade" in in_view
    assert 'id="levels-1-title" hx-swap-oob="true">No<' in text


def test_too_few_levels_and_grades_in_use_are_told_as_they_are_typed(client, collection, lead):
    assert "2 to 7 levels, this one has 1" in draft(client, **{"levels-1-name": ""})
    pair = cast.pairs(collection, 1)[0]
    cast.reference(collection, {(pair.query.external_id, pair.document.external_id): 2})
    assert "Grade 2 stays: there are reference sets" in draft(client)


def test_levels_of_a_new_collection_are_told_in_words_too(client, collection, researcher):
    text = text_of(send(client, "new-levels-draft", status=200, **ROWS))
    assert drawn(text) == [("3", "green", "Yes"), ("0", "slate", "No")]
    assert drawn(page(client, "collection-new"))[0] == ("1", "green", "Relevant")
    assert "Relevant: “Yes”. Not relevant: “No”." in text
    text = text_of(send(client, "new-levels-draft", status=200, **ROWS | {"levels-1-name": "yes"}))
    assert error_at("levels-1-name", "Two levels have the same name")[:-1] in text
