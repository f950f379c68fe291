"""Marked strings in every column an annotator must not read, and a crawl of all she can reach."""

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit
from uuid import uuid4

from django.apps import apps
from django.db import connection, models
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from annotate.models import Annotator, HandOut, Judgment
from tests.addresses import access_table

APPS = ("annotate", "pooling", "metrics")
# addresses of one page that a crawl asks for: an explorer has as many as there are random orders
CHOICES = 8
# Text meant for annotators, or that only describes what they see or are.
READABLE = {
    "Collection.slug",
    "Collection.name",
    "Collection.description",
    "Item.external_id",
    "Item.split",
    "Item.warning",
    "Part.text",
    "Part.path",
    "Part.type",
    "Part.also",
    "Part.checksum",
    "Level.key",
    "Level.name",
    "Level.sentence",
    "Level.reasons",
    "Guidelines.markdown",
    "Guidelines.wording",
    "TrainingPair.anchor",
    "Quiz.questions",
}
# Rows that she may read if they are her own: only other people's are marked.
PERSONAL = {
    "User": lambda self: ~models.Q(pk=self.user_id),
    "Annotator": lambda self: ~models.Q(pk=self.pk),
    "JudgmentComment": lambda self: ~models.Q(judgment__annotator=self),
    "Judgment": lambda self: ~models.Q(annotator=self),
    "JudgmentEvent": lambda self: ~models.Q(judgment__annotator=self),
    "Report": lambda self: ~models.Q(annotator=self),
    "QuizAttempt": lambda self: ~models.Q(annotator=self),
    "TrainingDecision": lambda self: ~models.Q(annotator=self),
    "ApiToken": lambda self: ~models.Q(user=self.user_id),
}
NUMBERS = {
    "PoolPair.best_rank": 48151623,
    "PoolPair.inclusion_probability": 0.48151623,
    "Score.mean": 0.3141592,
    "Score.low": 0.3141501,
    "Score.high": 0.3141699,
}
PREFIXES = {"Score.label_source": "none:"}  # the prefix that a value of the column must have


class Reply(NamedTuple):
    """The answer to one request."""

    request: str
    status: int
    text: str


def columns() -> list[str]:
    """Every column of free text or JSON, as "Model.field"; columns with choices are left out."""
    return [
        f"{model.__name__}.{field.name}"
        for label in APPS
        for model in apps.get_app_config(label).get_models()
        for field in model._meta.concrete_fields
        if isinstance(
            field, models.CharField | models.TextField | models.JSONField | models.FileField
        )
        if not field.choices
    ]


def plant(self: Annotator) -> dict[str, str]:
    """Mark every secret of the database; returns the column behind each mark."""
    marks: dict[str, str] = {}
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        # tables that only grow are marked too
        cursor.execute("SET LOCAL session_replication_role = replica")
        for name in [*columns(), *NUMBERS]:
            if name not in READABLE:
                own_rows = PERSONAL.get(name.partition(".")[0], lambda _: models.Q())
                mark_column(name, marks, rows=own_rows(self))
        cursor.execute("SET LOCAL session_replication_role = origin")
    key = bytes(self.collection.key)
    marks[key.hex()] = marks[base64.b64encode(key).decode()] = "Collection.key"
    for token in HandOut.objects.exclude(batch__annotator=self).values_list("token", flat=True):
        marks[str(token)] = "HandOut.token"
    for submission in Judgment.objects.exclude(annotator=self).values_list(
        "submission_id", flat=True
    ):
        marks[str(submission)] = "Judgment.submission_id"
    return marks


def mark_column(name: str, marks: dict[str, str], *, rows: models.Q) -> None:
    """Mark a column in some rows of its table; the marks are added to those that there are."""
    model_name, field_name = name.split(".")
    (model,) = [
        model
        for label in APPS
        for model in apps.get_app_config(label).get_models()
        if model.__name__ == model_name
    ]
    for pk in model.objects.filter(rows).values_list("pk", flat=True):
        value = NUMBERS.get(name) or f"zq{len(marks):05d}zq"
        is_json = isinstance(model._meta.get_field(field_name), models.JSONField)
        text = f"{PREFIXES.get(name, '')}{value}" if isinstance(value, str) else value
        model.objects.filter(pk=pk).update(**{field_name: [value] if is_json else text})
        marks[str(value)] = name


