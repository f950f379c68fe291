"""The product by its API, pages and commands: in this process, or running with web and worker."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import DjangoDbBlocker

from annotate.models import Change, Collection, Import, User, Work
from metrics.models import Download
from metrics.services.numbers import refresh
from pooling.models import Run
from tests.assayer.commands.files.running import assayer
from tests.servers.stack import Stack
from tests.servers.webclient import WebClient

Fields = Mapping[str, str]
PATIENCE = 120  # seconds for the worker of a running product


class File(NamedTuple):
    """A file to be uploaded."""

    name: str
    data: bytes


class Response(NamedTuple):
    """A response of the product."""

    status: int
    body: bytes

    @property
    def json(self) -> Any:
        """The parsed JSON of the body."""
        return json.loads(self.body)


class Refused(Exception):
    """A command failed with a message."""


class Inside:
    """The product in this process; Celery's tasks are to be run at once."""

    def __init__(self, person: User, secret: str) -> None:
        self.person = person
        self._client = Client()
        self._client.force_login(person)
        self._headers = {"Authorization": f"Bearer {secret}"}

    def database(self) -> AbstractContextManager[None]:
        """Where models find its rows."""
        return nullcontext()

    def api(
        self, method: str, path: str, fields: Fields | None = None, file: File | None = None
    ) -> Response:
        """Ask `/api/v1/`: by GET with parameters, by POST with a form, by PATCH with JSON."""
        parameters: Any = dict(fields or {}) | ({"file": SimpleUploadedFile(*file)} if file else {})
        client = Client(headers=self._headers)
        if method == "PATCH":
            answer = client.patch(
                f"/api/v1/{path}", json.dumps(parameters), content_type="application/json"
            )
        else:
            answer = getattr(client, method.lower())(f"/api/v1/{path}", parameters)
        return _answer(answer)

    def page(self, path: str, parameters: Fields) -> Response:
        """Read an address as a signed-in person."""
        return _answer(self._client.get(path, parameters))

    def form(self, path: str, fields: Fields) -> Response:
        """Send a form as a signed-in person, and follow the redirect."""
        return _answer(self._client.post(path, fields, follow=True))

    def command(self, name: str, *arguments: str) -> str:
        """Run a command and return its output. Raises Refused."""
        finished = assayer(name, *arguments)
        if finished.status:
            raise Refused(finished.stderr)
        return finished.stdout

    def until(self, is_so: Callable[[], bool], *, of: Collection | None = None) -> None:
        """Wait until a check holds, once the numbers of a collection are refreshed."""
        if of is not None:
            refresh.refresh(collection=of)
        assert is_so()


class Outside:
    """A running product, asked over HTTP and by commands in processes of their own."""

    def __init__(self, stack: Stack, blocker: DjangoDbBlocker, person: User, secret: str) -> None:
        self.person = person
        self._stack, self._blocker = stack, blocker
        self._browser = WebClient(stack.url)
        self._browser.sign_in(person.username)
        self._headers = {"Authorization": f"Bearer {secret}"}

    def database(self) -> AbstractContextManager[None]:
        """Where models find its rows."""
        return self._stack.orm(self._blocker)

    def api(
        self, method: str, path: str, fields: Fields | None = None, file: File | None = None
    ) -> Response:
        """As inside."""
        address, body, headers = f"{self._stack.url}/api/v1/{path}", None, dict(self._headers)
        if method == "GET":
            address += f"?{urllib.parse.urlencode(fields or {})}"
        elif method == "PATCH":
            body, headers["Content-Type"] = json.dumps(fields).encode(), "application/json"
        else:
            body, headers["Content-Type"] = _multipart(fields or {}, file)
        request = urllib.request.Request(address, body, headers, method=method)
        return _opened(urllib.request.build_opener(), request)

    def page(self, path: str, parameters: Fields) -> Response:
        """As inside."""
        address = f"{self._stack.url}{path}?{urllib.parse.urlencode(parameters)}"
        return _opened(self._browser.opener, urllib.request.Request(address))

    def form(self, path: str, fields: Fields) -> Response:
        """As inside."""
        self._browser.get("/account/")
        body = urllib.parse.urlencode(
            {**fields, "csrfmiddlewaretoken": self._browser.csrf}
        ).encode()
        request = urllib.request.Request(self._stack.url + path, body, {"Referer": self._stack.url})
        return _opened(self._browser.opener, request)

    def command(self, name: str, *arguments: str) -> str:
        """As inside."""
        process = self._stack.run(name, *arguments)
        if process.returncode:
            raise Refused(process.stderr)
        return process.stdout

    def until(self, is_so: Callable[[], bool], *, of: Collection | None = None) -> None:
        """Wait until the worker has made it so."""
        del of
        end = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < end, "the worker did not come to it"
            time.sleep(0.2)


