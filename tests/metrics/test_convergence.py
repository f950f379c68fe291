"""Redis is emptied and killed, the worker is killed: no judgment is lost, and the numbers become those of a rebuild."""

from uuid import uuid4

import redis

from annotate.models import Change, Judgment
from config.up.processes import wait_until
from metrics.models import Score, Snapshot
from metrics.services import refresh
from tests import cast
from tests.metrics import studies
from tests.webclient import WebClient

SLUG = "shaken"


def answer(desk: WebClient, n: int) -> None:
    """Judge n cards by HTTP."""
    cards = desk.post(f"/c/{SLUG}/judge/next", {})[0]["cards"]
    for number in range(n):
        body = {"submission_id": str(uuid4()), "hand_out": cards[0]["hand_out"], "grade": number % 3}
        cards = desk.post(f"/c/{SLUG}/judge/answer", body)[0]["cards"]


def test_numbers_become_those_of_a_rebuild_after_flushall_and_kill_9(fault_stack, django_db_blocker):
    stack = fault_stack("shaken stack")
    with stack.orm(django_db_blocker):
        study = studies.study(SLUG, n_queries=12, n_documents=12)
        for index in range(2):
            cast.annotator(study, cast.user(f"shaken{index}"))
    desks = [WebClient(stack.url) for _ in range(2)]
    for index, desk in enumerate(desks):
        desk.sign_in(f"shaken{index}")
        desk.get(f"/c/{SLUG}/judge/")
    broken = [
        lambda: redis.Redis.from_url(stack.redis_url).flushall(),
        lambda: stack.kill("worker"),
        lambda: stack.kill("redis"),
        lambda: stack.kill("worker"),
    ]
    for step, break_it in enumerate(broken):
        answer(desks[step % 2], 8)
        break_it()
        answer(desks[(step + 1) % 2], 8)

    def converged() -> bool:
        with stack.orm(django_db_blocker):
            seen = Snapshot.objects.filter(collection=study, kind="agreement", n_judgments=64).exists()
            return seen and not Change.objects.filter(collection=study).exists()

    assert wait_until(converged, seconds=600)
    with stack.orm(django_db_blocker):
        assert Judgment.objects.filter(collection=study).count() == 64
        assert Score.objects.filter(run__collection=study).count() == 48
        live = studies.numbers(study)
        refresh.rebuild(collection=study)
        assert studies.numbers(study) == live
