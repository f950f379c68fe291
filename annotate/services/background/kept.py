"""Values that are computed when somebody looks: one protocol for every kind of them.

A kind is a function with @keeps: it computes the value of an inquiry. The rest is here: values are
stored, served while a worker computes newer ones, and deleted when old; of all who look at a
missing or old value one has it computed, and one worker does it.

    look -> the stored value, fresh or not, and perhaps a message -> compute
    find: the stored value as it is, for those who do not have it computed
"""

import hashlib
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from annotate.models import Collection, Kept
from annotate.services.background import progress
from annotate.services.background.workers import try_lock_subject
from annotate.services.storage.transactions import repeatable_read
from annotate.signals import value_requested


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

    @property
    def is_outdated(self) -> bool:
        """Whether there is a value, of another version of its inputs."""
        return self.row is not None and self.row.version != self.version


Compute = Callable[[Inquiry, Kept | None], Computed | None]


class KeptKind(NamedTuple):
    """A kind of kept values.

    compute : computes the value of an inquiry from one moment of the database, given the stored
        one; None says that this is still the value: its inputs are the same
    version : a version of the inputs, in a few small queries; None where there is nothing to
        compute yet
    fresh_for : time after which a value is computed again though its version is the same; None for
        never
    request_lasts : time after which whoever looks requests it again: the message may be lost
    rests : whether it is not requested again in this time even though it was computed
    drop_after : time after which it is deleted; None for never
    at_most : number of values of a collection; the oldest are deleted
    """

    compute: Compute
    version: Callable[[Inquiry], str | None]
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
    *names: str,
    version: Callable[[Inquiry], str | None] = unversioned,
    fresh_for: timedelta | None = None,
    request_lasts: timedelta = timedelta(seconds=30),
    rests: bool = False,
    drop_after: timedelta | None = None,
    at_most: int | None = None,
) -> Callable[[Compute], Compute]:
    """Register a function that computes all values of some kinds; see KeptKind."""

    def register(compute: Compute) -> Compute:
        for name in names:
            KINDS[name] = KeptKind(
                compute, version, fresh_for, request_lasts, rests, drop_after, at_most
            )
        return compute

    return register


def look(*, inquiry: Inquiry, with_value: bool = True) -> Look:
    """Find the value; where it is missing or old, one of all who look has it computed.

    One query, and those of the version. Without the value, which may be long, the rest is read.
    """
    kind = KINDS[inquiry.kind]
    rows = values_of(inquiry=inquiry)
    version, row = kind.version(inquiry), (rows if with_value else rows.defer("value")).first()
    if version is None:
        return Look(row, "", True)
    is_fresh = _is_fresh(row, version)
    seconds = kind.request_lasts.total_seconds()
    if not is_fresh and cache.add(_request_key(inquiry), 1, timeout=seconds):
        value_requested.send(sender=Kept, inquiry=inquiry)
    return Look(row, version, is_fresh)


def find(*, inquiry: Inquiry) -> Kept | None:
    """Return the value as it was last computed."""
    return values_of(inquiry=inquiry).first()


def find_fresh(*, inquiry: Inquiry) -> Kept | None:
    """Return the value if it is fresh: an old one of these kinds is of no use."""
    row, version = find(inquiry=inquiry), KINDS[inquiry.kind].version(inquiry)
    return row if version is not None and _is_fresh(row, version) else None


def is_requested(*, inquiry: Inquiry) -> bool:
    """Whether somebody had the value computed a moment ago, and it is not there yet."""
    return cache.get(_request_key(inquiry)) is not None


def compute(*, inquiry: Inquiry) -> bool:
    """Compute and store a value; False if it is fresh, unchanged, or another worker computes it.

    Safe to run twice and at once.
    """
    number = int(hashlib.sha256(inquiry.address.encode()).hexdigest()[:7], 16)
    with try_lock_subject("kept", number) as is_ours:
        is_new = is_ours and _compute(inquiry)
    if not KINDS[inquiry.kind].rests:  # whoever finds it old by now may request it again
        cache.delete(_request_key(inquiry))
    return is_new


def delete_all(*, collection: Collection) -> None:
    """Delete all values of a collection; whoever looks next has them computed."""
    Kept.objects.filter(collection=collection).delete()


def _compute(inquiry: Inquiry) -> bool:
    kind = KINDS[inquiry.kind]
    with repeatable_read():
        version, row = kind.version(inquiry), find(inquiry=inquiry)
        if version is None or _is_fresh(row, version):
            return False
        computed = kind.compute(inquiry, row)
        _store(inquiry, kind, version, computed)
    progress.forget(job=inquiry.job)
    _drop_old(inquiry, kind)
    return computed is not None


def _store(inquiry: Inquiry, kind: KeptKind, version: str, computed: Computed | None) -> None:
    """Store a value, or that the stored one is still that of its inputs.

    Its time is that of the transaction's begin, as that of the rows it was computed from.
    """
    fresh_for = computed.fresh_for if computed and computed.fresh_for else kind.fresh_for
    moments = {
        "version": version,
        "computed_at": Now(),
        "fresh_until": Now() + fresh_for if fresh_for else None,
    }
    if computed is None:
        values_of(inquiry=inquiry).update(**moments)
    else:
        Kept.objects.update_or_create(
            collection=inquiry.collection,
            kind=inquiry.kind,
            key=inquiry.key,
            defaults={
                "parameters": dict(inquiry.parameters),
                "value": computed.value,
                "digest": computed.digest,
                **moments,
            },
        )


def _drop_old(inquiry: Inquiry, kind: KeptKind) -> None:
    """Delete values of this kind that are too old, and this collection's beyond their number."""
    of_kind = Kept.objects.filter(kind=inquiry.kind)
    if kind.drop_after is not None:
        of_kind.filter(computed_at__lt=timezone.now() - kind.drop_after).delete()
    if kind.at_most is not None:
        own = of_kind.filter(collection=inquiry.collection).order_by("-computed_at", "-pk")
        of_kind.filter(pk__in=list(own.values_list("pk", flat=True)[kind.at_most :])).delete()


def _is_fresh(row: Kept | None, version: str) -> bool:
    if row is None:
        return False
    now = timezone.now()
    return row.version == version and (row.fresh_until is None or row.fresh_until > now)


def values_of(*, inquiry: Inquiry) -> QuerySet[Kept]:
    """The row of a question's value, if there is one."""
    return Kept.objects.filter(collection=inquiry.collection, kind=inquiry.kind, key=inquiry.key)


def _request_key(inquiry: Inquiry) -> str:
    """Cache key that marks a value as requested."""
    return f"kept-{inquiry.address}"
