"""The looks and labels that filters give to runs, pools, pairs, golds and events on pages."""

import pytest
from django.utils.timezone import now

from annotate.models import Gold, Policy, Round, RoundPair, Seat, Work
from annotate.services.review.pair_history import HistoryEvent
from pooling.models import Pool, PoolPair, Run
from pooling.templatetags import pooling_labels


def run_of(report=None, **fields):
    return Run(report=report or {}, **{"direction": "forward", "state": "ready", **fields})


@pytest.mark.parametrize(
    ("fields", "badge"),
    [
        ({"state": "received"}, "badge-accent"),
        ({}, "badge-good"),
        ({"state": "rejected"}, "badge-bad"),
        ({"state": "rejected", "work": Work(state="cancelled")}, "badge-warn"),
        ({"retired_at": now()}, ""),
        ({"on_hold_since": now()}, "badge-warn"),
    ],
)
def test_a_runs_badge_has_the_looks_of_its_state(fields, badge):
    assert pooling_labels.run_badge(run_of(**fields)) == badge


def test_a_pools_badge_has_the_looks_of_its_phase():
    assert {phase.value: pooling_labels.phase_badge(phase) for phase in Pool.Phase} == {
        "draft": "",
        "opening": "badge-accent",
        "open": "badge-good",
        "closing": "badge-accent",
        "closed": "",
        "reopening": "badge-accent",
        "failed": "badge-bad",
    }


def test_a_place_in_a_pool_has_its_rank_and_chance():
    assert pooling_labels.pool_place(PoolPair()) == "in no run"
    assert pooling_labels.pool_place(PoolPair(best_rank=1000)) == "best rank 1,000"
    drawn = PoolPair(best_rank=3, inclusion_probability=0.25)
    assert pooling_labels.pool_place(drawn) == "best rank 3, drawn with probability 0.250"


def test_the_list_of_runs_says_how_many_rows_are_unknown():
    assert pooling_labels.unknown_part(run_of()) == "none"
    assert pooling_labels.unknown_part(run_of(on_hold_since=now())) == "all"
    assert pooling_labels.unknown_part(run_of({"n_unknown": 1, "n_kept": 3})) == "25.0 %"


@pytest.mark.parametrize(("retired_at", "end"), [(None, ""), (now(), ", retired")])
def test_a_gold_says_its_grade_and_origin(retired_at, end):
    gold = Gold(grade=2, origin="curated", retired_at=retired_at)
    assert pooling_labels.gold_text(gold) == f"grade 2, curated{end}"


@pytest.mark.parametrize(
    ("lead", "is_lead", "name"),
    [
        ("policy", True, "The policy"),
        ("policy", False, "The policy"),
        ("ada", True, "ada"),
        ("ada", False, "A lead"),
    ],
)
def test_only_leads_read_who_of_them_acted(lead, is_lead, name):
    event = HistoryEvent(now(), "adjudicated", "", lead=lead)
    assert pooling_labels.actor(event, is_lead) == name


def test_a_seat_has_a_reason_if_it_is_for_a_label():
    assert pooling_labels.seat_reason(Seat(purpose="gold")) == ""
    seat = Seat(purpose="label", why=Seat._meta.get_field("why").choices[0][0])
    assert pooling_labels.seat_reason(seat) == seat.get_why_display() != ""


@pytest.mark.parametrize(
    ("n_wanted", "state", "dropped_at", "text"),
    [
        (1, "open", None, "1 label wanted under policy version 4"),
        (2, "closed", None, "2 labels wanted under policy version 4, closed"),
        (2, "closed", now(), "2 labels wanted under policy version 4, not any more"),
    ],
)
def test_a_round_says_how_many_labels_it_wants_of_a_pair(n_wanted, state, dropped_at, text):
    round_ = Round(policy=Policy(version=4), state=state)
    row = RoundPair(round=round_, n_wanted=n_wanted, dropped_at=dropped_at)
    assert pooling_labels.demand(row) == text
