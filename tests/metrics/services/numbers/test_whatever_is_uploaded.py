"""Stored scores equal an independent tool's, query by query, whatever was uploaded."""

import numpy as np
import pytest

from metrics.services.numbers import refresh
from tests.metrics import uploads
from tests.sizes import share_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize("case", range(share_of(40)))
def test_ir_measures_gives_the_same_on_the_upload_and_on_the_run_as_it_was_scored(case, direction):
    rng = np.random.default_rng([case, len(direction)])
    upload = uploads.upload(rng, direction=direction)
    all_queries = upload.collection.query_sets.get(direction=direction, name="all")
    gallery = uploads.with_gallery(
        upload.collection, direction, ["d1", "d3", "d4", "d9", "q0", "q2", "q3"]
    )
    left_out = ["d2", "q1"] if case % 2 else []
    uploads.leave_out(upload.collection, *left_out)
    refresh.refresh(collection=upload.collection)
    for query_set in (all_queries, gallery):
        uploads.assert_scores(upload.run, query_set, uploads.as_scored(upload.run, query_set))
        uploads.assert_judged(upload.run, query_set)
    if not left_out and not upload.collection.items.exclude(split="test").exists():
        uploads.assert_scores(upload.run, all_queries, upload.lines)
