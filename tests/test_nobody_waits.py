"""While work of any kind is under way, however long, every address answers: no request waits for a lock of it.

No clock says so, for on a slow machine any answer may take its time: PostgreSQL does. The work stands still until all
were asked, so who once waits for it waits as long as may be: of that the waiting session is told (log_lock_waits), also
where the product lets it pass, and it ends in the 503 that people would be answered. Either is one too many.

What goes through pairs that people are at, or through somebody's answers, holds those of one stretch, a transaction of
a moment: who comes with one of these waits for it. Here a stretch is one of them, and all that is about others answers.
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
from annotate.services import copying, imports, review_work
from annotate.services.background import works
from annotate.services.import_kinds import Asked, Items, Judgments, QuerySetIds, Reference
from config.up.processes import wait_until
from metrics.models import Download
from metrics.services import downloads
from pooling.models import Pool, Run
from pooling.services import pools, readings, run_documents, runs
from tests import access_table
from tests.access_table import World, addresses, ask, build, nothing_for, told, url_of
from tests.annotate.core.files import line
from tests.campaigns import Campaign
from tests.databases import address, for_a_thread
from tests.sendings import Row, Sending, held_ids, pair_rows, sendings
from tests.sessions import waiting_session

pytestmark = pytest.mark.django_db(transaction=True)
STOP = 4815  # the lock at which the work's session stops
STOPPED = f"""
    CREATE OR REPLACE FUNCTION stop_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        CASE coalesce(current_setting('assayer.stops_at', true), '')
            WHEN '' THEN NULL;
            WHEN '1' THEN PERFORM pg_advisory_xact_lock({STOP});
            ELSE PERFORM set_config('assayer.stops_at', (current_setting('assayer.stops_at')::int - 1)::text, false);
        END CASE;
        RETURN coalesce(NEW, OLD);
    END $$;
    CREATE TRIGGER stop_here BEFORE INSERT OR UPDATE ON {{table}} FOR EACH ROW EXECUTE FUNCTION stop_here();
"""
GO_ON = "DROP TRIGGER stop_here ON {table}; DROP FUNCTION stop_here();"
# Who waits for a tenth of a second is told so. What is waited for never comes, so the limit need not be that of the web
# server, which is longer (config/outages.py).
WATCHED = {
    "log_lock_waits": "on", "deadlock_timeout": "100ms", "client_min_messages": "log", "lock_timeout": "1s",
}  # fmt: skip
OWNERS = ("lead", "researcher", "annotator", "admin")


class Case(NamedTuple):
    """A kind of work: what asks for it in a world, and the table that it is stopped at, in its longest statement.

    kind : of works.KINDS, or of imports
    row : at which of the rows that it writes there; at one of a later stretch where it goes by stretches
    """

    kind: str
    ask: Callable[[World], Work]
    table: str
    row: int = 1

    @property
    def by_stretches(self) -> bool:
        """Whether it goes through pairs that people may be at, or through somebody's answers."""
        return self.row > 1


def imported(asked: Asked, text: str, name: str = "a.csv") -> Callable[[World], Work]:
    """An import of this file."""

    def ask(world: World) -> Work:
        upload = SimpleUploadedFile(name, text.encode())
        return imports.receive(collection=world.campaign.collection, asked=asked, upload=upload).made.work

    return ask


def of_pairs(asked: Asked, head: str, row: str) -> Callable[[World], Work]:
    """An import of a file that names pairs, each by query and document, that an annotator has before her."""

    def ask(world: World) -> Work:
        rows = dict.fromkeys(row.format(*ids) for ids in held_ids(world.campaign))
        return imported(asked, head + "".join(rows))(world)

    return ask


def reading(world: World) -> Work:
    """The reading of a run."""
    query, document = held_ids(world.campaign)[0]
    upload = SimpleUploadedFile("new.run", f"{query} Q0 {document} 1 1.0 new\n".encode())
    collection = world.campaign.collection
    return runs.receive_run(collection=collection, name="new", direction="forward", upload=upload).run.work


def rereading(world: World) -> Work:
    """The reading of a run that was read before."""
    run = runs.Run.objects.get(pk=reading(world).subject)
    runs.read_here(run=run)
    readings.ask(run=run, kind=Run.WorkKind.REREADING, by=None)
    return run.work


def documents(world: World) -> Work:
    """The making of a document that only a run names."""
    query, _ = held_ids(world.campaign)[0]
    upload = SimpleUploadedFile("new.run", f"{query} Q0 nowhere 1 1.0 new\n".encode())
    received = runs.receive_run(collection=world.campaign.collection, name="new", direction="forward", upload=upload)
    runs.read_here(run=received.run)
    return run_documents.make_documents(run=Run.objects.get(pk=received.run.pk), by=None).work


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


