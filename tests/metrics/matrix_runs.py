"""Runs uploaded as similarity matrices, and their values as a leaderboard measures them."""

import io

import h5py
import numpy as np
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.services.collection.query_sets import complete_query_sets
from metrics.services.leaderboard import choice_values
from metrics.services.leaderboard.choices.parameters import read_choices
from pooling.models import Run
from pooling.services.runs import runs
from tests import cast
from tests.works import perform_work

N_QUERIES, N_DOCUMENTS = 7, 160  # more documents than rankings keep
MEASURES = "C@1 C@5 AP nDCG@10 nDCG mAP@R R@120 RR Bpref Rprec MedR MeanR"


def npz(scores, rows, columns) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, sim_mat=scores, row_ids=np.array(rows), column_ids=np.array(columns))
    return file.getvalue()


def hdf5(scores, rows, columns) -> bytes:
    file = io.BytesIO()
    with h5py.File(file, "w") as out:
        out["sim_mat"], out["row_ids"], out["column_ids"] = scores, rows, columns
    return file.getvalue()


def cells(rng, n_rows, n_columns, dtype, *, order="C"):
    """Scores of which many are equal, some only in 32 bits, and some are -inf."""
    scores = rng.integers(0, 60, (n_rows, n_columns)) / 8
    if dtype == "float64":
        scores = scores + rng.integers(0, 2, scores.shape) * 1e-9
    scores = scores.astype(dtype, order=order)
    if rng.random() < 0.5:
        scores[rng.random(scores.shape) < 0.05] = -np.inf
    return scores


def trec(scores, rows, columns) -> str:
    """The same as a TREC run."""
    lines = [
        f"{row} Q0 {column} 1 {float(scores[i, j])!r} m\n"
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
        if scores[i, j] != -np.inf
    ]
    return "".join(lines)


def received(of, data, *, direction="forward", file_name="m.npz", name="matrix", **fields) -> Run:
    file = SimpleUploadedFile(file_name, data)
    run = runs.receive_run(collection=of, name=name, direction=direction, upload=file, **fields).run
    perform_work(run)
    assert run.state == "ready", run.report["errors"]
    Run.objects.filter(pk=run.pk).update(on_hold_since=None)
    run.refresh_from_db()
    return run


def page_values(of, run, measures=MEASURES):
    """Values as the leaderboard measures them for measures without stored scores."""
    choices = read_choices(
        collection=of, viewer=None, parameters={"measures": measures, "labels": "none:original"}
    )
    assert choices.errors == []
    query_set = of.query_sets.get(direction=run.direction, name="all")
    inputs = choice_values.direction_inputs(collection=of, spec=choices.spec, query_set=query_set)
    return choice_values.measure_run(inputs=inputs, run=run)


def plain_study(n_queries=4):
    """A collection whose d150 is relevant to each query."""
    of = cast.collection(grades=2, n_queries=n_queries, n_documents=N_DOCUMENTS)
    complete_query_sets(collection=of)
    cast.reference(of, {(f"q{n}", "d150"): 1 for n in range(n_queries)})
    return of


def falling(n_queries=4, dtype="float32"):
    """Scores that fall from the first column to the last.

    Of the first two queries the 151st is twelfth at best.
    """
    scores = np.tile(-np.arange(N_DOCUMENTS, dtype=dtype), (n_queries, 1))
    scores[:2, 150] = -11
    return scores


def names(side, n):
    return [f"{side}{number}" for number in range(n)]


def measured(of, run, measures, reference="original"):
    parameters = {"measures": measures, "labels": f"none:{reference}"}
    choices = read_choices(collection=of, viewer=None, parameters=parameters)
    assert choices.errors == []
    query_set = of.query_sets.get(direction=run.direction, name="all")
    inputs = choice_values.direction_inputs(collection=of, spec=choices.spec, query_set=query_set)
    summary = choice_values.summary(inputs=inputs, runs=[run], report_progress=lambda n: None)
    return {
        measure["name"]: (measure["cells"][0]["whole"], measure["cells"][0]["beyond"])
        for measure in summary["measures"]
    }
