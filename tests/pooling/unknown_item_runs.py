"""Runs that name items their collection lacks, and the loading of these items."""

import io

from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.core.files.archives.sources import FileSource
from annotate.services.imports import items as item_import
from pooling.models import Run
from pooling.services.pools import pair_choice
from pooling.services.runs import runs
from tests.works import perform_work


def run_of(collection, rankings, name="bm25", direction="forward", **fields):
    """A run of these rankings, in use whatever its unknown items.

    rankings : ids of targets, best first
    """
    lines = "".join(
        f"{source} Q0 {target} {rank} {-rank} t\n"
        for source, targets in rankings.items()
        for rank, target in enumerate(targets.split(), 1)
    )
    upload = SimpleUploadedFile(f"{name}.run", lines.encode())
    run = runs.receive_run(
        collection=collection, name=name, direction=direction, upload=upload, **fields
    ).run
    perform_work(run)
    assert run.state == "ready", run.report["errors"]
    return run


def used(*of):
    Run.objects.filter(pk__in=[run.pk for run in of]).update(on_hold_since=None)
    return list(Run.objects.filter(pk__in=[run.pk for run in of]).order_by("pk"))


def stored(run):
    names = dict(run.collection.items.values_list("pk", "external_id"))
    return {
        names[row.source_id]: [names.get(pk, "?") for pk in row.targets]
        for row in run.rankings.all()
    }


def load(collection, *lines):
    data = "".join(f'{{"side": "document", "id": "{line}", "text": "{line}"}}\n' for line in lines)
    source = FileSource(io.BytesIO(data.encode()), "items.jsonl")
    item_import.load_collection(collection=collection, source=source)


def pairs_of(choice, collection):
    names = dict(collection.items.values_list("pk", "external_id"))
    ends = zip(
        choice.query.tolist(), choice.document.tolist(), choice.best_rank.tolist(), strict=True
    )
    return {(names[query], names[document]): rank for query, document, rank in ends}


def chosen_pairs(collection, of, strategy="depth-k", **parameters):
    choice = pair_choice.choose_pairs(
        collection=collection, strategy=strategy, parameters=parameters, runs=used(*of)
    )
    return pairs_of(choice, collection)
