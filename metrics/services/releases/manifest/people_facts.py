"""The annotators of a release by origin, and their work: days, hours and pay."""

from datetime import UTC, datetime
from statistics import median

from django.db import connection
from django.db.models import Max, Min

from annotate.models import Annotator, Collection, Judgment, Round
from metrics.core.releases.manifest import PeopleEntry, WorkEntry
from metrics.services.releases.manifest.numbers import ReleaseNumbers

# Times are rounded to tenths of a second, as the dashboard rounds them for its medians.
_TIMES = """
    SELECT sum(active_ms)::float8 / 3600000,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY (active_ms + 50) / 100)
               FILTER (WHERE purpose <> 'training') / 10
    FROM annotate_countingjudgment judgment
    JOIN annotate_round round ON round.id = judgment.round_id
    WHERE judgment.collection_id = %s AND round.kind <> %s AND active_ms IS NOT NULL
"""


def people_entries(*, numbers: ReleaseNumbers) -> tuple[PeopleEntry, ...]:
    """The annotators with a counting label, by origin; no query."""
    rows = numbers.values["people"]["people"]
    entries = []
    for origin in Annotator.Origin.values:
        n_labels = sorted(
            row["n_labels"] for row in rows if row["origin"] == origin and row["n_labels"]
        )
        if n_labels:
            entries.append(
                PeopleEntry(
                    origin=origin,
                    n_annotators=len(n_labels),
                    n_labels=sum(n_labels),
                    labels_each=(n_labels[0], float(median(n_labels)), n_labels[-1]),
                )
            )
    return tuple(entries)


def work_entry(*, collection: Collection) -> WorkEntry:
    """The work of annotators, simulated ones among them; two queries.

    Hours are the dashboard's "Hours of people so far": the active time of every answer that counts,
    checks, training, repeats and adjudications among them, without imports, which were not made
    here. The median is of the same answers without training.
    """
    judgments = Judgment.objects.filter(collection=collection)
    own_judgments = judgments.exclude(annotator__origin=Annotator.Origin.IMPORT)
    days = own_judgments.aggregate(first=Min("at"), last=Max("at"))
    with connection.cursor() as cursor:
        cursor.execute(_TIMES, [collection.pk, Round.Kind.IMPORT])
        hours, median_seconds = cursor.fetchone()
    pay = collection.hourly_pay
    return WorkEntry(
        first_on=day_of(days["first"]),
        last_on=day_of(days["last"]),
        hours=hours,
        median_seconds=median_seconds,
        hourly_pay=None if pay is None else float(pay),
        currency="" if pay is None else collection.currency,
    )


def day_of(moment: datetime | None) -> str | None:
    """The day of a moment in UTC: "2026-03-05"; None without a moment."""
    return None if moment is None else moment.astimezone(UTC).date().isoformat()
