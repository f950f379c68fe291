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
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from annotate.core.phrases import enumeration
from metrics.core.releases.licences import licence_address
from metrics.core.releases.manifest import Manifest

RELEVANT, IRRELEVANT = "relevant", "irrelevant"
_RELEVANT, _IRRELEVANT = f'"{RELEVANT}"', f'"{IRRELEVANT}"'  # in JSON
TEXTS_IN_MEMORY = 500
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


_PAIR = (FireLabel._fields.index("query"), FireLabel._fields.index("document"))


def fire_pieces(header: FireHeader, labels: Iterable[FireLabel]) -> Iterator[str]:
    """The text of the file in pieces, a pair at a time; pairs in the order in which they come.

    labels : those of a pair follow one another; read once
    Only one pair, some texts, and the names of annotators and pools are in memory: pairs without a
    majority wait on disk, as FIRE has them last.
    """
    annotators: dict[str, int] = {}
    queues: dict[str, int] = {}
    text = lru_cache(TEXTS_IN_MEMORY)(_json)  # the same names come again and again
    n_labels, comma, disagreement_comma = 0, "", ""
    with TemporaryFile("w+", encoding="utf-8", newline="\n") as disagreements:
        yield '{"annotations": ['
        for _, rows in groupby(labels, key=itemgetter(*_PAIR)):
            pair_labels = list(rows)
            majority = _majority(pair_labels)
            first, n = n_labels + 1, len(pair_labels)
            n_labels += n
            numbers = (
                [_number(label.annotator, annotators) for label in pair_labels],
                list(range(first, first + n)),
                [_number(label.pool, queues) for label in pair_labels],
            )
            pair = _fire_pair(pair_labels, majority, numbers, text, header.dataset)
            if majority:
                yield f"{comma}\n{pair}"
                comma = ","
            else:
                disagreements.write(f"{disagreement_comma}\n{pair}")
                disagreement_comma = ","
        yield '],\n"disagreements": ['
        disagreements.seek(0)
        yield from disagreements
    yield f"],\n{_json(_fire_end(header, annotators, queues)).removeprefix('{')}\n"


def _majority(labels: Sequence[FireLabel]) -> str:
    """The label that most gave; "" where there is none."""
    n_positive = sum(label.is_positive for label in labels)
    if 2 * n_positive == len(labels):
        return ""
    return RELEVANT if 2 * n_positive > len(labels) else IRRELEVANT


def _fire_pair(
    labels: Sequence[FireLabel],
    majority: str,
    numbers: tuple[list[int], list[int], list[int]],
    text: Callable[[str], str],
    dataset: str,
) -> str:
    """The JSON of a pair; half a million of them would take thrice as long by an encoder.

    numbers : of the annotators, the labels and the queues
    text : encodes a text; a list of whole numbers reads in JSON as in Python
    """
    first = labels[0]
    annotator_ids, response_ids, queue_ids = numbers
    signs = ", ".join([_RELEVANT if label.is_positive else _IRRELEVANT for label in labels])
    models = ", ".join(map(text, dict.fromkeys(model for row in labels for model in row.models)))
    levels = ", ".join([text(label.level) for label in labels])
    head = f'"label": "{majority}", ' if majority else ""
    return (
        f'{{"annotator_ids": {annotator_ids}, {head}"video_id": {text(first.document)}, '
        f'"query": {text(first.query_text or first.query)}, "annotator_labels": [{signs}], '
        f'"response_ids": {response_ids}, "queue_ids": {queue_ids}, "models": [{models}], '
        f'"dataset": {text(dataset)}, "query_id": {text(first.query)}, '
        f'"video_hash": {text(first.document_hash)}, '
        f'"annotator_grades": {[label.grade for label in labels]}, '
        f'"annotator_levels": [{levels}]}}'
    )


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
