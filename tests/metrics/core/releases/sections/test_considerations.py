from dataclasses import replace

from metrics.core.releases.sections.considerations import (
    citing,
    considerations,
    licensing,
    provenance,
)
from tests.metrics.core.releases.samples.cards import code_of, paragraphs_under, table_lines
from tests.metrics.core.releases.samples.manifests import bare_manifest, example_manifest


def card(section, **changes) -> str:
    """A section of the example with some of its entries replaced, as a card of its own."""
    return f"---\n---\n{section(replace(example_manifest(), **changes))}"


def test_the_bias_of_the_pool_is_what_pooled_runs_lose_without_their_own_pairs():
    text = card(considerations)
    assert table_lines(text)[0][2] == (
        "| clip-large | forward (queries to documents) | all | AP | 0.521 | 0.510 | 0.011 | 31 |"
    )
    gain = replace(example_manifest().pool_bias[0], without_own=0.5311)
    assert "| -0.010 | 31 |" in card(considerations, pool_bias=(gain,))


def test_where_it_is_undefined_the_card_says_why():
    assert paragraphs_under(
        card(considerations, pool_bias=(), undefined_bias="no run was pooled"), "Bias of the pool"
    ) == ["What a run that was not pooled would lose cannot be told. No run was pooled."]


def test_limits_are_those_of_the_manifest():
    assert paragraphs_under(card(considerations), "Known limits") == [
        "Pairs that no pooled run ranked within 10 were judged by nobody.",
        "Captions are in English alone.",
    ]
    assert paragraphs_under(card(considerations, limits=()), "Known limits") == [
        "No limits are recorded; that does not mean none exist."
    ]


def test_people_in_texts_are_not_looked_for():
    title = "Personal and sensitive information"
    assert paragraphs_under(card(considerations), title)[1] == (
        "Whether the texts of the items name or describe people was not examined."
    )
    assert paragraphs_under(card(considerations, texts_leave=False), title)[1] == (
        "Texts of the items, which may name or describe people, are not in this release."
    )


def test_a_licence_has_the_address_of_its_text_and_no_licence_is_told_as_such():
    assert paragraphs_under(card(licensing), "Licensing information") == [
        "The release has the licence CC-BY-4.0: https://spdx.org/licenses/CC-BY-4.0.html. Items "
        "may have licences of their own, which are not recorded."
    ]
    assert paragraphs_under(card(licensing, licence=""), "Licensing information") == [
        "No licence was chosen. Ask its creators before you use or share the data."
    ]


def test_how_to_cite_names_the_creators_the_wish_of_the_lead_and_bibtex():
    text = card(citing)
    assert paragraphs_under(text, "Citation information")[:3] == [
        "Ada Byron, University of Example, https://orcid.org/0000-0002-1825-0097",
        "Example Lab",
        "Please cite: Byron and Example Lab (2026). Captions and images, relabelled.",
    ]
    (entry,) = code_of(text, "bibtex")
    assert entry.startswith("@misc{captions-1.2.0,")


def test_without_creators_the_collection_stands_for_them():
    paragraphs = paragraphs_under(f"---\n---\n{citing(bare_manifest())}", "Citation information")
    assert paragraphs[0] == "No creators are named, so the collection stands in their place."


def test_what_wrote_the_files_is_told_with_its_version():
    assert paragraphs_under(card(provenance), "How the files were made") == [
        "2 programs wrote the files:",
        "assayer 0.1.1",
        "pyarrow 21.0.0",
    ]
    assert paragraphs_under(card(provenance, made_with={}), "How the files were made") == [
        "What wrote the files is not recorded."
    ]
