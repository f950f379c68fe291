"""What is told before a pair or an item is left out: pairs, labels and people, as they are now."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.core.consequences import CountChanged
from annotate.models import CountingJudgment, Gold, Item, PairExclusion, Round, Seat
from annotate.services.golds import golds
from annotate.services.review import exclusion_consequences, exclusions
from annotate.services.review.exclusion_consequences import Extent
from tests.tables.soundness import is_sound

pytestmark = pytest.mark.django_db


def item_with_labels(campaign):
    """The query with most labels, and these."""
    items = Item.objects.filter(collection=campaign.collection, side="query")
    labels = CountingJudgment.objects.labels()
    item = max(items, key=lambda item: labels.filter(pair__query=item).count())
    return item, labels.filter(pair__query=item)


def test_an_item_is_told_with_its_pairs_their_labels_and_who_gave_them(campaign):
    item, labels = item_with_labels(campaign)
    extent = exclusion_consequences.extent_of(pairs=exclusion_consequences.pairs_of_item(item=item))
    open_rounds = Round.objects.filter(kind="pool", state="open")
    assert extent == Extent(
        item.pairs_as_query.count(),
        labels.count(),
        labels.values("annotator").distinct().count(),
        CountingJudgment.objects.filter(pair__query=item, purpose="adjudication").count(),
        open_rounds.filter(round_pairs__pair__query=item).distinct().count(),
        Seat.objects.filter(pair__query=item, state="held").count(),
    )
    assert extent.n_labels > extent.n_people > 0 and extent.n_pairs > 1


def test_what_is_out_already_is_not_told_again(campaign):
    item, labels = item_with_labels(campaign)
    pair = labels.first().pair
    n_pairs = item.pairs_as_query.count()
    exclusions.exclude_pair(pair=pair, by=campaign.lead, reason="odd")
    pairs = exclusion_consequences.pairs_of_item(item=item)
    assert pairs.count() == n_pairs - 1
    n_labels = labels.exclude(pair=pair).count()
    assert exclusion_consequences.n_labels_of(pairs=pairs) == n_labels
    exclusions.exclude_item(item=item, by=campaign.lead, reason="odd", expected=n_labels)
    extent = exclusion_consequences.extent_of(pairs=exclusion_consequences.pairs_of_pair(pair=pair))
    assert (extent.n_pairs, extent.n_labels) == (0, 0)


@pytest.mark.parametrize("subject", ["pair", "query"])
def test_no_more_labels_are_left_out_than_were_told(campaign, subject):
    item, labels = item_with_labels(campaign)
    pair = labels.first().pair
    n_labels = labels.count() if subject == "query" else labels.filter(pair=pair).count()
    exclude, target = (
        (exclusions.exclude_item, {"item": item})
        if subject == "query"
        else (exclusions.exclude_pair, {"pair": pair})
    )
    with pytest.raises(CountChanged, match=f"about {n_labels} label"):
        exclude(**target, by=campaign.lead, reason="odd", expected=n_labels - 1)
    item.refresh_from_db()
    assert item.excluded_at is None and not PairExclusion.objects.filter(pair=pair).exists()
    exclude(**target, by=campaign.lead, reason="odd", expected=n_labels + 1)
    assert is_sound()


@pytest.mark.parametrize("subject", ["pair", "query", "gold"])
def test_what_is_held_to_a_number_locks_the_pairs_before_it_counts(campaign, subject):
    item, labels = item_with_labels(campaign)
    pair, lead = labels.first().pair, campaign.lead
    gold = Gold.objects.filter(collection=campaign.collection, retired_at=None).first()
    acts = {
        "pair": lambda: exclusions.exclude_pair(pair=pair, by=lead, reason="odd", expected=99),
        "query": lambda: exclusions.exclude_item(item=item, by=lead, reason="odd", expected=99),
        "gold": lambda: golds.retire_gold(gold=gold, by=lead, expected=99),
    }
    with CaptureQueriesContext(connection) as captured:
        acts[subject]()
    queries = [row["sql"] or "" for row in captured.captured_queries]
    locks = ["FOR NO KEY UPDATE" in sql and 'FROM "annotate_pair"' in sql for sql in queries]
    counts = ["COUNT(" in sql and "annotate_countingjudgment" in sql for sql in queries]
    assert locks.index(True) < counts.index(True), "answers that come meanwhile wait"


def test_the_sentences_tell_what_no_longer_counts_and_what_is_in_hand():
    act = exclusion_consequences.exclusion_consequences(
        subject="query", extent=Extent(12, 24, 5, 1, 2, 3)
    )
    assert (act.act, act.n, act.needs_reason) == ("exclude-query", 24, True)
    assert act.button == "Exclude the query and 12 pairs, with 24 labels"
    assert act.sentences == (
        "Scores are computed without it: 12 pairs of it would leave evaluation.",
        "24 labels of 5 annotators and 1 grade that a lead gave would no longer count in scores; "
        "what was given stays in the log, and labels stay in agreement.",
        "2 open pools would ask nobody about it any more. What is in hand, 3 pairs, can still be "
        "answered, and does not count either. Open reports on it are settled and its golds "
        "retired.",
    )
    assert act.way_back.startswith("It can be taken back in here at any time")


def test_a_pair_without_labels_loses_none():
    act = exclusion_consequences.exclusion_consequences(
        subject="pair", extent=Extent(1, 0, 0, 0, 0, 0)
    )
    assert (act.button, act.n) == ("Exclude the pair", 0)
    assert act.sentences[:2] == ("It would count as unjudged.", "Scores lose no label by it.")


def test_taking_back_in_tells_what_counts_again_and_needs_no_reason():
    act = exclusion_consequences.restoration_consequences(
        subject="document", extent=Extent(12, 24, 5, 0, 1, 0)
    )
    assert act.button == "Take the document back in, with 12 pairs"
    assert "24 labels of 5 annotators would count in scores again." in act.sentences
    assert (act.n, act.needs_reason, act.is_danger) == (None, False, False)
    stays_out = exclusion_consequences.restoration_consequences(
        subject="pair", extent=Extent(0, 0, 0, 0, 0, 0)
    )
    assert stays_out.sentences[0].startswith("It stays out as long as")
