"""Every kind of work: how it is requested, and the table where it writes for long."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

import pytest
from _pytest.mark import ParameterSet
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotate.models import Import, ReviewAction, ReviewWork, Work
from annotate.services.background import works
from annotate.services.imports import imports
from annotate.services.imports.forms import IMPORT_FORMS
from annotate.services.supervision import bulk_decisions
from metrics.models import Download
from metrics.services.downloads import downloads
from metrics.services.releases import making, releases
from pooling.models import Pool, Run
from pooling.services.pools import pools
from pooling.services.runs import documents as run_documents
from pooling.services.runs import readings, runs
from tests.addresses.access_table import World
from tests.addresses.import_samples import IMPORT_SAMPLES
from tests.addresses.sample_requests import open_pair_ids


class Case(NamedTuple):
    """A kind of work: its request, and the table where it stops, in its longest statement.

    kind : of works.KINDS, or of imports
    row : number of the written row at which it stops; of a later stretch if it goes by stretches
    """

    kind: str
    request: Callable[[World], Work]
    table: str
    row: int = 1

    @property
    def goes_by_stretches(self) -> bool:
        """Whether it goes through pairs under judgment, or through an annotator's answers."""
        return self.row > 1


def import_of(kind: str) -> Callable[[World], Work]:
    """An import of a file of pairs that an annotator has before her, as its form requests it."""

    def request(world: World) -> Work:
        sample = IMPORT_SAMPLES[kind]
        upload = sample.upload(open_pair_ids(world.campaign))
        form = IMPORT_FORMS[kind].form(sample.fields, {"file": upload})
        assert form.is_valid(), form.errors
        return imports.receive_import(
            collection=world.campaign.collection,
            import_request=IMPORT_FORMS[kind].to_request(form),
            upload=upload,
        ).import_.work

    return request


def run_reading(world: World) -> Work:
    """The reading of a run."""
    query, document = open_pair_ids(world.campaign)[0]
    upload = SimpleUploadedFile("new.run", f"{query} Q0 {document} 1 1.0 new\n".encode())
    collection = world.campaign.collection
    return runs.receive_run(
        collection=collection, name="new", direction="forward", upload=upload
    ).run.work


def run_rereading(world: World) -> Work:
    """The reading of a run that was read before."""
    run = runs.Run.objects.get(pk=run_reading(world).subject)
    runs.read_here(run=run)
    readings.request_reading(run=run, kind=Run.ReadingKind.REREADING, by=None)
    return run.work


def documents_from_run(world: World) -> Work:
    """The creation of a document that only a run names."""
    query, _ = open_pair_ids(world.campaign)[0]
    upload = SimpleUploadedFile("new.run", f"{query} Q0 nowhere 1 1.0 new\n".encode())
    received = runs.receive_run(
        collection=world.campaign.collection, name="new", direction="forward", upload=upload
    )
    runs.read_here(run=received.run)
    return run_documents.make_documents(run=Run.objects.get(pk=received.run.pk), by=None).work


def pool_opening(world: World) -> Work:
    """The opening of a pool of the campaign's run."""
    collection, run = world.campaign.collection, world.campaign.run
    parameters = {"depth": 2}
    pool = pools.create_pool(
        collection=collection, name="another", strategy="depth-k", parameters=parameters, runs=[run]
    )
    pools.request_opening(pool=pool, by=None)
    return pool.work


def pool_closing(world: World) -> Work:
    """The closing of the pool that people judge."""
    pools.request_closing(pool=world.campaign.pool, by=None)
    return Pool.objects.get(pk=world.campaign.pool.pk).work


def pool_reopening(world: World) -> Work:
    """The reopening of the closed pool."""
    pools.close_pool(pool=world.campaign.pool)
    pools.request_reopening(pool=world.campaign.pool, by=None)
    return Pool.objects.get(pk=world.campaign.pool.pk).work


def download(world: World) -> Work:
    """The making of a file."""
    collection = world.campaign.collection
    form = downloads.form_of(collection=collection, kind=Download.Kind.PAIRS, data={})
    assert form.is_valid()
    return downloads.request_download(
        collection=collection, kind=Download.Kind.PAIRS, form=form, by=None
    ).work


def release(world: World) -> Work:
    """The making of a release."""
    return releases.request_release(
        collection=world.campaign.collection,
        version="2.0",
        title="Study",
        notes="",
        released_on=date(2026, 3, 5),
        by=None,
    ).making


def withdrawal(world: World) -> Work:
    """The withdrawal of an annotator's many labels."""
    lead, annotator = world.campaign.lead, world.campaign.annotators[1]
    action = ReviewAction.objects.create(
        collection=annotator.collection,
        kind="labels_withdrawn",
        by=lead,
        annotator=annotator,
        reason="had a cold",
    )
    work = works.ask(
        kind=bulk_decisions.REVIEW, collection=annotator.collection, subject=action.pk, by=lead
    )
    until = timezone.now()
    ReviewWork.objects.create(
        action=action, work=work, n_total=1_000, since=until - timedelta(days=1), until=until
    )
    return work


def cases() -> Iterator[ParameterSet]:
    """Every kind of work, at each table where it writes for long; four of them without --full."""
    cases = {
        **{
            kind: Case(kind, import_of(kind), sample.table)
            for kind, sample in IMPORT_SAMPLES.items()
        },
        "judgments resolved": Case(
            Import.Kind.JUDGMENTS,
            import_of(Import.Kind.JUDGMENTS),
            "annotate_resolution",
            row=2,
        ),
        "documents of a run": Case(Import.Kind.DOCUMENTS, documents_from_run, "annotate_item"),
        "run reading": Case(Run.ReadingKind.READING, run_reading, "pooling_ranking"),
        "run rereading": Case(Run.ReadingKind.REREADING, run_rereading, "pooling_ranking"),
        "pool opening": Case(Pool.Transition.OPENING, pool_opening, "annotate_roundpair"),
        "pool opening, pairs known before": Case(
            Pool.Transition.OPENING, pool_opening, "annotate_seat", row=4
        ),
        "pool closing": Case(Pool.Transition.CLOSING, pool_closing, "annotate_seat", row=4),
        "pool reopening": Case(Pool.Transition.REOPENING, pool_reopening, "annotate_seat", row=4),
        "review": Case(bulk_decisions.REVIEW, withdrawal, "annotate_judgmentevent", row=2),
        "download": Case(downloads.DOWNLOAD, download, "metrics_download"),
        "release": Case(making.RELEASE, release, "metrics_releasefile"),
    }
    by_default = ("items", "judgments", "run reading", "pool opening")
    for name, case in cases.items():
        yield pytest.param(case, id=name, marks=[] if name in by_default else pytest.mark.full)
