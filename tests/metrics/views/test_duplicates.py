"""The page of duplicates: found groups, marks of a lead, what is refused."""

import re

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.core.media import look_alikes
from annotate.models import Duplicate, Item, Kept, Part, Preview, Role
from annotate.services.review.duplicate_marks import DuplicateGroup, mark_duplicates
from annotate.services.review.exclusions import exclude_item
from metrics.services.analysis import duplicate_groups
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.numbers import refresh
from pooling.models import Pool
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.questions import compute_kept
from tests.metrics.services.leaderboard import boards
from tests.pages import notice_form, text_of

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/c/study/results/duplicates/"
PLAIN = "Nothing like the others"


def say(study, texts):
    """Give items these texts, by id; all others have texts of their own."""
    for external_id, text in texts.items():
        Part.objects.filter(item__collection=study, item__external_id=external_id).update(text=text)


@pytest.fixture
def study(client):
    study = studies.judged_study("study")
    say(study, {"q1": "A man walks.", "q3": "a man  walks", "q4": "A man walks!"})
    say(study, {"d2": "Two dogs run over the wet green grass by the river."})
    say(study, {"d5": "Two dogs run over the wet green grass by the rivers."})
    say(study, {"d6": "One", "d7": "one"})
    client.force_login(cast.member(study, Role.LEAD))
    return study


def compute_again(study):
    """Compute the groups once more, though what they depend on looks the same."""
    Kept.objects.filter(collection=study).delete()
    assert compute_kept(study, "duplicates")


def add_images(study, families):
    """Documents of one image each; those of a family are one noise, each a little brighter."""
    for family in families:
        cells = np.random.default_rng(family[0]).integers(40, 200, size=(32, 32, 3))
        for number in family:
            preview = Preview.objects.create(
                collection=study,
                checksum=f"sha256:{number}",
                content=b"x",
                width=40,
                height=30,
                raster=(cells + number).astype(np.uint8).tobytes(),
            )
            image = Item.objects.create(collection=study, side="document", external_id=f"i{number}")
            Part.objects.create(
                item=image,
                position=0,
                kind="image",
                path=f"{number}.png",
                checksum=preview.checksum,
                preview=preview,
                previewed_at=timezone.now(),
            )


def page_acts(page):
    """The consequences of the groups that a page shows, of queries first."""
    cards = sorted(page.cards, key=lambda card: card.items[0].item_content.item.side, reverse=True)
    return [card.marking for card in cards]


def show(study, parameters):
    """Compute the leaderboard of these parameters."""
    spec = read_choices(collection=study, viewer=None, parameters=parameters).spec
    boards.compute(collection=study, spec=spec)


def item(study, external_id):
    return study.items.get(external_id=external_id)


def marks(study):
    rows = Duplicate.objects.filter(collection=study)
    return dict(rows.values_list("item__external_id", "original__external_id"))


def test_groups_are_awaited_and_then_shown_and_marked(client, study):
    assert "Looking for duplicates" in text_of(client.get(PAGE))
    assert "Looking for duplicates" in client.get(f"{PAGE}state/").content.decode()
    compute_kept(study, "duplicates")
    text = text_of(client.get(PAGE))
    assert "Found (3)" in text and "Judged once (0)" in text
    assert "2 of 6 queries repeat another one; 1 of 9 documents repeats another one" in text
    assert "1 pair of texts is nearly the same" in text
    body = {"original": item(study, "d2").pk, "item": [item(study, "d2").pk, item(study, "d5").pk]}
    answer = client.post(f"{PAGE}mark/", body, follow=True)
    assert marks(study) == {"d5": "d2"}
    assert "1 item is judged as the original from now on." in text_of(answer)
    assert "Found (2)" in text_of(answer) and "Judged once (1)" in text_of(answer)


def test_what_is_nearly_the_same_is_not_marked_without_a_warning(client, study):
    compute_kept(study, "duplicates")
    groups = client.get(PAGE).content.decode().split("<h3>")[1:]
    warning = "mark only those that mean the same."
    assert [
        (warning in " ".join(group.split())) == group.startswith("Nearly") for group in groups
    ] == [True] * 3
    assert sum(group.startswith("Nearly") for group in groups) == 1


