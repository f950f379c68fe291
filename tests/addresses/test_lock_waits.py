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
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.contrib.messages import ERROR, get_messages
from django.db import OperationalError, connection, transaction
from django.http import HttpResponse

from annotate.models import Import, Pair, Work
from annotate.services.background import works
from annotate.services.imports import imports
from annotate.services.storage import bulk_copy
from annotate.services.supervision import bulk_decisions
from config.up.processes import wait_until
from pooling.models import Pool, Run
from tests.addresses import access_table
from tests.addresses.access_table import (
    World,
    addresses,
    build,
    empty_form,
    send_request,
    status_text,
    url_of,
)
from tests.addresses.sample_requests import Row, SampleRequest, pair_rows, sample_requests
from tests.addresses.work_cases import Case, cases, run_reading
from tests.campaigns import Campaign
from tests.servers.database_sessions import waiting_session
from tests.servers.databases import closing_connections, connection_parameters

pytestmark = pytest.mark.django_db(transaction=True)
STOP_LOCK = 4815  # the advisory lock at which the work's session stops
ADD_STOP = f"""
    CREATE OR REPLACE FUNCTION stop_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        CASE coalesce(current_setting('assayer.stops_at', true), '')
            WHEN '' THEN NULL;
            WHEN '1' THEN PERFORM pg_advisory_xact_lock({STOP_LOCK});
            ELSE PERFORM set_config(
                'assayer.stops_at', (current_setting('assayer.stops_at')::int - 1)::text, false);
        END CASE;
        RETURN coalesce(NEW, OLD);
    END $$;
    CREATE TRIGGER stop_here BEFORE INSERT OR UPDATE ON {{table}}
        FOR EACH ROW EXECUTE FUNCTION stop_here();
"""
REMOVE_STOP = "DROP TRIGGER stop_here ON {table}; DROP FUNCTION stop_here();"
# A session is notified after waiting for a tenth of a second. No wait here ends well, so the limit
# may be shorter than that of the web server (config/site/outages.py).
LOCK_SETTINGS = {
    "log_lock_waits": "on",
    "deadlock_timeout": "100ms",
    "client_min_messages": "log",
    "lock_timeout": "1s",
}
OWNERS = ("lead", "researcher", "annotator", "admin")


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
    with (
        connection.cursor() as cursor,
        psycopg.connect(**connection_parameters(), autocommit=True) as other,
    ):
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
    if work.kind in Pool.Transition.values:
        return campaign._replace(pool=Pool.objects.get(pk=work.subject))
    if work.kind in Run.ReadingKind.values:
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
            principal = next(
                (
                    principal
                    for principal in OWNERS
                    if row[principal] not in {"in", "401", "404", "405"}
                ),
                None,
            )
            if principal:
                yield SampleRequest(target.name, url, principal, empty_form(target.name), method)


def send(world: World, sending: SampleRequest) -> HttpResponse:
    """Send a sample request."""
    return send_request(
        world, sending.principal, sending.method, sending.address, sending.url, sending.body
    )


@transaction.atomic
def locked_rows() -> frozenset[Row]:
    """The pairs and annotators that are locked by the work."""
    free = Pair.objects.select_for_update(no_key=True, skip_locked=True).values_list(
        "pk", flat=True
    )
    locked_pairs = pair_rows({*Pair.objects.values_list("pk", flat=True)} - {*free})
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 'annotator', id FROM annotate_annotator "
            "WHERE NOT pg_try_advisory_xact_lock(1, id::int)"
        )
        return locked_pairs | set(cursor.fetchall())


@pytest.mark.parametrize("case", cases())
def test_every_address_is_answered_while_work_is_under_way(
    case: Case, media_root: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_copy, "STRETCH", 1)
    monkeypatch.setattr(bulk_decisions, "STRETCH", 1)
    world = build(media_root)
    samples = sample_requests(world)
    work = case.request(world)
    world = world._replace(campaign=with_worked_on_object(world.campaign, work))
    delayed = []
    with under_way(work, case.table, case.row):
        locked = locked_rows()
        unaffected = [
            sending
            for sending in samples
            if not (case.goes_by_stretches and locked & sending.changed_rows)
        ]
        with lock_wait_notices() as notices:
            for sending in [*every_address_request(world), *unaffected]:
                status = status_text(send(world, sending))
                if status == "503" or notices:
                    delayed.append(f"{sending}: {status} {notices}")
                notices.clear()
    assert delayed == []
    tables = sorted(table for table, _ in locked)
    assert tables in ([["pair"], ["annotator", "pair"]] if case.goes_by_stretches else [[]])
    assert {"annotate:judge-next", "annotate:judge-answer"} <= {
        sending.address for sending in unaffected
    }


def test_what_is_filled_in_is_accepted_where_nothing_is_under_way(media_root: object) -> None:
    world, refused = build(media_root), []
    for sending in sample_requests(world):
        response = send(world, sending)
        refusals = [
            str(message)
            for message in get_messages(response.wsgi_request)
            if message.level >= ERROR
        ]
        if status_text(response) not in {"200", "201", "202", "302"} or refusals:
            refused.append(f"{sending}: {status_text(response)} {refusals}")
    assert refused == []


def test_who_waits_for_work_is_told_so(media_root: object) -> None:
    world = build(media_root)

    def cancel_once_told() -> None:
        wait_until(lambda: bool(notices), seconds=240)
        with psycopg.connect(**connection_parameters()) as session:
            session.execute("SELECT pg_cancel_backend(%s)", [pid])

    with (
        under_way(run_reading(world), "pooling_ranking"),
        lock_wait_notices() as notices,
        connection.cursor() as cursor,
    ):
        cursor.execute("SET lock_timeout = 0")
        pid = connection.connection.info.backend_pid
        canceller = threading.Thread(target=cancel_once_told)
        canceller.start()
        with pytest.raises(OperationalError), transaction.atomic():
            cursor.execute("LOCK pooling_ranking")
        canceller.join()
    assert notices


def test_every_kind_of_work_is_a_case() -> None:
    test_kinds = {
        name for name, kind in works.KINDS.items() if kind.do.__module__.startswith("tests.")
    }
    kinds = {*works.KINDS, *Import.Kind.values} - test_kinds - {imports.IMPORT}
    assert {param.values[0].kind for param in cases()} == kinds
