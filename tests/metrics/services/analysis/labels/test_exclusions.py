"""Excluded items and pairs of a small study that somebody judged."""

import re

import pytest
from django.urls import reverse

from annotate.models import Pair, Part
from annotate.services.review import exclusions
from metrics.charts.analyses.labels import exclusions as charts
from metrics.services.numbers import refresh
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    queries_of,
    small_study,
)
from tests.metrics.services.analysis.questions import answer_of, compute_kept, table_of

pytestmark = pytest.mark.django_db
NAME = "excluded-items"


@pytest.fixture
def study():
    """Six queries with pairs (n, n), (n, n + 1) and (n, n + 2), each with one label."""
    collection = small_study()
    studies.judge(cast.annotator(collection))
    return collection


@pytest.fixture
def lead(study):
    return cast.member(study, "lead", cast.user("zora"))


def pair_of(study, query, document):
    return Pair.objects.get(query=queries_of(study)[query], document=documents_of(study)[document])


def test_items_and_pairs_are_listed_with_their_reasons_the_newest_first(study, lead):
    exclusions.exclude_item(item=queries_of(study)[2], by=lead, reason="Blank")
    exclusions.exclude_pair(pair=pair_of(study, 0, 1), by=lead, reason="cut off")
    exclusions.exclude_item(item=documents_of(study)[4], by=lead, reason="blank")
    rows = table_of(study, NAME)
    assert [tuple(row[key] for key in ("kind", "query", "document", "reason")) for row in rows] == [
        ("document", "", "d4", "blank"),
        ("pair", "q0", "d1", "cut off"),
        ("query", "q2", "", "Blank"),
    ]
    # document 4 is in the pairs of queries 2, 3 and 4
    assert [row["n_labels"] for row in rows] == [3, 1, 3]
    assert rows[1]["query_content"] == "one" and rows[1]["document_content"] == "text of d1"
    assert all(row["at"].endswith("Z") for row in rows)
    result = answer_of(study, NAME).result
    assert result.headline == (
        "1 query, 1 document and 1 pair are excluded, most often for “blank” (2)"
    )
    assert result.extent == "6 queries, 9 documents and 18 pairs in all"
    # the pair of query 2 and document 4 has one label
    assert result.notes[0].startswith("6 labels of these items and pairs are in no score")


def test_the_page_shows_items_by_their_pictures_and_moments_in_the_readers_time(
    study, lead, client
):
    part = documents_of(study)[1].parts.get()
    part.kind, part.text, part.path = Part.Kind.IMAGE, "", "media/0001.jpg"
    part.save()
    exclusions.exclude_pair(pair=pair_of(study, 0, 1), by=lead, reason="cut off")
    compute_kept(study, NAME)
    client.force_login(lead)
    page = client.get(reverse("metrics:analysis", args=[study.slug, "labels", NAME]))
    text = page.content.decode()
    assert '<span class="brief brief-pictured">' in text and "media/0001.jpg" not in text
    assert text.count('<span class="brief') == 2 and ">Content<" not in text
    assert re.search('>cut off</td><td [^>]*><time datetime="', text)
    assert not re.search(r"\dT\d", re.sub("<[^>]*>", "", text))


def test_reasons_are_counted_whatever_their_case(study, lead):
    for number, reason in enumerate(["Blank", "blank ", "no  picture", "BLANK"]):
        exclusions.exclude_item(item=queries_of(study)[number], by=lead, reason=reason)
    result = answer_of(study, NAME).result
    assert result.headline == "4 queries are excluded, most often for “BLANK” (3)"
    assert result.notes[1] == "By reason: “BLANK” 3 queries; “no  picture” 1 query."


def test_six_reasons_are_told_in_five_and_a_number(study, lead, monkeypatch):
    for number in range(6):
        exclusions.exclude_item(item=queries_of(study)[number], by=lead, reason=f"r{number}")
    assert answer_of(study, NAME).result.notes[1].endswith("“r4” 1 query; 1 further reason.")
    # the number that is told follows the constant alone
    monkeypatch.setattr(charts, "MOST_REASONS", 4)
    assert answer_of(study, NAME).result.notes[1].endswith("“r3” 1 query; 2 further reasons.")
    exclusions.restore_item(item=queries_of(study)[5], by=lead)
    assert answer_of(study, NAME).result.notes[1].endswith("“r3” 1 query; 1 further reason.")


def test_what_was_taken_back_in_is_not_listed(study, lead):
    exclusions.exclude_item(item=queries_of(study)[2], by=lead, reason="blank")
    exclusions.exclude_pair(pair=pair_of(study, 0, 1), by=lead, reason="cut off")
    exclusions.restore_pair(pair=pair_of(study, 0, 1), by=lead)
    assert [row["kind"] for row in table_of(study, NAME)] == ["query"]


def test_no_name_of_a_lead_is_in_it(study, lead):
    exclusions.exclude_pair(pair=pair_of(study, 0, 1), by=lead, reason="cut off")
    assert lead.username not in str(answer_of(study, NAME).result)


def test_both_directions_have_the_same_list(study, lead):
    exclusions.exclude_pair(pair=pair_of(study, 0, 1), by=lead, reason="cut off")
    assert table_of(study, NAME, direction="reverse") == table_of(study, NAME)


def test_a_further_exclusion_makes_the_list_old(study, lead):
    exclusions.exclude_pair(pair=pair_of(study, 0, 1), by=lead, reason="cut off")
    refresh.refresh(collection=study)
    assert compute_kept(study, NAME)
    exclusions.exclude_pair(pair=pair_of(study, 1, 1), by=lead, reason="cut off")
    refresh.refresh(collection=study)
    assert compute_kept(study, NAME)


def test_without_an_exclusion_there_is_nothing_to_list(study):
    assert answer_of(study, NAME).reason == "No item and no pair is excluded."
