"""Stored scores equal an independent tool's, query by query, whatever was uploaded."""

import numpy as np
import pytest

from annotate.models import Direction
from metrics.http import Wanted
from metrics.models import Download, LabelSource
from metrics.services import download_rows, downloads, refresh
from tests.metrics import uploads
from tests.sizes import share_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


def qrels(query_set):
    wanted = Wanted(
        direction=Direction(query_set.direction), label_source=LabelSource.REFERENCE,
        reference_set=query_set.collection.reference_sets.get(), query_set=query_set, threshold=None, rule="",
    )  # fmt: skip
    return uploads.qrels_of("".join(download_rows.qrels(collection=query_set.collection, wanted=wanted)))


def as_scored(run, query_set):
    data = {"run": str(run.pk), "queries": str(query_set.pk)}
    form = downloads.form_of(collection=run.collection, kind=Download.Kind.RUN, data=data)
    assert form.is_valid(), form.errors
    made = downloads.ask(collection=run.collection, kind=Download.Kind.RUN, form=form, by=None)
    downloads.run(made=made)
    assert made.state == "done", made.error
    return made.file.read().decode()


def assert_equal(run, query_set, lines):
    theirs = uploads.theirs(qrels(query_set), uploads.run_of(lines), uploads.sources_of(query_set))
    ours = uploads.ours(run, query_set)
    for name, values in theirs.items():
        assert ours[name] == pytest.approx(values, abs=1e-9), name


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize("case", range(share_of(40)))
def test_ir_measures_gives_the_same_on_the_upload_and_on_the_run_as_it_was_scored(case, direction):
    rng = np.random.default_rng([case, len(direction)])
    made = uploads.upload(rng, direction=direction)
    everything = made.collection.query_sets.get(direction=direction, name="all")
    gallery = uploads.with_gallery(made.collection, direction, ["d1", "d3", "d4", "d9", "q0", "q2", "q3"])
    left_out = ["d2", "q1"] if case % 2 else []
    uploads.leave_out(made.collection, *left_out)
    refresh.refresh(collection=made.collection)
    for query_set in (everything, gallery):
        assert_equal(made.run, query_set, as_scored(made.run, query_set))
    if not left_out and not made.collection.items.exclude(split="test").exists():
        assert_equal(made.run, everything, made.lines)
