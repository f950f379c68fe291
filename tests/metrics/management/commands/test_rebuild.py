"""The command that rebuilds all derived rows from the judgments."""

from collections import Counter
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotate.models import Kept, Resolution, Seat
from metrics.models import Observation
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.numbers import refresh
from tests import campaigns, cast
from tests.metrics import studies
from tests.metrics.services.leaderboard import boards
from tests.tables.soundness import is_sound_without_pools

pytestmark = pytest.mark.django_db(transaction=True)


def test_rebuilding_brings_the_same_bytes_back_and_keeps_history():
    study = studies.study("first")
    studies.judge(cast.annotator(study))
    refresh.refresh(collection=study)
    live, n_points = studies.numbers(study), Observation.objects.count()
    output = StringIO()
    call_command("rebuild", "first", stdout=output)
    nothing = "0 resolutions and 0 seats were not what the judgments say, and now are"
    n_pairs = study.pairs.count()
    assert (
        output.getvalue() == f"first: {n_pairs} pairs; {nothing}\nfirst: 5 snapshots, 60 scores\n"
    )
    assert (studies.numbers(study), Observation.objects.count()) == (live, n_points)


def test_all_collections_can_be_rebuilt_at_once():
    studies.study("one"), studies.study("two")
    output = StringIO()
    call_command("rebuild", "--all", "--numbers", stdout=output)
    assert [line.split(":")[0] for line in output.getvalue().splitlines()] == ["one", "two"]


@pytest.mark.parametrize("arguments", [(), ("one", "--all"), ("nobody",)])
def test_a_wrong_call_says_what_is_wrong(arguments):
    with pytest.raises(CommandError, match=r"Name one|no collection"):
        call_command("rebuild", *arguments)


def test_seats_and_resolutions_that_were_lost_or_wrong_come_back():
    collection = campaigns.campaign("made", n_annotators=4).collection
    refresh.refresh(collection=collection)
    before = derived(collection)
    assert all(before)
    untouched = Seat.objects.filter(
        collection=collection, purpose="label", state="free", hand_outs=None
    )
    assert untouched.exists()
    untouched.delete()
    resolutions = Resolution.objects.filter(collection=collection).order_by("pair")
    lost = list(resolutions.values_list("pair", flat=True)[::2])
    Resolution.objects.filter(pair__in=lost).delete()
    Resolution.objects.filter(collection=collection).update(
        grade=0, n_labels=9, status="agreed", is_complete=True
    )
    refresh.rebuild(collection=collection)
    assert derived(collection) != before
    output = StringIO()
    call_command("rebuild", "made", stdout=output)
    assert derived(collection) == before
    n_resolutions = len(before[1])
    assert f"{n_resolutions} resolutions and" in output.getvalue() and is_sound_without_pools()
    again = StringIO()
    call_command("rebuild", "made", stdout=again)
    assert "0 resolutions and 0 seats were not" in again.getvalue()


def test_looked_at_leaderboards_are_forgotten():
    study = studies.judged_study("looked")
    choices = read_choices(collection=study, viewer=None, parameters={"measures": "RR"})
    boards.compute(collection=study, spec=choices.spec)
    assert Kept.objects.filter(collection=study).exists()
    call_command("rebuild", "looked", "--numbers", stdout=StringIO())
    assert not Kept.objects.filter(collection=study).exists()


def derived(collection):
    """How many seats of each kind each pair has, its resolution, and the numbers."""
    seats = Seat.objects.filter(collection=collection).exclude(state="withdrawn").order_by()
    rows = Resolution.objects.filter(collection=collection).order_by("pair")
    content = ("pair", "status", "grade", "n_labels", "is_complete", "policy")
    kinds = seats.values_list("pair", "round", "purpose", "state", "annotator", "judgment")
    return Counter(kinds), list(rows.values_list(*content)), studies.numbers(collection)
