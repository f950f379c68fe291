"""Guards on a collection's people: a look follows every refresh, and raises concerns, once each.

An open concern has the evidence of the last look that saw some, and the moment from which on looks
saw none. One that was settled comes back by answers given since then alone.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from annotate.models import (
    ClockTimestamp,
    Collection,
    Concern,
    ConcernEvent,
    Guard,
    GuardMark,
    HookEvent,
    User,
)
from annotate.services.background.workers import lock_task
from annotate.services.storage import outbox
from metrics.core.agreement.guards import (
    DAY_ANSWERS,
    LAST_ANSWERS,
    AnswerCounts,
    excess,
    gold_share,
    level_counts,
    long_run,
)
from metrics.services.numbers.guard_answers import (
    NO_GOLDS,
    GoldAnswers,
    LastAnswers,
    gold_answers,
    last_answers,
    n_clips_without_length,
)

Evidence = dict[str, Any]
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
# Seconds; per cent of a clip; per cent of honest people a day; per cent of golds. A batch has few
# golds, so a policy's mark for one is lower: over twenty and more, careful people are above 85 %.
DEFAULT_MARKS = {Guard.SPEED: 1.0, Guard.CLIP: 25.0, Guard.RUN: 1.0, Guard.GOLD: 85.0}
_WATCHES = {
    Guard.SPEED: "Too many of the last 50 answers took less than this.",
    Guard.CLIP: "Too many of the last 50 answers to clips took less than this part of the clip.",
    Guard.RUN: "One level so often in a row that its chance in 2,000 answers is below this.",
    Guard.GOLD: "Of 20 golds and more fewer were right than this, beyond their 95 % interval.",
}
ALLOWED_FAST = 0.1  # of an honest person's answers: some pairs are plain at a glance
ALLOWED_CUT = 0.5  # most clips of a pool show soon that they are of something else


class GuardRow(NamedTuple):
    """A guard among the settings: its mark, None where it is off, and what it watches.

    n_unmeasured : number of clips and recordings that it cannot watch, as nobody knows their length
    """

    guard: Guard
    mark: float | None
    n_unmeasured: int = 0

    @property
    def note(self) -> str:
        """A sentence on the answers that it does not watch; empty where it watches all."""
        if self.mark is None or not self.n_unmeasured:
            return ""
        media = "clip or recording" if self.n_unmeasured == 1 else "clips and recordings"
        return f"Answers to {self.n_unmeasured:,} {media} of unknown length are not held to it."

    @property
    def sentence(self) -> str:
        """The answers that it names somebody for, in words."""
        return _WATCHES[self.guard]

    @property
    def mark_text(self) -> str:
        """The mark as people type it; empty where the guard is off."""
        return "" if self.mark is None else f"{self.mark:g}"

    @property
    def unit(self) -> str:
        """The unit of its mark."""
        return "s" if self.guard == Guard.SPEED else "%"


class PersonFlag(NamedTuple):
    """A flag of a person: its guard, two or three words, the evidence, and since when it is.

    faded_at : since when looks see no evidence any more; None where the last one saw some
    """

    guard: str
    short: str
    sentence: str
    since: datetime
    faded_at: datetime | None = None

    @property
    def hint(self) -> str:
        """The evidence, and the day in UTC since which it is no longer so."""
        if self.faded_at is None:
            return self.sentence
        return f"{self.sentence} No longer so since {self.faded_at:%-d %b %Y} (UTC)."


class PersonRecord(NamedTuple):
    """All that guards look at of a person.

    answers : the last ones; golds : all answers to golds
    settled_at : by guard, when a lead last settled its concern, in microseconds since 1970
    """

    answers: LastAnswers
    golds: GoldAnswers
    settled_at: dict[str, int]

    def answers_for(self, guard: Guard) -> LastAnswers:
        """The answers that a guard looks at: those since its last concern was settled."""
        return self.answers.since(self.settled_at.get(guard, -1))


def marks_of(*, collection: Collection) -> dict[Guard, float | None]:
    """The mark of each guard, None where it is off; one query."""
    newest = GuardMark.objects.filter(collection=collection).order_by("guard", "-pk")
    changes = dict(newest.distinct("guard").values_list("guard", "mark"))
    return {guard: changes.get(guard, mark) for guard, mark in DEFAULT_MARKS.items()}


def guard_rows(*, collection: Collection) -> list[GuardRow]:
    """The guards with their marks, for the page of their settings; two queries."""
    n_unmeasured = n_clips_without_length(collection=collection)
    return [
        GuardRow(guard, mark, n_unmeasured if guard == Guard.CLIP else 0)
        for guard, mark in marks_of(collection=collection).items()
    ]


def set_mark(
    *, collection: Collection, guard: Guard, mark: float | None, by: User | None
) -> GuardMark:
    """Set the mark of a guard for the looks to come, None to switch it off; concerns stay."""
    return GuardMark.objects.create(collection=collection, guard=guard, mark=mark, by=by)


@transaction.atomic(savepoint=False)
def check_guards(*, collection: Collection) -> list[Concern]:
    """Raise what guards see in the last answers; returns the concerns that are new.

    A constant number of queries, however many people are named.
    """
    lock_task("guards", collection=collection)  # two looks would raise the same concern
    marks = marks_of(collection=collection)
    evidence_by_key = evidence_of_people(collection=collection, marks=marks)
    open_concerns = {
        (concern.annotator_id, concern.guard): concern
        for concern in Concern.objects.filter(collection=collection).open()
    }
    changed_concerns, faded_concerns = list[Concern](), list[int]()
    for (annotator, guard), concern in open_concerns.items():
        evidence = evidence_by_key.get((annotator, guard))
        if evidence is None:
            if marks[Guard(guard)] is not None:  # one that is off has not looked
                faded_concerns.append(concern.pk)
        elif (concern.evidence, concern.faded_at) != (evidence, None):
            concern.evidence, concern.faded_at = evidence, None
            changed_concerns.append(concern)
    Concern.objects.bulk_update(changed_concerns, ["evidence", "faded_at"])
    Concern.objects.filter(pk__in=faded_concerns, faded_at=None).update(faded_at=ClockTimestamp())
    new_concerns = [
        Concern(collection=collection, annotator_id=annotator, guard=guard, evidence=evidence)
        for (annotator, guard), evidence in evidence_by_key.items()
        if (annotator, guard) not in open_concerns
    ]
    Concern.objects.bulk_create(new_concerns)
    if new_concerns:
        outbox.announce(
            collection=collection,
            event=HookEvent.CONCERN_ROSE,
            data={
                "concerns": [concern.pk for concern in new_concerns],
                "guards": sorted({concern.guard for concern in new_concerns}),
                "url": outbox.api_url("inbox-people", collection.slug),
            },
        )
    return new_concerns


def evidence_of_people(
    *, collection: Collection, marks: dict[Guard, float | None]
) -> dict[tuple[int, str], Evidence]:
    """The evidence that guards see now, by the annotator's key and the guard."""
    levels = dict(collection.levels.order_by("grade").values_list("grade", "name"))
    records = _records(collection)
    if not records:
        return {}
    counts = {
        annotator: level_counts(_positions(record.answers, levels), n_levels=len(levels))
        for annotator, record in records.items()
    }
    of_all = AnswerCounts(
        *(np.sum(columns, axis=0) for columns in zip(*counts.values(), strict=True))
    )
    evidence_by_key = {}
    for annotator, record in records.items():
        of_others = AnswerCounts(*(a - b for a, b in zip(of_all, counts[annotator], strict=True)))
        for guard, evidence in _evidence(record, marks, levels, of_others):
            evidence_by_key[annotator, guard.value] = evidence
    return evidence_by_key


