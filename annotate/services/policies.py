"""A policy changed: seen before it is saved, saved as a version, and followed by rounds in the background."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db import connection, transaction

from annotate.core import policy_changes
from annotate.core.policy_changes import Change, Labelled
from annotate.models import Collection, Policy, Round, User
from annotate.services import seating
from annotate.services.background import progress
from annotate.services.background.workers import alone_with
from annotate.services.collections import change_policy, figures, wanted_policy
from annotate.services.seating import following
from annotate.signals import round_to_follow

AT_ONCE = 20_000  # resolutions that are looked at while somebody waits
FRESH_SECONDS = 120  # labels go on coming: an old answer is nobody's
WAIT_SECONDS = 600
SHOWN = 12  # kinds of change that a page lists

# What another rule may change: pairs whose labels differ, or that a model decided. Only groups leave the database.
# Rounds are looked up for each of these (EXISTS would read what every round wants, however few pairs may change).
_MAY_CHANGE = """
    FROM annotate_resolution resolution JOIN annotate_policy policy ON policy.id = resolution.policy_id
    WHERE resolution.collection_id = %(collection)s
      AND (resolution.status IN ('majority', 'median', 'waiting', 'disputed', 'model')
           OR (resolution.status = 'agreed' AND policy.tolerance > 0))
      AND (%(with_closed)s OR (
          SELECT true FROM annotate_roundpair wish JOIN annotate_round round ON round.id = wish.round_id
          WHERE wish.pair_id = resolution.pair_id AND round.kind = 'pool' AND round.state IN ('opening', 'open')
          LIMIT 1))
"""
_LABELLED = f"""
    SELECT said.grades, found.status, found.grade, found.policy_id, count(*)
    FROM (SELECT resolution.* {_MAY_CHANGE}) found
    CROSS JOIN LATERAL (
        SELECT array_agg(level.grade ORDER BY level.grade) AS grades
        FROM annotate_seat seat JOIN annotate_judgment judgment ON judgment.id = seat.judgment_id
        JOIN annotate_level level ON level.id = judgment.level_id
        WHERE seat.pair_id = found.pair_id AND seat.purpose IN ('label', 'import') AND seat.state = 'done') said
    WHERE said.grades IS NOT NULL
    GROUP BY 1, 2, 3, 4
