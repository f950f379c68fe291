"""Redis is flushed and killed, the worker is killed, while people judge: the numbers end as a rebuild gives them."""

import time
from collections.abc import Callable
from uuid import uuid4

import redis
from pytest_django import DjangoDbBlocker

from annotate.models import Change, Judgment
from config.processes import wait_until
from metrics.services import refresh
from tests import factories
from tests.metrics import studies
from tests.stack import Stack
from tests.webclient import WebClient

SLUG = "converge"


def judge(client: WebClient, n: int) -> None:
    """Answer n cards over HTTP, every third one relevant."""
    cards: list[dict] = []
    for number in range(n):
        cards = cards or client.post(f"/c/{SLUG}/judge/next", {})[0]["cards"]
        body = {"submission_id": str(uuid4()), "hand_out": cards[0]["hand_out"], "grade": int(number % 3 == 0)}
        cards = client.post(f"/c/{SLUG}/judge/answer", body)[0]["cards"]


def test_after_a_flushed_and_killed_redis_and_killed_workers_the_numbers_are_a_rebuilds(
    fault_stack: Callable[..., Stack], django_db_blocker: DjangoDbBlocker
) -> None:
    stack = fault_stack("converge")
    with stack.orm(django_db_blocker):
        made = studies.study(SLUG, n_queries=20, n_documents=40, grades=2, batch_candidates=40, labels_per_pair=1)
        name = factories.annotator(made, factories.user("steady")).user.username
    client = WebClient(stack.url)
    client.sign_in(name)
    client.get(f"/c/{SLUG}/judge/")
    broker = redis.Redis.from_url(stack.redis_url)
    judge(client, 10)
    broker.flushall()
    judge(client, 10)
    stack.kill("redis")
    judge(client, 10)
    stack.kill("worker")
    judge(client, 10)
    begun = time.monotonic()
    with stack.orm(django_db_blocker):
        assert Judgment.objects.filter(collection=made).count() == 40
        assert wait_until(lambda: not Change.objects.filter(collection=made).exists(), seconds=120, step=0.5)
        print(f"\nthe numbers had caught up {time.monotonic() - begun:.1f} s after the last answer")
        live = studies.numbers(made)
        assert live["snapshots"][0]["n_judgments"] == 40
        assert refresh.rebuild(collection=made) is not None
        assert studies.numbers(made) == live
