"""The history of one pair: its judgments, whether they count, reports, and how its grade arose."""

from datetime import datetime
from typing import NamedTuple

from annotate.models import (
    Annotator,
    Gold,
    Judgment,
    JudgmentEvent,
    Pair,
    PairExclusion,
    Report,
    ReportEvent,
    Resolution,
    ReviewAction,
    RoundPair,
    Seat,
    User,
)
from annotate.services.collection.duplicates import original_names
from annotate.services.supervision import review_log

POLICY = "policy"  # instead of a lead's name
FORMER_LEAD = "A former lead"  # a lead who was erased; the policy never adjudicates
TIES = {"dispute": "", "up": ", ties to the larger grade", "down": ", ties to the smaller grade"}


class PairJudgment(NamedTuple):
    """One judgment of the pair and whether it counts.

    seat : the seat it counts for; None if it does not count
    comment : the person's comment, for leads
    """

    judgment: Judgment
    seat: Seat | None
    events: list[JudgmentEvent]
    comment: str

    @property
    def outcome(self) -> str:
        """The outcome of the judgment: counts, superseded, undone, withdrawn or surplus."""
        return self.judgment.standing.outcome

    @property
    def seconds(self) -> float | None:
        """Active time, in seconds."""
        return None if self.judgment.active_ms is None else self.judgment.active_ms / 1000


class HistoryEvent(NamedTuple):
    """One event of a pair's history.

    annotator : the person who acted; None if a lead or the policy did
    lead : the user name of the lead
    """

    at: datetime
    action: str
    detail: str
    annotator: Annotator | None = None
    lead: str = ""

    def actor(self, *, for_lead: bool) -> str:
        """The pseudonym of the person, the policy, or the lead, whose name leads alone read."""
        if self.annotator is not None:
            return self.annotator.pseudonym
        if self.lead == POLICY:
            return "The policy"
        return self.lead if for_lead else "A lead"


class History(NamedTuple):
    """A pair's whole history.

    original : the ids of the pair that it repeats; "" for none
    n_kept_back : comments and notes of annotators that are hidden from a viewer who is no lead
    """

    pair: Pair
    resolution: Resolution | None
    judgments: list[PairJudgment]
    seats: list[Seat]
    round_pairs: list[RoundPair]
    reports: list[Report]
    actions: list[ReviewAction]
    golds: list[Gold]
    exclusion: PairExclusion | None
    original: str
    n_kept_back: int

    @property
    def counting(self) -> list[PairJudgment]:
        """The labels that enter agreement, in the order of the seats."""
        labels = [record for record in self.judgments if record.seat and record.seat.is_for_label]
        return sorted(
            labels,
            key=lambda record: (record.seat.number, record.seat.pk) if record.seat else (0, 0),
        )

    @property
    def adjudication(self) -> PairJudgment | None:
        """The adjudication in force, if any."""
        adjudications = [
            record
            for record in self.judgments
            if record.seat and record.seat.purpose == Seat.Purpose.ADJUDICATION
        ]
        return adjudications[0] if adjudications else None

    @property
    def open_reports(self) -> list[Report]:
        """The reports that wait for a lead."""
        return [report for report in self.reports if report.state == Report.State.OPEN]

    @property
    def kept_back_note(self) -> str:
        """The number of comments and notes that are hidden, in words; empty if there are none."""
        n = self.n_kept_back
        if not n:
            return ""
        plural, reading = ("", "it says") if n == 1 else ("s", "they say")
        return f"{n} comment{plural} or note{plural} by annotators: leads see what {reading}."

    @property
    def gold_notes(self) -> list[str]:
        """The golds that the pair is or was, in words."""
        return [_gold_note(gold) for gold in self.golds]

    @property
    def sentence(self) -> str:
        """The origin of the grade, in words."""
        return _sentence(self)

    @property
    def events(self) -> list[HistoryEvent]:
        """All events, the oldest first."""
        events = [
            *_judgment_events(self.judgments, self.actions),
            *_report_events(self.reports),
            *_action_events(self.actions),
        ]
        return sorted(events, key=lambda event: event.at)


def history_of(*, pair: Pair, for_lead: bool) -> History:
    """Read a pair's history; ten queries, however long it is.

    for_lead : whether annotators' comments and notes, which may name anybody, are in it
    """
    with_details = Judgment.objects.filter(pair=pair).select_related(
        "level", "annotator__user", "comment", "hand_out__batch", "guidelines", "standing"
    )
    seats = list(
        Seat.objects.filter(pair=pair).select_related("round", "annotator__user").order_by("pk")
    )
    judgments = list(with_details.order_by("pk"))
    seat_by_judgment = {seat.judgment_id: seat for seat in seats if seat.judgment_id}
    events = _events_by_judgment(pair, judgments)
    comments = {
        judgment.pk: judgment.comment.text for judgment in judgments if hasattr(judgment, "comment")
    }
    pair_reports = Report.objects.filter(pair=pair).select_related("annotator__user")
    reports = list(pair_reports.prefetch_related("events").order_by("pk"))
    n_kept_back = 0 if for_lead else len(comments) + sum(bool(report.note) for report in reports)
    if not for_lead:
        comments = {}
        for report in reports:
            report.note = ""
    round_pairs = (
        RoundPair.objects.filter(pair=pair).select_related("round__policy").order_by("round")
    )
    return History(
        pair=pair,
        resolution=Resolution.objects.filter(pair=pair).select_related("policy").first(),
        judgments=[
            PairJudgment(
                judgment,
                seat_by_judgment.get(judgment.pk),
                events[judgment.pk],
                comments.get(judgment.pk, ""),
            )
            for judgment in judgments
        ],
        seats=seats,
        round_pairs=list(round_pairs),
        reports=reports,
        actions=list(review_log.entries(collection=pair.collection, pair=pair)),
        golds=list(Gold.objects.filter(pair=pair)),
        exclusion=PairExclusion.objects.filter(pair=pair).first(),
        original=original_names(pair.query, pair.document),
        n_kept_back=n_kept_back,
    )


