"""Progress of a collection: its pairs by state, and the labels that are left."""

from datetime import date, timedelta
from math import floor, log10
from typing import NamedTuple

from django.utils.formats import date_format

from annotate.core.labels.pair_states import NO_LONGER_ASKED, PairState, StateCounts
from annotate.core.phrases import counted, time_of_people
from annotate.services.pages.stuck_labels import StuckLabels
from metrics.core.statistics.finish import DaysLeft, days_left, recent_days
from metrics.services.dashboard.details_page import Forecast
from metrics.services.dashboard.forecast_lines import PayForecast

MILLISECONDS_OF_A_DAY, EPOCH = 86_400_000, date(1970, 1, 1)
DAY, SEPARATOR = "D j F", " \N{MIDDLE DOT} "
BAR_WIDTH = 1000  # of the drawing, in units of its own
# every state of a pair that a pool counts, in the order of the bar
PART_STATES = {
    "complete": (PairState.COMPLETE,),
    "some-labels": (PairState.SOME_LABELS,),
    "disputed": (PairState.DISPUTED,),
    "set-aside": (PairState.CANNOT_JUDGE, PairState.ESCALATED),
    "untouched": (PairState.UNTOUCHED,),
}
PART_NAMES = {
    "complete": "complete",
    "some-labels": "some labels",
    "disputed": "disputed",
    "set-aside": "cannot be judged or escalated",
    "untouched": "untouched",
}


class BarPart(NamedTuple):
    """Pairs in one state, as a part of the bar; `key` names its colour."""

    key: str
    name: str
    n: int
    start: float
    width: float


class HowFar(NamedTuple):
    """The pairs of all pools by state, each pair once.

    n_done, n_left : labels given, and those that are asked for still
    stuck : of these the ones that nobody present can give; None where there are none
    forecast, pay : of the details; None until there are any
    archived_text : since when the collection is archived, in words; "" where it is not
    """

    states: StateCounts
    n_pools: int
    n_done: int
    n_left: int
    stuck: StuckLabels | None
    forecast: Forecast | None
    pay: PayForecast | None
    today: date
    archived_text: str = ""

    @property
    def percent_text(self) -> str:
        """The share of complete pairs in whole per cent, rounded down: 100 is all of them."""
        n_pairs = self.states.n_pairs
        return f"{100 * self.states.n_complete // n_pairs} %" if n_pairs else ""

    @property
    def complete_text(self) -> str:
        """The number of complete pairs, of how many."""
        if not self.states.n_pairs:
            return "No pair is asked for yet: a researcher opens a pool from the runs."
        pools = f", in {self.n_pools:,} pools" if self.n_pools > 1 else ""
        return (
            f"{self.states.n_complete:,} of {counted(self.states.n_pairs, 'pair')} complete{pools}"
        )

    @property
    def parts(self) -> list[BarPart]:
        """The parts of the bar, which sum to all pairs; states without a pair are left out."""
        parts: list[BarPart] = []
        start = 0.0
        for key, states in PART_STATES.items():
            n = sum(self.states[state] for state in states)
            if n:
                width = BAR_WIDTH * n / self.states.n_pairs
                parts.append(BarPart(key, self._name_of(key, states), n, start, width))
                start += width
        return parts

    def _name_of(self, key: str, states: tuple[PairState, ...]) -> str:
        is_dropped = states[0].waits_for_labels and not self.states.is_open
        return f"{PART_NAMES[key]}, {NO_LONGER_ASKED}" if is_dropped else PART_NAMES[key]

    @property
    def left_text(self) -> str:
        """The labels given and left."""
        return SEPARATOR.join([f"{counted(self.n_done, 'label')} given", f"{self.n_left:,} left"])

    @property
    def effort_text(self) -> str:
        """Time of people and money that the labels left take, in two digits; of the details."""
        parts = []
        if self.n_left and self.forecast and self.forecast.hours_left:
            hours = self.forecast.hours_left.value
            parts.append(f"about {time_of_people(hours, two_digits(hours))}")
        if self.n_left and self.pay and self.pay.cost_left is not None:
            parts.append(f"{two_digits(self.pay.cost_left)} {self.pay.currency}")
        return SEPARATOR.join(parts)

    @property
    def n_to_come(self) -> int:
        """The labels that present people can give."""
        return max(self.n_left - (self.stuck.n_labels if self.stuck else 0), 0)

    @property
    def no_day_text(self) -> str:
        """The reason why no day is promised: the archive, or labels nobody present can give."""
        if self.archived_text:
            return f"Nothing more is handed out: {self.archived_text}."
        if self.stuck is None:
            return ""
        if not self.stuck.n_people or not self.n_to_come:
            return "Nobody here can give the labels that are left."
        if self.stuck.is_more:
            labels = f"{self.stuck.count_text} labels"
            return f"When it is done is not known: nobody here can give {labels}."
        return ""

    @property
    def finish_text(self) -> str:
        """The days between which the last of these labels is given, or why none are promised.

        Empty where no label is left.
        """
        if not self.n_left:
            return ""
        if self.no_day_text:
            return self.no_day_text
        if self.forecast is None:
            return "The day on which it is done is being computed."
        days = [(day // MILLISECONDS_OF_A_DAY, n) for day, n in self.forecast.days]
        counts = recent_days(days, today=(self.today - EPOCH).days)
        if counts is None:
            return "When it is done is not defined yet: it takes three whole days with labels."
        return range_text(days_left(counts, n_left=self.n_to_come), today=self.today)

    @property
    def finish_hint(self) -> str:
        """The clock of the days, for a hover; "" where none are promised."""
        return "Days in UTC" if self.finish_text.startswith("Done ") else ""

    @property
    def finish_note(self) -> str:
        """The basis of the days, which a whole sentence does without, and labels not promised."""
        if not self.finish_text or self.no_day_text:
            return ""
        notes = [] if self.finish_text.endswith(".") else ["at the pace of the last days"]
        if self.stuck:
            labels = counted(self.stuck.n_labels, "label")
            notes.append(f"{labels} nobody here can give not counted")
        return "; ".join(notes)


def range_text(span: DaysLeft | None, *, today: date) -> str:
    """The days between which the last label is given.

    The early end counts today as a whole day, the late end not at all: today is under way.
    """
    if span is None:
        return "At this pace never: nobody has given a label in the last 14 days."
    if span.low is None:
        return "At this pace not within a year."
    early = today + timedelta(days=span.low - 1)
    if span.high is None:
        return f"Done on {date_format(early, DAY)} at the earliest, perhaps not within a year."
    late = today + timedelta(days=span.high)
    is_same_month = (early.year, early.month) == (late.year, late.month)
    start = date_format(early, "D j" if is_same_month else DAY)
    return f"Done between {start} and {date_format(late, DAY)}"


def two_digits(number: float) -> str:
    """The number in two digits that count: 3.6, 54, 1,500."""
    if not number:
        return "0"
    n_decimals = 1 - floor(log10(abs(number)))
    return f"{round(number, n_decimals):,.{max(n_decimals, 0)}f}"
