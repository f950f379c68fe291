"""Counts kept by difference are those of a recount, whatever people do and in whatever order."""

from datetime import timedelta
from uuid import uuid4

import numpy as np
import pytest
from django.db.models import F, QuerySet
from django.utils import timezone

from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.core.labels.answers import JudgmentAnswer, Telemetry
from annotate.models import Batch, Change, HandOut, Judgment, Report, Round
from annotate.services import seating
from annotate.services.collection.references import load_reference
from annotate.services.judging import claiming, judging, reports, undoing
from annotate.services.people import accounts
from annotate.services.review import report_settling
from annotate.services.supervision import verdicts, withdrawing
from metrics.models import Block, Snapshot, Tally
from metrics.services.numbers import refresh, tallies
from tests import cast
from tests.annotate.core.files.samples import file
from tests.judgment_imports import import_judgments
from tests.metrics import studies

pytestmark = pytest.mark.django_db


class Campaign:
    """A study with random events of every kind that changes a number."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.study = studies.study(
            n_queries=12,
            n_documents=12,
            batch_candidates=5,
            labels_per_pair=2,
            ceiling=3,
            double_share=0.2,
            gold_positives=1,
        )
        self.lead = cast.user()
        self.people = [cast.annotator(self.study, cast.user()) for _ in range(4)]
        self.n = 0
        for pair in self.study.pairs.order_by("pk")[:6]:
            self.study.golds.create(pair=pair, grade=1, is_positive=True, origin="curated")

    def any(self, rows):
        """A random row, or None if there is none."""
        row_list = list(rows.order_by("pk") if isinstance(rows, QuerySet) else rows)
        return row_list[self.rng.integers(len(row_list))] if row_list else None

    def judge(self):
        studies.judge(
            self.any(self.people), n=int(self.rng.integers(1, 6)), seed=int(self.rng.integers(99))
        )

    def answered(self):
        """A card whose answer its annotator may still change or take back.

        Its seat may belong to another by now.
        """
        hers = HandOut.objects.filter(
            batch__settled_at=None,
            batch__collection=self.study,
            seat__judgment__annotator=F("batch__annotator"),
        )
        return self.any(hers.select_related("batch__annotator"))

    def change_mind(self):
        hand_out = self.answered()
        if hand_out:
            answer = JudgmentAnswer(
                uuid4(),
                grade=int(self.rng.integers(3)),
                telemetry=Telemetry(active_ms=int(self.rng.integers(9000))),
            )
            judging.record_judgment(
                annotator=hand_out.batch.annotator, token=hand_out.token, answer=answer
            )

    def undo(self):
        hand_out = self.answered()
        if hand_out:
            undoing.take_back(annotator=hand_out.batch.annotator, token=hand_out.token)

    def report(self):
        annotator = self.any(self.people)
        claiming.current_batch(annotator=annotator)
        hand_out = self.any(claiming.open_hand_outs(annotator=annotator))
        if hand_out:
            kind = self.any(["cannot_judge", "escalated"])
            reports.report_pair(
                annotator=annotator,
                token=hand_out.token,
                submission_id=uuid4(),
                kind=kind,
                note="dark",
            )

    def settle(self):
        report = self.any(Report.objects.open().filter(collection=self.study))
        if report:
            report_settling.settle_reports(pair=report.pair, by=self.lead)

    def reject(self):
        batch = self.any(
            Batch.objects.filter(collection=self.study, finished_at__isnull=False, verdict="")
        )
        if batch:
            verdicts.reject_batch(batch=batch, by=self.lead, reason="golds")

    def withdraw(self):
        since = timezone.now() - timedelta(days=1)
        withdrawing.withdraw_annotator(
            annotator=self.any(self.people), since=since, by=self.lead, reason="left"
        )

    def leave(self):
        """Erase an account, whose labels stay, and add a new annotator."""
        accounts.erase_person(user=self.people.pop(0).user)
        self.people.append(cast.annotator(self.study, cast.user()))

    def close_or_reopen(self):
        round_ = self.study.rounds.get(name="pool")
        (seating.close_round if round_.state == "open" else seating.reopen_round)(round_=round_)

    def open_round(self):
        self.n += 1
        pair_ids = list(self.study.pairs.order_by("pk").values_list("pk", flat=True))
        pairs = self.rng.choice(pair_ids, 7, replace=False).tolist()
        policy = cast.policy(self.study)
        seating.open_round(
            collection=self.study,
            kind=Round.Kind.POOL,
            name=f"more {self.n}",
            policy=policy,
            pair_ids=pairs,
        )

    def import_labels(self):
        self.n += 1
        rows = [f"expert{n},q{self.rng.integers(12)},d{n},{self.rng.integers(3)}" for n in range(4)]
        import_judgments(
            collection=self.study,
            stream=file("annotator,query,document,grade", *rows),
            file_name="a.csv",
            columns=JudgmentColumns(),
            name=f"experts {self.n}",
        )

    def load_reference(self):
        self.n += 1
        rows = sorted({f"q{self.rng.integers(12)} 0 d{self.rng.integers(12)} 1" for _ in range(9)})
        load_reference(
            collection=self.study,
            stream=file(*rows),
            file_name="more.qrels",
            name=f"more {self.n}",
            by=self.lead,
        )

    def threshold(self):
        self.study.positive_from = 3 - self.study.positive_from
        self.study.save()
        seating.note_changes(collection_id=self.study.pk, pair_ids=[None])


EVENTS = {
    Campaign.judge: 8,
    Campaign.change_mind: 3,
    Campaign.undo: 2,
    Campaign.report: 2,
    Campaign.settle: 2,
    Campaign.reject: 1,
    Campaign.withdraw: 0.5,
    Campaign.leave: 0.5,
    Campaign.close_or_reopen: 1,
    Campaign.open_round: 1,
    Campaign.import_labels: 1,
    Campaign.load_reference: 0.5,
    Campaign.threshold: 0.5,
}


def counts_of(study):
    """The tallies and each block's counts, without the rows' keys and the order within."""
    blocks = (
        Block.objects.filter(collection=study)
        .order_by("number")
        .values_list("number", "keys", "numbers")
    )
    return {
        "tallies": dict(Tally.objects.filter(collection=study).values_list("key", "n")),
        "blocks": {
            number: dict(zip(keys, numbers, strict=True)) for number, keys, numbers in blocks
        },
    }


def live_equals_rebuilt(study):
    changed = set(Change.objects.filter(collection=study).values_list("pair", flat=True))
    without_writing = tallies.current_tallies(
        collection=study, pairs=None if None in changed else changed
    )
    refresh.refresh(collection=study)
    assert not Change.objects.filter(collection=study).exists()
    live, live_counts = studies.numbers(study), counts_of(study)
    stored = tallies.read_tallies(collection=study)
    assert stored.by_name.pop("rules") == [([], tallies.RULES)]
    for pairs in (None, [], study.pairs.values_list("pk", flat=True)):
        assert tallies.current_tallies(collection=study, pairs=pairs) == stored
    assert without_writing == stored
    refresh.rebuild(collection=study)
    assert counts_of(study) == live_counts
    assert studies.numbers(study) == live
    return True


def play(seed, n_events):
    campaign = Campaign(seed)
    refresh.refresh(collection=campaign.study)
    weights = np.array(list(EVENTS.values()))
    for number in campaign.rng.choice(len(EVENTS), n_events, p=weights / weights.sum()):
        list(EVENTS)[number](campaign)
        if campaign.rng.random() < 0.6:  # else one refresh for several events
            assert live_equals_rebuilt(campaign.study)
    assert live_equals_rebuilt(campaign.study)
    return campaign


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.full)])
def test_after_anything_people_do_live_numbers_are_those_of_a_rebuild(seed):
    campaign = play(seed, 20)
    assert Judgment.objects.filter(collection=campaign.study).count() > 10


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(10, 40))
def test_after_anything_in_longer_campaigns_live_numbers_are_those_of_a_rebuild(seed):
    play(seed, 80)


def test_a_refresh_counts_the_blocks_of_changed_pairs_alone():
    study = studies.study(n_queries=30, n_documents=30, batch_candidates=90)
    refresh.refresh(collection=study)
    before = dict(Block.objects.filter(collection=study).values_list("number", "pk"))
    studies.judge(cast.annotator(study), n=1)
    (pair,) = Judgment.objects.filter(collection=study).values_list("pair", flat=True)
    refresh.refresh(collection=study)
    after = dict(Block.objects.filter(collection=study).values_list("number", "pk"))
    assert {number for number in after if after[number] != before[number]} == {pair // 16}


def test_counts_by_other_rules_are_counted_anew():
    study = studies.study()
    studies.judge(cast.annotator(study), n=4)
    refresh.refresh(collection=study)
    right = counts_of(study)
    Tally.objects.filter(collection=study, key="rules").update(n=tallies.RULES - 1)
    Tally.objects.filter(collection=study, key="judgments").update(n=1000)
    refresh.refresh(collection=study)
    assert counts_of(study) == right


def test_more_changed_blocks_than_are_worth_it_are_counted_all_at_once(monkeypatch):
    monkeypatch.setattr(tallies, "MAX_CHANGED_BLOCKS", 1)
    study = studies.study(n_queries=12, n_documents=12)
    refresh.refresh(collection=study)
    studies.judge(cast.annotator(study))
    assert live_equals_rebuilt(study)


def test_the_median_active_time_is_that_of_times_rounded_to_tenths_of_a_second():
    study = studies.study(labels_per_pair=3, ceiling=3)
    people = [cast.annotator(study) for _ in range(3)]
    for n, annotator in enumerate(people, start=3):
        studies.judge(annotator, n=n, seed=n)
    refresh.refresh(collection=study)
    rows = {
        row["annotator"]: row
        for row in Snapshot.objects.get(collection=study, kind="people").value["people"]
    }
    for annotator in people:
        times = Judgment.objects.filter(annotator=annotator).values_list("active_ms", flat=True)
        tenths = [(milliseconds + 50) // 100 for milliseconds in times]
        assert rows[annotator.pk]["median_ms"] == 100 * np.median(tenths)
        assert abs(rows[annotator.pk]["median_ms"] - np.median(times)) <= 50


def test_a_refresh_takes_as_many_queries_however_many_pairs_changed(django_assert_max_num_queries):
    study = studies.study(n_queries=30, n_documents=30, batch_candidates=90)
    refresh.refresh(collection=study)
    counts = []
    for n in (2, 40):
        studies.judge(cast.annotator(study), n=n, likes=1.0)
        with django_assert_max_num_queries(95) as queries:
            refresh.refresh(collection=study)
        counts.append(len(queries))
    assert counts[1] <= counts[0] + 3
