"""All that happened to one pair: what was said of it, by whom, what of that counts, and how its grade came about."""

from datetime import datetime
from typing import NamedTuple

from annotate.models import (
    Annotator,
    Gold,
    Judgment,
    JudgmentEvent,
    Pair,
    PairExclusion,
    Policy,
    Report,
    ReportEvent,
    Resolution,
    ReviewAction,
    RoundPair,
    Seat,
    User,
)
from annotate.services import review_log

POLICY = "policy"  # in the place of a lead's name
FORMER_LEAD = "A former lead"  # who was erased; the policy never adjudicates


class Said(NamedTuple):
    """One judgment and what became of it.

    seat : that it counts for; None where it does not count
    comment : what the person wrote beside it, for leads
    """

    judgment: Judgment
    seat: Seat | None
    events: list[JudgmentEvent]
    is_superseded: bool
    comment: str

    @property
    def state(self) -> str:
        """What became of it, in a word."""
        if self.seat is not None:
            return "counts"
        if self.is_superseded:
            return "superseded"
        return str(self.events[-1].kind) if self.events else "surplus"

    @property
    def seconds(self) -> float | None:
        """Active time."""
        return None if self.judgment.active_ms is None else self.judgment.active_ms / 1000


class Moment(NamedTuple):
    """One thing that happened.

    annotator : whose doing it was; None for what a lead or the policy did
    lead : the user name of the lead
    """

    at: datetime
    what: str
    detail: str
    annotator: Annotator | None = None
    lead: str = ""


class History(NamedTuple):
    """A pair's whole history.

    n_kept_back : comments and notes of annotators that the viewer, who is no lead, does not see
    """

    pair: Pair
    resolution: Resolution | None
    said: list[Said]
    seats: list[Seat]
    wishes: list[RoundPair]
    reports: list[Report]
    actions: list[ReviewAction]
    golds: list[Gold]
    exclusion: PairExclusion | None
    n_kept_back: int

    @property
    def counting(self) -> list[Said]:
        """The labels that enter agreement, in the order of the seats."""
        mine = [each for each in self.said if each.seat and each.seat.purpose in Seat.COUNTING]
        return sorted(mine, key=lambda each: (each.seat.number, each.seat.pk) if each.seat else (0, 0))

    @property
    def adjudication(self) -> Said | None:
        """The lead's grade that stands."""
        found = [each for each in self.said if each.seat and each.seat.purpose == Seat.Purpose.ADJUDICATION]
        return found[0] if found else None

    @property
    def open_reports(self) -> list[Report]:
        """Those that wait for a lead."""
        return [report for report in self.reports if report.state == Report.State.OPEN]

    @property
    def sentence(self) -> str:
        """How the grade came about, in words."""
        return _sentence(self)

    @property
    def moments(self) -> list[Moment]:
        """What happened, the oldest first."""
        found = [*_said(self.said, self.actions), *_reported(self.reports), *_acted(self.actions)]
        return sorted(found, key=lambda moment: moment.at)


def history_of(*, pair: Pair, for_lead: bool) -> History:
    """A pair's history; ten queries, whatever happened.

    for_lead : whether annotators' comments and notes, which may name anybody, are in it
    """
    judgments = Judgment.objects.filter(pair=pair).select_related(
        "level", "annotator__user", "comment", "hand_out__batch", "guidelines"
    )
    seats = list(Seat.objects.filter(pair=pair).select_related("round", "annotator__user").order_by("pk"))
    said = list(judgments.order_by("pk"))
    counts_for = {seat.judgment_id: seat for seat in seats if seat.judgment_id}
    events: dict[int, list[JudgmentEvent]] = {judgment.pk: [] for judgment in said}
    for event in JudgmentEvent.objects.filter(judgment__pair=pair).select_related("by").order_by("pk"):
        events[event.judgment_id].append(event)
    superseded = {judgment.supersedes_id for judgment in said}
    comments = {each.pk: each.comment.text for each in said if hasattr(each, "comment")}
    reports = list(
        Report.objects.filter(pair=pair).select_related("annotator__user").prefetch_related("events").order_by("pk")
    )
    n_kept_back = 0 if for_lead else len(comments) + sum(bool(report.note) for report in reports)
    if not for_lead:
        comments = {}
        for report in reports:
            report.note = ""
    wishes = RoundPair.objects.filter(pair=pair).select_related("round__policy").order_by("round")
    return History(
        pair=pair,
        resolution=Resolution.objects.filter(pair=pair).select_related("policy").first(),
        said=[
            Said(each, counts_for.get(each.pk), events[each.pk], each.pk in superseded, comments.get(each.pk, ""))
            for each in said
        ],
        seats=seats,
        wishes=list(wishes),
        reports=reports,
        actions=list(review_log.entries(collection=pair.collection, pair=pair)),
        golds=list(Gold.objects.filter(pair=pair)),
        exclusion=PairExclusion.objects.filter(pair=pair).first(),
        n_kept_back=n_kept_back,
    )


