"""Background work with a real broker and real deaths: nothing is lost, nothing done twice."""

import base64
import json

import pytest
import redis
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotate.models import Item, Work
from annotate.signals import items_joined
from annotate.tasks import sweep
from config.management.commands.fsck import CHECKS
from config.up.home import Home
from pooling.models import Ranking, Run
from pooling.services.pools import pools
from pooling.services.runs import runs
from tests import cast
from tests.pooling import factories
from tests.pooling.answering import answer_batch
from tests.servers.worker_kills import kill_worker
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("open_media_root")]
READ = (
    "import django, sys; django.setup(); from annotate import tasks; "
    "tasks.perform_work(work_id=int(sys.argv[1]))"
)


def queued(broker: redis.Redis) -> list[tuple[str, dict[str, int]]]:
    messages = [
        json.loads(raw) for queue in ("long", "short") for raw in broker.lrange(queue, 0, -1)
    ]
    return [
        (message["headers"]["task"], json.loads(base64.b64decode(message["body"]))[1])
        for message in messages
    ]


def receive(collection, data: bytes) -> Run:
    upload = SimpleUploadedFile("a.run", data)
    return runs.receive_run(collection=collection, name="a", direction="forward", upload=upload).run


def test_what_is_asked_for_is_queued_and_again_by_the_sweep_when_the_broker_lost_it(broker):
    collection = factories.collection()
    pool = factories.draft(collection, [factories.run(collection, "b", {0: [1]})])
    ready = factories.run(collection, "c", {0: [1, 77]})
    broker.flushdb()
    run = receive(collection, factories.lines({0: [1]}))
    pools.request_opening(pool=pool, by=None)
    cast.items(collection, "document", 1)
    items_joined.send(sender=Item, collection_id=collection.pk)
    ready.refresh_from_db()
    expected = [
        ("annotate.tasks.perform_work", {"work_id": subject.work.pk})
        for subject in (run, pool, ready)
    ]
    assert queued(broker)[::-1] == expected
    broker.flushdb()
    # just now, however slow this is
    Work.objects.update(asked_at=timezone.now() + timezone.timedelta(days=1))
    sweep()
    assert queued(broker) == []
    Work.objects.update(asked_at=timezone.now() - timezone.timedelta(minutes=1))
    sweep()
    assert queued(broker)[::-1] == expected


def test_answers_ask_once_for_a_new_order_and_only_where_a_pool_follows_them(broker):
    enqueued = []
    for name, strategy, options in (("live", "maxmean", {"ahead": 2}), ("plain", "depth-k", {})):
        collection = factories.collection(batch_candidates=4)
        run = factories.run(collection, "a", {0: [1, 2, 3, 4]})
        factories.opened(collection, [run], name=name, strategy=strategy, depth=4, **options)
        broker.flushdb()
        answer_batch(collection)
        enqueued.append([task for task, _ in queued(broker)].count("pooling.tasks.reorder_pools"))
    assert enqueued == [1, 0]


def test_a_worker_killed_while_it_reads_leaves_nothing_and_the_next_one_finishes(
    service_home: Home,
):
    collection = factories.collection(n_queries=40, n_documents=100)
    run = receive(collection, factories.lines({q: list(range(100)) for q in range(40)}))
    kill_worker(run.work, READ, service_home, at=Ranking)
    run.refresh_from_db()
    assert (run.state, run.work.state, run.work.attempts, Ranking.objects.count()) == (
        "received",
        "running",
        1,
        0,
    )
    perform_work(run)
    assert (run.state, run.work.state, run.work.attempts, Ranking.objects.count()) == (
        "ready",
        "done",
        2,
        40,
    )


def test_everything_fsck_asks_is_true_after_the_whole_way(broker):
    collection = factories.collection(gold_positives=1, gold_negatives=1, double_share="0.5")
    factories.reference(collection, [(0, 9), (1, 8)])
    ready = [
        factories.run(collection, "a", {0: [1, 2], 1: [3]}),
        factories.run(collection, "r", {1: [0, 2]}, "reverse"),
    ]
    receive_broken = SimpleUploadedFile("x.run", b"x")
    broken = runs.receive_run(
        collection=collection, name="x", direction="forward", upload=receive_broken
    ).run
    assert perform_work(broken).state == "rejected"
    pool = factories.opened(collection, ready, name="one")
    factories.opened(
        collection, ready, name="two", strategy="stratified", top=1, depth=2, share=0.5
    )
    factories.draft(collection, ready, name="three")
    pools.close_pool(pool=pool)
    assert [
        (check.name, list(check.find()))
        for check in CHECKS
        if not check.notice and list(check.find())
    ] == []
