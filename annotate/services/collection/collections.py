"""Collections and their scheme, guidelines and policy, each change a version."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.forms.models import model_to_dict

from annotate.core.levels import level_reasons
from annotate.core.levels.level_colours import level_colours
from annotate.core.levels.scheme_rules import (
    BadScheme,
    LevelSpec,
    check_names,
    check_reasons,
    check_scheme,
    key_of,
)
from annotate.models import (
    Collection,
    Gold,
    Guidelines,
    Level,
    Policy,
    ReferenceLabel,
    Role,
    TrainingPair,
    User,
)
from annotate.services.collection.short_names import free_short_name
from annotate.services.people.accounts import join
from annotate.services.seating import note_changes

_NOT_FIGURES = {"id", "collection", "version", "by", "at"}


class SchemeFrozen(Exception):
    """The first judgment froze the set of levels; only their wording and colours may change."""


class CollectionExists(Exception):
    """Another collection has this short name; nothing was created."""


class BadPolicy(Exception):
    """The figures do not fit together; the policy stays as it was.

    figure : the name of the one that the message is about; empty where it is about several
    """

    def __init__(self, message: str, *, figure: str = "") -> None:
        super().__init__(message)
        self.figure = figure


class Wording(NamedTuple):
    """New name, sentence, reasons and colour of a level; None leaves these two as they are."""

    grade: int
    name: str
    sentence: str = ""
    reasons: Sequence[level_reasons.Stored] | None = None
    colour: str | None = None


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
    """Make a collection with its scheme, its first policy and guidelines.

    Its maker leads and researches. Raises BadScheme, CollectionExists.
    """
    check_scheme(levels=levels, positive_from=positive_from)
    collection, is_new = Collection.objects.get_or_create(
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
    if not is_new:
        raise CollectionExists(
            f'A collection with the short name "{slug}" already exists; choose another one, such '
            f'as "{free_short_name(name=slug)}".'
        )
    _write_levels(collection, coloured_levels(levels, positive_from=positive_from))
    Policy.objects.create(collection=collection, version=1, by=by)
    _write_guidelines(collection, markdown=guidelines, by=by, version=1)
    if by is not None:
        join(collection=collection, user=by, role=Role.LEAD)
        join(collection=collection, user=by, role=Role.RESEARCHER)
    return collection


def coloured_levels(
    levels: Sequence[LevelSpec], *, positive_from: int, present_levels: Iterable[Level] = ()
) -> list[LevelSpec]:
    """Return the levels with a colour each: their own, what they have at present, or their grade's.

    A level is the same under its name with another grade, and at its grade under another name.
    """
    names = {level.name.strip().casefold() for level in levels}
    colours_by_name, colours_by_grade = {}, {}
    for level in present_levels:
        colours_by_name[level.name.casefold()] = level.colour
        if level.name.casefold() not in names:
            colours_by_grade[level.grade] = level.colour
    own_colours = {
        level.grade: level.colour
        or colours_by_name.get(level.name.strip().casefold())
        or colours_by_grade.get(level.grade, "")
        for level in levels
    }
    colours = level_colours(own_colours, positive_from=positive_from)
    return [level._replace(colour=colours[level.grade]) for level in levels]


@transaction.atomic
def change_scheme(
    *, collection: Collection, levels: Sequence[LevelSpec], positive_from: int, by: User | None
) -> Guidelines:
    """Change words and colours of the levels; until the first judgment also which there are.

    Returns the version of the guidelines that holds the words; colours are in none. No change, no
    version. Raises BadScheme, SchemeFrozen.
    """
    check_scheme(levels=levels, positive_from=positive_from)
    locked_collection = _lock(collection)
    levels = coloured_levels(
        levels, positive_from=positive_from, present_levels=collection.levels.all()
    )
    present_levels = {(level.grade, level.key) for level in collection.levels.all()}
    new_levels = {(level.grade, key_of(level)) for level in levels}
    if (present_levels, locked_collection.positive_from) != (new_levels, positive_from):
        return replace_levels(
            collection=collection, levels=levels, positive_from=positive_from, by=by
        )
    wordings = [
        Wording(level.grade, level.name, level.sentence, level.reasons, level.colour)
        for level in levels
    ]
    markdown = collection.guidelines.latest("version").markdown
    return change_guidelines(collection=collection, markdown=markdown, wording=wordings, by=by)


@transaction.atomic
def replace_levels(
    *,
    collection: Collection,
    levels: Sequence[LevelSpec],
    positive_from: int,
    by: User | None = None,
) -> Guidelines:
    """Give the collection another set of levels while nothing is judged.

    All numbers are computed anew. Raises BadScheme, SchemeFrozen.
    """
    check_scheme(levels=levels, positive_from=positive_from)
    locked_collection = _lock(collection)
    # whoever stores the first judgment at this moment waits for the collection: not to wait for her
    free_levels = collection.levels.select_for_update(skip_locked=True)
    is_in_use = len(free_levels) < collection.levels.count()
    if locked_collection.scheme_frozen_at is not None or is_in_use:
        raise SchemeFrozen("The levels have been used; only their wording and colours may change.")
    require_grades_in_use(collection, grades=[level.grade for level in levels])
    levels = coloured_levels(
        levels, positive_from=positive_from, present_levels=collection.levels.all()
    )
    collection.levels.all().delete()
    _write_levels(collection, levels)
    Collection.objects.filter(pk=collection.pk).update(positive_from=positive_from)
    is_positive = ExpressionWrapper(Q(grade__gte=positive_from), output_field=BooleanField())
    Gold.objects.filter(collection=collection).update(is_positive=is_positive)
    collection.refresh_from_db()
    note_changes(collection_id=collection.pk, pair_ids=[None])
    latest = collection.guidelines.latest("version")
    return _write_guidelines(
        collection, markdown=latest.markdown, by=by, version=latest.version + 1
    )


def require_grades_in_use(collection: Collection, *, grades: Sequence[int]) -> None:
    """Raise BadScheme where labels that are there already have another grade than these."""
    labels: tuple[tuple[QuerySet[Any], str], ...] = (
        (ReferenceLabel.objects.filter(reference_set__collection=collection), "reference sets"),
        (Gold.objects.filter(collection=collection), "golds"),
        (TrainingPair.objects.filter(pair__collection=collection), "pairs of the training"),
    )
    for rows, nouns in labels:
        other_grades = rows.exclude(grade__in=grades).order_by().values_list("grade", flat=True)
        for grade in other_grades[:1]:
            raise BadScheme(f"Grade {grade} stays: there are {nouns} with this grade.")


@transaction.atomic
def change_guidelines(
    *, collection: Collection, markdown: str, wording: Sequence[Wording] = (), by: User | None
) -> Guidelines:
    """Store new guidelines; the version before stays. No change, no version.

    wording : new words, reasons and colours of some levels, or nothing. Raises BadScheme for
        unknown grades, for reasons that cannot be offered and for two levels of one name.
    """
    _lock(collection)
    for level_wording in wording:
        changes: dict[str, Any] = {"name": level_wording.name, "sentence": level_wording.sentence}
        if level_wording.reasons is not None:
            check_reasons(level_wording.name, level_wording.reasons)
            changes["reasons"] = list(level_wording.reasons)
        if level_wording.colour is not None:
            changes["colour"] = level_wording.colour
        n_changed = collection.levels.filter(grade=level_wording.grade).update(**changes)
        if not n_changed:
            raise BadScheme(f"The scheme has no grade {level_wording.grade}.")
    if wording:
        check_names(list(collection.levels.values_list("name", flat=True)))
    latest = collection.guidelines.latest("version")
    if latest.markdown == markdown and latest.wording == level_wordings(collection):
        return latest
    return _write_guidelines(collection, markdown=markdown, by=by, version=latest.version + 1)


@transaction.atomic
def change_policy(*, collection: Collection, by: User | None, **changes: Any) -> Policy:
    """Store a new version with some figures changed; rounds keep theirs, see policies.py.

    No change, no version. Raises BadPolicy.
    """
    _lock(collection)
    latest = collection.policies.latest("version")
    policy = next_policy(collection=collection, by=by, changes=changes)
    if figures(policy) == figures(latest):
        return latest
    policy.save()
    return policy


def next_policy(*, collection: Collection, by: User | None, changes: Mapping[str, Any]) -> Policy:
    """The next version with some figures changed, checked and not saved.

    Raises BadPolicy where a figure is out of range or two contradict each other.
    """
    latest = collection.policies.latest("version")
    current_figures = figures(latest)
    if unknown_names := set(changes) - set(current_figures):
        raise BadPolicy(f"A policy has no {', '.join(sorted(unknown_names))}.")
    policy = Policy(
        collection=collection, version=latest.version + 1, by=by, **{**current_figures, **changes}
    )
    if policy.rule == Policy.Rule.UNANIMOUS and policy.tie != Policy.Tie.DISPUTE:
        raise BadPolicy(
            "Under the unanimous rule there is no tie to break: choose Dispute.", figure="tie"
        )
    if policy.tolerance and collection.measurement == Collection.Measurement.NOMINAL:
        raise BadPolicy(
            "Nominal grades have no distance: set the tolerance to 0.", figure="tolerance"
        )
    try:
        policy.full_clean(exclude=["at"])
    except ValidationError as error:
        figure, *further_figures = error.message_dict
        raise BadPolicy(
            " ".join(error.messages), figure="" if further_figures else figure
        ) from error
    return policy


def figures(policy: Policy) -> dict[str, Any]:
    """Return the figures of a policy version, without its time and author."""
    return {
        name: value for name, value in model_to_dict(policy).items() if name not in _NOT_FIGURES
    }


def level_wordings(collection: Collection) -> list[dict[str, Any]]:
    """The levels as annotators read them, largest grade first."""
    rows = collection.levels.order_by("-grade").values("grade", "name", "sentence", "reasons")
    # no key "reasons" where there are none: versions of a scheme without reasons are stored so
    return [
        {name: value for name, value in row.items() if name != "reasons" or value} for row in rows
    ]


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


def _write_guidelines(
    collection: Collection, *, markdown: str, by: User | None, version: int
) -> Guidelines:
    return Guidelines.objects.create(
        collection=collection,
        version=version,
        markdown=markdown,
        wording=level_wordings(collection),
        by=by,
    )


def change_pay(*, collection: Collection, hourly_pay: Decimal | None, currency: str) -> None:
    """Set the pay of an hour of judging; None where no money is shown."""
    Collection.objects.filter(pk=collection.pk).update(hourly_pay=hourly_pay, currency=currency)


@transaction.atomic
def change_query_groups(*, collection: Collection, query_groups: str) -> bool:
    """Set the grouping of queries in intervals and tests, computed anew; return whether it changed.

    Raises ValueError for a value that is no Collection.Grouping.
    """
    locked_collection = _lock(collection)
    grouping = Collection.Grouping(query_groups)
    if locked_collection.query_groups == grouping:
        return False
    locked_collection.query_groups = grouping
    locked_collection.save(update_fields=["query_groups"])
    note_changes(collection_id=locked_collection.pk, pair_ids=[None])
    return True
