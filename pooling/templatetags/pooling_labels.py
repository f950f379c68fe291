"""Template filters for pages of runs and pools: the looks of their states, and places in pools."""

from django import template
from django.template.defaultfilters import floatformat

from annotate.core.phrases import counted
from annotate.models import Gold, Round, RoundPair, Seat
from annotate.services.review.pair_history import HistoryEvent
from pooling.models import Pool, PoolPair, Run
from pooling.sentences import hold_consequence

RUN_BADGES = {
    "Being read": "badge-accent",
    "Ready": "badge-good",
    "Rejected": "badge-bad",
    "Retired": "",
}
PHASE_BADGES = {
    Pool.Phase.OPEN: "badge-good",
    Pool.Phase.FAILED: "badge-bad",
    Pool.Phase.OPENING: "badge-accent",
    Pool.Phase.CLOSING: "badge-accent",
    Pool.Phase.REOPENING: "badge-accent",
}
register = template.Library()


@register.filter
def run_badge(run: Run) -> str:
    """The class of the badge with a run's state; one that asks for something is a warning."""
    return RUN_BADGES.get(run.state_text, "badge-warn")


@register.filter
def phase_badge(phase: Pool.Phase) -> str:
    """The class of the badge with a pool's phase; empty for drafts and closed pools."""
    return PHASE_BADGES.get(phase, "")


@register.filter
def pool_place(row: PoolPair) -> str:
    """A pair's place in a pool: "best rank 3, drawn with probability 0.250", or "in no run"."""
    rank_text = f"best rank {row.best_rank:,}" if row.best_rank else "in no run"
    if row.inclusion_probability < 1:
        return f"{rank_text}, drawn with probability {floatformat(row.inclusion_probability, 3)}"
    return rank_text


@register.filter
def unknown_part(run: Run) -> str:
    """The share of a run's unknown rows in the list of runs: "12.3 %", "all" or "none"."""
    return "all" if run.is_waiting else run.unknown_per_cent or "none"


register.filter("hold_consequence", hold_consequence)


@register.filter
def gold_text(gold: Gold) -> str:
    """A gold's grade and origin, and whether it is retired: "grade 2, curated, retired"."""
    text = f"grade {gold.grade}, {gold.get_origin_display().lower()}"
    return f"{text}, retired" if gold.retired_at is not None else text


@register.filter
def actor(event: HistoryEvent, is_lead: bool) -> str:
    """The lead or the policy behind an event of a pair's history; only leads read leads' names."""
    return event.actor(for_lead=is_lead)


@register.filter
def seat_reason(seat: Seat) -> str:
    """The reason for a label's seat; empty for seats of other purposes."""
    return seat.get_why_display() if seat.purpose == Seat.Purpose.LABEL else ""


@register.filter
def demand(round_pair: RoundPair) -> str:
    """The labels that a round wants of a pair: "2 labels wanted under policy version 1, closed"."""
    round_, n_wanted = round_pair.round, round_pair.n_wanted
    text = f"{counted(n_wanted, 'label')} wanted under policy version {round_.policy.version}"
    if round_pair.dropped_at is not None:
        return f"{text}, not any more"
    return (
        text
        if round_.state == Round.State.OPEN
        else f"{text}, {round_.get_state_display().lower()}"
    )