def test_a_group_is_told_what_marking_does_and_marked_for_no_more_items(client, study):
    compute_kept(study, "duplicates")
    text = text_of(client.get(PAGE))
    assert "Judge up to 2 items as the original" in text
    assert text.count("Judge 1 item as the original") == 2
    assert text.count("Labels that were given stay with their own items.") == 4  # and for all
    ids = ("q1", "q3", "q4")
    body = {"original": item(study, "q1").pk, "item": [item(study, name).pk for name in ids]}
    refused = client.post(f"{PAGE}mark/", {**body, "expected": 1})
    assert refused.status_code == 422 and "about 2 items by now, not 1" in text_of(refused)
    assert marks(study) == {}
    client.post(f"{PAGE}mark/", {**body, "expected": 2})
    assert marks(study) == {"q3": "q1", "q4": "q1"}


def test_waiting_pairs_of_a_group_are_told_but_for_those_of_samples(client):
    study = studies.study("study")
    pairs = study.pairs.order_by("pk").values_list("query__external_id", "document__external_id")
    first, second = sorted({document for query, document in pairs if query == "q1"})[:2]
    say(study, {"q1": "A man walks.", "q3": "a man  walks", first: "One", second: "one"})
    client.force_login(cast.member(study, Role.LEAD))
    compute_kept(study, "duplicates")
    names = {"q1", "q3"}, {first, second}
    n_pairs = [sum(bool(group & {*pair}) for pair in pairs) for group in names]
    n_all = sum(bool((names[0] | names[1]) & {*pair}) for pair in pairs)
    assert min(n_pairs) > 1 and n_all < sum(n_pairs)
    page = client.get(PAGE).context["page"]
    told = [consequences.sentences[1] for consequences in (*page_acts(page), page.marking_all)]
    assert [text.partition(" of these items wait for labels")[0] for text in told] == [
        f"{n} pairs" for n in (*n_pairs, n_all)
    ]
    Pool.objects.filter(collection=study).update(strategy="stratified")
    page = client.get(PAGE).context["page"]
    told = {consequences.sentences[1] for consequences in (*page_acts(page), page.marking_all)}
    assert told == {"No open pool would ask about fewer pairs."}


def test_what_is_the_same_in_another_split_is_nothing_to_judge_once(client, study):
    training = Item.objects.create(collection=study, side="query", external_id="t", split="train")
    Part.objects.create(item=training, position=0, kind="text", text=PLAIN)
    say(study, {"q0": PLAIN})
    compute_kept(study, "duplicates")
    text = text_of(client.get(PAGE))
    assert "1 of 6 queries is in another split too" in text
    assert "Found (3)" in text
    client.post(f"{PAGE}mark-all/")
    assert not {"q0", "t"} & {*marks(study), *marks(study).values()}


def test_all_groups_of_the_same_are_marked_at_once_and_taken_back(client, study):
    compute_kept(study, "duplicates")
    assert "Judge once: all 2 groups of the same" in text_of(client.get(PAGE))
    assert "Judge 3 items as their originals" in text_of(client.get(PAGE))
    refused = client.post(f"{PAGE}mark-all/", {"expected": 2})
    assert refused.status_code == 422 and "about 3 items by now, not 2" in text_of(refused)
    assert marks(study) == {}
    client.post(f"{PAGE}mark-all/", {"expected": 3})
    found = marks(study)
    originals = {found[name] for name in ("q1", "q3", "q4") if name in found}
    assert len(originals) == 1 and len(found) == 3
    assert set(found) | originals > {"q1", "q3", "q4"}
    text = text_of(client.get(PAGE))
    assert "Found (1)" in text and "Judged once (3)" in text
    answer = client.post(f"{PAGE}mark-all/", follow=True)
    assert "No group of items that are the same is open." in text_of(answer)
    duplicate = item(study, next(iter(found)))
    answer = client.post(f"{PAGE}unmark/", {"item": duplicate.pk}, follow=True)
    assert len(marks(study)) == 2
    undo_url, undo_fields = notice_form(text_of(answer))
    client.post(undo_url, undo_fields)
    assert marks(study) == found
    text = text_of(client.get(PAGE))
    assert "Take 3 marks back" in text and "3 items marked now would be judged without" in text
    assert 'name="expected" value="3"' in text
    refused = client.post(f"{PAGE}unmark-all/", {"expected": 2})
    assert refused.status_code == 422 and "about 3 marks by now, not 2" in text_of(refused)
    client.post(f"{PAGE}unmark-all/", {"expected": 3})
    assert marks(study) == {}


