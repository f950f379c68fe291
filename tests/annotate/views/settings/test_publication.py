"""The section Publication of the settings: a lead chooses what releases say and hold."""

import re

import pytest
from django.forms.models import model_to_dict
from django.urls import reverse

from annotate.models import Collection, Role
from tests import cast
from tests.annotate.views.browsing import page, send
from tests.pages import text_of

pytestmark = pytest.mark.django_db
FIELDS = ("licence", "creators", "cite_as", "texts_may_leave", "media_may_leave")
FORM = {
    "licence": "ODbL-1.0",
    "creators": "Josiah Carberry; Brown University; https://orcid.org/0000-0002-1825-0097\nNIST",
    "cite_as": "Carberry: Shapes.\r\nPsychoceramics 1, 2026.",
    "texts_may_leave": "on",
}


def stored(collection):
    return model_to_dict(Collection.objects.get(pk=collection.pk), fields=FIELDS)


def test_a_lead_sees_the_defaults_and_chooses(client, collection, lead):
    text = page(client, "settings", collection.slug)
    assert re.search(r'<option value="CC-BY-4.0" selected>', text)
    assert not re.search(r'name="(texts|media)_may_leave"[^>]* checked', text)
    assert send(client, "publication-change", collection.slug, **FORM)
    assert stored(collection) == {
        "licence": "ODbL-1.0",
        "creators": [
            {
                "name": "Josiah Carberry",
                "affiliation": "Brown University",
                "orcid": "0000-0002-1825-0097",
            },
            {"name": "NIST", "affiliation": "", "orcid": ""},
        ],
        "cite_as": "Carberry: Shapes.\nPsychoceramics 1, 2026.",
        "texts_may_leave": True,
        "media_may_leave": False,
    }
    text = page(client, "settings", collection.slug)
    assert "Saved: it holds for releases from now on." in text
    assert "Josiah Carberry; Brown University; 0000-0002-1825-0097 NIST</textarea>" in text
    assert re.search(r'name="texts_may_leave"[^>]* checked', text)
    assert not re.search(r'name="media_may_leave"[^>]* checked', text)


def test_what_the_page_shows_saved_again_changes_nothing(client, collection, lead):
    send(client, "publication-change", collection.slug, **FORM)
    before = stored(collection)
    send(client, "publication-change", collection.slug, **FORM)
    assert stored(collection) == before
    assert "Nothing changed." in page(client, "settings", collection.slug)


def test_another_licence_is_typed_and_one_of_the_list_is_known_by_any_letters(
    client, collection, lead
):
    for typed, licence in (("LicenseRef-Ours", "LicenseRef-Ours"), ("cc0-1.0", "CC0-1.0")):
        fields = {"licence": "other", "other_licence": typed}
        send(client, "publication-change", collection.slug, **fields)
        assert stored(collection)["licence"] == licence
        shown = page(client, "settings", collection.slug)
        assert (f'value="{licence}"' in shown) is True
        assert ('<option value="other" selected>' in shown) is (licence == "LicenseRef-Ours")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"licence": ""}, "required"),
        ({"licence": "WTFPL"}, "WTFPL is not one of the available choices"),
        ({"licence": "other"}, "Type the identifier of the licence"),
        ({"licence": "other", "other_licence": "CC BY"}, "such as CC-BY-4.0"),
        ({"licence": "other", "other_licence": "x" * 61}, "at most 60 characters"),
        ({"licence": "", "other_licence": "MIT"}, "required"),
        ({"other_licence": "MIT"}, "ODbL-1.0 is chosen above"),
        ({"creators": "NIST\n; Brown"}, "Line 2: the name is missing"),
        ({"creators": "A;; 0000-0002-1825-0098"}, "Line 1: the ORCID 0000-0002-1825-0098"),
        ({"creators": "A; B; <b>"}, "Line 1: “&lt;b&gt;” is no ORCID"),
        ({"cite_as": "x" * 4001}, "at most 4000 characters"),
        ({"cite_as": "a\x00"}, "Null characters"),
    ],
)
def test_what_is_wrong_is_named_and_changes_nothing(client, collection, lead, wrong, says):
    before = stored(collection)
    answer = send(client, "publication-change", collection.slug, status=422, **FORM | wrong)
    assert says in text_of(answer)
    assert "None is chosen" not in text_of(answer)
    assert stored(collection) == before


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ANNOTATOR, None])
def test_nobody_but_leads_finds_it(client, collection, role):
    client.force_login(cast.member(collection, role) if role else cast.user())
    before = stored(collection)
    send(client, "publication-change", collection.slug, status=404, **FORM)
    assert stored(collection) == before


def test_a_field_that_the_form_does_not_have_is_not_stored(client, collection, lead):
    fields = {**FORM, "name": "Mine", "is_rehearsal": "on", "key": "x", "positive_from": "0"}
    before = Collection.objects.filter(pk=collection.pk).values()[0]
    send(client, "publication-change", collection.slug, **fields)
    after = Collection.objects.filter(pk=collection.pk).values()[0]
    assert {field for field in after if after[field] != before[field]} == {
        "licence",
        "creators",
        "cite_as",
        "texts_may_leave",
    }


def test_the_address_leads_back_to_the_section(client, collection, lead):
    text = page(client, "settings", collection.slug)
    assert f'{reverse("annotate:publication-change", args=[collection.slug])}#publication"' in text