def cases() -> Iterator[ParameterSet]:
    """Every kind of work, at each table where it writes for long; by default four of different classes."""
    judged = of_pairs(Judgments("all", JudgmentColumns()), "annotator,query,document,grade\n", "a,{},{},1\n")
    reference = of_pairs(Reference("new"), "query\tdocument\tgrade\n", "{}\t{}\t1\n")
    listed = of_pairs(QuerySetIds("new", "forward"), "", "{}\n")
    found = {
        "items": Case(Import.Kind.ITEMS, imported(Items(), line("new"), "collection.jsonl"), "annotate_item"),
        "judgments": Case(Import.Kind.JUDGMENTS, judged, "annotate_roundpair"),
        "judgments resolved": Case(Import.Kind.JUDGMENTS, judged, "annotate_resolution", row=2),
        "reference": Case(Import.Kind.REFERENCE, reference, "annotate_referencelabel"),
        "query set": Case(Import.Kind.QUERY_SET, listed, "annotate_querysetitem"),
        "documents of a run": Case(Import.Kind.DOCUMENTS, documents, "annotate_item"),
        "run reading": Case(Run.WorkKind.READING, reading, "pooling_ranking"),
        "run rereading": Case(Run.WorkKind.REREADING, rereading, "pooling_ranking"),
        "pool opening": Case(Pool.WorkKind.OPENING, opening, "annotate_roundpair"),
        "pool opening, pairs known before": Case(Pool.WorkKind.OPENING, opening, "annotate_seat", row=4),
        "pool closing": Case(Pool.WorkKind.CLOSING, closing, "annotate_seat", row=4),
        "pool reopening": Case(Pool.WorkKind.REOPENING, reopening, "annotate_seat", row=4),
        "review": Case(review_work.REVIEW, review, "annotate_judgmentevent", row=2),
        "download": Case(downloads.DOWNLOAD, download, "metrics_download"),
    }
    by_default = ("items", "judgments", "run reading", "pool opening")
    for name, case in found.items():
        yield pytest.param(case, id=name, marks=[] if name in by_default else pytest.mark.full)


@contextmanager
def under_way(work: Work, table: str, row: int = 1) -> Iterator[None]:
    """While a worker is at the work, stopped at this row of the table; then its session ends, as by a kill."""

    @for_a_thread
    def perform() -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET assayer.stops_at = '{row}'")
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


@contextmanager
def told_of_waiting() -> Iterator[list[str]]:
    """What PostgreSQL tells this session of the locks that it waits for; nobody but the work holds any."""

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        if notice.severity_nonlocalized == "LOG":  # as of these waits and nothing else here
            told.append(str(notice.message_primary))

    told: list[str] = []
    with connection.cursor() as cursor:
        connection.connection.add_notice_handler(hear)
        for name, value in WATCHED.items():
            cursor.execute(f"SET {name} = '{value}'")
        try:
            yield told
        finally:
            connection.connection.remove_notice_handler(hear)
            for name in WATCHED:
                cursor.execute(f"RESET {name}")


def asked_for(world: World) -> Iterator[Sending]:
    """Every address, by the first of its owners, with an empty form too."""
    expected = access_table.table()
    for found in addresses():
        url = url_of(world, found, world.campaign, keys_of=world.campaign)
        for method in ("GET", "POST"):
            row = expected[found.name, method]
            who = next((who for who in OWNERS if row[who] not in {"in", "401", "404", "405"}), None)
            if who:
                yield Sending(found.name, url, who, nothing_for(found.name), method)


def answer(world: World, sending: Sending) -> HttpResponse:
    """How somebody is answered."""
    return ask(world, sending.who, sending.method, sending.address, sending.url, sending.body)


@transaction.atomic
def at_hand() -> frozenset[Row]:
    """The pairs and the annotators that the work keeps to itself."""
    free = Pair.objects.select_for_update(no_key=True, skip_locked=True).values_list("pk", flat=True)
    taken = pair_rows({*Pair.objects.values_list("pk", flat=True)} - {*free})
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'annotator', id FROM annotate_annotator WHERE NOT pg_try_advisory_xact_lock(1, id::int)")
        return taken | set(cursor.fetchall())


@pytest.mark.parametrize("case", cases())
def test_every_address_is_answered_while_work_is_under_way(
    case: Case, media_root: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "STRETCH", 1)
    monkeypatch.setattr(review_work, "STRETCH", 1)
    world = build(media_root)
    filled_in = sendings(world)
    work = case.ask(world)
    world = world._replace(campaign=looked_at(world.campaign, work))
    waited = []
    with under_way(work, case.table, case.row):
        taken = at_hand()
        apart = [sending for sending in filled_in if not (case.by_stretches and taken & sending.about)]
        with told_of_waiting() as notices:
            for sending in [*asked_for(world), *apart]:
                status = told(answer(world, sending))
                if status == "503" or notices:
                    waited.append(f"{sending}: {status} {notices}")
                notices.clear()
    assert waited == []
    tables = sorted(table for table, _ in taken)
    assert tables in ([["pair"], ["annotator", "pair"]] if case.by_stretches else [[]])
    assert {"annotate:judge-next", "annotate:judge-answer"} <= {sending.address for sending in apart}


def test_what_is_filled_in_is_accepted_where_nothing_is_under_way(media_root: object) -> None:
    world, refused = build(media_root), []
    for sending in sendings(world):
        answered = answer(world, sending)
        refusals = [str(said) for said in get_messages(answered.wsgi_request) if said.level >= ERROR]
        if told(answered) not in {"200", "201", "302"} or refusals:
            refused.append(f"{sending}: {told(answered)} {refusals}")
    assert refused == []


def test_who_waits_for_work_is_told_so(media_root: object) -> None:
    world = build(media_root)

    def cancel_once_told() -> None:
        wait_until(lambda: bool(notices), seconds=240)
        with psycopg.connect(**address()) as other:
            other.execute("SELECT pg_cancel_backend(%s)", [pid])

    with under_way(reading(world), "pooling_ranking"), told_of_waiting() as notices, connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = 0")
        pid = connection.connection.info.backend_pid
        canceller = threading.Thread(target=cancel_once_told)
        canceller.start()
        with pytest.raises(OperationalError), transaction.atomic():
            cursor.execute("LOCK pooling_ranking")
        canceller.join()
    assert notices


def test_every_kind_of_work_is_a_case() -> None:
    of_tests = {name for name, kind in works.KINDS.items() if kind.do.__module__.startswith("tests.")}
    kinds = {*works.KINDS, *Import.Kind.values} - of_tests - {imports.IMPORT}
    assert {param.values[0].kind for param in cases()} == kinds
