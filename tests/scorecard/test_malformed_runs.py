"""Thousands of damaged run files: each is refused whole, in a sentence, without a crash.

They are uploaded by the API and read as by a worker. A file that is still valid after the damage is
accepted, and not counted here.
"""

import gzip
import io
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotate.models import Item, Role
from pooling.models import Matrix, Ranking, Run
from tests import cast
from tests.annotate.core.files.samples import archive
from tests.mutations import accident
from tests.pooling.core.files.run_samples import MATRIX, SAMPLES, parquet
from tests.works import perform_work

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("media_root"),
    pytest.mark.timeout(4 * 3600),
]
MOST_ACCIDENTS = 4
MOST_TRIES = 20  # files for each refused one; where few bytes matter, most stay valid


def zipped() -> bytes:
    """A zip file of a matrix and its lists of ids."""
    file = io.BytesIO()
    np.save(file, MATRIX["sim_mat"])
    lists = {"rows.txt": b"q1\nq2\n", "columns.txt": b"d1\nd2\nd3\n"}
    return archive({"matrix.npy": file.getvalue(), **lists}, compression=0).getvalue()


FILES: dict[str, tuple[str, bytes]] = {
    "TREC": ("a.run", SAMPLES["trec"]),
    "JSONL": ("a.jsonl", SAMPLES["jsonl"]),
    "CSV": ("a.csv", SAMPLES["table"]),
    "npz": ("a.npz", SAMPLES["npz"]),
    "gzip": ("a.run.gz", gzip.compress(SAMPLES["trec"], mtime=0)),
    "zip": ("a.zip", zipped()),
    "Parquet": (
        "a.parquet",
        parquet(query=["q1"] * 50, document=[f"d{n}" for n in range(50)], score=[0.5] * 50),
    ),
}
TEXTS = ("TREC", "JSONL", "CSV")
EMPTY = {"The file is empty.", "The file holds no rows."}  # errors without a line


class UploadOutcome(NamedTuple):
    """Outcome of an upload: refused or not, the errors, and whether they name a line or field."""

    is_refused: bool
    sentences: list[str]
    is_located: bool


@pytest.fixture
def send(client: Client) -> Callable[[str, bytes], UploadOutcome]:
    """Function that uploads a file as a run and has it read."""
    collection = cast.collection("runs")
    for side, names in (("query", ("q1", "q2")), ("document", [f"d{n}" for n in range(50)])):
        Item.objects.bulk_create(
            Item(collection=collection, side=side, external_id=name) for name in names
        )
    key = cast.bearer(cast.member(collection, Role.RESEARCHER), "runs:write")

    def send(name: str, data: bytes) -> UploadOutcome:
        form = {"name": "mutated", "direction": "forward", "file": SimpleUploadedFile(name, data)}
        answer = client.post("/api/v1/collections/runs/runs/", form, headers=key)
        assert answer.status_code in (200, 201, 422), (answer.status_code, answer.content[:300])
        if answer.status_code == 422:
            errors = answer.json()["errors"]
            return UploadOutcome(
                True, [error["message"] for error in errors], bool(errors[0]["field"])
            )
        run = perform_work(Run.objects.get(pk=answer.json()["id"]))
        assert run.state in ("ready", "rejected"), (run.state, run.work.error)
        if run.state == "ready":
            run.delete()  # frees the name for the next one
            return UploadOutcome(False, [], False)
        errors = run.report["errors"]
        # only its ids were damaged: not malformed
        if errors[0]["message"].startswith("It names none"):
            return UploadOutcome(False, [], False)
        is_located = any(
            error["line"] or error["field"] or error["message"] in EMPTY for error in errors
        )
        return UploadOutcome(True, [error["message"] for error in errors], is_located)

    return send


def mutants(sample: bytes) -> Iterator[bytes]:
    """Endlessly many damaged files, the same in every run."""
    seed = 0
    while True:
        seed += 1
        rng, data = random.Random(seed), sample
        for _ in range(rng.randrange(1, MOST_ACCIDENTS)):
            data = accident(data, [sample], rng)
        yield data


def are_sentences(errors: list[str]) -> bool:
    """Whether there are errors, all written for people and not by Python."""
    return bool(errors) and all(
        error.strip() and "Traceback" not in error and "Error(" not in error for error in errors
    )


def n_stored() -> int:
    """Number of stored rows of refused runs."""
    refused_runs = {"run__state": "rejected"}
    return (
        Ranking.objects.filter(**refused_runs).count()
        + Matrix.objects.filter(**refused_runs).count()
    )


@pytest.mark.parametrize("kind", FILES)
def test_a_malformed_run_is_refused_in_a_sentence(send, figures, kind):
    (name, sample), n = FILES[kind], figures.size(kind)
    assert not send(name, sample).is_refused
    counts = Counter()
    for data in islice(mutants(sample), MOST_TRIES * (n + 10)):
        outcome = send(name, data)
        if outcome.is_refused:
            counts["refused"] += 1
            counts["not in sentences"] += not are_sentences(outcome.sentences)
            counts["naming neither line nor field"] += not outcome.is_located
            counts["rows stored"] += n_stored()
        if counts["refused"] == n:
            break
    figures.record(f"{kind}: files refused", counts["refused"], at_least=n)
    figures.record(f"{kind}: refused, but not in sentences", counts["not in sentences"], at_most=0)
    most = 0 if kind in TEXTS else None
    figures.record(
        f"{kind}: refused, naming neither line nor field",
        counts["naming neither line nor field"],
        at_most=most,
    )
    figures.record(f"{kind}: rows of refused files", counts["rows stored"], at_most=0)