def _said(said: list[Said], actions: list[ReviewAction]) -> list[Moment]:
    """Judgments and what became of them; each adjudication has one line of the log, which says why."""
    of_leads = [action for action in actions if action.kind == ReviewAction.Kind.ADJUDICATED]
    reasons = iter(action.reason for action in sorted(of_leads, key=lambda action: action.pk))
    found = []
    for each in said:
        judgment, level = each.judgment, f"{each.judgment.level.grade}, {each.judgment.level.name}"
        if judgment.purpose == Seat.Purpose.ADJUDICATION:
            lead = judgment.annotator.user.username if judgment.annotator.user else FORMER_LEAD
            found.append(Moment(judgment.at, f"adjudicated {level}", next(reasons, ""), lead=lead))
        else:
            what = "let stand again" if judgment.restores_id else "changed to" if judgment.supersedes_id else "gave"
            purpose = "" if judgment.purpose == Seat.Purpose.LABEL else f" ({judgment.get_purpose_display().lower()})"
            found.append(Moment(judgment.at, f"{what} {level}{purpose}", each.comment, judgment.annotator))
        found += [_event(event, judgment, level) for event in each.events]
    return found


def _event(event: JudgmentEvent, judgment: Judgment, level: str) -> Moment:
    what = f"{event.get_kind_display().lower()} {level}"
    if judgment.purpose == Seat.Purpose.ADJUDICATION:
        return Moment(event.at, what, event.reason, lead=_username(event.by))
    if event.kind == JudgmentEvent.Kind.UNDONE:  # nobody else can, and she may have been erased since
        return Moment(event.at, f"took back {level}", event.reason, judgment.annotator)
    return Moment(event.at, f"{what}, given by {judgment.annotator.pseudonym}", event.reason, lead=_username(event.by))


def _username(user: User | None) -> str:
    return user.username if user else POLICY


def _reported(reports: list[Report]) -> list[Moment]:
    found = []
    for report in reports:
        words = " - ".join(filter(None, [report.why, report.note]))
        kind = report.get_kind_display().lower()
        found.append(Moment(report.at, kind, words, report.annotator))
        # a lead's turns are in the log
        hers = [event for event in report.events.all() if event.submission_id or event.kind == ReportEvent.Kind.UNDONE]
        for event in hers:
            what = "took back" if event.kind == ReportEvent.Kind.UNDONE else "let stand again"
            found.append(Moment(event.at, f"{what}: {kind}", "", report.annotator))
    return found


def _acted(actions: list[ReviewAction]) -> list[Moment]:
    found = []
    for action in actions:
        if action.kind in (ReviewAction.Kind.ADJUDICATED, ReviewAction.Kind.ADJUDICATION_UNDONE):
            continue  # told with the judgment
        about = f"{action.item.external_id}: " if action.item else ""
        what = action.get_kind_display().lower()
        found.append(Moment(action.at, what, f"{about}{action.reason}", lead=_username(action.by)))
    return found


def _sentence(history: History) -> str:
    resolution = history.resolution
    grades = ", ".join(str(each.judgment.level.grade) for each in history.counting)
    if history.exclusion is not None:
        return f"It is excluded and counts as unjudged: {history.exclusion.reason}"
    if resolution is None:
        return f"It has no grade: labels given are {grades}." if grades else "Nobody has given it a label that counts."
    policy = resolution.policy
    rule = f"policy version {policy.version} ({policy.get_rule_display().lower()}{_tie(policy)})"
    if resolution.status == Resolution.Status.ADJUDICATED:
        return f"A lead decided on grade {resolution.grade}; the labels were {grades or 'none'}."
    if resolution.status == Resolution.Status.ESCALATED:
        return f"It waits for a lead: it was escalated, or people could not judge it. Labels: {grades or 'none'}."
    word = resolution.get_status_display()
    if resolution.grade is None:
        return f"{word}: labels {grades} find no grade under {rule}."
    return f"Grade {resolution.grade}: {word.lower()}, from labels {grades}, under {rule}."


def _tie(policy: Policy) -> str:
    words = {"dispute": "", "up": ", ties to the larger grade", "down": ", ties to the smaller grade"}
    return words[policy.tie]
