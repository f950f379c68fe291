"""People judge over a line that cuts, delays and resets: they send again what was not acknowledged, and it is once."""

from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pytest

from tests.journeys import test_faults as faults
from tests.scorecard.badline import FAULTS, BadLine

pytestmark = pytest.mark.heavy
N_PEOPLE = 8


def test_on_a_bad_line_every_answer_is_stored_once(fault_stack, django_db_blocker, figures):
    each = -(-figures.size("answers") // N_PEOPLE)
    stack = fault_stack("bad line")
    with stack.orm(django_db_blocker):
        collection = faults.open_study(2 * each * N_PEOPLE + 400, n_people=N_PEOPLE)
    desks = [faults.at_desk(stack, index) for index in range(N_PEOPLE)]
    with BadLine(stack.url, share=0.3).running() as line, ThreadPoolExecutor(N_PEOPLE) as pool:
        for desk in desks:
            desk.base = line.url
        judging = [pool.submit(lambda desk: list(islice(faults.judge_without_end(desk), each)), desk) for desk in desks]
        acknowledged = [submission for work in judging for submission, _ in work.result()]
    with stack.orm(django_db_blocker):
        lost, twice = faults.ledger(collection, acknowledged)
    figures.tell("answers acknowledged", len(acknowledged), at_least=each * N_PEOPLE)
    figures.tell("answers lost", lost, at_most=0)
    figures.tell("answers stored or counted twice", twice, at_most=0)
    figures.tell("tries made again", sum(desk.n_failures for desk in desks))
    for name in [f"{leg} {fault}" for leg in ("request", "reply") for fault in FAULTS]:
        figures.tell(f"{name}", line.faults[name], "times")
    assert "nothing broken" in stack.manage("fsck")
