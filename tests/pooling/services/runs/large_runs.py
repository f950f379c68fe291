"""Runs of millions of lines, and reading them in a process of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from django.conf import settings
from django.core.files import File
from django.db import connection

from annotate.models import Collection
from pooling.models import Run
from pooling.services.runs import runs
from tests import cast

ROOT = Path(__file__).resolve().parents[4]
_ITEMS = """
    INSERT INTO annotate_item (collection_id, side, external_id, split, warning, excluded_reason)
    SELECT %s, 'query', 'q' || i, 'test', '', '' FROM generate_series(0, %s) i
    UNION ALL SELECT %s, 'document', 'D' || i, 'test', '', '' FROM generate_series(0, %s) i
"""


def collection(n_queries: int, n_documents: int) -> Collection:
    """A collection with items q0... and D0..."""
    collection = cast.collection()
    with connection.cursor() as cursor:
        cursor.execute(_ITEMS, [collection.pk, n_queries - 1, collection.pk, n_documents - 1])
    return collection


def write_run(path: Path, n_queries: int, depth: int, n_documents: int) -> None:
    """A TREC run: each query's targets are others, and every document is somebody's."""
    rng = np.random.default_rng(5)
    order, at = rng.permutation(n_documents), 0
    with path.open("w") as file:
        for query in range(n_queries):
            documents = np.take(order, np.arange(at, at + depth), mode="wrap")
            scores = np.sort(rng.gamma(4, 4, depth))[::-1]
            at += depth
            rows = zip(documents.tolist(), scores.tolist(), strict=True)
            file.write(
                "".join(f"q{query} Q0 D{d} {i} {s:.6f} bm25\n" for i, (d, s) in enumerate(rows, 1))
            )


def received(collection: Collection, path: Path) -> Run:
    """Receive the file as a run that waits to be read."""
    with path.open("rb") as stream:
        upload = File(stream, name=path.name)
        return runs.receive_run(
            collection=collection, name=path.name, direction="forward", upload=upload
        ).run


def database_url() -> str:
    """Address of the tests' own database; the environment names the one beside it."""
    address = urlsplit(os.environ["DATABASE_URL"])
    return address._replace(path=f"/{connection.settings_dict['NAME']}").geturl()


def ingest_in_process(run: Run) -> dict[str, Any]:
    """The cost of reading a run in a process of its own; see `ingest_process`."""
    command = [
        sys.executable,
        "-m",
        "tests.pooling.services.runs.ingest_process",
        str(run.pk),
        str(settings.MEDIA_ROOT),
    ]
    env = os.environ | {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "config.settings"}
    process = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout.splitlines()[-1])
