"""No request waits for a lock: every address answers while work of any kind is under way.

This is measured by PostgreSQL, not by a clock: any answer may be slow on a slow machine. The work
stands still until all requests were sent, so a request that waits for it waits to the limit:
PostgreSQL notifies the waiting session (log_lock_waits), even where the product handles the wait,
and the answer is a 503. Either is a failure.

Work that goes through pairs under judgment, or through an annotator's answers, locks those of one
stretch, a transaction of a moment: a request about one of them waits for it. Here a stretch is one
pair, and all requests about others are answered.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import NamedTuple

import psycopg
import pytest
from _pytest.mark import ParameterSet
from django.contrib.messages import ERROR, get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection, transaction
from django.http import HttpResponse
from django.utils import timezone

from annotate.core.judgment_formats import JudgmentColumns
from annotate.models import Import, Pair, ReviewAction, ReviewWork, Work
from annotate.services import bulk_copy, imports, review_work
from annotate.services.background import works
from annotate.services.import_kinds import ImportRequest, ItemsImport, JudgmentsImport, QuerySetImport, ReferenceImport
from config.up.processes import wait_until
from metrics.models import Download
from metrics.services import downloads
from pooling.models import Pool, Run
from pooling.services import pools, readings, run_documents, runs
from tests import access_table
from tests.access_table import World, addresses, build, empty_form, send_request, status_text, url_of
from tests.annotate.core.files import line
from tests.campaigns import Campaign
from tests.database_sessions import waiting_session
from tests.databases import closing_connections, connection_parameters
from tests.sample_requests import Row, SampleRequest, open_pair_ids, pair_rows, sample_requests

pytestmark = pytest.mark.django_db(transaction=True)
STOP_LOCK = 4815  # the advisory lock at which the work's session stops
ADD_STOP = f"""
    CREATE OR REPLACE FUNCTION stop_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        CASE coalesce(current_setting('assayer.stops_at', true), '')
            WHEN '' THEN NULL;
            WHEN '1' THEN PERFORM pg_advisory_xact_lock({STOP_LOCK});
            ELSE PERFORM set_config('assayer.stops_at', (current_setting('assayer.stops_at')::int - 1)::text, false);
        END CASE;
        RETURN coalesce(NEW, OLD);
    END $$;
    CREATE TRIGGER stop_here BEFORE INSERT OR UPDATE ON {{table}} FOR EACH ROW EXECUTE FUNCTION stop_here();
"""
REMOVE_STOP = "DROP TRIGGER stop_here ON {table}; DROP FUNCTION stop_here();"
# A session is notified after waiting for a tenth of a second. No wait here ends well, so the limit
# may be shorter than that of the web server (config/outages.py).
LOCK_SETTINGS = {
    "log_lock_waits": "on", "deadlock_timeout": "100ms", "client_min_messages": "log", "lock_timeout": "1s",
}  # fmt: skip
OWNERS = ("lead", "researcher", "annotator", "admin")


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


def import_of(import_options: ImportRequest, text: str, name: str = "a.csv") -> Callable[[World], Work]:
    """An import of this file."""

    def request(world: World) -> Work:
        upload = SimpleUploadedFile(name, text.encode())
        return imports.receive_import(collection=world.campaign.collection, import_request=import_options, upload=upload).import_.work

    return request


def import_of_pairs(import_options: ImportRequest, head: str, row: str) -> Callable[[World], Work]:
    """An import of a file of pairs (query, document) that an annotator has before her."""

    def request(world: World) -> Work:
        rows = dict.fromkeys(row.format(*ids) for ids in open_pair_ids(world.campaign))
        return import_of(import_options, head + "".join(rows))(world)

    return request


def run_reading(world: World) -> Work:
    """The reading of a run."""
    query, document = open_pair_ids(world.campaign)[0]
    upload = SimpleUploadedFile("new.run", f"{query} Q0 {document} 1 1.0 new\n".encode())
    collection = world.campaign.collection
    return runs.receive_run(collection=collection, name="new", direction="forward", upload=upload).run.work


def run_rereading(world: World) -> Work:
    """The reading of a run that was read before."""
    run = runs.Run.objects.get(pk=run_reading(world).subject)
    runs.read_here(run=run)
    readings.request_reading(run=run, kind=Run.WorkKind.REREADING, by=None)
    return run.work


def documents_from_run(world: World) -> Work:
    """The creation of a document that only a run names."""
    query, _ = open_pair_ids(world.campaign)[0]
    upload = SimpleUploadedFile("new.run", f"{query} Q0 nowhere 1 1.0 new\n".encode())
    received = runs.receive_run(collection=world.campaign.collection, name="new", direction="forward", upload=upload)
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
    return downloads.request_download(collection=collection, kind=Download.Kind.PAIRS, form=form, by=None).work


def withdrawal(world: World) -> Work:
    """The withdrawal of an annotator's many labels."""
    lead, annotator = world.campaign.lead, world.campaign.annotators[1]
    action = ReviewAction.objects.create(
        collection=annotator.collection, kind="labels_withdrawn", by=lead, annotator=annotator, reason="had a cold"
    )
    work = works.ask(kind=review_work.REVIEW, collection=annotator.collection, subject=action.pk, by=lead)
    until = timezone.now()
    ReviewWork.objects.create(action=action, work=work, n_total=1_000, since=until - timedelta(days=1), until=until)
    return work


