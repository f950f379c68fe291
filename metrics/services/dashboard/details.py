"""The dashboard's details: numbers that need every label at once, computed apart from the refresh.

They are a kept value, computed when somebody views the dashboard and a refresh has written
something since, at most once a minute a collection. Without viewers nothing is computed.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import numpy as np
from django.db import connection

from annotate.core.number_sets import distinct
from annotate.models import Collection, Direction, Item, Kept, Round, Seat
from annotate.services.background import kept
from annotate.services.background.kept import Computed, Inquiry
from metrics.core.statistics.groups import Groups
from metrics.models import Snapshot
from metrics.services.dashboard import breakdowns
from metrics.services.dashboard.forecast import forecast
from metrics.services.dashboard.label_rows import LABEL, LabelRows, label_rows
from metrics.services.dashboard.people import Scheme, people
from metrics.services.numbers.inputs import resampling_unit
from metrics.services.numbers.numbers import KINDS
from metrics.services.scores.query_groups import facts_of, groups_of

Value = dict[str, Any]
KIND = "details"
RULES_VERSION = 5  # changes when the same labels would give other numbers
MIN_INTERVAL = timedelta(seconds=60)  # between two computations of one collection

_MODALITIES = """
    SELECT item.id, string_agg(DISTINCT part.kind, ' + ' ORDER BY part.kind)
    FROM annotate_item item JOIN annotate_part part ON part.item_id = item.id
    WHERE item.collection_id = %s GROUP BY item.id
"""


def inquiry_of(*, collection: Collection) -> Inquiry:
    """The inquiry whose value are the details."""
    return Inquiry(collection, KIND)


def version_of(digests: Mapping[str, str]) -> str | None:
    """Another one whenever a refresh wrote something; None before the first.

    digests : of the inputs of each kind of numbers
    """
    rows = sorted((kind, digest) for kind, digest in digests.items() if kind in KINDS)
    facts = json.dumps([RULES_VERSION, rows])
    return hashlib.sha256(facts.encode()).hexdigest() if rows else None


def stored_version(inquiry: Inquiry) -> str | None:
    """The version of the numbers that the last refreshes wrote."""
    snapshots = Snapshot.objects.filter(collection=inquiry.collection, kind__in=KINDS)
    return version_of(dict(snapshots.values_list("kind", "inputs_sha256")))


@kept.keeps(KIND, version=stored_version, request_lasts=MIN_INTERVAL, rests=True)
def compute(inquiry: Inquiry, row: Kept | None) -> Computed | None:
    """Compute the details, unless nothing of them has changed."""
    collection = Collection.objects.get(pk=inquiry.collection.pk)
    labels = label_rows(collection=collection)
    setting = _setting(collection)
    queries = distinct(labels.query)
    groups = groups_of(collection=collection, direction=Direction.FORWARD, sources=queries)
    facts = [RULES_VERSION, setting | {"grouping": collection.query_groups}]
    digest = hashlib.sha256(json.dumps(facts).encode())
    for column in (*labels, groups.of_query):
        digest.update(np.ascontiguousarray(column).tobytes())
    if row is not None and row.digest == digest.hexdigest():
        return None
    sampling_units = resampling_unit(
        facts_of(collection=collection, direction=Direction.FORWARD, sources=queries)
    )
    value = _value(labels, groups, setting, collection) | {"drawn": sampling_units}
    return Computed(value, digest.hexdigest())


def _setting(collection: Collection) -> Value:
    """The setting of the labels: levels, threshold, rounds, and the number of seats left."""
    rounds = (
        Round.objects.filter(collection=collection)
        .order_by("pk")
        .values_list("pk", "kind", "name", "pool__name")
    )
    open_seats = Seat.objects.filter(
        collection=collection, purpose__in=Seat.FOR_LABELS, state__in=("free", "held")
    )
    return {
        "levels": list(collection.levels.order_by("grade").values_list("grade", "name", "colour")),
        "positive_from": collection.positive_from,
        "measurement": collection.measurement,
        "rounds": [[pk, kind, pool or name] for pk, kind, name, pool in rounds],
        "n_left": open_seats.count(),
    }


def _value(labels: LabelRows, groups: Groups, setting: Value, collection: Collection) -> Value:
    domain = np.array([grade for grade, _, _ in setting["levels"]], dtype=np.int64)
    counting_labels = labels.where(labels.kind == LABEL)
    group_of = dict(zip(np.unique(labels.query).tolist(), groups.of_query.tolist(), strict=True))
    planned_labels = counting_labels.where(counting_labels.is_planned == 1)
    units = breakdowns.units_of(planned_labels, planned_labels.pair, domain, group_of)
    scheme = Scheme(domain, setting["positive_from"], setting["measurement"])
    import_rounds = {pk for pk, kind, _ in setting["rounds"] if kind == Round.Kind.IMPORT}
    with connection.cursor() as cursor:
        cursor.execute(_MODALITIES, [collection.pk])
        modalities: dict[int, str] = dict(cursor.fetchall())
    queries = Item.objects.filter(collection=collection, side="query")
    query_names = dict(queries.values_list("pk", "external_id"))
    return {
        "levels": setting["levels"],
        "measurement": setting["measurement"],
        "by_size": breakdowns.by_size(
            breakdowns.units_of(counting_labels, counting_labels.pair, domain, group_of), domain
        ),
        "by_pool": breakdowns.by_pool(
            planned_labels, domain, {pk: name for pk, _, name in setting["rounds"]}, group_of
        ),
        "by_modality": breakdowns.by_modality(planned_labels, units, domain, modalities),
        "by_level": breakdowns.by_level(units, domain),
        "queries": breakdowns.worst_queries(
            planned_labels, units, domain, query_names, setting["measurement"]
        ),
        "people": people(labels, scheme),
        "forecast": forecast(labels, import_rounds=import_rounds, n_left=setting["n_left"]),
    }
