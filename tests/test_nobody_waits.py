"""While work of any kind is under way, however long, every address answers: no request waits for a row of it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import NamedTuple

import psycopg
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.utils import timezone

from annotate.core.judgment_formats import JudgmentColumns
from annotate.models import ReviewAction, ReviewWork, Work
from annotate.services import imports, review_work
from annotate.services.background import works
from annotate.services.import_kinds import Asked, Items, Judgments, Reference
from metrics.models import Download
from metrics.services import downloads
from pooling.models import Pool, Run
from pooling.services import pools, readings, runs
from tests import access_table
from tests.access_table import World, addresses, build, knock, told, url_of
from tests.annotate.core.files import line
from tests.campaigns import Campaign
from tests.databases import address, for_a_thread
from tests.sessions import waiting_session

pytestmark = pytest.mark.django_db(transaction=True)
STOP = 4815  # the lock at which the work's session stops
STOPPED = f"""
    CREATE OR REPLACE FUNCTION stop_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF current_setting('assayer.stops', true) = 'on' THEN PERFORM pg_advisory_xact_lock({STOP}); END IF;
        RETURN coalesce(NEW, OLD);
    END $$;
    CREATE TRIGGER stop_here BEFORE INSERT OR UPDATE ON {{table}} FOR EACH ROW EXECUTE FUNCTION stop_here();
"""
GO_ON = "DROP TRIGGER stop_here ON {table}; DROP FUNCTION stop_here();"
OWNERS = ("lead", "researcher", "annotator", "admin")


class Case(NamedTuple):
    """A kind of work: what asks for it in a world, and the table that it is stopped at, in its longest statement."""

    ask: Callable[[World], Work]
    table: str


def imported(asked: Asked, text: str, name: str = "a.csv") -> Callable[[World], Work]:
    """An import of this file."""

    def ask(world: World) -> Work:
        upload = SimpleUploadedFile(name, text.encode())
        return imports.receive(collection=world.campaign.collection, asked=asked, upload=upload).made.work

    return ask


def first_ids(world: World) -> tuple[str, str]:
    """A query and a document of the collection, as files name them."""
    items = world.campaign.collection.items.order_by("pk")
    return items.filter(side="query").first().external_id, items.filter(side="document").first().external_id


def labels(asked: Asked, head: str, row: str) -> Callable[[World], Work]:
    """An import of one label of a pair that people judge."""
    return lambda world: imported(asked, f"{head}\n{row.format(*first_ids(world))}\n")(world)


def reading(world: World) -> Work:
    """The reading of a run."""
    query, document = first_ids(world)
    upload = SimpleUploadedFile("new.run", f"{query} Q0 {document} 1 1.0 new\n".encode())
    collection = world.campaign.collection
    return runs.receive_run(collection=collection, name="new", direction="forward", upload=upload).run.work


def rereading(world: World) -> Work:
    """The reading of a run that was read before."""
    run = runs.Run.objects.get(pk=reading(world).subject)
    runs.read_here(run=run)
    readings.ask(run=run, kind=Run.WorkKind.REREADING, by=None)
    return run.work


def opening(world: World) -> Work:
    """The opening of a pool of the campaign's run."""
    collection, run = world.campaign.collection, world.campaign.run
    parameters = {"depth": 2}
    pool = pools.create_pool(
        collection=collection, name="another", strategy="depth-k", parameters=parameters, runs=[run]
    )
    pools.request_opening(pool=pool, by=None)
    return pool.work


def closing(world: World) -> Work:
    """The closing of the pool that people judge."""
    pools.request_closing(pool=world.campaign.pool, by=None)
    return Pool.objects.get(pk=world.campaign.pool.pk).work


def reopening(world: World) -> Work:
    """Its opening again."""
    pools.close_pool(pool=world.campaign.pool)
    pools.request_reopening(pool=world.campaign.pool, by=None)
    return Pool.objects.get(pk=world.campaign.pool.pk).work


def download(world: World) -> Work:
    """The making of a file."""
    collection = world.campaign.collection
    form = downloads.form_of(collection=collection, kind=Download.Kind.PAIRS, data={})
    assert form.is_valid()
    return downloads.ask(collection=collection, kind=Download.Kind.PAIRS, form=form, by=None).work