class Crawler:
    """Follows every link from the first page, as one person."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.replies: list[Reply] = []

    def keep(self, request: str, answer: HttpResponse) -> HttpResponse:
        """Remember all of an answer: its status line, headers, cookies and body."""
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
        text = "\n".join([head, str(answer.cookies), body.decode("utf-8", "replace")])
        self.replies.append(Reply(request, answer.status_code, text))
        return answer

    def get(self, url: str) -> HttpResponse:
        """Ask for a page."""
        return self.keep(f"GET {url}", self.client.get(url))

    def post(self, url: str, body: object) -> HttpResponse:
        """Send JSON."""
        return self.keep(
            f"POST {url}", self.client.post(url, json.dumps(body), content_type="application/json")
        )

    def follow(self, start: str) -> None:
        """Visit every address that pages name once; at most CHOICES of one page's query strings."""
        waiting, visited, choices = [start], set(), Counter()
        while waiting:
            url = waiting.pop()
            path = urlsplit(url).path
            if (
                url in visited
                or urlsplit(url).netloc
                or url.startswith("/static/")
                or choices[path] == CHOICES
            ):
                continue
            visited.add(url)
            choices[path] += 1
            answer = self.get(url)
            if answer.status_code in {301, 302}:
                waiting.append(urljoin(url, answer.url))
            elif answer.headers.get("Content-Type", "").startswith("text/html"):
                waiting += [urljoin(url, link) for link in links(self.replies[-1].text)]

    def hits(self, marks: dict[str, str]) -> set[str]:
        """The secrets that came back, and in which reply."""
        hits = set()
        for reply in self.replies:
            lower = reply.text.lower()
            hits |= {
                f"{name} ({mark}) in {reply.request}"
                for mark, name in marks.items()
                if mark.lower() in lower
            }
        return hits


def links(html: str) -> Iterator[str]:
    """The addresses that a page links to, loads, polls or sends forms to."""
    urls: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            link_attributes = {"href", "src", "action", "hx-get", "data-url", "poster"}
            urls.extend(
                value
                for name, value in attrs
                if value and (name in link_attributes or name.startswith("data-url"))
            )

    Reader().feed(html)
    urls += re.findall(r'"(/c/[^"<>\s]+)"', html)
    return (
        link.partition("#")[0]
        for link in urls
        if not link.startswith(("#", "mailto:", "javascript:"))
    )


def visit(crawler: Crawler, world: access_table.World) -> None:
    """Visit all an annotator can reach: links, every address of the resolver, a batch of work."""
    slug = world.campaign.collection.slug
    crawler.follow(reverse("annotate:home"))
    crawler.follow(reverse("admin:index"))
    for address in access_table.addresses():
        if address.name != "account_logout":
            url = access_table.url_of(world, address, world.campaign, keys_of=world.campaign)
            crawler.get(url)
            if not address.name.startswith(
                ("account_", "mfa_", "annotate:invitation", "annotate:account")
            ):
                crawler.post(url, {})
    work(crawler, slug)


def work(crawler: Crawler, slug: str) -> None:
    """Judge the rest of the batch, change, undo, report, postpone, and provoke each error."""

    def send(name: str, **body: object) -> HttpResponse:
        return crawler.post(reverse(f"annotate:judge-{name}", args=[slug]), body)

    cards = send("next").json()["cards"]
    for number, card in enumerate(cards):
        answer = {"hand_out": card["hand_out"], "submission_id": str(uuid4()), "active_ms": 900}
        send("answer", **answer, grade=9)
        send("answer", **answer, grade=1, comment="mine")
        send("answer", **{**answer, "submission_id": str(uuid4())}, grade=2)
        crawler.get(reverse("annotate:judge-recent", args=[slug]))
        crawler.get(
            reverse("annotate:judge-word", args=[slug], query={"hand_out": card["hand_out"]})
        )
        if number == 0:
            send("undo", hand_out=card["hand_out"], submission_id=str(uuid4()))
            send("report", **answer, kind="later")
            send("report", **answer, kind="escalated", note="mine")
    foreign = HandOut.objects.exclude(
        batch__annotator=HandOut.objects.get(token=cards[0]["hand_out"]).batch.annotator
    )
    for token in [*foreign.order_by("pk").values_list("token", flat=True)[:3], uuid4()]:
        send("undo", hand_out=str(token), submission_id=str(uuid4()))
        send("answer", hand_out=str(token), submission_id=str(uuid4()), grade=1)
        crawler.get(reverse("annotate:judge-word", args=[slug], query={"hand_out": str(token)}))
    send("next")
