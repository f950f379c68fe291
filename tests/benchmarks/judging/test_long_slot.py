"""The slot of long work is taken for three minutes: meanwhile numbers and mails come soon.

Run: python3 manage.py test --heavy -s tests/benchmarks/judging/test_long_slot.py
"""

import socketserver
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from threading import Thread

import psycopg
import pytest

from annotate.models import Role, Work
from config.up.processes import wait_until
from metrics.models import Snapshot
from tests import cast
from tests.journeys.test_faults import judge_continuously, open_study, signed_in_client
from tests.journeys.test_queues import BLOCKED_SESSIONS, requested_download
from tests.servers.stack import Stack
from tests.servers.webclient import WebClient

HOLD_SECONDS, MAX_WAIT, PAUSE = 180, 5, 10
N_JUDGED = 4  # between two measurements
pytestmark = pytest.mark.heavy


class MailServer(socketserver.ThreadingTCPServer):
    """An SMTP server that accepts every mail and records its recipient."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Conversation)
        self.recipients: list[str] = []


class Conversation(socketserver.StreamRequestHandler):
    """The part of SMTP that a mail needs."""

    server: MailServer

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        for line in self.rfile:
            if line.upper().startswith(b"DATA"):
                self.wfile.write(b"354 go on\r\n")
                text = b"".join(iter(self.rfile.readline, b".\r\n"))
                self.server.recipients.append(str(message_from_bytes(text)["To"]))
            self.wfile.write(b"250 well\r\n")


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """A running mail server."""
    with MailServer() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@contextmanager
def held_slot(stack: Stack, work: Work) -> Iterator[None]:
    """Hold a work's row, so that the work takes the long slot until the end, as is asserted."""
    with (
        psycopg.connect(stack.database_url) as other,
        psycopg.connect(stack.database_url) as watcher,
    ):
        other.execute("SELECT FROM annotate_work WHERE id = %s FOR UPDATE", [work.pk])
        watcher.autocommit = True
        holder = [other.info.backend_pid]
        assert wait_until(
            lambda: watcher.execute(BLOCKED_SESSIONS, holder).fetchone() is not None,
            seconds=600,
        )
        yield
        # the slot is still taken
        assert watcher.execute(BLOCKED_SESSIONS, holder).fetchone() is not None


def test_nobody_waits_for_numbers_or_mails_while_the_long_slot_is_taken(
    fault_stack, django_db_blocker
):
    with mail_server() as mails:
        stack = fault_stack("slot", EMAIL_HOST="127.0.0.1", EMAIL_PORT=str(mails.server_address[1]))
        with stack.orm(django_db_blocker):
            collection = open_study(2_000)
            lead = cast.member(collection, Role.LEAD, cast.user("busy-lead"))
            work = requested_download(collection)
        judging, lead_client = judge_continuously(signed_in_client(stack, 0)), WebClient(stack.url)
        lead_client.sign_in(lead.username)
        n_judged, waits = 0, {"numbers": [], "mail": []}
        with held_slot(stack, work):
            until = time.monotonic() + HOLD_SECONDS
            while time.monotonic() < until:
                assert urllib.request.urlopen(f"{stack.url}/readyz").status == 200
                for _ in range(N_JUDGED):
                    next(judging)
                n_judged += N_JUDGED
                start = time.monotonic()
                with stack.orm(django_db_blocker):
                    numbers = Snapshot.objects.filter(
                        collection=collection, kind="agreement", n_judgments=n_judged
                    )
                    assert wait_until(numbers.exists, seconds=60)
                waits["numbers"].append(time.monotonic() - start)
                address, start = f"{n_judged}@example.org", time.monotonic()
                invite(lead_client, address)
                assert wait_until(lambda address=address: address in mails.recipients, seconds=60)
                waits["mail"].append(time.monotonic() - start)
                time.sleep(PAUSE)
        with stack.orm(django_db_blocker):
            assert wait_until(
                lambda: Work.objects.get(pk=work.pk).state == Work.State.DONE, seconds=600
            )
    print(
        {
            name: f"{max(seconds):.2f} s at most, {len(seconds)} times"
            for name, seconds in waits.items()
        }
    )
    assert max(waits["numbers"]) < MAX_WAIT
    assert max(waits["mail"]) < MAX_WAIT


def invite(lead: WebClient, address: str) -> None:
    """Send an invitation by mail, as a lead does on the page of members."""
    lead.get("/c/busy/people/members/")
    form = {
        "role": "annotator",
        "email": address,
        "days": 14,
        "by_mail": "on",
        "csrfmiddlewaretoken": lead.csrf,
    }
    lead.opener.open(
        f"{lead.base}/c/busy/people/members/invite/",
        urllib.parse.urlencode(form).encode(),
        timeout=60,
    ).read()
