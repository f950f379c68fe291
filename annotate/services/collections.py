"""Collections and what is decided for them: scheme, guidelines and policy, each change a version."""

import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms.models import model_to_dict

from annotate.models import Collection, Guidelines, Level, Policy, Role, User
from annotate.services.accounts import join

MIN_LEVELS, MAX_LEVELS = 2, 7


class BadScheme(Exception):
    """The levels cannot be a scheme; nothing was changed."""


class SchemeFrozen(Exception):
    """The first judgment froze the set of levels; only their wording may change."""


class CollectionExists(Exception):
    """Another collection has this short name; nothing was created."""


class BadPolicy(Exception):
    """The figures do not fit together; the policy stays as it was."""


class LevelSpec(NamedTuple):
    """A level as somebody describes it; without a key it answers to the first digit of its grade."""

    grade: int
    name: str
    sentence: str = ""
    key: str = ""
    colour: str = Level.Colour.SLATE
    reasons: Sequence[str] = ()


class Wording(NamedTuple):
    """What a level is called and the sentence that stands beside it."""

    grade: int
    name: str
    sentence: str = ""


@transaction.atomic
def create_collection(
    *,
    name: str,
    slug: str,
    levels: Sequence[LevelSpec],
    positive_from: int,
    measurement: str = Collection.Measurement.ORDINAL,
    guidelines: str = "",
    by: User | None = None,
    description: str = "",
    is_rehearsal: bool = False,
) -> Collection:
    """Make a collection with its scheme, its first policy and guidelines; its maker leads and researches.

    Raises BadScheme, CollectionExists.
    """
    check_scheme(levels=levels, positive_from=positive_from)
    collection, created = Collection.objects.get_or_create(
        slug=slug,
        defaults={
            "name": name,
            "description": description,
            "measurement": Collection.Measurement(measurement),
            "positive_from": positive_from,
            "key": secrets.token_bytes(32),
            "is_rehearsal": is_rehearsal,
            "created_by": by,
        },
    )
    if not created:
        raise CollectionExists(f'A collection with the short name "{slug}" already exists; choose another one.')
    _write_levels(collection, levels)
    Policy.objects.create(collection=collection, version=1, by=by)
    _write_guidelines(collection, markdown=guidelines, by=by, version=1)
    if by is not None:
        join(collection=collection, user=by, role=Role.LEAD)
        join(collection=collection, user=by, role=Role.RESEARCHER)
    return collection


def check_scheme(*, levels: Sequence[LevelSpec], positive_from: int) -> None:
    """Raise BadScheme, with the reason, unless these levels can be a scheme."""
    grades = [level.grade for level in levels]
    keys = [key_of(level) for level in levels]
    if not MIN_LEVELS <= len(levels) <= MAX_LEVELS:
        raise BadScheme(f"A scheme has {MIN_LEVELS} to {MAX_LEVELS} levels, this one has {len(levels)}.")
    if len(set(grades)) < len(grades):
        raise BadScheme("Two levels have the same grade; every level needs its own.")
    if any(not 0 <= grade <= 100 for grade in grades):
        raise BadScheme("A grade lies between 0 and 100.")
    if len(set(keys)) < len(keys):
        raise BadScheme("Two levels have the same key; every level needs its own.")
    names = [level.name.strip().casefold() for level in levels]
    if len(set(names)) < len(names):
        raise BadScheme("Two levels have the same name; every level needs its own.")
    if positive_from not in grades or positive_from == min(grades):
        raise BadScheme(f"Relevant from grade {positive_from}: choose one of the grades above the lowest.")


def key_of(level: LevelSpec) -> str:
    """The key that gives this level."""
    return level.key or str(level.grade)[:1]


@transaction.atomic
def replace_levels(*, collection: Collection, levels: Sequence[LevelSpec], positive_from: int) -> None:
    """Give the collection another set of levels while nothing is judged. Raises BadScheme, SchemeFrozen."""
    check_scheme(levels=levels, positive_from=positive_from)
    locked = _lock(collection)
    if locked.scheme_frozen_at is not None:
        raise SchemeFrozen("The levels have been used; only their wording may change.")
    collection.levels.all().delete()
    _write_levels(collection, levels)
    Collection.objects.filter(pk=collection.pk).update(positive_from=positive_from)
    collection.refresh_from_db()
    latest = collection.guidelines.latest("version")
    _write_guidelines(collection, markdown=latest.markdown, by=latest.by, version=latest.version + 1)


@transaction.atomic
def change_guidelines(
    *, collection: Collection, markdown: str, wording: Sequence[Wording] = (), by: User | None
) -> Guidelines:
    """Store what annotators are told from now on; the version before stays. No change, no version.

    wording : new names and sentences of some levels, or nothing. Raises BadScheme for unknown grades.
    """
    _lock(collection)
    for words in wording:
        changed = collection.levels.filter(grade=words.grade).update(name=words.name, sentence=words.sentence)
        if not changed:
            raise BadScheme(f"The scheme has no grade {words.grade}.")
    latest = collection.guidelines.latest("version")
    if latest.markdown == markdown and latest.wording == worded(collection):
        return latest
    return _write_guidelines(collection, markdown=markdown, by=by, version=latest.version + 1)


@transaction.atomic
def change_policy(*, collection: Collection, by: User | None, **changes: Any) -> Policy:
    """Store a new version with some figures changed; open rounds keep theirs. No change, no version.

    Raises BadPolicy where a figure is out of range or two contradict each other.
    """
    _lock(collection)
    latest = collection.policies.latest("version")
    fields = set(model_to_dict(latest)) - {"id", "collection", "version", "by"}
    if unknown := set(changes) - fields:
        raise BadPolicy(f"A policy has no {', '.join(sorted(unknown))}.")
    figures = {name: getattr(latest, name) for name in fields}
    changed = Policy(collection=collection, version=latest.version + 1, by=by, **{**figures, **changes})
    try:
        changed.full_clean(exclude=["at"])
    except ValidationError as error:
        raise BadPolicy(" ".join(error.messages)) from error
    if all(getattr(changed, name) == figures[name] for name in fields):
        return latest
    changed.save()
    return changed


def worded(collection: Collection) -> list[dict[str, Any]]:
    """The levels as annotators read them, largest grade first."""
    return [dict(row) for row in collection.levels.order_by("-grade").values("grade", "name", "sentence")]


def _lock(collection: Collection) -> Collection:
    # Versions count up: two people who save at once take turns.
    return Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)


def _write_levels(collection: Collection, levels: Sequence[LevelSpec]) -> None:
    Level.objects.bulk_create(
        Level(
            collection=collection,
            grade=level.grade,
            key=key_of(level),
            name=level.name,
            sentence=level.sentence,
            colour=level.colour,
            reasons=list(level.reasons),
        )
        for level in levels
    )


def _write_guidelines(collection: Collection, *, markdown: str, by: User | None, version: int) -> Guidelines:
    return Guidelines.objects.create(
        collection=collection, version=version, markdown=markdown, wording=worded(collection), by=by
    )
