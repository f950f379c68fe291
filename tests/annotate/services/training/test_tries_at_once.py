"""A training is switched on while somebody's claim, or the collection's first answer, is under way.

To see these tests fail: let `setup.change_training` lock nobody, or the collection before
the people.
"""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import transaction

from annotate.services.judging import claiming, training_gate
from annotate.services.training import setup
from tests import campaigns, cast
from tests.annotate.trainees import trained
from tests.servers.database_sessions import waiting_session
from tests.servers.databases import closing_connections
from tests.tables.soundness import is_sound_without_pools

pytestmark = pytest.mark.django_db(transaction=True)
LONG = 240  # seconds: what no busy machine needs


@pytest.mark.parametrize("answers", [False, True])
def test_a_claim_under_way_is_put_down_and_a_first_answer_under_way_exempts(answers):
    collection = trained()
    setup.change_training(collection=collection, is_on=False)
    annotator = cast.annotator(collection)
    claimed, may_go_on = Event(), Event()

    @closing_connections
    def claim():
        with transaction.atomic():
            claiming.current_batch(annotator=annotator)
            claimed.set()
            may_go_on.wait(LONG)
            if answers:
                campaigns.judge(claiming.open_hand_outs(annotator=annotator).first(), 1)

    @closing_connections
    def switch_on():
        setup.change_training(collection=collection, is_on=True)

    with ThreadPoolExecutor(2) as pool:
        claim_ = pool.submit(claim)
        assert claimed.wait(LONG)
        switch = pool.submit(switch_on)
        try:
            waiting_session(unless=switch.done)
        finally:
            may_go_on.set()
        claim_.result(LONG)
        switch.result(LONG)
    assert training_gate.is_in_training(annotator=annotator) is not answers
    assert claiming.open_hand_outs(annotator=annotator).count() == (3 if answers else 0)
    assert is_sound_without_pools()