"""  # noqa: S608 - own text
_HOW_MANY = f"SELECT count(*) FROM (SELECT 1 {_MAY_CHANGE} LIMIT %(limit)s) found"  # noqa: S608 - own text


class Answer(NamedTuple):
    """What is known of a wanted policy: what it changes, or nothing yet while a worker counts.

    n_rounds : rounds that would follow it; asks_model : whether a model's grades, unknown so far, come on top
    """

    key: str
    n_rounds: int
    change: Change | None = None
    asks_model: bool = False

    @property
    def is_waiting(self) -> bool:
        """Whether a worker is at it."""
        return self.change is None

    @property
    def shown(self) -> list[policy_changes.Moved]:
        """The largest kinds of change."""
        return self.change.moved[:SHOWN] if self.change else []


def ask(*, policy: Policy, with_closed: bool) -> tuple[Answer, bool]:
    """What saving a policy changes, at once where it is little or known, and whether a worker must be sent for it."""
    collection = policy.collection
    question = as_question(policy=policy, with_closed=with_closed)
    rounds = following.rounds_apart(collection=collection, policy=policy, with_closed=with_closed)
    waiting = Answer(_key(question), rounds.count())
    if not waiting.n_rounds:
        return waiting._replace(change=policy_changes.change([], policies={}, positive_from=0)), False
    if (known := find(collection=collection, key=waiting.key)) is not None:
        return known, False
    with connection.cursor() as cursor:
        cursor.execute(_HOW_MANY, _asked(collection, with_closed) | {"limit": AT_ONCE + 1})
        (n_looked_at,) = cursor.fetchone()
    if n_looked_at <= AT_ONCE:
        return answer(collection=collection, question=question), False
    return waiting, cache.add(_place(collection, waiting.key), waiting, timeout=WAIT_SECONDS)


def as_question(*, policy: Policy, with_closed: bool) -> dict[str, Any]:
    """What is asked, as it travels to a worker: plain values."""
    resolving = {name: getattr(policy, name) for name in Policy.RESOLVING}
    # With the version that it would be: what it changes is another matter once somebody has saved one.
    return {"with_closed": with_closed, "version": policy.version, **resolving}


def find(*, collection: Collection, key: str) -> Answer | None:
    """What is known of a question that was asked in this collection; None where nobody asked, or long ago."""
    return cache.get(_place(collection, key))


def answer(*, collection: Collection, question: Mapping[str, Any]) -> Answer:
    """Count, and keep the answer for whoever asks."""
    with_closed = question["with_closed"]
    policy = Policy(collection=collection, **{name: question[name] for name in Policy.RESOLVING})
    rounds = following.rounds_apart(collection=collection, policy=policy, with_closed=with_closed)
    resolving = {name: question[name] for name in Policy.RESOLVING}
    becomes = {
        old.pk: seating.label_policy(old)._replace(**resolving) for old in Policy.objects.filter(collection=collection)
    }
    with connection.cursor() as cursor:
        cursor.execute(_LABELLED, _asked(collection, with_closed))
        rows = [Labelled(*row) for row in cursor.fetchall()]
    change = policy_changes.change(rows, policies=becomes, positive_from=collection.positive_from)
    found = Answer(_key(question), rounds.count(), change, policy_changes.asks_model(becomes))
    cache.set(_place(collection, found.key), found, timeout=FRESH_SECONDS)
    return found


@transaction.atomic
def save_policy(*, collection: Collection, by: User | None, with_closed: bool = False, **changes: Any) -> Policy:
    """Store a new version with some figures changed, and have rounds follow its rule, tie rule and tolerance.

    Rounds opened from now on run under it. Open rounds, and closed ones if asked, keep all their other figures, in a
    version of their own where those differ. A worker brings what is resolved under them. Raises BadPolicy.
    """
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)  # versions count up: people take turns
    wanted = wanted_policy(collection=collection, by=by, changes=changes)
    apart = following.rounds_apart(collection=collection, policy=wanted, with_closed=with_closed)
    rounds = list(apart.select_related("policy").order_by("pk"))
    versions = {}
    for round_ in rounds:
        own = {**figures(round_.policy), **{name: getattr(wanted, name) for name in Policy.RESOLVING}}
        if own != figures(wanted):
            versions[round_.pk] = change_policy(collection=collection, by=by, **own)
    newest = change_policy(collection=collection, by=by, **figures(wanted))
    for round_ in rounds:
        following.begin_following(round_=round_, policy=versions.get(round_.pk, newest))
        round_to_follow.send(sender=Round, round_id=round_.pk)
    return newest


def follow(*, round_: Round) -> None:
    """Bring what is resolved of a round under its policy; safe to run twice, also at once."""
    job = progress.Job("policy", round_.pk)
    with alone_with(round_) as is_ours:
        round_.refresh_from_db()
        if not is_ours or round_.following_since is None:
            return
        total = round_.round_pairs.filter(pair__resolution__isnull=False).count()
        following.finish_following(round_=round_, told=_counter(job, total))
        progress.forget(job=job)


def behind() -> list[int]:
    """Rounds whose resolutions have yet to follow their policy."""
    return list(Round.objects.filter(following_since__isnull=False).order_by("pk").values_list("pk", flat=True))


def n_behind(*, collection: Collection) -> int:
    """How many rounds of a collection have yet to follow."""
    return Round.objects.filter(collection=collection, following_since__isnull=False).count()


def _counter(job: progress.Job, total: int) -> seating.Told:
    done = 0

    def told(n: int) -> None:
        nonlocal done
        done += n
        progress.advance(job=job, done=done, total=total, unit="pairs")

    return told


def _asked(collection: Collection, with_closed: bool) -> dict[str, Any]:
    return {"collection": collection.pk, "with_closed": with_closed}


def _key(question: Mapping[str, Any]) -> str:
    return sha256(json.dumps(sorted(question.items())).encode()).hexdigest()[:32]


def _place(collection: Collection, key: str) -> str:
    return f"policy:{collection.pk}:{key}"