def test_marked_items_are_shown_with_their_words_in_as_many_queries_however_many(client, study):
    compute_kept(study, "duplicates")
    q1, *others = (item(study, name) for name in ("q1", "q3", "q4"))
    lead = study.memberships.get(role="lead").user

    def marked_with(*duplicates):
        mark_duplicates(collection=study, groups=[DuplicateGroup(q1, duplicates)], by=lead)
        with CaptureQueriesContext(connection) as captured:
            text = text_of(client.get(PAGE)).split('id="marks-title"')[1]
        return len(captured), text

    (few, _), (many, text) = marked_with(others[0]), marked_with(others[1])
    assert many <= few  # a group less is left
    assert text.count(">A man walks.<") == 2
    assert text.count(">a man walks<") == text.count(">A man walks!<") == 1


def test_a_marked_group_counts_as_one_item_of_a_larger_one(client, study):
    compute_kept(study, "duplicates")
    body = {"original": item(study, "q1").pk, "item": [item(study, "q1").pk, item(study, "q3").pk]}
    client.post(f"{PAGE}mark/", body)
    groups = client.get(PAGE).context["page"].cards
    names = [[row.item_content.item.external_id for row in card.items] for card in groups]
    assert sorted(sorted(ids) for ids in names) == [["d2", "d5"], ["d6", "d7"], ["q1", "q4"]]


def test_groups_that_marks_join_are_marked_together(client, study):
    say(study, {"d6": "One", "d7": "one", "d3": "Three", "d8": "three"})
    compute_kept(study, "duplicates")
    # near ones may be marked first, by hand
    body = {"original": item(study, "d7").pk, "item": [item(study, "d7").pk, item(study, "d3").pk]}
    client.post(f"{PAGE}mark/", body)
    assert client.post(f"{PAGE}mark-all/").status_code == 302
    originals = {marks(study).get(name, name) for name in ("d3", "d6", "d7", "d8")}
    assert len(originals) == 1


def test_an_excluded_original_leaves_its_group_to_the_others(client, study):
    compute_kept(study, "duplicates")
    body = {"original": item(study, "q1").pk, "item": [item(study, "q1").pk, item(study, "q3").pk]}
    client.post(f"{PAGE}mark/", body)
    exclude_item(item=item(study, "q1"), by=None, reason="broken")
    cards = client.get(PAGE).context["page"].cards
    names = [[row.item_content.item.external_id for row in card.items] for card in cards]
    assert sorted(sorted(ids) for ids in names) == [["d2", "d5"], ["d6", "d7"], ["q3", "q4"]]


def test_groups_of_items_that_were_excluded_since_are_not_counted(client, study):
    compute_kept(study, "duplicates")
    exclude_item(item=item(study, "d6"), by=None, reason="broken")
    page = client.get(PAGE).context["page"]
    assert (page.n_open, page.n_same, len(page.cards)) == (2, 1, 2)


def test_nothing_is_marked_before_groups_are_found_and_nothing_taken_back_twice(client, study):
    answer = client.post(f"{PAGE}mark-all/", follow=True)
    assert "Duplicates are still being looked for." in text_of(answer)
    answer = client.post(f"{PAGE}unmark/", {"item": item(study, "q1").pk}, follow=True)
    assert "q1 was not marked." in text_of(answer)
    answer = client.post(f"{PAGE}unmark-all/", follow=True)
    assert "0 marks are taken back." in text_of(answer)


@pytest.mark.parametrize(
    ("original", "ids", "message"),
    [
        ("", ["q1"], "Say which item is the original."),
        ("q1", [], "Choose an item that repeats the original."),
        ("q1", ["q1"], "Choose an item that repeats the original."),
        ("d6", ["d6", "q1"], "q1 and d6 are not of one side."),
        ("d6", ["q1"], "The original must be ticked: choose another original, or tick it."),
    ],
)
def test_what_cannot_be_marked_is_told_and_changes_nothing(client, study, original, ids, message):
    keys = {name: item(study, name).pk for name in ("q1", "d6")}
    body = {"original": keys.get(original, ""), "item": [keys[name] for name in ids]}
    answer = client.post(f"{PAGE}mark/", body)
    assert (answer.status_code, message in text_of(answer)) == (422, True)
    assert marks(study) == {}


def test_an_item_of_another_collection_is_unknown_here(client, study):
    other = cast.collection(n_documents=1).items.get()
    for path, body in (
        ("mark/", {"original": other.pk, "item": [item(study, "d6").pk]}),
        ("mark/", {"original": item(study, "d6").pk, "item": [other.pk]}),
        ("unmark/", {"item": other.pk}),
        ("unmark/", {"item": "one"}),
    ):
        answer = client.post(f"{PAGE}{path}", body)
        assert answer.status_code == 422
        assert "no item of this collection" in text_of(answer)


