from dataclasses import replace

from metrics.core.releases.sections.creation import creation
from tests.metrics.core.releases.samples.cards import paragraphs_under, table_lines
from tests.metrics.core.releases.samples.manifests import example_manifest, example_pools


def card(**changes) -> str:
    """The section of the example with some of its entries replaced, as a card of its own."""
    return f"---\n---\n{creation(replace(example_manifest(), **changes))}"


def test_a_pool_has_its_strategy_parameters_runs_days_depth_and_pairs():
    _, _, deep, everywhere = table_lines(card())[0]
    assert deep == (
        "| First ten | forward (queries to documents) | Depth k | depth 10 | 7 | clip-large, "
        "run-01 and 1 hidden run | opened 2026-09-01, closed 2026-10-10 | version 1 | 10 | 3,600 "
        "| 3,590 |"
    )
    assert everywhere == (
        "| Everything | reverse (documents to queries) | Everything | limit 400 | 8 | no runs | "
        "opened 2026-10-11, open, not closed | version 1 | without ranks | 400 | 310 |"
    )


def test_a_strategy_is_explained_once_and_one_that_nobody_knows_has_its_name_alone():
    deep = example_pools()[0]
    pools = (deep, deep, replace(deep, strategy="by hand", parameters={}, policy_version=None))
    paragraphs = paragraphs_under(card(pools=pools), "Curation rationale")
    sentence = "Depth k: Every result among the first k of any run, for every query."
    assert paragraphs.count(sentence) == 1
    assert {"by hand", "none", "no policy"} <= set(paragraphs)


def test_pools_and_hidden_runs_are_counted_in_the_singular_and_plural():
    pool = replace(example_pools()[0], runs=(), n_hidden_runs=2, state="draft", opened_on=None)
    paragraphs = paragraphs_under(card(pools=(pool,)), "Curation rationale")
    assert "1 pool chose the pairs to judge." in " ".join(paragraphs)
    assert {"2 hidden runs", "draft, never opened"} <= set(paragraphs)


def test_a_collection_without_description_and_pools_says_so():
    collection = replace(example_manifest().collection, description=" ")
    assert paragraphs_under(card(collection=collection, pools=()), "Curation rationale") == [
        "The collection is not described.",
        "No pool chose its pairs.",
    ]


def test_reference_sets_are_of_others():
    assert paragraphs_under(card(), "Source data")[0] == (
        "The collection came with 2 reference sets of labels, which others made. This release does "
        "not know how."
    )
    assert paragraphs_under(card(reference_sets=()), "Source data") == [
        "The collection came with no reference labels."
    ]


def test_items_are_told_by_the_kinds_of_their_parts():
    assert paragraphs_under(card(), "Text characteristics") == [
        "The items are 1,332 queries with 1,332 parts of text and 1,261 documents with 1,261 parts "
        "of image.",
        "Groups of queries, which intervals resample whole: the item that reference labels link "
        "queries to.",
        "Genre, topic and length of the texts are not recorded.",
    ]
    query = replace(example_manifest().sides[0], n_items=1, n_parts={"text": 1, "image": 2})
    assert paragraphs_under(card(sides=(query,)), "Text characteristics")[0] == (
        "The items are 1 query with 1 part of text and 2 parts of image."
    )
