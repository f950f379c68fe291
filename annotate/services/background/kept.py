"""Values that are computed when somebody looks: one form for every kind of them.

A kind is a function with @keeps: it computes the value of an inquiry. The rest is here: values are
stored, served while a worker computes newer ones, and deleted when old; of all who look at a
missing or old value one has it computed, and one worker does it.

    look -> the stored value, fresh or not, and perhaps a message -> compute
    find: the stored value as it is, for those who do not have it computed
"""

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db import connection
from django.db.models import F, Func, JSONField, QuerySet
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now
from django.utils import timezone

from annotate.models import Collection, Kept
from annotate.services.background import progress
from annotate.services.background.workers import try_lock_subject
from annotate.services.storage.transactions import repeatable_read
from annotate.signals import value_requested

SECONDS_AFTER_FAILURE = 30  # in which nobody has the value computed again


class Inquiry(NamedTuple):
    """A value that somebody looks at: its kind, and which of a collection's values of this kind.

    key : "" where a collection has only one
    parameters : JSON; what the value is computed from beside the rows of the database
    """

    collection: Collection
    kind: str
    key: str = ""
    parameters: Mapping[str, Any] = {}

    @property
    def address(self) -> str:
        """A name that no other inquiry has."""
        return f"{self.kind}-{self.collection.pk}-{self.key}"

    @property
    def job(self) -> progress.Job:
        """The background job that computes the value."""
        return progress.Job("kept", self.address)


class Computed(NamedTuple):
    """A computed value.

    value : JSON; digest : a hash of its inputs; fresh_for : overrides that of its kind
    """

    value: Any
    digest: str = ""
    fresh_for: timedelta | None = None


class Look(NamedTuple):
    """The stored value, if there is one; the present version of its inputs; whether it is fresh."""

    row: Kept | None
    version: str
    is_fresh: bool


class FirstRows(Func):
    """An object without the later rows of its list `rows`; `n_left_out` in it counts those.

    Objects without so many rows are as they are.
    """

    output_field = JSONField()
    # unpacked once, by the operation that deletes nothing: each function would unpack it again
    template = """(
        SELECT CASE WHEN jsonb_path_exists(value, '$.rows[%(most_rows)d]')
            THEN value - 'rows' || jsonb_build_object(
                'rows', jsonb_path_query_array(value, '$.rows[0 to %(last)d]'),
                'n_left_out',
                jsonb_path_query_first(value, '$.rows.size()')::integer - %(most_rows)d)
            ELSE value END
        FROM (SELECT %(expressions)s #- '{}' AS value OFFSET 0) AS unpacked
    )"""

    def __init__(self, expression: F, *, most_rows: int) -> None:
        super().__init__(expression, most_rows=most_rows, last=most_rows - 1)


Compute = Callable[[Inquiry, Kept | None], Computed | None]


class KeptKind(NamedTuple):
    """A kind of kept values.

    compute : computes the value of an inquiry from one moment of the database, given the stored
        one; None says that this is still the value: its inputs are the same
    version : a version of the inputs, in a few small queries; None where there is nothing to
        compute yet
    prepare : done before it is computed, in a transaction of its own
    fresh_for : time after which a value is computed again though its version is the same; None for
        never
    request_lasts : time after which whoever looks requests it again: the message may be lost
    rests : whether it is not requested again in this time even though it was computed
    drop_after : time after which it is deleted; None for never
    at_most : number of values of a collection; the oldest are deleted
    """

    compute: Compute
    version: Callable[[Inquiry], str | None]
    prepare: Callable[[Inquiry], None]
    fresh_for: timedelta | None
    request_lasts: timedelta
    rests: bool
    drop_after: timedelta | None
    at_most: int | None


KINDS: dict[str, KeptKind] = {}


def unversioned(inquiry: Inquiry) -> str:
    """The version of kinds whose values become old by time alone."""
    return ""


def keeps(
    name: str,
    *,
    version: Callable[[Inquiry], str | None] = unversioned,
    prepare: Callable[[Inquiry], None] = lambda inquiry: None,
    fresh_for: timedelta | None = None,
    request_lasts: timedelta = timedelta(seconds=30),
    rests: bool = False,
    drop_after: timedelta | None = None,
    at_most: int | None = None,
) -> Callable[[Compute], Compute]:
    """Register a function that computes all values of a kind; see KeptKind."""

    def register(compute: Compute) -> Compute:
        KINDS[name] = KeptKind(
            compute, version, prepare, fresh_for, request_lasts, rests, drop_after, at_most
        )
        return compute

    return register


def look(
    *,
    inquiry: Inquiry,
    with_value: bool = True,
    version: str | None = None,
    most_rows: int | None = None,
) -> Look:
    """Find the value; where it is missing or old, one of all who look has it computed.

    One query, and those of the version. Without the value, which may be long, the rest is read.
    version : the present one, where the caller has read it before, for several values
    most_rows : see find
    """
    kind = KINDS[inquiry.kind]
    if with_value:
        row = find(inquiry=inquiry, most_rows=most_rows)
    else:
        row = values_of(inquiry=inquiry).defer("value").first()
    # not before the row: a newer one would look outdated
    version = kind.version(inquiry) if version is None else version
    if version is None:
        return Look(row, "", True)
    is_fresh = _is_fresh(row, version)
    seconds = kind.request_lasts.total_seconds()
    if not is_fresh and cache.add(_request_key(inquiry), 1, timeout=seconds):
        value_requested.send(sender=Kept, inquiry=inquiry)
    return Look(row, version, is_fresh)