def test_a_researcher_looks_and_does_nothing(client, study):
    compute_kept(study, "duplicates")
    client.force_login(cast.member(study, Role.RESEARCHER))
    page = client.get(PAGE)
    assert (
        "Judge once" not in text_of(page)
        and "<button"
        not in page.content.decode().partition('id="found"')[2].partition("</main>")[0]
    )
    assert client.post(f"{PAGE}mark-all/").status_code == 404


def test_groups_beyond_the_first_page_are_on_the_next_ones(client, study, monkeypatch):
    compute_kept(study, "duplicates")
    assert "Page 1 of" not in text_of(client.get(PAGE))
    monkeypatch.setattr(duplicate_groups, "MOST_CARDS", 2)
    first, second = client.get(PAGE), client.get(PAGE, {"page": "2"})
    assert "Page 1 of 2" in text_of(first) and "page=2" in text_of(first)
    assert [len(answer.context["page"].cards) for answer in (first, second)] == [2, 1]
    assert 'aria-label="Group 3"' in text_of(second)
    body = {"original": item(study, "q1").pk}
    body |= {"item": [item(study, name).pk for name in ("q1", "q3", "q4")]}
    client.post(f"{PAGE}mark/", body)
    assert len(client.get(PAGE, {"page": "2"}).context["page"].cards) == 2  # the last page left


def test_what_was_left_out_of_the_comparison_is_said_on_the_page(client, study, monkeypatch):
    monkeypatch.setattr(look_alikes, "MOST_CANDIDATES", 1)
    add_images(study, [range(3)])
    compute_kept(study, "duplicates")
    assert "Of images only the nearest 10,000 pairs are compared." in text_of(client.get(PAGE))


def test_pairs_of_images_take_no_more_queries_however_many(
    client, study, django_assert_max_num_queries
):
    add_images(study, [range(2)])
    compute_kept(study, "duplicates")
    with django_assert_max_num_queries(40) as queries:
        assert "1 pair of images looks alike" in text_of(client.get(PAGE))
    n_before = len(queries)
    add_images(study, [range(2, 5), range(5, 8)])
    compute_again(study)
    with django_assert_max_num_queries(n_before):
        assert "7 pairs of images look alike" in text_of(client.get(PAGE))


def test_the_page_takes_as_many_queries_however_many_groups(
    client, study, django_assert_max_num_queries
):
    compute_kept(study, "duplicates")
    with django_assert_max_num_queries(40) as queries:
        client.get(PAGE)
    n_before = len(queries)
    say(study, {f"d{number}": "all the same" for number in range(8)})
    compute_again(study)
    with django_assert_max_num_queries(n_before):
        assert "7 of 9 documents repeat another one" in text_of(client.get(PAGE))


def test_the_explorer_and_the_page_of_a_pair_say_what_is_repeated(client, study):
    first, copy = item(study, "q0"), item(study, "q5")
    unlabelled = study.pairs.create(
        query=copy, document=study.items.create(side="document", external_id="new")
    )
    explorer = "/c/study/results/explorer/"
    assert "A duplicate of" not in text_of(client.get(explorer, {"q": "q5"}))
    mark_duplicates(collection=study, groups=[DuplicateGroup(first, [copy])], by=None)
    assert "A duplicate of q0: its pairs without all labels" in text_of(
        client.get(explorer, {"q": "q5"})
    )
    page = text_of(client.get(f"/c/study/judging/pairs/{unlabelled.pk}/"))
    assert "It repeats q0 / new, whose grade counts in its place." in page


def test_the_leaderboard_says_how_many_grades_are_propagated(client, study):
    page = "/c/study/results/leaderboard/"
    assert "of duplicates" not in text_of(client.get(page))
    group = DuplicateGroup(item(study, "q0"), [item(study, "q5")])
    mark_duplicates(collection=study, groups=[group], by=None)
    refresh.refresh(collection=study)
    for parameters in ({}, {"threshold": "2"}):
        show(study, parameters)
        text = text_of(client.get(page, parameters))
        assert re.search(r"\d+ pairs of duplicates take the grades of their originals", text)
    show(study, {"labels": "none:original"})
    assert "of duplicates" not in text_of(client.get(page, {"labels": "none:original"}))


def test_a_list_of_before_the_last_files_were_read_says_as_of_when(client, study):
    compute_kept(study, "duplicates")
    assert "As of" not in text_of(client.get(PAGE))
    add_images(study, [range(2)])
    text = text_of(client.get(PAGE))
    assert "As of <time" in text and "A newer list is being made" in text