def flags_of(*, collection: Collection) -> dict[int, tuple[PersonFlag, ...]]:
    """The flags of each person that guards name, by the annotator's key; one query.

    They are her open concerns, the newest first. Whoever has no flag is not there.
    """
    flags = defaultdict[int, tuple[PersonFlag, ...]](tuple)
    for concern in Concern.objects.filter(collection=collection).open().order_by("-pk"):
        flag = PersonFlag(
            concern.guard, concern.short, concern.sentence, concern.at, concern.faded_at
        )
        flags[concern.annotator_id] += (flag,)
    return dict(flags)


def _records(collection: Collection) -> dict[int, PersonRecord]:
    """The record of each person who has answered something; three queries."""
    settled_at = defaultdict[int, dict[str, int]](dict)
    settlings = ConcernEvent.objects.filter(
        concern__collection=collection,
        concern__state=Concern.State.SETTLED,
        kind=ConcernEvent.Kind.SETTLED,
    )
    for event in settlings.select_related("concern").order_by("pk"):
        moment = (event.at - EPOCH) // MICROSECOND
        settled_at[event.concern.annotator_id][event.concern.guard] = moment
    golds = gold_answers(collection=collection)
    return {
        annotator: PersonRecord(answers, golds.get(annotator, NO_GOLDS), settled_at[annotator])
        for annotator, answers in last_answers(collection=collection).items()
    }


def _evidence(
    record: PersonRecord,
    marks: dict[Guard, float | None],
    levels: dict[int, str],
    of_others: AnswerCounts,
) -> Iterator[tuple[Guard, Evidence]]:
    """The evidence of each guard that is on and sees some, with the mark that it is held to."""
    for guard, mark in marks.items():
        if mark is None:
            continue
        evidence: Evidence | None
        if guard == Guard.RUN:
            evidence = _run_evidence(record, mark, levels, of_others)
        elif guard == Guard.GOLD:
            evidence = _gold_evidence(record, mark)
        else:
            evidence = _time_evidence(record, guard, mark)
        if evidence:
            yield guard, evidence | {"mark": mark}


def _time_evidence(record: PersonRecord, guard: Guard, mark: float) -> Evidence | None:
    """Answers in less than some seconds, or than a part of the clip: of those with known times."""
    answers = record.answers_for(guard)
    if guard == Guard.SPEED:
        is_timed, share = answers.active_ms >= 0, ALLOWED_FAST
        limits = np.full(len(answers.active_ms), 1000 * mark)
    else:
        is_timed = (answers.active_ms >= 0) & (answers.clip_ms > 0)
        limits, share = answers.clip_ms * mark / 100, ALLOWED_CUT
    is_hit = (answers.active_ms < limits)[is_timed][-LAST_ANSWERS:]
    hits = excess(int(is_hit.sum()), len(is_hit), allowed_share=share)
    return hits._asdict() if hits else None


def _run_evidence(
    record: PersonRecord, mark: float, levels: dict[int, str], of_others: AnswerCounts
) -> Evidence | None:
    positions = _positions(record.answers_for(Guard.RUN), levels)
    run = long_run(positions, of_others, chance=mark / 100)
    return run and run._asdict() | {"level": [*levels.values()][run.level], "n": DAY_ANSWERS}


def _gold_evidence(record: PersonRecord, mark: float) -> Evidence | None:
    """Golds so far, or since a lead settled their concern."""
    is_new = record.golds.at > record.settled_at.get(Guard.GOLD, -1)
    is_right = record.golds.is_right[is_new]
    golds = gold_share(int(is_right.sum()), len(is_right), mark=mark / 100)
    return golds and golds._asdict()


def _positions(answers: LastAnswers, levels: dict[int, str]) -> NDArray[np.int64]:
    return np.searchsorted(np.array([*levels], dtype=np.int64), answers.grade)
