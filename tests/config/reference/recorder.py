"""A recorder of requests and answers: the examples of the schema.

Moments, keys and checksums become plain; lists keep their first entry, texts their first lines.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.http import HttpResponseBase
from django.test import Client

from annotate.models import Work
from annotate.services.background import kept, works
from annotate.services.background.kept import Inquiry
from config.reference.operations import METHODS
from tests.works import value_requests

JSON = "application/json"
TEXTS = ("text/csv", "text/plain", "application/x-ndjson")
MAX_ENTRIES = 1
MAX_LINES = 3
MOMENT = "2026-03-05T09:30:00.000Z"
CHECKSUM = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
UUID = "8c9a5c2e-6f0b-4d1e-9a53-2f1f7f9d0c11"
PLAIN = (  # patterns of what differs in each run, and what stands in its place
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"), "2026-03-05T09:30:00.000000Z"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)"), MOMENT),
    (re.compile(r"\b[0-9a-f]{64}\b"), CHECKSUM),
    (re.compile(r"\b[0-9a-f]{32}\b"), CHECKSUM[:32]),
    (re.compile(r"(?<=/invitations/)[\w-]{30,}"), "..."),
    (re.compile(r"whsec_[A-Za-z0-9+/=]+"), "whsec_..."),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), UUID),
    (re.compile(r"http://testserver"), "https://assayer.example"),
)
LARGE_KEY = re.compile(r"\b2\d{7}\b")  # of rows that a test makes, see tests/seeding.py


class OperationRequest(NamedTuple):
    """The method and the address of an operation of the schema.

    texts : the media types of its answers that are texts of no schema
    """

    method: str
    path: str
    texts: frozenset[str]


class Recorder:
    """A client that records its requests by the names of operations.

    tokens : the secret of each principal; examples : what was recorded
    """

    def __init__(self, schema: dict[str, Any], tokens: Mapping[str, str]) -> None:
        self.tokens = tokens
        self.examples: dict[str, dict[str, Any]] = {}
        self.inquiries: list[Inquiry] = []
        self.client = Client()
        self.operations = {
            methods[method]["operationId"]: OperationRequest(
                method, path, plain_texts(methods[method])
            )
            for path, methods in schema["paths"].items()
            for method in METHODS
            if method in methods
        }

    def send(
        self,
        operation: str,
        key: int | str = "",
        *,
        by: str = "lead",
        body: Mapping[str, Any] | None = None,
        form: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        **words: object,
    ) -> Any:
        """Send a request, record it with its answer, and return the answer's JSON.

        key : the id in its address; words : other parameters of the address
        body : sent as JSON; form : sent as a form
        """
        request = self.operations[operation]
        values = {"slug": "shapes", "id": key, **words}
        url = re.sub(r"\{(\w+)\}", lambda match: str(values[match[1]]), request.path)
        answer = self.answer(request.method, url, by=by, body=body, form=form, query=query)
        if answer.status_code == 202 and request.method in ("get", "post") and self.inquiries:
            self.work()
            answer = self.answer(request.method, url, by=by, body=body, form=form, query=query)
        assert answer.status_code < 300, (operation, answer.status_code, text_of(answer)[:2000])
        media_type = answer.headers.get("Content-Type", "").partition(";")[0]
        recorded: dict[str, Any] = {"status": answer.status_code}
        if body is not None:
            recorded["request"] = plain(body)
        if media_type == JSON:
            recorded |= {"media_type": JSON, "answer": plain(answer.json())}
        elif media_type in TEXTS:
            lines = text_of(answer).splitlines(keepends=True)
            is_text = media_type in request.texts
            value = "".join(lines[:MAX_LINES]) if is_text else json.loads(lines[0])
            recorded |= {"media_type": media_type, "answer": plain(value)}
        self.examples.setdefault(operation, recorded)
        return answer.json() if media_type == JSON else None

    def answer(
        self,
        method: str,
        url: str,
        *,
        by: str,
        body: Mapping[str, Any] | None,
        form: Mapping[str, Any] | None,
        query: Mapping[str, Any] | None,
    ) -> HttpResponseBase:
        """The answer to one request."""
        headers = {"Authorization": f"Bearer {self.tokens[by]}"}
        send = getattr(self.client, method)
        if body is not None:
            return send(url, json.dumps(body), content_type=JSON, headers=headers)
        if form is not None:
            return send(url, form, headers=headers)
        if method == "get":
            return send(url, query or {}, headers=headers)
        return send(url, headers=headers, query_params=query or {})

    def work(self) -> None:
        """Do all that was asked of workers."""
        while self.inquiries:
            kept.compute(inquiry=self.inquiries.pop())
        while work := Work.objects.filter(state=Work.State.ASKED).order_by("pk").first():
            works.perform(work=work)


@contextmanager
def recording(schema: dict[str, Any], tokens: Mapping[str, str]) -> Iterator[Recorder]:
    """A recorder that does the work of workers."""
    with value_requests() as inquiries:
        recorder = Recorder(schema, tokens)
        recorder.inquiries = inquiries
        yield recorder


def plain_texts(operation: dict[str, Any]) -> frozenset[str]:
    """The media types of an operation's answer that are texts of no schema."""
    contents = operation["responses"].get("200", {}).get("content", {})
    return frozenset(
        name for name, content in contents.items() if content["schema"].get("type") == "string"
    )


def text_of(answer: HttpResponseBase) -> str:
    """The body of an answer, also of one that is streamed."""
    pieces = answer.streaming_content if answer.streaming else [answer.content]
    return b"".join(pieces).decode()


def plain(value: Any) -> Any:
    """A value of JSON as an example: short, and the same in every run."""
    if isinstance(value, Mapping):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value[:MAX_ENTRIES]]
    if isinstance(value, str):
        for pattern, text in PLAIN:
            value = pattern.sub(text, value)
        return LARGE_KEY.sub(lambda match: str(int(match[0]) % 10_000_000), value)
    if isinstance(value, int) and not isinstance(value, bool) and LARGE_KEY.fullmatch(str(value)):
        return value % 10_000_000
    return value
