"""The command that computes all numbers again."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from metrics.models import Observation
from metrics.services import refresh
from tests import cast
from tests.metrics import studies

pytestmark = pytest.mark.django_db(transaction=True)


def test_rebuilding_brings_the_same_bytes_back_and_keeps_history():
    study = studies.study("first")
    studies.judge(cast.annotator(study))
    refresh.refresh(collection=study)
    live, n_points = studies.numbers(study), Observation.objects.count()
    said = StringIO()
    call_command("rebuild_metrics", "first", stdout=said)
    assert said.getvalue() == "first: 5 snapshots, 60 scores\n"
    assert (studies.numbers(study), Observation.objects.count()) == (live, n_points)


def test_all_collections_can_be_rebuilt_at_once():
    studies.study("one"), studies.study("two")
    said = StringIO()
    call_command("rebuild_metrics", "--all", stdout=said)
    assert [line.split(":")[0] for line in said.getvalue().splitlines()] == ["one", "two"]


@pytest.mark.parametrize("arguments", [(), ("one", "--all"), ("nobody",)])
def test_a_wrong_call_says_what_is_wrong(arguments):
    with pytest.raises(CommandError, match=r"Name one|no collection"):
        call_command("rebuild_metrics", *arguments)