def cases() -> Iterator[ParameterSet]:
    """Every kind of work, at each table where it writes for long; four of them without --full."""
    judgments = import_of_pairs(JudgmentsImport("all", JudgmentColumns()), "annotator,query,document,grade\n", "a,{},{},1\n")
    reference = import_of_pairs(ReferenceImport("new"), "query\tdocument\tgrade\n", "{}\t{}\t1\n")
    query_set = import_of_pairs(QuerySetImport("new", "forward"), "", "{}\n")
    cases = {
        "items": Case(Import.Kind.ITEMS, import_of(ItemsImport(), line("new"), "collection.jsonl"), "annotate_item"),
        "judgments": Case(Import.Kind.JUDGMENTS, judgments, "annotate_roundpair"),
        "judgments resolved": Case(Import.Kind.JUDGMENTS, judgments, "annotate_resolution", row=2),
        "reference": Case(Import.Kind.REFERENCE, reference, "annotate_referencelabel"),
        "query set": Case(Import.Kind.QUERY_SET, query_set, "annotate_querysetitem"),
        "documents of a run": Case(Import.Kind.DOCUMENTS, documents_from_run, "annotate_item"),
        "run reading": Case(Run.WorkKind.READING, run_reading, "pooling_ranking"),
        "run rereading": Case(Run.WorkKind.REREADING, run_rereading, "pooling_ranking"),
        "pool opening": Case(Pool.WorkKind.OPENING, pool_opening, "annotate_roundpair"),
        "pool opening, pairs known before": Case(Pool.WorkKind.OPENING, pool_opening, "annotate_seat", row=4),
        "pool closing": Case(Pool.WorkKind.CLOSING, pool_closing, "annotate_seat", row=4),
        "pool reopening": Case(Pool.WorkKind.REOPENING, pool_reopening, "annotate_seat", row=4),
        "review": Case(review_work.REVIEW, withdrawal, "annotate_judgmentevent", row=2),
        "download": Case(downloads.DOWNLOAD, download, "metrics_download"),
    }
    by_default = ("items", "judgments", "run reading", "pool opening")
    for name, case in cases.items():
        yield pytest.param(case, id=name, marks=[] if name in by_default else pytest.mark.full)


@contextmanager
def under_way(work: Work, table: str, row: int = 1) -> Iterator[None]:
    """Run the work in a thread, stopped at a row of the table; afterwards its session is killed."""

    @closing_connections
    def perform() -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET assayer.stops_at = '{row}'")
        ended.append(None)
        try:
            works.perform(work=Work.objects.get(pk=work.pk))
        except works.FAILURES as error:
            ended.append(error)

    ended: list[Exception | None] = []
    with connection.cursor() as cursor, psycopg.connect(**connection_parameters(), autocommit=True) as other:
        cursor.execute(ADD_STOP.format(table=table))
        other.execute("SELECT pg_advisory_lock(%s)", [STOP_LOCK])
        worker = threading.Thread(target=perform)
        worker.start()
        try:
            pid = waiting_session(unless=lambda: not worker.is_alive())
            yield
            other.execute("SELECT pg_terminate_backend(%s)", [pid])
        finally:
            other.execute("SELECT pg_advisory_unlock(%s)", [STOP_LOCK])
            worker.join(240)
            cursor.execute(REMOVE_STOP.format(table=table))
    assert len(ended) == 2, "it came to its end without stopping there"


def with_worked_on_object(campaign: Campaign, work: Work) -> Campaign:
    """The campaign with the pool or run of the work in place of its own, for the addresses."""
    if work.kind in Pool.WorkKind.values:
        return campaign._replace(pool=Pool.objects.get(pk=work.subject))
    if work.kind in Run.WorkKind.values:
        return campaign._replace(run=Run.objects.get(pk=work.subject))
    return campaign


