"""xinfAP of a stratified pool: what `evaluate` gives for the same sample as a file, or a reason."""

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command

from annotate.models import Resolution
from metrics.services import favour
from metrics.services.favour_page import page_of
from pooling.models import PoolPair
from pooling.services import retiring
from tests import cast
from tests.metrics import studies
from tests.pooling import making

pytestmark = pytest.mark.django_db


def sample_on_page(pool):
    favour.study_pool(pool=pool)
    return page_of(pool=pool, snapshot=favour.snapshot_of(pool=pool), measure=None).parts[0].sample


def test_xinfap_of_a_pool_is_that_of_its_file_and_undefined_once_its_runs_changed(media_root, tmp_path):
    rng = np.random.default_rng(7)
    collection = making.collection(5, 30, batch_candidates=500)
    ranked = {name: {q: rng.permutation(30)[:12].tolist() for q in range(5)} for name in "AB"}
    runs = [making.run(collection, name, rows) for name, rows in ranked.items()]
    pool = making.opened(collection, runs, strategy="stratified", top=2, depth=8, share=0.5)
    assert sample_on_page(pool).why == "no pair that was drawn is positive yet."
    studies.judge(cast.annotator(collection), seed=1, likes=0.4)
    said = Resolution.objects.filter(collection=collection, grade__isnull=False)
    grades = {(row.pair.query.external_id, row.pair.document.external_id): row.grade for row in said}
    drawn = making.named(PoolPair.objects.filter(pool=pool))
    best = {}
    for rows in ranked.values():
        for q, targets in rows.items():
            for rank, d in enumerate(targets[:8], 1):
                best[f"q{q}", f"d{d}"] = min(rank, best.get((f"q{q}", f"d{d}"), rank))
    (tmp_path / "qrels").write_text("".join(
        f"{q} 0 {d} {1 if rank <= 2 else 2} {grades.get((q, d), -1) if (q, d) in drawn else -1}\n"
        for (q, d), rank in best.items()
    ))  # fmt: skip
    expected = {}
    for name, rows in ranked.items():
        (tmp_path / name).write_bytes(making.lines(rows))
        out = StringIO()
        call_command("evaluate", f"{tmp_path}/{name}", "--qrels", f"{tmp_path}/qrels", "--measures", "xinfAP@1000",
                     "--threshold", str(collection.positive_from), "--json", stdout=out)  # fmt: skip
        expected[name] = json.loads(out.getvalue())["all"]["xinfAP@1000"]
    found = sample_on_page(pool)
    assert (found.n_pooled, found.n_drawn) == (len(best), len(drawn)) and 0 < len(drawn) < len(best)
    assert dict(found.runs) == pytest.approx(expected) and all(expected.values())
    retiring.retire_run(run=runs[0], by=cast.user())
    retiring.settle_marks(run=runs[0])
    assert "strata cannot be told" in sample_on_page(pool).why