def review(world: World) -> Work:
    """What takes somebody's many answers out of the count."""
    lead, annotator = world.campaign.lead, world.campaign.annotators[1]
    action = ReviewAction.objects.create(
        collection=annotator.collection, kind="labels_withdrawn", by=lead, annotator=annotator, reason="had a cold"
    )
    work = works.ask(kind=review_work.REVIEW, collection=annotator.collection, subject=action.pk, by=lead)
    until = timezone.now()
    ReviewWork.objects.create(action=action, work=work, n_total=1_000, since=until - timedelta(days=1), until=until)
    return work


JUDGED = labels(Judgments("all", JudgmentColumns()), "annotator,query,document,grade", "a,{},{},1")
full = pytest.mark.full
CASES = [
    pytest.param(Case(imported(Items(), line("new"), "collection.jsonl"), "annotate_item"), id="items"),
    pytest.param(Case(JUDGED, "annotate_roundpair"), id="judgments"),
    pytest.param(Case(JUDGED, "annotate_resolution"), id="judgments resolved", marks=full),
    pytest.param(
        Case(labels(Reference("new"), "query\tdocument\tgrade", "{}\t{}\t1"), "annotate_referencelabel"),
        id="reference", marks=full,
    ),
    pytest.param(Case(reading, "pooling_ranking"), id="run reading"),
    pytest.param(Case(rereading, "pooling_ranking"), id="run rereading", marks=full),
    pytest.param(Case(opening, "annotate_roundpair"), id="pool opening"),
    pytest.param(Case(opening, "annotate_seat"), id="pool opening, pairs known before", marks=full),
    pytest.param(Case(closing, "annotate_seat"), id="pool closing", marks=full),
    pytest.param(Case(reopening, "annotate_seat"), id="pool reopening", marks=full),
    pytest.param(Case(review, "annotate_judgmentevent"), id="review", marks=full),
    pytest.param(Case(download, "metrics_download"), id="download", marks=full),
]  # fmt: skip


@contextmanager
def under_way(work: Work, table: str) -> Iterator[None]:
    """While a worker is at the work, stopped where it writes to the table; then its session ends, as by a kill."""

    @for_a_thread
    def perform() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET assayer.stops = 'on'")
        ended.append(None)
        try:
            works.perform(work=Work.objects.get(pk=work.pk))
        except works.FAILURES as error:
            ended.append(error)

    ended: list[Exception | None] = []
    with connection.cursor() as cursor, psycopg.connect(**address(), autocommit=True) as other:
        cursor.execute(STOPPED.format(table=table))
        other.execute("SELECT pg_advisory_lock(%s)", [STOP])
        worker = threading.Thread(target=perform)
        worker.start()
        try:
            pid = waiting_session(unless=lambda: not worker.is_alive())
            yield
            other.execute("SELECT pg_terminate_backend(%s)", [pid])
        finally:
            other.execute("SELECT pg_advisory_unlock(%s)", [STOP])
            worker.join(240)
            cursor.execute(GO_ON.format(table=table))
    assert len(ended) == 2, "it came to its end without stopping there"


def looked_at(campaign: Campaign, work: Work) -> Campaign:
    """The campaign whose pool or run is the one that is worked on, so that the addresses are of it."""
    if work.kind in Pool.WorkKind.values:
        return campaign._replace(pool=Pool.objects.get(pk=work.subject))
    if work.kind in Run.WorkKind.values:
        return campaign._replace(run=Run.objects.get(pk=work.subject))
    return campaign


@pytest.mark.parametrize("case", CASES)
def test_every_address_is_answered_while_work_is_under_way(case: Case, media_root: object) -> None:
    world = build(media_root)
    work = case.ask(world)
    world = world._replace(campaign=looked_at(world.campaign, work))
    expected, waited = access_table.table(), []
    with under_way(work, case.table), connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '1s'")
        try:
            for found in addresses():
                url = url_of(world, found, world.campaign, keys_of=world.campaign)
                for method in ("GET", "POST"):
                    row = expected[found.name, method]
                    who = next((who for who in OWNERS if row[who] not in {"in", "401", "404", "405"}), None)
                    if who and told(knock(world, who, method, found, url)) == "503":
                        waited.append(f"{method} {found.name} as {who}")
        finally:
            cursor.execute("RESET lock_timeout")
    assert waited == []
