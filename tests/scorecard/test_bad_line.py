"""People judge over faulty connections: clients resend, and each answer is stored once."""

from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pytest

from tests.journeys import test_faults as faults
from tests.scorecard.faulty_connection import FAULTS, FaultyConnection

pytestmark = pytest.mark.heavy
N_PEOPLE = 8


def test_on_a_bad_line_every_answer_is_stored_once(fault_stack, django_db_blocker, figures):
    n_each = -(-figures.size("answers") // N_PEOPLE)
    stack = fault_stack("bad line")
    with stack.orm(django_db_blocker):
        collection = faults.open_study(2 * n_each * N_PEOPLE + 400, n_people=N_PEOPLE)
    clients = [faults.signed_in_client(stack, index) for index in range(N_PEOPLE)]
    with (
        FaultyConnection(stack.url, share=0.3).running() as connection,
        ThreadPoolExecutor(N_PEOPLE) as pool,
    ):
        for client in clients:
            client.base = connection.url
        judging = [
            pool.submit(
                lambda client: list(islice(faults.judge_continuously(client), n_each)), client
            )
            for client in clients
        ]
        acknowledged = [submission for work in judging for submission, _ in work.result()]
    with stack.orm(django_db_blocker):
        n_lost, n_doubled = faults.count_faults(collection, acknowledged)
    figures.record("answers acknowledged", len(acknowledged), at_least=n_each * N_PEOPLE)
    figures.record("answers lost", n_lost, at_most=0)
    figures.record("answers stored or counted twice", n_doubled, at_most=0)
    figures.record("tries made again", sum(client.n_failures for client in clients))
    for name in [f"{direction} {fault}" for direction in ("request", "reply") for fault in FAULTS]:
        figures.record(f"{name}", connection.faults[name], "times")
    assert "nothing broken" in stack.manage("fsck")
