"""The closer look: numbers that need every label at once, in a lane of their own beside the refresh.

They are kept as a snapshot, computed in the background when somebody looks at the dashboard and a refresh has written
something since, at most once a minute a collection. Nobody looks: nothing is computed.
"""

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from django.core.cache import cache
from django.db import connection
from django.db.models import Max

from annotate.models import Collection, Direction, Item, Round, Seat
from metrics.core.groups import Groups
from metrics.models import Snapshot
from metrics.services import closer_parts as parts
from metrics.services.closer_people import Scheme, people
from metrics.services.forecast import forecast
from metrics.services.inputs import drawn_words
from metrics.services.label_rows import LABEL, Labels, label_rows
from metrics.services.moments import one_moment
from metrics.services.numbers import KINDS
from metrics.services.query_groups import facts_of, groups_of

Value = dict[str, Any]
KIND = "closer"
RULES = 4  # changes when the same labels would give other numbers
PAUSE = timedelta(seconds=60)  # between two computations of one collection

_MODALITIES = """
    SELECT item.id, string_agg(DISTINCT part.kind, ' + ' ORDER BY part.kind)
    FROM annotate_item item JOIN annotate_part part ON part.item_id = item.id
    WHERE item.collection_id = %s GROUP BY item.id
"""


def snapshot_of(*, collection: Collection) -> Snapshot | None:
    """The last closer look."""
    return Snapshot.objects.filter(collection=collection, kind=KIND).first()


def should_look(*, collection: Collection, moments: dict[str, datetime]) -> bool:
    """Whether to look again for whoever is on the page: a refresh has written since, and nobody asked within a minute.

    moments : when each snapshot of the collection was computed, by kind
    """
    newest = max((at for kind, at in moments.items() if kind in KINDS), default=None)
    if newest is None or (KIND in moments and moments[KIND] >= newest):
        return False
    return bool(cache.add(f"closer-{collection.pk}", 1, timeout=PAUSE.total_seconds()))


def look(*, collection: Collection) -> bool:
    """Compute the closer look and keep it; False where there is nothing to look at or nothing changed. Safe twice.

    Its moment is that of the last refresh it has seen: refreshes follow one another, so a later one shows.
    """
    with one_moment():
        collection.refresh_from_db()
        fast = Snapshot.objects.filter(collection=collection, kind__in=KINDS)
        seen = fast.aggregate(at=Max("computed_at"))["at"]
        if seen is None:
            return False
        labels = label_rows(collection=collection)
        about = _about(collection)
        queries = np.unique(labels.query)
        groups = groups_of(collection=collection, direction=Direction.FORWARD, sources=queries)
        inputs = _digest(labels, groups, about | {"grouping": collection.query_groups})
        mine = Snapshot.objects.filter(collection=collection, kind=KIND)
        if mine.filter(inputs_sha256=inputs).update(computed_at=seen):
            return False
        drawn = drawn_words(facts_of(collection=collection, direction=Direction.FORWARD, sources=queries))
        fields = {"value": _value(labels, groups, about, collection) | {"drawn": drawn}, "inputs_sha256": inputs}
        fields |= {"n_judgments": int(np.count_nonzero(labels.kind == LABEL)), "computed_at": seen}
        Snapshot.objects.update_or_create(collection=collection, kind=KIND, defaults=fields)
    return True


def _about(collection: Collection) -> Value:
    """What the labels are of: levels, rounds, and seats that are left."""
    rounds = Round.objects.filter(collection=collection).order_by("pk").values_list("pk", "kind", "name", "pool__name")
    left = Seat.objects.filter(collection=collection, purpose__in=Seat.COUNTING, state__in=("free", "held"))
    return {
        "levels": list(collection.levels.order_by("grade").values_list("grade", "name", "colour")),
        "positive_from": collection.positive_from,
        "measurement": collection.measurement,
        "rounds": [[pk, kind, pool or name] for pk, kind, name, pool in rounds],
        "n_left": left.count(),
    }


def _digest(labels: Labels, groups: Groups, about: Value) -> str:
    found = hashlib.sha256(json.dumps([RULES, about]).encode())
    for column in (*labels, groups.of_query):
        found.update(np.ascontiguousarray(column).tobytes())
    return found.hexdigest()


def _value(labels: Labels, groups: Groups, about: Value, collection: Collection) -> Value:
    domain = np.array([grade for grade, _, _ in about["levels"]], dtype=np.int64)
    names = [name for _, name, _ in about["levels"]]
    given = labels.where(labels.kind == LABEL)
    group_of = dict(zip(np.unique(labels.query).tolist(), groups.of_query.tolist(), strict=True))
    planned = given.where(given.is_planned == 1)
    units = parts.units_of(planned, planned.pair, domain, group_of)
    scheme = Scheme(domain, names, about["positive_from"], about["measurement"])
    imported = {pk for pk, kind, _ in about["rounds"] if kind == Round.Kind.IMPORT}
    return {
        "levels": about["levels"],
        "measurement": about["measurement"],
        "by_size": parts.by_size(parts.units_of(given, given.pair, domain, group_of), domain),
        "by_pool": parts.by_pool(planned, domain, {pk: name for pk, _, name in about["rounds"]}, group_of),
        "by_modality": parts.by_modality(planned, units, domain, _modalities(collection)),
        "by_level": parts.by_level(units, domain),
        "queries": parts.worst_queries(planned, units, domain, _names(collection), about["measurement"]),
        "people": people(labels, scheme),
        "forecast": forecast(labels, imported=imported, n_left=about["n_left"]),
    }


def _modalities(collection: Collection) -> dict[int, str]:
    with connection.cursor() as cursor:
        cursor.execute(_MODALITIES, [collection.pk])
        return dict(cursor.fetchall())


def _names(collection: Collection) -> dict[int, str]:
    queries = Item.objects.filter(collection=collection, side="query")
    return dict(queries.values_list("pk", "external_id"))
