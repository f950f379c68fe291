"""Counts of judgments and pairs of a release, levels, agreement and gold checks."""

from django.db import connection

from annotate.core.labels.alpha_marks import AlphaMarks
from annotate.core.labels.pair_states import PairState, StateCounts
from annotate.core.levels import level_reasons
from annotate.models import Collection, ReferenceSet, Report, Round
from metrics.core.releases.manifest import AgreementEntry, CountsEntry, GoldsEntry, LevelEntry
from metrics.core.statistics.intervals import wilson
from metrics.services.dashboard.agreement_page import agreement_of
from metrics.services.releases.manifest.numbers import ReleaseNumbers
from metrics.services.scores import labels

REPORT_KINDS = (Report.Kind.CANNOT_JUDGE, Report.Kind.ESCALATED)
_DIFFERENCES = """
    SELECT count(*) FILTER (WHERE differs), count(*) FILTER (WHERE is_refused)
    FROM (SELECT resolution.pair_id, bool_or(label.grade <> resolution.grade) AS differs,
                 bool_or(label.grade >= %(threshold)s AND resolution.grade < %(threshold)s)
                     AS is_refused
          FROM annotate_referenceset reference_set
          JOIN annotate_referencelabel label ON label.reference_set_id = reference_set.id
          JOIN annotate_pair pair ON pair.query_id = label.query_id
              AND pair.document_id = label.document_id
          JOIN annotate_resolution resolution ON resolution.pair_id = pair.id
          WHERE reference_set.id = ANY(%(sets)s::bigint[]) AND resolution.grade IS NOT NULL
          GROUP BY resolution.pair_id) graded_pair
"""


def level_entries(*, collection: Collection, numbers: ReleaseNumbers) -> tuple[LevelEntry, ...]:
    """The grades of the scheme, the largest first, as the dashboard counts them; one query."""
    counts = {row["grade"]: row for row in numbers.values["labels"]["levels"]}
    return tuple(
        LevelEntry(
            grade=level.grade,
            name=level.name,
            sentence=level.sentence,
            reasons=tuple(level_reasons.codes(level.reasons)),
            n_labels=counts[level.grade]["n_given"],
            n_pairs=counts[level.grade]["n_resolved"],
            colour=level.colour,
        )
        for level in collection.levels.order_by("-grade")
    )


def counts_entry(*, collection: Collection, numbers: ReleaseNumbers) -> CountsEntry:
    """Counts of judgments and pairs.

    A pair that differs from several reference sets counts once. Reports that were taken back, and
    clips that did not play in one browser, are not counted.
    """
    agreement, progress = numbers.values["agreement"], numbers.values["progress"]
    states = StateCounts(
        progress["total"]["states"],
        is_open=any(row["state"] in Round.WANTING for row in progress["rounds"]),
    )
    sets = ReferenceSet.objects.usual().filter(collection=collection)
    set_keys = list(sets.values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute(_DIFFERENCES, {"sets": set_keys, "threshold": collection.positive_from})
        n_conflicts, n_refused_positives = cursor.fetchone()
    reports = Report.objects.filter(collection=collection, kind__in=REPORT_KINDS)
    return CountsEntry(
        n_judgments=numbers.tallies.number("judgments"),
        n_labels=agreement["n_judgments"],
        n_pairs=sum(agreement["labels_a_pair"].values()),
        n_decided=sum(row["n_resolved"] for row in numbers.values["labels"]["levels"]),
        n_propagated=labels.n_propagated(collection=collection),
        n_disputed=states[PairState.DISPUTED] + states[PairState.ESCALATED],
        n_open=sum(row.n for row in states.rows if row.state.waits_for_labels and row.is_asked),
        n_reports=reports.exclude(state=Report.State.UNDONE).count(),
        n_conflicts=n_conflicts,
        n_refused_positives=n_refused_positives,
    )


def agreement_entry(*, numbers: ReleaseNumbers, marks: AlphaMarks) -> AgreementEntry:
    """Agreement of the planned labels, the dashboard's headline; no query.

    A further label on disagreement depends on the labels before it, so it does not count.
    The share of the same grade is the mean over pairs, the dashboard's "pairwise".
    """
    value = numbers.values["agreement"]
    panel = agreement_of(value, value["measurement"])
    alpha = panel.planned.alpha
    return AgreementEntry(
        alpha=alpha["value"],
        low=alpha["low"],
        high=alpha["high"],
        measurement=value["measurement"],
        undefined=alpha["reason"]
        or ("" if alpha["low"] is not None else panel.interval_cells[0].note),
        same_grade=value["percent"]["planned"]["mean_of_units"],
        n_pairs=alpha["n_pairable_units"],
        n_labels=alpha["n_pairable_labels"],
        **marks._asdict(),
    )


def golds_entry(*, numbers: ReleaseNumbers) -> GoldsEntry:
    """Answers to golds in use of all annotators together, with Wilson's interval; no query.

    An answer is right on the gold's side of the threshold, as the dashboard counts it.
    """
    people = numbers.values["people"]["people"]
    n_answers, n_right = (sum(row[name] for row in people) for name in ("n_gold", "n_right"))
    low, high = wilson(n_right, n_answers)
    share = n_right / n_answers if n_answers else None
    return GoldsEntry(n_answers=n_answers, n_right=n_right, share=share, low=low, high=high)
