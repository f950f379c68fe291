"""Labels in the JSON of the FIRE data set: "Fighting FIRe with FIRE", arXiv:2210.05038.

The schema is that of `FireDataset` in mmr/datasets.py of the repository
facebookresearch/mm-retrieval-evaluation, with its names and their order: an item of `annotations`
is a pair with the labels that it got and the one that most of them gave; pairs without such a
majority are in `disagreements`. A video is any document here. Where FIRE has numbers alone,
annotators and queues (our pools) are numbered from 1 in the order in which they come, and labels
(`response_ids`) as they follow one another; `source_annotator_map_md5` is empty, as there is no
secret map. `models` are all runs that brought the pair, not one for each label.

Ours, which readers of FIRE pass over: `query_id`, `video_hash`, `annotator_grades` and
`annotator_levels` of an item; `annotators` and `queues`, the names by number, at the end.
FIRE has two labels: a grade counts as relevant or irrelevant, as the collection's threshold says.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from annotate.core.phrases import enumeration
from metrics.core.releases.licences import licence_address
from metrics.core.releases.manifest import Manifest

RELEVANT, IRRELEVANT = "relevant", "irrelevant"
_json = json.JSONEncoder(ensure_ascii=False).encode


class FireHeader(NamedTuple):
    """The file's description of itself, by FIRE's names.

    source_ds : day of the data, created_ds : day of the file, as 2026-03-01
    source_data_md5 : of the file of judgments, in hexadecimal; empty where there is none
    email, creator, website, license : as plain text; empty where unknown
    dataset : name of the collection
    """

    source_ds: str
    source_data_md5: str
    created_ds: str
    email: str
    creator: str
    website: str
    license: str
    dataset: str


class FireLabel(NamedTuple):
    """A label that counts.

    query_text : empty where texts stay inside; the id of the query then stands for it
    document_hash : MD5 or SHA-256 of its media in hexadecimal; empty where there is none
    is_positive : whether the grade is at the collection's threshold or above
    annotator : pseudonym; pool : name of the pool that the label was given for
    models : aliases of the runs that brought the pair
    """

    query: str
    query_text: str
    document: str
    document_hash: str
    grade: int
    level: str
    is_positive: bool
    annotator: str
    pool: str
    models: Sequence[str]


def fire_header(manifest: Manifest, *, source_data_md5: str = "") -> FireHeader:
    """The header of a release; a release tells no address of people or of itself."""
    day = manifest.released_on.isoformat()
    licence = manifest.licence
    return FireHeader(
        source_ds=day,
        source_data_md5=source_data_md5,
        created_ds=day,
        email="",
        creator=enumeration([person.name for person in manifest.creators] or [""]),
        website="",
        license=", ".join(filter(None, (licence, licence_address(licence)))),
        dataset=manifest.collection.slug,
    )


def fire_pieces(header: FireHeader, labels: Iterable[FireLabel]) -> Iterator[str]:
    """The text of the file in pieces, a pair at a time; pairs in the order in which they come.

    labels : those of a pair follow one another; read once
    Only one pair, and the names of annotators and pools, are in memory: pairs without a majority
    wait on disk, as FIRE has them last.
    """
    annotators: dict[str, int] = {}
    queues: dict[str, int] = {}
    n_labels, comma, disagreement_comma = 0, "", ""
    with TemporaryFile("w+", encoding="utf-8", newline="\n") as disagreements:
        yield '{"annotations": ['
        for _, rows in groupby(labels, key=lambda label: (label.query, label.document)):
            pair = _fire_pair(list(rows), n_labels, annotators, queues, header.dataset)
            n_labels += len(pair["response_ids"])
            if pair["label"]:
                yield f"{comma}\n{_json(pair)}"
                comma = ","
            else:
                del pair["label"]
                disagreements.write(f"{disagreement_comma}\n{_json(pair)}")
                disagreement_comma = ","
        yield '],\n"disagreements": ['
        disagreements.seek(0)
        yield from disagreements
    yield f"],\n{_json(_fire_end(header, annotators, queues)).removeprefix('{')}\n"


def _fire_pair(
    labels: Sequence[FireLabel],
    n_earlier_labels: int,
    annotators: dict[str, int],
    queues: dict[str, int],
    dataset: str,
) -> dict[str, Any]:
    """The item of a pair; its label is "" without a majority. New names get the next numbers."""
    first = labels[0]
    n_positive = sum(label.is_positive for label in labels)
    majority = ""
    if 2 * n_positive != len(labels):
        majority = RELEVANT if 2 * n_positive > len(labels) else IRRELEVANT
    return {
        "annotator_ids": [_number(label.annotator, annotators) for label in labels],
        "label": majority,
        "video_id": first.document,
        "query": first.query_text or first.query,
        "annotator_labels": [RELEVANT if label.is_positive else IRRELEVANT for label in labels],
        "response_ids": [n_earlier_labels + i + 1 for i in range(len(labels))],
        "queue_ids": [_number(label.pool, queues) for label in labels],
        "models": list(dict.fromkeys(model for label in labels for model in label.models)),
        "dataset": dataset,
        "query_id": first.query,
        "video_hash": first.document_hash,
        "annotator_grades": [label.grade for label in labels],
        "annotator_levels": [label.level for label in labels],
    }


def _number(name: str, numbers: dict[str, int]) -> int:
    return numbers.setdefault(name, len(numbers) + 1)


def _fire_end(
    header: FireHeader, annotators: dict[str, int], queues: dict[str, int]
) -> dict[str, Any]:
    """The fields after the pairs, in FIRE's order and then ours."""
    return {
        "source_ds": header.source_ds,
        "source_data_md5": header.source_data_md5,
        "source_annotator_map_md5": "",
        "created_ds": header.created_ds,
        "email": header.email,
        "creator": header.creator,
        "website": header.website,
        "license": header.license,
        "datasets": [header.dataset],
        "annotators": {number: name for name, number in annotators.items()},
        "queues": {number: name for name, number in queues.items()},
    }