def _events_by_judgment(pair: Pair, judgments: list[Judgment]) -> dict[int, list[JudgmentEvent]]:
    events: dict[int, list[JudgmentEvent]] = {judgment.pk: [] for judgment in judgments}
    rows = JudgmentEvent.objects.filter(judgment__pair=pair).select_related("by").order_by("pk")
    for event in rows:
        events[event.judgment_id].append(event)
    return events


def _judgment_events(
    judgments: list[PairJudgment], actions: list[ReviewAction]
) -> list[HistoryEvent]:
    """List judgments and their events; the reason of an adjudication is in its line of the log."""
    of_leads = [action for action in actions if action.kind == ReviewAction.Kind.ADJUDICATED]
    reasons = iter(action.reason for action in sorted(of_leads, key=lambda action: action.pk))
    events = []
    for record in judgments:
        judgment, level = (
            record.judgment,
            f"{record.judgment.level.grade}, {record.judgment.level.name}",
        )
        if judgment.purpose == Seat.Purpose.ADJUDICATION:
            lead = judgment.annotator.user.username if judgment.annotator.user else FORMER_LEAD
            events.append(
                HistoryEvent(judgment.at, f"adjudicated {level}", next(reasons, ""), lead=lead)
            )
        else:
            verb = (
                "let stand again"
                if judgment.restores_id
                else "changed to"
                if judgment.supersedes_id
                else "gave"
            )
            purpose = (
                ""
                if judgment.purpose == Seat.Purpose.LABEL
                else f" ({judgment.get_purpose_display().lower()})"
            )
            events.append(
                HistoryEvent(
                    judgment.at, f"{verb} {level}{purpose}", record.comment, judgment.annotator
                )
            )
        events += [_event(event, judgment, level) for event in record.events]
    return events


def _event(event: JudgmentEvent, judgment: Judgment, level: str) -> HistoryEvent:
    action = f"{event.get_kind_display().lower()} {level}"
    if judgment.purpose == Seat.Purpose.ADJUDICATION:
        return HistoryEvent(event.at, action, event.reason, lead=_username(event.by))
    # nobody else can, and she may have been erased since
    if event.kind == JudgmentEvent.Kind.UNDONE:
        return HistoryEvent(event.at, f"took back {level}", event.reason, judgment.annotator)
    return HistoryEvent(
        event.at,
        f"{action}, given by {judgment.annotator.pseudonym}",
        event.reason,
        lead=_username(event.by),
    )


def _username(user: User | None) -> str:
    return user.username if user else POLICY


def _report_events(reports: list[Report]) -> list[HistoryEvent]:
    events = []
    for report in reports:
        words = " - ".join(filter(None, [report.why, report.note]))
        kind = report.get_kind_display().lower()
        events.append(HistoryEvent(report.at, kind, words, report.annotator))
        # a lead's turns are in the log
        own_events = [
            event
            for event in report.events.all()
            if event.submission_id or event.kind == ReportEvent.Kind.UNDONE
        ]
        for event in own_events:
            verb = "took back" if event.kind == ReportEvent.Kind.UNDONE else "let stand again"
            events.append(HistoryEvent(event.at, f"{verb}: {kind}", "", report.annotator))
    return events


def _action_events(actions: list[ReviewAction]) -> list[HistoryEvent]:
    events = []
    for action in actions:
        if action.kind in (ReviewAction.Kind.ADJUDICATED, ReviewAction.Kind.ADJUDICATION_UNDONE):
            continue  # listed with the judgment
        item_prefix = f"{action.item.external_id}: " if action.item else ""
        kind = action.get_kind_display().lower()
        events.append(
            HistoryEvent(
                action.at, kind, f"{item_prefix}{action.reason}", lead=_username(action.by)
            )
        )
    return events


def _gold_note(gold: Gold) -> str:
    end = ", retired" if gold.retired_at else ""
    note = f"It is a gold of grade {gold.grade} ({gold.get_origin_display().lower()}{end})"
    return f"{note}: {gold.explanation}" if gold.explanation else note


def _sentence(history: History) -> str:
    resolution = history.resolution
    grades = ", ".join(str(record.judgment.level.grade) for record in history.counting)
    if history.exclusion is not None:
        return f"It is excluded and counts as unjudged: {history.exclusion.reason}"
    if resolution is None:
        repeats = f" It repeats {history.original}, whose grade counts in its place."
        return (
            f"It has no grade: labels given are {grades}."
            if grades
            else f"Nobody has given it a label that counts.{repeats if history.original else ''}"
        )
    policy = resolution.policy
    tie = TIES[policy.tie]
    rule = f"by {policy.get_rule_display().lower()}{tie} (policy version {policy.version})"
    if resolution.status == Resolution.Status.ADJUDICATED:
        return f"A lead decided on grade {resolution.grade}; the labels were {grades or 'none'}."
    if resolution.status == Resolution.Status.ESCALATED:
        return (
            "It waits for a lead: it was escalated, or people could not judge it. "
            f"Labels: {grades or 'none'}."
        )
    word = resolution.get_status_display()
    if resolution.grade is None:
        return f"{word}: labels {grades} give no grade {rule}."
    return f"Grade {resolution.grade}: {word.lower()}, from labels {grades} {rule}."