@contextmanager
def lock_wait_notices() -> Iterator[list[str]]:
    """Collect PostgreSQL's notices of this session's lock waits; only the work holds locks."""

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        if notice.severity_nonlocalized == "LOG":  # lock waits are the only LOG messages here
            notices.append(str(notice.message_primary))

    notices: list[str] = []
    with connection.cursor() as cursor:
        connection.connection.add_notice_handler(hear)
        for name, value in LOCK_SETTINGS.items():
            cursor.execute(f"SET {name} = '{value}'")
        try:
            yield notices
        finally:
            connection.connection.remove_notice_handler(hear)
            for name in LOCK_SETTINGS:
                cursor.execute(f"RESET {name}")


def every_address_request(world: World) -> Iterator[SampleRequest]:
    """A GET and an empty POST of every address, as the first owner who may send them."""
    expected = access_table.table()
    for target in addresses():
        url = url_of(world, target, world.campaign, keys_of=world.campaign)
        for method in ("GET", "POST"):
            row = expected[target.name, method]
            principal = next((principal for principal in OWNERS if row[principal] not in {"in", "401", "404", "405"}), None)
            if principal:
                yield SampleRequest(target.name, url, principal, empty_form(target.name), method)


def send(world: World, sending: SampleRequest) -> HttpResponse:
    """Send a sample request."""
    return send_request(world, sending.principal, sending.method, sending.address, sending.url, sending.body)


@transaction.atomic
def locked_rows() -> frozenset[Row]:
    """The pairs and annotators that are locked by the work."""
    free = Pair.objects.select_for_update(no_key=True, skip_locked=True).values_list("pk", flat=True)
    locked_pairs = pair_rows({*Pair.objects.values_list("pk", flat=True)} - {*free})
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'annotator', id FROM annotate_annotator WHERE NOT pg_try_advisory_xact_lock(1, id::int)")
        return locked_pairs | set(cursor.fetchall())


@pytest.mark.parametrize("case", cases())
def test_every_address_is_answered_while_work_is_under_way(
    case: Case, media_root: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_copy, "STRETCH", 1)
    monkeypatch.setattr(review_work, "STRETCH", 1)
    world = build(media_root)
    samples = sample_requests(world)
    work = case.request(world)
    world = world._replace(campaign=with_worked_on_object(world.campaign, work))
    delayed = []
    with under_way(work, case.table, case.row):
        locked = locked_rows()
        unaffected = [sending for sending in samples if not (case.goes_by_stretches and locked & sending.changed_rows)]
        with lock_wait_notices() as notices:
            for sending in [*every_address_request(world), *unaffected]:
                status = status_text(send(world, sending))
                if status == "503" or notices:
                    delayed.append(f"{sending}: {status} {notices}")
                notices.clear()
    assert delayed == []
    tables = sorted(table for table, _ in locked)
    assert tables in ([["pair"], ["annotator", "pair"]] if case.goes_by_stretches else [[]])
    assert {"annotate:judge-next", "annotate:judge-answer"} <= {sending.address for sending in unaffected}


def test_what_is_filled_in_is_accepted_where_nothing_is_under_way(media_root: object) -> None:
    world, refused = build(media_root), []
    for sending in sample_requests(world):
        response = send(world, sending)
        refusals = [str(message) for message in get_messages(response.wsgi_request) if message.level >= ERROR]
        if status_text(response) not in {"200", "201", "302"} or refusals:
            refused.append(f"{sending}: {status_text(response)} {refusals}")
    assert refused == []


def test_who_waits_for_work_is_told_so(media_root: object) -> None:
    world = build(media_root)

    def cancel_once_told() -> None:
        wait_until(lambda: bool(notices), seconds=240)
        with psycopg.connect(**connection_parameters()) as session:
            session.execute("SELECT pg_cancel_backend(%s)", [pid])

    with under_way(run_reading(world), "pooling_ranking"), lock_wait_notices() as notices, connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = 0")
        pid = connection.connection.info.backend_pid
        canceller = threading.Thread(target=cancel_once_told)
        canceller.start()
        with pytest.raises(OperationalError), transaction.atomic():
            cursor.execute("LOCK pooling_ranking")
        canceller.join()
    assert notices


def test_every_kind_of_work_is_a_case() -> None:
    test_kinds = {name for name, kind in works.KINDS.items() if kind.do.__module__.startswith("tests.")}
    kinds = {*works.KINDS, *Import.Kind.values} - test_kinds - {imports.IMPORT}
    assert {param.values[0].kind for param in cases()} == kinds
