"""Cards are read by a Markdown parser and by PyYAML, as sites that show them do."""

import re
from dataclasses import replace

import pytest
from hypothesis import assume, given

from metrics.core.releases.data_card import data_card, front_matter, size_category
from metrics.core.releases.plain_text import one_line
from tests.metrics.core.releases.samples.cards import (
    body_of,
    front_matter_of,
    paragraphs_under,
    shape_of,
    shown_text,
    table_lines,
    tokens_of,
)
from tests.metrics.core.releases.samples.hostile_names import HOSTILE_NAMES, WORST_NAMES
from tests.metrics.core.releases.samples.manifests import (
    bare_manifest,
    example_files,
    example_manifest,
    renamed_manifest,
    undefined_manifest,
)

PLAIN_SHAPE = shape_of(body_of(data_card(renamed_manifest("Plain name"), example_files())))
NO_NUMBER = re.compile(r"\b(None|nan|inf|NaN)\b")


def test_the_front_matter_is_that_of_a_dataset_card():
    assert front_matter_of(data_card(example_manifest(), example_files())) == {
        "pretty_name": "Captions and images, relabelled",
        "license": "cc-by-4.0",
        "task_categories": ["text-retrieval"],
        "size_categories": ["1K<n<10K"],
        "tags": ["information-retrieval", "test-collection", "relevance-judgments", "image"],
        "configs": [
            {
                "config_name": "judgments",
                "data_files": [{"split": "test", "path": "judgments/judgments.parquet"}],
            }
        ],
    }


def test_a_table_without_rows_is_no_configuration():
    files = [replace(file, n_rows=0) for file in example_files()]
    assert "configs" not in front_matter(example_manifest(), files)
    assert "load_dataset" not in data_card(example_manifest(), files)


def test_the_headings_are_those_of_data_statements_and_dataset_cards():
    tokens = tokens_of(body_of(data_card(example_manifest(), example_files())))
    heads = [
        (token.tag, shown_text(tokens[place + 1]))
        for place, token in enumerate(tokens)
        if token.type == "heading_open"
    ]
    assert heads == [
        ("h1", "Captions and images, relabelled"),
        ("h2", "Dataset summary"),
        ("h2", "Supported tasks"),
        ("h2", "Dataset structure"),
        ("h3", "Items"),
        ("h3", "Grades"),
        ("h3", "Query sets"),
        ("h3", "Label sources"),
        ("h3", "Files"),
        ("h3", "How to read the files"),
        ("h3", "How to load the folder"),
        ("h3", "How to check the files"),
        ("h2", "Dataset creation"),
        ("h3", "Curation rationale"),
        ("h3", "Source data"),
        ("h3", "Language variety"),
        ("h3", "Speaker demographic"),
        ("h3", "Speech situation"),
        ("h3", "Text characteristics"),
        ("h2", "Annotations"),
        ("h3", "Annotation process"),
        ("h3", "Annotator demographic"),
        ("h3", "Hours and pay"),
        ("h3", "Agreement"),
        ("h3", "Gold checks"),
        ("h2", "Runs and scores"),
        ("h3", "Runs"),
        ("h3", "Scores"),
        ("h3", "Share of judged results"),
        ("h2", "Considerations for using the data"),
        ("h3", "Bias of the pool"),
        ("h3", "Known limits"),
        ("h3", "Personal and sensitive information"),
        ("h2", "Licensing information"),
        ("h2", "Citation information"),
        ("h2", "How the files were made"),
    ]


@pytest.mark.parametrize(
    ("licence", "fields"),
    [
        ("", {}),
        ("ODbL-1.0", {"license": "odbl"}),
        (
            "NLOD-2.0",
            {
                "license": "other",
                "license_name": "nlod-2.0",
                "license_link": "https://spdx.org/licenses/NLOD-2.0.html",
            },
        ),
        ("LicenseRef-Ours", {"license": "other", "license_name": "licenseref-ours"}),
    ],
)
def test_a_licence_stands_under_the_hub_s_name_or_as_other(licence, fields):
    matter = front_matter(replace(example_manifest(), licence=licence), [])
    assert {key: value for key, value in matter.items() if key.startswith("license")} == fields


