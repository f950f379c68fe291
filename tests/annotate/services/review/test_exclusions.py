"""Pairs and items left out: nobody is asked, nothing is scored, and all of it comes back."""

from datetime import UTC, datetime

import pytest

from annotate.models import (
    Gold,
    Item,
    PairExclusion,
    Report,
    Resolution,
    ReviewAction,
    RoundPair,
    Seat,
)
from annotate.services.judging import claiming, reports
from annotate.services.review import exclusions
from metrics.services.scores.labels import scope_of
from pooling.services.pools import run_retirement
from tests import campaigns, cast
from tests.tables.soundness import is_sound

pytestmark = pytest.mark.django_db


def wanted_labels(pair):
    return RoundPair.objects.filter(pair=pair, dropped_at=None).count()


def test_an_excluded_pair_is_wanted_by_no_round_and_comes_back_as_it_was(campaign):
    report = Report.objects.get()
    pair, before = (
        report.pair,
        set(Seat.objects.filter(pair=report.pair, state="free").values_list("pk", flat=True)),
    )
    n_wanted = wanted_labels(pair)
    exclusions.exclude_pair(pair=pair, by=campaign.lead, reason="does not play")
    report.refresh_from_db()
    assert (wanted_labels(pair), report.state, report.events.latest("pk").by) == (
        0,
        "settled",
        campaign.lead,
    )
    assert not Seat.objects.filter(pair=pair, state="free").exists()
    assert not Resolution.objects.filter(pair=pair).exists()
    assert is_sound()
    with pytest.raises(exclusions.ExclusionUnchanged, match="already"):
        exclusions.exclude_pair(pair=pair, by=campaign.lead, reason="again")
    exclusions.restore_pair(pair=pair, by=campaign.lead)
    report.refresh_from_db()
    assert (wanted_labels(pair), report.state) == (n_wanted, "open")
    assert set(Seat.objects.filter(pair=pair, state="free").values_list("pk", flat=True)) == before
    assert is_sound()
    with pytest.raises(exclusions.ExclusionUnchanged, match="not excluded"):
        exclusions.restore_pair(pair=pair, by=campaign.lead)


def test_a_report_that_a_lead_settled_long_ago_stays_settled_when_its_pair_comes_back(campaign):
    report = Report.objects.get()
    reports.settle(
        reports=Report.objects.all(), by=campaign.lead, at=datetime(2026, 1, 1, tzinfo=UTC)
    )
    exclusions.exclude_pair(pair=report.pair, by=campaign.lead, reason="odd")
    exclusions.restore_pair(pair=report.pair, by=campaign.lead)
    settled = Report.objects.with_settled_at().get()
    assert (settled.state, settled.settled_at.year, settled.events.latest("pk").by) == (
        "settled",
        2026,
        campaign.lead,
    )


def test_labels_of_an_excluded_pair_stay_in_the_log(campaign):
    seat = Seat.objects.filter(state="done", purpose="label").first()
    exclusions.exclude_pair(pair=seat.pair, by=campaign.lead, reason="odd")
    seat.refresh_from_db()
    assert (seat.state, seat.judgment is not None) == ("done", True)
    action = ReviewAction.objects.latest("pk")
    assert (action.kind, action.pair, action.reason) == ("pair_excluded", seat.pair, "odd")


def test_a_round_opened_later_does_not_ask_for_it(campaign):
    pair = campaign.pool.round.round_pairs.first().pair
    exclusions.exclude_pair(pair=pair, by=campaign.lead, reason="odd")
    round_ = campaigns.open_pool_round(campaign.collection, [pair], name="later")
    assert RoundPair.objects.get(round=round_, pair=pair).dropped_at is not None
    assert not Seat.objects.filter(pair=pair, state="free").exists()
    assert list(run_retirement.differences_of_marks()) == []


def test_an_excluded_item_drops_from_evaluation_with_its_pairs(campaign):
    item = Item.objects.filter(collection=campaign.collection, side="query").first()
    n = exclusions.exclude_item(item=item, by=campaign.lead, reason="a test card").n_done
    pairs = item.pairs_as_query.all()
    assert n == pairs.count() > 1
    assert not RoundPair.objects.filter(pair__in=pairs, dropped_at=None).exists()
    assert item.pk not in scope_of(query_set=campaign.collection.query_sets.get()).sources
    assert is_sound()
    assert exclusions.restore_item(item=item, by=campaign.lead).n_done == n
    assert not RoundPair.objects.filter(pair__in=pairs, dropped_at__isnull=False).exists()
    assert item.pk in scope_of(query_set=campaign.collection.query_sets.get()).sources
    assert (item.excluded_at, item.excluded_reason) == (None, "")
    assert is_sound()


def test_a_pair_excluded_by_itself_stays_out_when_its_item_comes_back(campaign):
    item = Item.objects.filter(collection=campaign.collection, side="query").first()
    pair = item.pairs_as_query.filter(round_pairs__isnull=False).first()
    exclusions.exclude_pair(pair=pair, by=campaign.lead, reason="odd")
    exclusions.exclude_item(item=item, by=campaign.lead, reason="odd")
    exclusions.restore_item(item=item, by=campaign.lead)
    assert (wanted_labels(pair), PairExclusion.objects.filter(pair=pair).exists()) == (0, True)
    assert is_sound()


def test_golds_of_what_is_left_out_are_not_served(campaign):
    gold = Gold.objects.filter(collection=campaign.collection).first()
    exclusions.exclude_item(item=gold.pair.document, by=campaign.lead, reason="broken")
    gold.refresh_from_db()
    assert gold.retired_at is not None
    exclusions.restore_item(item=gold.pair.document, by=campaign.lead)
    gold.refresh_from_db()
    assert gold.retired_at is None


def test_what_only_a_retired_run_holds_is_dropped_again_when_it_comes_back(campaign):
    pair = campaign.pool.round.round_pairs.first().pair
    exclusions.exclude_pair(pair=pair, by=campaign.lead, reason="odd")
    run_retirement.retire_run(run=campaign.run, by=campaign.researcher)
    run_retirement.settle_marks(run=campaign.run)
    assert is_sound()
    exclusions.restore_pair(pair=pair, by=campaign.lead)
    campaign.run.refresh_from_db()
    assert campaign.run.marks_due
    run_retirement.settle_marks(run=campaign.run)
    assert wanted_labels(pair) == 0
    assert is_sound()


def test_an_excluded_pair_stays_out_when_a_run_comes_back(campaign):
    pair = campaign.pool.round.round_pairs.first().pair
    run_retirement.retire_run(run=campaign.run, by=campaign.researcher)
    run_retirement.settle_marks(run=campaign.run)
    exclusions.exclude_pair(pair=pair, by=campaign.lead, reason="odd")
    run_retirement.restore_run(run=campaign.run, by=campaign.researcher)
    run_retirement.settle_marks(run=campaign.run)
    assert wanted_labels(pair) == 0
    assert is_sound()


def test_nobody_is_handed_an_excluded_pair(campaign):
    pairs = [row.pair for row in campaign.pool.round.round_pairs.all()]
    for pair in pairs:
        exclusions.exclude_pair(pair=pair, by=campaign.lead, reason="all of it")
    newcomer = cast.annotator(campaign.collection)
    assert claiming.current_batch(annotator=newcomer) is None
