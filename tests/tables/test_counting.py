"""Which judgments count, and what became of each: the views say what the rows say one by one."""

import pytest

from annotate.models import CountingJudgment, Judgment, JudgmentEvent, JudgmentOutcome, Seat
from tests.campaigns import Campaign

pytestmark = pytest.mark.django_db


def expected_outcome(judgment: Judgment) -> str:
    """What became of a judgment, from its own rows."""
    if Judgment.objects.filter(supersedes=judgment).exists():
        return "superseded"
    if Seat.objects.filter(judgment=judgment).exists():
        return "counts"
    kinds = list(judgment.events.order_by("pk").values_list("kind", flat=True))
    return kinds[-1] if kinds and kinds[-1] != "restored" else "surplus"


def outcomes() -> dict[int, str]:
    """What the view says of each judgment."""
    return dict(JudgmentOutcome.objects.values_list("judgment", "outcome"))


def test_every_judgment_has_the_outcome_that_its_rows_give(campaign: Campaign) -> None:
    expected = {judgment.pk: expected_outcome(judgment) for judgment in Judgment.objects.all()}
    assert outcomes() == expected
    assert set(expected.values()) == {"counts", "superseded", "undone"}


def test_a_judgment_that_no_seat_points_to_is_a_surplus_until_an_event_says_more(
    campaign: Campaign,
) -> None:
    seat = Seat.objects.filter(purpose="label", state="done").latest("pk")
    judgment = seat.judgment
    Seat.objects.filter(pk=seat.pk).update(state="free", annotator=None, judgment=None)
    states = []
    for kind in (None, "withdrawn", "restored", "undone"):
        if kind:
            JudgmentEvent.objects.create(judgment=judgment, kind=kind)
        standing = JudgmentOutcome.objects.get(judgment=judgment)
        states.append((kind, standing.outcome, standing.is_in_force))
    assert states == [
        (None, "surplus", True),
        ("withdrawn", "withdrawn", False),
        ("restored", "surplus", True),
        ("undone", "undone", False),
    ]
    assert not CountingJudgment.objects.filter(judgment=judgment).exists()


def test_what_is_current_is_in_force_and_not_superseded(campaign: Campaign) -> None:
    in_force = set(Judgment.objects.in_force())
    superseded = set(Judgment.objects.filter(superseded_by__isnull=False))
    assert set(Judgment.objects.current()) == in_force - superseded
    assert in_force & superseded


def test_a_judgment_counts_for_each_seat_that_is_done(campaign: Campaign) -> None:
    done_seats = Seat.objects.filter(state="done").select_related("judgment__level")
    rows = {
        row.seat_id: (row.judgment_id, row.annotator_id, row.grade, row.at, row.is_label)
        for row in CountingJudgment.objects.all()
    }
    assert rows == {
        seat.pk: (
            seat.judgment_id,
            seat.judgment.annotator_id,
            seat.judgment.level.grade,
            seat.judgment.at,
            seat.purpose in ("label", "import"),
        )
        for seat in done_seats
    }
    assert {seat.purpose for seat in done_seats} >= {"label", "gold"}


def test_labels_wanted_whatever_the_others_are_are_planned(campaign: Campaign) -> None:
    seats = list(Seat.objects.filter(purpose="label", state="done").order_by("pk")[:4])
    whys = ["first", "double", "disagreement", "top-up"]
    for seat, why in zip(seats, whys, strict=True):
        Seat.objects.filter(pk=seat.pk).update(why=why)
    planned = CountingJudgment.objects.filter(seat__in=seats, is_planned=True)
    assert {row.why for row in planned} == {"first", "double"}
    golds = CountingJudgment.objects.filter(purpose="gold")
    assert golds.exists() and not golds.filter(is_planned=True).exists()
