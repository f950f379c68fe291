"""Ctrl K finds what a person may open, the best first, and nothing else."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import Item, Part, Role, Side
from annotate.services.collection import query_sets
from annotate.services.pages.item_search import SCANNED_ITEMS
from annotate.services.supervision import archiving
from config.find.answers import answer
from tests import cast

pytestmark = pytest.mark.django_db
OF_SITE = ["All collections", "Your account", "Password", "Second factor", "API tokens"]


@pytest.fixture
def world(collection):
    """A collection with items, runs, an annotator, and beside it another one."""
    cast.pairs(collection, 20)
    query_sets.complete_query_sets(collection=collection)
    cast.run(collection, "bm25", {})
    cast.run(collection, "hidden bm25", {}, is_hidden=True)
    cast.collection("birds")
    return collection


def names(user, collection, text):
    groups = answer(user=user, collection=collection, text=text).groups
    return {group.heading: [match.name for match in group.matches] for group in groups}


def test_a_lead_finds_queries_documents_runs_and_people(world, lead):
    who = cast.annotator(world, cast.user("ann lee"))
    assert names(lead, world, "q0")["Queries"] == ["q0"]
    assert names(lead, world, "d1")["Documents"] == ["d1"]
    assert names(lead, world, "bm25") == {"Runs": ["bm25"]}
    assert names(lead, world, who.pseudonym)["People"] == [who.pseudonym]
    assert names(lead, world, "ann lee") == {"People": [who.pseudonym]}


def test_a_researcher_finds_people_by_pseudonym_alone(world, researcher):
    who = cast.annotator(world, cast.user("ann lee"))
    assert names(researcher, world, "ann lee") == {}
    (group,) = answer(user=researcher, collection=world, text=who.pseudonym).groups
    assert (group.heading, group.matches[0].note) == ("People", "")


def test_a_lead_finds_leads_and_researchers_by_name(world, lead, researcher):
    (group,) = answer(user=lead, collection=world, text=researcher.username).groups
    assert group.heading == "Leads and researchers"
    assert [(match.name, match.note) for match in group.matches] == [
        (researcher.username, "researcher")
    ]
    assert group.matches[0].url == reverse("annotate:members", args=["shapes"])
    assert "Leads and researchers" not in names(researcher, world, lead.username)


def test_an_annotator_finds_pages_alone(world, annotator):
    for text in ("q0", "d1", "bm25", "text of", annotator.pseudonym, "leaderboard", "settings"):
        assert names(annotator.user, world, text) == {}
    assert names(annotator.user, world, "guidelines") == {"Pages": ["Judge"]}
    assert names(annotator.user, world, "")["Pages"] == [
        "Overview", "Judge", *OF_SITE, "API reference",
    ]  # fmt: skip


def test_the_best_match_is_first_whatever_its_kind(world, lead):
    cast.run(world, "d1", {})
    assert list(names(lead, world, "d1")) == ["Documents", "Runs"]
    assert next(iter(names(lead, world, "pools"))) == "Pages"
    assert names(lead, world, "publication") == {"Pages": ["Settings"]}
    for word in ("archive", "marks", "agreement"):
        assert "Settings" in names(lead, world, word)["Pages"]
    for page in ("Levels", "Guidelines", "Policy"):
        assert next(iter(names(lead, world, page.lower())["Pages"])) == page


def test_where_more_fit_than_are_listed_their_number_is_told_and_a_link_to_the_rest(world, lead):
    matches = answer(user=lead, collection=world, text="text of d")
    (group,) = matches.groups
    assert len(group.matches) == 6 and group.heading_text == "Documents, first 6 of 10"
    assert (group.overview.name, group.overview.note) == (
        "10 documents with “text of d”",
        "in the explorer",
    )
    assert group.overview.url.endswith("?direction=reverse&search=text+of+d")
    assert matches.status == "First 6 of 10 matches"
    (group,) = answer(user=lead, collection=world, text="d1").groups
    assert (group.heading_text, group.overview) == ("Documents", None)
    for number in range(7):
        cast.run(world, f"dense {number}", {})
    (group,) = answer(user=lead, collection=world, text="dense").groups
    assert (group.heading_text, group.overview.name) == ("Runs, first 6 of 7", "All runs")


def test_outside_a_collection_an_empty_answer_says_where_queries_are(world, lead):
    matches = answer(user=lead, collection=None, text="circle")
    assert matches.status == (
        "Nothing with “circle” here. Queries, documents, runs and people are looked for inside a "
        "collection: open one, and look there."
    )
    assert [(group.heading, group.matches[0].name) for group in matches.groups] == [
        ("Look inside a collection", "Shapes")
    ]
    assert answer(user=cast.user("new"), collection=None, text="circle").groups == []


def test_other_collections_are_hers_alone(world, lead):
    assert names(lead, world, "birds") == {}
    cast.member(cast.collection("birdsong"), Role.ANNOTATOR, lead)
    assert names(lead, world, "bird") == {"Other collections": ["Birdsong"]}
    assert names(lead, None, "shapes") == {"Collections": ["Shapes"]}


def test_an_archived_collection_is_marked(world, lead):
    birds = cast.collection("birdsong")
    cast.member(birds, Role.ANNOTATOR, lead)

    def note():
        (group,) = answer(user=lead, collection=world, text="birdsong").groups
        return group.matches[0].note

    assert note() == "birdsong"
    archiving.archive_collection(collection=birds, by=lead)
    assert note() == f"birdsong, archived since {birds.archived_at:%-d %B %Y, %H:%M} UTC"


def test_nothing_of_a_collection_is_found_outside_it(world, lead):
    assert names(lead, None, "q0") == {"Look inside a collection": ["Shapes"]}
    assert "Settings" not in names(lead, None, "")["Pages"]


def test_queries_and_documents_are_shown_by_picture_and_words(world, client, lead):
    Part.objects.filter(item__external_id="d1").update(kind="image", text="", path="a.png")
    client.force_login(lead)
    page = client.get(reverse("find-in-collection", args=["shapes"]), {"q": "d1"}).content.decode()
    assert 'data-kind="image"' in page and "Image of d1" in page


@pytest.mark.parametrize(("side", "heading"), [("query", "Queries"), ("document", "Documents")])
def test_items_that_no_query_set_holds_are_found_and_shown(world, client, lead, side, heading):
    item = Item.objects.create(collection=world, side=side, external_id="zebra")
    Part.objects.create(item=item, position=0, kind="text", text="a late arrival")
    client.force_login(lead)
    for text in ("zebra", "zeb", "late arrival"):
        (group,) = answer(user=lead, collection=world, text=text).groups
        assert (group.heading_text, [match.name for match in group.matches]) == (heading, ["zebra"])
        page = client.get(group.matches[0].url)
        assert page.status_code == 200 and "a late arrival" in page.content.decode()


def test_items_that_no_query_set_holds_are_counted_and_listed_with_the_rest(world, client, lead):
    Item.objects.bulk_create(
        Item(collection=world, side=Side.QUERY, external_id=f"q-new {number}")
        for number in range(7)
    )
    (group,) = answer(user=lead, collection=world, text="q-new").groups
    assert group.heading_text == "Queries, first 6 of 7"
    assert group.overview.name == "7 queries with “q-new”"
    client.force_login(lead)
    page = client.get(group.overview.url).content.decode()
    assert "7 queries with “q-new”" in page and "q-new 6" in page


def test_items_that_no_query_set_holds_are_found_by_nobody_who_may_not_see_them(
    world, annotator, researcher
):
    Item.objects.create(collection=world, side=Side.QUERY, external_id="q-new")
    Item.objects.create(collection=world, side=Side.QUERY, external_id="q-new train", split="train")
    assert names(annotator.user, world, "q-new") == {}
    assert names(cast.user("new"), world, "q-new") == {}
    assert names(researcher, world, "q-new") == {"Queries": ["q-new"]}


def test_where_words_are_looked_for_in_some_items_alone_the_answer_says_so(world, lead):
    def status(user, text="q1"):
        return answer(user=user, collection=world, text=text).status

    assert status(lead) == "1 match"
    Item.objects.bulk_create(
        Item(collection=world, side=Side.DOCUMENT, external_id=f"photo {number}")
        for number in range(SCANNED_ITEMS - 9)  # with ten that are there one too many
    )
    note = "Ids are looked for in all, words in the first 10,000 documents."
    assert status(lead) == f"1 match. {note}"
    assert status(lead, "nothing at all").endswith(f"or of a name. {note}")
    assert status(cast.annotator(world, cast.user("ann")).user, "leaderboard").endswith("a name.")


@pytest.mark.parametrize("role", Role)
def test_every_match_leads_to_a_page(world, client, role):
    person = cast.annotator(world).user
    if role != Role.ANNOTATOR:
        cast.member(world, role, person)
    client.force_login(person)
    for text in ("", "q1", "d1", "bm25", "A", "shapes"):
        for group in answer(user=person, collection=world, text=text).groups:
            for match in group.matches:
                assert client.get(match.url, follow=True).status_code == 200, match.url


def test_the_number_of_queries_does_not_depend_on_the_matches(world, client, lead):
    client.force_login(lead)
    Part.objects.filter(item__external_id="d1").update(kind="image", text="", path="a.png")

    def n_queries(text):
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("find-in-collection", args=["shapes"]), {"q": text})
        return len(queries)

    assert n_queries("q1") == n_queries("q") == n_queries("d1") == n_queries("d")
    assert n_queries("text of") == n_queries("q1") + 2  # of the other side, items and parts


def test_nobody_keeps_an_answer(world, client, lead):
    client.force_login(lead)
    response = client.get(reverse("find-in-collection", args=["shapes"]), {"q": "bm25"})
    assert "no-store" in response["Cache-Control"] and "private" in response["Cache-Control"]
    assert b"bm25" in response.content and b"hidden" not in response.content
    assert client.get(reverse("find"), {"q": "x" * 201}).status_code == 422
