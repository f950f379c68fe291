"""Labels as FIRE has them: the very text of an example, its types, and its memory."""

import json
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from metrics.core.releases.fire_labels import FireHeader, FireLabel, fire_header, fire_pieces
from tests.metrics.core.releases.samples.small_release import SMALL

EXPECTED = Path(__file__).with_name("fire_example.json")
HEADER = fire_header(SMALL, source_data_md5="0cc175b9c0f1b6a831c399e269772661")

# the fields of mmr/datasets.py in facebookresearch/mm-retrieval-evaluation, with their types
DISAGREEMENT_FIELDS = {
    "annotator_ids": [int],
    "video_id": str,
    "query": str,
    "annotator_labels": [str],
    "response_ids": [int],
    "queue_ids": [int],
    "models": [str],
    "dataset": str,
}
ANNOTATION_FIELDS = {**DISAGREEMENT_FIELDS, "label": str}
DATASET_FIELDS = {
    "annotations": [dict],
    "disagreements": [dict],
    "source_ds": str,
    "source_data_md5": str,
    "source_annotator_map_md5": str,
    "created_ds": str,
    "email": str,
    "creator": str,
    "website": str,
    "license": str,
    "datasets": [str],
}


def label(query: str, document: str, grade: int, annotator: str, **changes: Any) -> FireLabel:
    row = FireLabel(
        query=query,
        query_text=f"a clip of {query}",
        document=document,
        document_hash="",
        grade=grade,
        level=("irrelevant", "partly", "relevant")[grade],
        is_positive=grade >= 2,
        annotator=annotator,
        pool="Top 10",
        models=("CLIP4CLIP",),
    )
    return row._replace(**changes)


EXAMPLE = [
    label("q1", "v1", 2, "ana", document_hash="900150983cd24fb0d6963f7d28e17f72"),
    label("q1", "v2", 0, "bo", models=()),
    label("q1", "v2", 1, "ana", pool="Deeper", models=("run-01", "CLIP4CLIP")),
    label("q1", "v2", 2, "cy", pool="Deeper", models=("run-01", "SSB")),
    label('日本 "q"\n', "é/\\ \U0001f600", 2, "bo", query_text=""),
    label('日本 "q"\n', "é/\\ \U0001f600", 0, "ana", query_text=""),
    label("q3", "v1", 1, "dé"),
]


def labels(n: int) -> Iterator[FireLabel]:
    """Labels of pairs with one, two and three of them; every second pair of two is a tie."""
    for i in range(n // 2):
        for k in range(1 + i % 3):
            yield label(f"q{i}", f"v{i}", 2 * ((i // 3 + k) % 2), f"annotator-{k}")


def has_fields(item: dict[str, Any], fields: dict[str, Any]) -> bool:
    """Whether the item has all fields, each of its type, lists of values of theirs."""
    return all(
        isinstance(item[name], list) and all(type(value) is kind[0] for value in item[name])
        if isinstance(kind, list)
        else type(item[name]) is kind
        for name, kind in fields.items()
    )


def test_an_example_is_written_as_expected() -> None:
    assert "".join(fire_pieces(HEADER, EXAMPLE)) == EXPECTED.read_text(encoding="utf-8")


def test_it_has_the_fields_of_fire_with_their_types() -> None:
    dataset = json.loads("".join(fire_pieces(HEADER, EXAMPLE)))
    assert has_fields(dataset, DATASET_FIELDS)
    assert all(has_fields(item, ANNOTATION_FIELDS) for item in dataset["annotations"])
    assert all(has_fields(item, DISAGREEMENT_FIELDS) for item in dataset["disagreements"])
    assert all("label" not in item for item in dataset["disagreements"])


def test_the_label_is_the_one_of_most_and_a_tie_is_a_disagreement() -> None:
    dataset = json.loads("".join(fire_pieces(HEADER, EXAMPLE)))
    assert [(item["video_id"], item["label"]) for item in dataset["annotations"]] == [
        ("v1", "relevant"),
        ("v2", "irrelevant"),
        ("v1", "irrelevant"),
    ]
    (tie,) = dataset["disagreements"]
    assert (tie["query"], tie["query_id"]) == ('日本 "q"\n', '日本 "q"\n')
    assert tie["annotator_labels"] == ["relevant", "irrelevant"]


def test_numbers_of_annotators_and_queues_lead_to_their_names() -> None:
    dataset = json.loads("".join(fire_pieces(HEADER, EXAMPLE)))
    assert dataset["annotators"] == {"1": "ana", "2": "bo", "3": "cy", "4": "dé"}
    assert dataset["queues"] == {"1": "Top 10", "2": "Deeper"}
    items = [*dataset["annotations"], *dataset["disagreements"]]
    assert sorted(number for item in items for number in item["response_ids"]) == [*range(1, 8)]
    assert dataset["annotations"][1]["models"] == ["run-01", "CLIP4CLIP", "SSB"]


def test_no_labels_are_a_data_set_too() -> None:
    dataset = json.loads("".join(fire_pieces(HEADER, [])))
    assert (dataset["annotations"], dataset["disagreements"]) == ([], [])
    assert has_fields(dataset, DATASET_FIELDS)


def test_a_release_without_licence_and_creators_has_a_header() -> None:
    bare = fire_header(replace(SMALL, licence="", creators=()))
    assert bare == FireHeader("2026-03-01", "", "2026-03-01", "", "", "", "", "clips")
    assert HEADER.creator == "Ana Núñez and Bo"
    assert HEADER.license == "CC-BY-4.0, https://spdx.org/licenses/CC-BY-4.0.html"


def test_a_hundred_thousand_labels_take_little_memory() -> None:
    """Pairs of 40 labels, for the time that the tracing takes; every second one is a tie."""
    crowd = [label("q", "v", 2 * (k % 2), f"annotator-{k}") for k in range(40)]
    crowd_of_pair = (crowd, [*crowd[:-2], *crowd[-1:] * 2])
    rows = [row._replace(query=f"q{i}") for i in range(2_500) for row in crowd_of_pair[i % 2]]
    tracemalloc.start()
    n_characters = sum(len(piece) for piece in fire_pieces(HEADER, rows))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n_characters > 4_000_000
    assert peak < 200_000


def test_many_labels_make_valid_json() -> None:
    dataset = json.loads("".join(fire_pieces(HEADER, labels(6_000))))
    assert (len(dataset["annotations"]), len(dataset["disagreements"])) == (2_000, 1_000)
