"""The consequences of excluding a pair or an item, and of taking it back in."""

from typing import NamedTuple

from django.db.models import Count, Q

from annotate.core.consequences import Consequences
from annotate.core.phrases import counted
from annotate.models import CountingJudgment, Item, Pair, PairExclusion, Round, Seat, Side
from annotate.models.pairs import PairQuerySet


class Extent(NamedTuple):
    """The reach of an exclusion at this moment, or of its reversal.

    n_pairs : pairs that nothing else leaves out; n_labels, n_people : labels on them that count,
        and who gave them; n_grades : grades by leads that count
    n_pools : open pools that they are part of; n_in_hand : pairs of them in hand, for each person
    """

    n_pairs: int
    n_labels: int
    n_people: int
    n_grades: int
    n_pools: int
    n_in_hand: int


def pairs_of_item(*, item: Item) -> PairQuerySet:
    """The pairs that an item's exclusion alone leaves out, or would."""
    other_side = Side.DOCUMENT if item.side == Side.QUERY else Side.QUERY
    conditions = {item.side: item, f"{other_side}__excluded_at": None}
    return Pair.objects.filter(exclusion=None, **conditions)


def pairs_of_pair(*, pair: Pair) -> PairQuerySet:
    """The pair itself, or none where its items leave it out."""
    return Pair.objects.filter(pk=pair.pk, query__excluded_at=None, document__excluded_at=None)


def n_labels_of(*, pairs: PairQuerySet) -> int:
    """Number of labels on these pairs that count; one query."""
    return CountingJudgment.objects.labels().filter(pair__in=pairs).count()


def extent_of(*, pairs: PairQuerySet) -> Extent:
    """Count what an exclusion of these pairs takes out; four queries."""
    counts = CountingJudgment.objects.filter(pair__in=pairs).aggregate(
        labels=Count("pk", filter=Q(is_label=True)),
        people=Count("annotator", filter=Q(is_label=True), distinct=True),
        grades=Count("pk", filter=Q(purpose=Seat.Purpose.ADJUDICATION)),
    )
    open_pools = Round.objects.filter(
        kind=Round.Kind.POOL, state__in=Round.WANTING, round_pairs__pair__in=pairs
    )
    return Extent(
        pairs.count(),
        counts["labels"],
        counts["people"],
        counts["grades"],
        open_pools.distinct().count(),
        Seat.objects.filter(pair__in=pairs, state=Seat.State.HELD).count(),
    )


def exclusion_acts(*, pair: Pair, exclusion: PairExclusion | None) -> list[Consequences]:
    """Return what can be left out or taken back in on a pair's page; twelve queries."""
    pair_extent = extent_of(pairs=pairs_of_pair(pair=pair))
    compose = restoration_consequences if exclusion else exclusion_consequences
    acts = [compose(subject="pair", extent=pair_extent)]
    for item in (pair.query, pair.document):
        item_extent = extent_of(pairs=pairs_of_item(item=item))
        compose = restoration_consequences if item.excluded_at else exclusion_consequences
        acts.append(compose(subject=item.side, extent=item_extent))
    return acts


def exclusion_consequences(*, subject: str, extent: Extent) -> Consequences:
    """Return the consequences of leaving something out.

    subject : pair, query or document; an item goes with its pairs
    """
    is_pair = subject == "pair"
    pairs, labels = counted(extent.n_pairs, "pair"), counted(extent.n_labels, "label")
    size = "" if is_pair else f" and {pairs}"
    return Consequences(
        act=f"exclude-{subject}",
        title="Exclude this pair" if is_pair else f"Exclude the {subject}",
        button=f"Exclude the {subject}{size}" + (f", with {labels}" if extent.n_labels else ""),
        sentences=(
            _leaving(subject, extent),
            _labels_sentence(extent),
            _asking_sentence(extent),
        ),
        way_back="It can be taken back in here at any time: its labels then count again.",
        n=extent.n_labels,
        needs_reason=True,
    )


def restoration_consequences(*, subject: str, extent: Extent) -> Consequences:
    """Return the consequences of taking something back in; subject as of its exclusion."""
    is_pair = subject == "pair"
    pairs, labels = counted(extent.n_pairs, "pair"), counted(extent.n_labels, "label")
    title = "Take this pair back in" if is_pair else f"Take the {subject} back in"
    if not is_pair:
        back = f"Scores are computed with it again, and with {pairs} of it."
    elif extent.n_pairs:
        back = "It counts again."
    else:
        back = "It stays out as long as its query or its document is excluded."
    size = "" if is_pair else f", with {pairs}"
    return Consequences(
        act=f"restore-{subject}",
        title=title,
        button=f"{title}{size}",
        sentences=(
            back,
            f"{labels} of {counted(extent.n_people, 'annotator')} would count in scores again."
            if extent.n_labels
            else "No label would count again.",
            "Open pools ask for the labels that are missing; reports and golds are as they were.",
        ),
        way_back="It can be excluded here at any time.",
        may_have_reason=True,
        is_danger=False,
    )


def _leaving(subject: str, extent: Extent) -> str:
    if subject != "pair":
        pairs = counted(extent.n_pairs, "pair")
        return f"Scores are computed without it: {pairs} of it would leave evaluation."
    if extent.n_pairs:
        return "It would count as unjudged."
    return "It is out already, with its query or its document, and would then stay out itself."


def _labels_sentence(extent: Extent) -> str:
    """The labels and grades that no longer count; all stay in the log."""
    if not extent.n_labels + extent.n_grades:
        return "Scores lose no label by it."
    labels = f"{counted(extent.n_labels, 'label')} of {counted(extent.n_people, 'annotator')}"
    grades = f" and {counted(extent.n_grades, 'grade')} that a lead gave"
    return (
        f"{labels}{grades if extent.n_grades else ''} would no longer count in scores; what was "
        "given stays in the log, and labels stay in agreement."
    )


def _asking_sentence(extent: Extent) -> str:
    """The pools that ask about it no more, and the pairs in hand."""
    asking = (
        f"{counted(extent.n_pools, 'open pool')} would ask nobody about it any more."
        if extent.n_pools
        else "No open pool asks about it."
    )
    if extent.n_in_hand:
        in_hand = counted(extent.n_in_hand, "pair")
        asking += f" What is in hand, {in_hand}, can still be answered, and does not count either."
    return f"{asking} Open reports on it are settled and its golds retired."