Product = Inside | Outside


def bring(product: Product, slug: str, kind: str, file: File, **fields: str) -> None:
    """Import a file by the API; it must be taken."""
    answer = product.api("POST", f"collections/{slug}/imports/", {"kind": kind, **fields}, file)
    assert answer.status == 201, answer.body
    key = answer.json["id"]
    with product.database():
        product.until(lambda: not Work.objects.get(import_file=key).is_unfinished)
        stored_import = Import.objects.select_related("work").get(pk=key)
    assert stored_import.work.state == Work.State.DONE, stored_import.report


def bring_run(product: Product, slug: str, file: File, **fields: str) -> Run:
    """Upload a run by the API and wait until it is read, however that ends."""
    answer = product.api("POST", f"collections/{slug}/runs/", fields, file)
    assert answer.status == 201, answer.body
    key = answer.json["id"]
    with product.database():
        product.until(lambda: Run.objects.get(pk=key).state != Run.State.RECEIVED)
        return Run.objects.get(pk=key)


def settle(product: Product, collection: Collection) -> None:
    """Wait until every run is read and all numbers are of the present labels."""
    with product.database():
        runs = Run.objects.filter(collection=collection, state=Run.State.READY)
        product.until(lambda: not runs.being_read().exists())
        unscored, changes = (
            runs.filter(on_hold_since=None, scores=None),
            Change.objects.filter(collection=collection),
        )
        product.until(lambda: not (changes.exists() or unscored.exists()), of=collection)


def computed(product: Product, path: str, parameters: Fields) -> bytes:
    """An address that answers 202 while its numbers are being made."""
    answers: list[Response] = []

    def is_there() -> bool:
        answers.append(product.page(path, parameters))
        return answers[-1].status != 202

    if not is_there():
        product.until(is_there)
    assert answers[-1].status == 200, answers[-1].body
    return answers[-1].body


def downloaded(product: Product, collection: Collection, kind: str, fields: Fields) -> bytes:
    """Request a file on the page, wait until the background has made it, and download it."""
    answer = product.form(f"/c/{collection.slug}/results/downloads/new/{kind}/", fields)
    assert answer.status == 200, answer.body
    with product.database():
        download = Download.objects.filter(collection=collection).latest("pk")
        product.until(lambda: Work.objects.get(download=download).state == Work.State.DONE)
    return product.page(f"/c/{collection.slug}/results/downloads/{download.pk}/file/", {}).body


def _answer(answer: Any) -> Response:
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return Response(answer.status_code, body)


def _opened(opener: urllib.request.OpenerDirector, request: urllib.request.Request) -> Response:
    try:
        with opener.open(request, timeout=PATIENCE) as answer:
            return Response(answer.status, answer.read())
    except urllib.error.HTTPError as error:
        return Response(error.code, error.read())


def _multipart(fields: Fields, file: File | None) -> tuple[bytes, str]:
    """A form with a file as browsers send it, and its content type."""
    mark = uuid.uuid4().hex
    parts = [
        f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{fields[name]}\r\n'
        for name in fields
    ]
    body = "".join(parts).encode()
    if file:
        head = (
            f'--{mark}\r\nContent-Disposition: form-data; name="file"; '
            f'filename="{file.name}"\r\n\r\n'
        )
        body += head.encode() + file.data + b"\r\n"
    return body + f"--{mark}--\r\n".encode(), f"multipart/form-data; boundary={mark}"
