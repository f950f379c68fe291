"""Imports of the size of FIRE: 660,000 judgments, and as many items as a worker's time allows.

Run: python3 manage.py test --heavy -s tests/benchmarks/files/test_big_imports.py

The peer of the judgments is PostgreSQL's COPY of the same stored rows into the same tables.
"""

import io
import os
import random
from functools import partial

import pytest
from django.db import connection

from annotate.core.files.archives.sources import FileSource
from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.models import Item, Judgment, Resolution, Side
from annotate.services.background import progress
from annotate.services.imports.items import load_collection
from tests import cast
from tests.benchmarks.pools.test_open_pool import clock, copy_in, elapsed, empty_tables, peak, rows
from tests.judgment_imports import import_judgments

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(3600)]
N_JUDGMENTS = int(os.environ.get("N_JUDGMENTS", "660000"))
N_ITEMS = int(os.environ.get("N_ITEMS", "200000"))
TABLES = (
    "annotate_pair",
    "annotate_judgment",
    "annotate_roundpair",
    "annotate_seat",
    "annotate_resolution",
)


def tell(n_done: int, total: int | None = None, unit: str = "rows") -> None:
    progress.advance(job=progress.Job("import", 1), n_done=n_done, total=total, unit=unit)


def judgments_file() -> io.BytesIO:
    """A file of three judgments on each of 240,000 pairs; one line in eleven repeats another."""
    rng = random.Random(3)
    lines = ["annotator,query,document,grade"]
    n_pairs = N_JUDGMENTS * 10 // 33
    for number in range(N_JUDGMENTS):
        pair = number % n_pairs
        lines.append(f"p{number // n_pairs % 3},q{pair % 2000},d{pair // 2000},{rng.randrange(4)}")
    return io.BytesIO("\n".join(lines).encode())


def test_importing_the_judgments_of_fire_beside_copy():
    collection = cast.collection("fire", grades=4)
    cast.items(collection, Side.QUERY, 2000)
    cast.items(collection, Side.DOCUMENT, N_JUDGMENTS // 2000 + 1)
    stream = judgments_file()
    load = partial(
        import_judgments,
        collection=collection,
        file_name="fire.csv",
        columns=JudgmentColumns(),
        name="fire",
        tell=tell,
    )
    before, start = peak(), clock()
    report = load(stream=stream)
    import_cost, grew = elapsed(start), peak() - before
    assert (report.n_new, Judgment.objects.count()) == (N_JUDGMENTS, N_JUDGMENTS)
    assert Resolution.objects.count() == report.n_pairs
    start = clock()
    assert load(stream=stream).n_new == 0
    reimport_cost = elapsed(start)
    stored_rows = rows(TABLES)
    empty_tables(TABLES)
    start = clock()
    copy_in(stored_rows, TABLES)
    copy_cost = elapsed(start)
    print(f"\n{N_JUDGMENTS:,} judgments of {report.n_pairs:,} pairs; importing took {grew} MB more")
    for name, spent in (("import", import_cost), ("again", reimport_cost), ("COPY", copy_cost)):
        print(
            f"{name:8} {spent}  {spent.seconds / copy_cost.seconds:5.2f} x, "
            f"{spent.cpu / copy_cost.cpu:5.2f} x CPU"
        )
    assert grew < 700


def test_loading_items():
    collection = cast.collection("items")
    lines = [
        f'{{"side": "document", "id": "d{n}", "text": "the text of document {n}"}}'
        for n in range(N_ITEMS)
    ]
    stream = io.BytesIO("\n".join(lines).encode())
    before, start = peak(), clock()
    load_collection(
        collection=collection, source=FileSource(stream, "items.jsonl"), on_progress=tell
    )
    spent, grew = elapsed(start), peak() - before
    assert Item.objects.filter(collection=collection).count() == N_ITEMS
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"\n{N_ITEMS:,} items: {spent}, {N_ITEMS / spent.seconds:,.0f} a second, {grew} MB more")