def find(*, inquiry: Inquiry, most_rows: int | None = None) -> Kept | None:
    """Return the value as it was last computed.

    most_rows : for values that are objects; of a list `rows` in it only so many are read, 1 or
        more, and `n_left_out` beside them is the number of the others; None for all
    """
    rows = values_of(inquiry=inquiry)
    if most_rows is None:
        return rows.first()
    first_rows = FirstRows(F("value"), most_rows=most_rows)
    row = rows.defer("value").annotate(first_rows=first_rows).first()
    if row is not None:
        row.value = row.first_rows
    return row


def find_fresh(*, inquiry: Inquiry) -> Kept | None:
    """Return the value if it is fresh: an old one of these kinds is of no use."""
    row, version = find(inquiry=inquiry), KINDS[inquiry.kind].version(inquiry)
    return row if version is not None and _is_fresh(row, version) else None


def is_requested(*, inquiry: Inquiry) -> bool:
    """True if somebody had the value computed a moment ago, and it is not there yet."""
    return cache.get(_request_key(inquiry)) is not None


def compute(*, inquiry: Inquiry) -> bool:
    """Compute and store a value; False if it is fresh, unchanged, or another worker computes it.

    Safe to run twice and at once. After an error those who wait are told, and for a while nobody
    has it computed again.
    """
    kind = KINDS[inquiry.kind]
    number = int(hashlib.sha256(inquiry.address.encode()).hexdigest()[:7], 16)
    with try_lock_subject("kept", number) as is_ours:
        has_failed = True
        try:
            is_new = is_ours and _compute(inquiry)
            has_failed = False
        finally:
            if has_failed:
                cache.set(_request_key(inquiry), 1, timeout=SECONDS_AFTER_FAILURE)
                progress.report_failure(job=inquiry.job, seconds=SECONDS_AFTER_FAILURE)
        if is_ours and not kind.rests:
            # whoever finds it old by now may request it again
            cache.delete(_request_key(inquiry))
        return is_new


def store(
    *, inquiry: Inquiry, computed: Computed, version: str = "", at: datetime | None = None
) -> None:
    """Store a value. One that was computed at once, beside a worker, is as good as the worker's.

    at : the moment of the rows that it was computed from; now by default
    """
    Kept.objects.bulk_create(
        [
            Kept(
                collection=inquiry.collection,
                kind=inquiry.kind,
                key=inquiry.key,
                parameters=dict(inquiry.parameters),
                version=version,
                value=computed.value,
                digest=computed.digest,
                computed_at=at or Now(),
                fresh_until=_fresh_until(inquiry, computed),
            )
        ],
        update_conflicts=True,
        unique_fields=["collection", "kind", "key"],
        update_fields=["parameters", "version", "value", "digest", "computed_at", "fresh_until"],
    )
    # of more values than a collection may have of this kind the oldest go
    if (at_most := KINDS[inquiry.kind].at_most) is not None:
        values = Kept.objects.filter(kind=inquiry.kind, collection=inquiry.collection)
        newest = values.order_by("-computed_at", "-pk").values_list("pk", flat=True)
        values.filter(pk__in=list(newest[at_most:])).delete()


def delete_all(*, collection: Collection) -> None:
    """Delete all values of a collection; whoever looks next has them computed."""
    Kept.objects.filter(collection=collection).delete()


def drop_old() -> None:
    """Delete the values that are too old for their kind, where it sets an age."""
    for name, kind in KINDS.items():
        if kind.drop_after is not None:
            Kept.objects.filter(kind=name, computed_at__lt=Now() - kind.drop_after).delete()


def _compute(inquiry: Inquiry) -> bool:
    kind = KINDS[inquiry.kind]
    kind.prepare(inquiry)
    with repeatable_read():
        version, row = kind.version(inquiry), find(inquiry=inquiry)
        if version is None or _is_fresh(row, version):
            return False
        # the moment at which the transaction sees the database
        with connection.cursor() as cursor:
            cursor.execute("SELECT transaction_timestamp()")
            (at,) = cursor.fetchone()
        computed = kind.compute(inquiry, row)
    # not in that transaction, which may take minutes: others may have stored or deleted the value
    if computed is None:
        fields = {"version": version, "computed_at": at}
        values_of(inquiry=inquiry).update(**fields, fresh_until=_fresh_until(inquiry, None))
    else:
        store(inquiry=inquiry, computed=computed, version=version, at=at)
    progress.forget(job=inquiry.job)
    return computed is not None


def _fresh_until(inquiry: Inquiry, computed: Computed | None) -> CombinedExpression | None:
    own = computed.fresh_for if computed else None
    fresh_for = own or KINDS[inquiry.kind].fresh_for
    return Now() + fresh_for if fresh_for else None


def _is_fresh(row: Kept | None, version: str) -> bool:
    if row is None:
        return False
    now = timezone.now()
    return row.version == version and (row.fresh_until is None or row.fresh_until > now)


def values_of(*, inquiry: Inquiry) -> QuerySet[Kept]:
    """The row of an inquiry's value, if there is one."""
    return Kept.objects.filter(collection=inquiry.collection, kind=inquiry.kind, key=inquiry.key)


def _request_key(inquiry: Inquiry) -> str:
    """Cache key that marks a value as requested."""
    return f"kept-{inquiry.address}"
