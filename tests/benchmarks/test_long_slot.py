"""The slot of long work is taken for three minutes: all is well meanwhile, and nobody waits for numbers or mails.

Run: python3 manage.py test --heavy -s tests/benchmarks/test_long_slot.py
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
from tests.journeys.test_faults import at_desk, judge_without_end, open_study
from tests.journeys.test_queues import BEHIND, asked_download
from tests.webclient import WebClient

TAKEN_SECONDS, SOON, BETWEEN = 180, 5, 10
N_JUDGED = 4  # between two looks
pytestmark = pytest.mark.heavy


class MailServer(socketserver.ThreadingTCPServer):
    """Takes every mail and keeps whom it is for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Conversation)
        self.arrived: list[str] = []


class Conversation(socketserver.StreamRequestHandler):
    """As much of SMTP as a mail needs."""

    server: MailServer

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        for line in self.rfile:
            if line.upper().startswith(b"DATA"):
                self.wfile.write(b"354 go on\r\n")
                text = b"".join(iter(self.rfile.readline, b".\r\n"))
                self.server.arrived.append(str(message_from_bytes(text)["To"]))
            self.wfile.write(b"250 well\r\n")


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """One that runs."""
    with MailServer() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_nobody_waits_for_numbers_or_mails_while_the_long_slot_is_taken(fault_stack, django_db_blocker):
    with mail_server() as mails:
        stack = fault_stack("slot", EMAIL_HOST="127.0.0.1", EMAIL_PORT=str(mails.server_address[1]))
        with stack.orm(django_db_blocker):
            collection = open_study(2_000)
            lead = cast.member(collection, Role.LEAD, cast.user("busy-lead"))
            work = asked_download(collection)
        desk, office = judge_without_end(at_desk(stack, 0)), WebClient(stack.url)
        office.sign_in(lead.username)
        n_judged, waited = 0, {"numbers": [], "mail": []}
        with psycopg.connect(stack.database_url) as other, psycopg.connect(stack.database_url) as watcher:
            other.execute("SELECT FROM annotate_work WHERE id = %s FOR UPDATE", [work.pk])
            watcher.autocommit = True
            taken = [other.info.backend_pid]
            assert wait_until(lambda: watcher.execute(BEHIND, taken).fetchone() is not None, seconds=600)
            until = time.monotonic() + TAKEN_SECONDS
            while time.monotonic() < until:
                assert urllib.request.urlopen(f"{stack.url}/readyz").status == 200
                for _ in range(N_JUDGED):
                    next(desk)
                n_judged += N_JUDGED
                begun = time.monotonic()
                with stack.orm(django_db_blocker):
                    numbers = Snapshot.objects.filter(collection=collection, kind="agreement", n_judgments=n_judged)
                    assert wait_until(numbers.exists, seconds=60)
                waited["numbers"].append(time.monotonic() - begun)
                address, begun = f"{n_judged}@example.org", time.monotonic()
                invite(office, address)
                assert wait_until(lambda address=address: address in mails.arrived, seconds=60)
                waited["mail"].append(time.monotonic() - begun)
                time.sleep(BETWEEN)
            assert watcher.execute(BEHIND, taken).fetchone() is not None  # it is taken still
        with stack.orm(django_db_blocker):
            assert wait_until(lambda: Work.objects.get(pk=work.pk).state == Work.State.DONE, seconds=600)
    print({what: f"{max(seconds):.2f} s at most, {len(seconds)} times" for what, seconds in waited.items()})
    assert max(waited["numbers"]) < SOON
    assert max(waited["mail"]) < SOON


def invite(lead: WebClient, address: str) -> None:
    """Have a link sent, as a lead does on the page of members."""
    lead.get("/c/busy/members/")
    form = {"role": "annotator", "email": address, "days": 14, "by_mail": "on", "csrfmiddlewaretoken": lead.csrf}
    lead.opener.open(f"{lead.base}/c/busy/members/invite/", urllib.parse.urlencode(form).encode(), timeout=60).read()