def test_a_task_of_retrieval_is_named_only_where_there_are_texts():
    assert front_matter(bare_manifest(), [])["task_categories"] == ["other"]
    images = replace(example_manifest().sides[1], side="query")
    pictures = replace(example_manifest(), sides=(images, example_manifest().sides[1]))
    assert front_matter(pictures, [])["task_categories"] == ["other"]


@pytest.mark.parametrize(
    ("n_rows", "name"),
    [
        (0, "n<1K"),
        (999, "n<1K"),
        (1000, "1K<n<10K"),
        (999_999, "100K<n<1M"),
        (5_000_000_000, "1B<n<10B"),
        (10**12, "n>1T"),
    ],
)
def test_sizes_are_those_of_the_hub(n_rows, name):
    assert size_category(n_rows) == name


def test_the_summary_counts_labels_pairs_and_items():
    card = data_card(example_manifest(), example_files())
    assert paragraphs_under(card, "Dataset summary") == [
        "Version 1.2.0 of the collection “Captions and images”, released on 2026-11-30: 5,000 "
        "labels of 3,900 pairs on 1,332 queries and 1,261 documents. A label is the grade that an "
        "annotator gave a document for a query.",
        "Captions of photographs, and the photographs that they may describe.",
        "The first release with labels of both directions.",
    ]
    assert paragraphs_under(card, "Supported tasks") == [
        "Evaluation of retrieval from queries to documents and from documents to queries."
    ]


def test_a_rehearsal_says_so_at_the_head_and_among_the_limits():
    collection = replace(example_manifest().collection, is_rehearsal=True)
    card = data_card(replace(example_manifest(), collection=collection), example_files())
    sentence = "The collection is a rehearsal: it tries out the work, and its labels are no data."
    assert paragraphs_under(card, "Dataset summary")[-1] == sentence
    assert paragraphs_under(card, "Known limits")[0] == sentence


def test_a_release_of_nothing_has_a_sentence_under_every_heading():
    card = data_card(bare_manifest(), [])
    assert not NO_NUMBER.search(card)
    heads = [token for token in tokens_of(body_of(card)) if token.type == "heading_open"]
    assert len(heads) == 36
    assert table_lines(card) == []
    assert paragraphs_under(card, "Supported tasks") == [
        "Evaluation of retrieval. This release has no qrels, so it scores no run."
    ]


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_no_number_that_lacks_is_printed(nothing):
    assert not NO_NUMBER.search(data_card(undefined_manifest(nothing), example_files()))


@given(name=HOSTILE_NAMES)
def test_no_name_breaks_the_front_matter(name):
    card = data_card(renamed_manifest(name), example_files())
    fields = front_matter_of(card)
    assert fields["pretty_name"] == one_line(name)
    assert fields["license"] == "cc-by-4.0"
    assert fields.keys() == front_matter(example_manifest(), example_files()).keys()


@given(name=HOSTILE_NAMES)
def test_no_name_breaks_a_table(name):
    """A row has as many pipes that part cells as its table's head."""
    for lines in table_lines(data_card(renamed_manifest(name), example_files())):
        assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {
            len(re.findall(r"\|", lines[1]))
        }


@given(name=HOSTILE_NAMES)
def test_a_name_is_shown_as_it_is_and_is_never_markup(name):
    assume(one_line(name))
    check_that_it_is_shown(name)


@pytest.mark.parametrize("name", WORST_NAMES)
def test_nor_are_the_worst_names(name):
    check_that_it_is_shown(name)


def check_that_it_is_shown(name: str) -> None:
    """Fails unless a card of this name has the blocks of one of a plain name."""
    body = body_of(data_card(renamed_manifest(name), example_files()))
    assert shape_of(body) == PLAIN_SHAPE
    assert shown_text(tokens_of(body)[1]) == one_line(name)
