"""A request does not wait for long: it is told that the site is busy, and when to try again."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import psycopg
import pytest
from django.conf import settings as project
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import InterfaceError, OperationalError, connection
from django.test import Client
from django.urls import reverse
from redis.exceptions import RedisError

from annotate.models import Collection, Role
from annotate.statements import without_timeout
from config.site import outages
from config.up.home import Home
from tests import cast
from tests.servers.databases import connection_parameters

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def collection() -> Collection:
    return cast.collection("shapes")


@contextmanager
def holding(statement: str, *values: object) -> Iterator[None]:
    """Hold a lock in another session; this session waits for it as a request does, but shorter."""
    with psycopg.connect(**connection_parameters()) as other, connection.cursor() as cursor:
        other.execute(statement, values)
        cursor.execute("SET lock_timeout = '50ms'")
        try:
            yield
        finally:
            other.rollback()
            cursor.execute("RESET lock_timeout")


def row_of(collection: Collection) -> AbstractContextManager[None]:
    """Lock the collection's row in another session."""
    return holding("SELECT FROM annotate_collection WHERE id = %s FOR UPDATE", collection.pk)


@pytest.fixture
def visitor() -> Client:
    """A client whose server errors are answered, not raised."""
    return Client(raise_request_exception=False)


def test_a_page_says_that_the_site_is_busy_and_when_to_come_again(
    collection: Collection, visitor: Client
) -> None:
    visitor.force_login(cast.member(collection, Role.LEAD))
    with row_of(collection):
        answer = visitor.post(reverse("metrics:download-new", args=["shapes", "disputed"]))
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    page = answer.content.decode()
    assert (
        "nothing was changed" in page
        and "send the form again" in page
        and not collection.downloads.exists()
    )


def test_a_page_that_was_asked_for_is_asked_for_again_by_a_link(
    collection: Collection, visitor: Client
) -> None:
    visitor.force_login(cast.member(collection, Role.LEAD))
    with holding("LOCK TABLE annotate_collection IN ACCESS EXCLUSIVE MODE"):
        answer = visitor.get("/c/shapes/?tab=a&b=<")
    assert answer.status_code == 503
    assert 'href="/c/shapes/?tab=a&amp;b=%3C">Try again</a>' in answer.content.decode()


def test_a_program_is_told_so_as_a_problem(collection: Collection, visitor: Client) -> None:
    key = cast.bearer(cast.member(collection, Role.RESEARCHER), "runs:write")
    form = {
        "name": "a",
        "direction": "forward",
        "file": SimpleUploadedFile("a.run", b"q1 Q0 d1 1 0.5 a\n"),
    }
    with row_of(collection):
        answer = visitor.post("/api/v1/collections/shapes/runs/", form, headers=key)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["status"] == 503 and "Try again" in answer.json()["detail"]


def test_a_script_is_told_so_as_json(collection: Collection, visitor: Client) -> None:
    visitor.force_login(cast.annotator(collection).user)
    with holding("LOCK TABLE annotate_judgment IN ACCESS EXCLUSIVE MODE"):
        answer = visitor.get(
            reverse("annotate:judge-recent", args=["shapes"]),
            headers={"accept": "application/json"},
        )
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.json() == {"error": outages.BUSY}


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OperationalError("sorry, too many clients already"), 503),
        (InterfaceError("connection already closed"), 503),
        (OSError(errno.ENOSPC, "No space left on device"), 503),
        (RedisError("OOM command not allowed"), 503),
        (FileNotFoundError(errno.ENOENT, "gone"), 500),
        (ValueError("ours"), 500),
    ],
    ids=str,
)
def test_outages_are_503_and_our_own_mistakes_500(
    visitor: Client, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr("annotate.access.get_collection", fail)
    visitor.force_login(cast.user())
    assert visitor.get(reverse("metrics:downloads", args=["shapes"])).status_code == status


@pytest.mark.parametrize(
    ("program", "limits"), [("config.wsgi", ("3s", "20s")), ("config.celery", ("0", "0"))]
)
def test_requests_wait_for_some_seconds_and_workers_as_long_as_it_takes(
    service_home: Home, program: str, limits: tuple[str, str]
) -> None:
    code = (
        f"import {program}, django; django.setup()\n"
        "from django.db import connection\n"
        "for name in ('lock_timeout', 'statement_timeout'):\n"
        "    print(connection.cursor().execute(f'SHOW {name}').fetchone()[0])\n"
    )
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    env["DATABASE_URL"] = service_home.database_url(connection.settings_dict["NAME"])
    command, folder = [sys.executable, "-c", code], project.BASE_DIR
    process = subprocess.run(
        command, check=False, env=env, cwd=folder, capture_output=True, text=True
    )
    assert tuple(process.stdout.split()) == limits, process.stderr


def test_rows_are_read_for_as_long_as_it_takes_and_the_limit_stands_again_after_that() -> None:
    def limit() -> str:
        with connection.cursor() as cursor:
            return str(cursor.execute("SHOW statement_timeout").fetchone()[0])

    before = limit()
    with without_timeout():
        assert limit() == "0"
    assert limit() == before
