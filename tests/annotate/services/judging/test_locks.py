"""Locks of judging are as weak as they can be, and settings made with them end with them."""

import psycopg
import pytest
from django.db import connection, transaction

from annotate.services.judging.hand_outs import lock_pair
from annotate.services.seating.reconciling import lock_annotator
from tests import cast
from tests.annotate.services.judging.test_judging import hand_outs, study
from tests.servers.databases import connection_parameters

pytestmark = pytest.mark.django_db(transaction=True)


def test_rows_that_name_a_locked_pair_wait_for_nobody_and_another_answer_to_it_does():
    hand_out = hand_outs(cast.annotator(study(grouped=False)))[0]
    query = "SELECT 1 FROM annotate_pair WHERE id = %s FOR {} NOWAIT"
    with transaction.atomic(), psycopg.connect(**connection_parameters()) as other:
        pair = lock_pair(hand_out)
        foreign_key, answer = (query.format(lock) for lock in ("KEY SHARE", "NO KEY UPDATE"))
        assert other.execute(foreign_key, [pair.pk]).fetchone() == (1,)
        with pytest.raises(psycopg.errors.LockNotAvailable):
            other.execute(answer, [pair.pk])


def test_the_planner_keeps_to_indexes_until_the_turn_of_a_person_ends():
    def sequential_scans() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW enable_seqscan")
            return cursor.fetchone()[0]

    with transaction.atomic():
        lock_annotator(1)
        assert sequential_scans() == "off"
    assert sequential_scans() == "on"
