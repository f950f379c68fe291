"""Policy changes: previewed, saved as a version, and followed by rounds in the background."""

import json
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from django.db import connection, transaction

from annotate.core.labels import policy_changes
from annotate.core.labels.policy_changes import LabelledPairGroup, PolicyEffect, ResolutionChange
from annotate.core.phrases import counted
from annotate.models import Collection, Kept, Policy, Round, User
from annotate.services import seating
from annotate.services.background import kept, progress
from annotate.services.background.kept import Computed, Inquiry
from annotate.services.background.workers import try_lock
from annotate.services.collection.collections import change_policy, figures, next_policy
from annotate.services.seating import round_policies
from annotate.signals import round_to_follow
from annotate.statements import text_list

SYNCHRONOUS_ROWS = 20_000  # resolutions that are examined within the request
PREVIEW = "policy-preview"
FRESH_FOR = timedelta(seconds=120)  # labels go on coming: an old preview is of no use
WAIT = timedelta(seconds=600)
PREVIEWS_KEPT = 50
N_LISTED = 12  # kinds of change that a page lists

# The pairs that another rule may change: their labels differ, or a model decided. Only groups leave
# the database; left out are pairs of one label, of equal labels, and what a lead decides. Rounds
# are looked up pair by pair (EXISTS would read the pairs of every round, however few may change).
_MAY_CHANGE = f"""
    FROM annotate_resolution resolution
    JOIN annotate_policy policy ON policy.id = resolution.policy_id
    WHERE resolution.collection_id = %(collection)s
      AND (resolution.status NOT IN ('single', 'agreed', 'adjudicated', 'escalated')
           OR (resolution.status = 'agreed' AND policy.tolerance > 0))
      AND (%(with_closed)s OR (
          SELECT true FROM annotate_roundpair round_pair
          JOIN annotate_round round ON round.id = round_pair.round_id
          WHERE round_pair.pair_id = resolution.pair_id AND round.kind = 'pool'
            AND round.state IN {text_list(Round.WANTING)}
          LIMIT 1))
"""  # noqa: S608 - own text
_LABELLED = f"""
    SELECT counting.grades, affected.status, affected.grade, affected.policy_id, count(*)
    FROM (SELECT resolution.* {_MAY_CHANGE}) affected
    CROSS JOIN LATERAL (
        SELECT array_agg(label.grade ORDER BY label.grade) AS grades
        FROM annotate_countingjudgment label
        WHERE label.pair_id = affected.pair_id AND label.is_label) counting
    WHERE counting.grades IS NOT NULL
    GROUP BY 1, 2, 3, 4
"""  # noqa: S608 - own text
_N_AFFECTED = f"""
    SELECT count(*) FROM (SELECT 1 {_MAY_CHANGE} LIMIT %(limit)s) affected
"""  # noqa: S608 - own text


class PreviewUnseen(Exception):
    """Rounds would follow the policy, and nobody has seen its effect; nothing was stored."""

    def __init__(self, *, policy: Policy, with_closed: bool, n_rounds: int) -> None:
        plural = "" if n_rounds == 1 else "s"
        super().__init__(
            f"{n_rounds:,} pool{plural} or import{plural} would follow this policy: look at its "
            "preview before you save it."
        )
        self.policy, self.with_closed = policy, with_closed

    def preview(self) -> "PolicyPreview":
        """The preview of the policy, which a worker may have to count."""
        return preview_change(policy=self.policy, with_closed=self.with_closed)


class PolicyChanged(Exception):
    """The policy is another one than the one that was to be taken back; nothing was stored."""


class PolicyPreview(NamedTuple):
    """The effect of a proposed policy; without one yet while a worker counts.

    n_rounds : rounds that would follow it; asks_model : whether a model's grades, unknown so far,
        come on top; with_closed : whether closed pools and imports would follow
    """

    key: str
    n_rounds: int
    change: PolicyEffect | None = None
    asks_model: bool = False
    with_closed: bool = False

    @property
    def is_waiting(self) -> bool:
        """True if a worker is counting."""
        return self.change is None

    @property
    def effect(self) -> str:
        """The number of pairs that would change, in a sentence without its stop."""
        return f"{counted(self.change.n_pairs if self.change else 0, 'pair')} would change"

    @property
    def draft_sentence(self) -> str:
        """The number of pairs that would change, while figures are being typed."""
        if self.change is None:
            return "How many pairs would change is counted before you save."
        if not self.n_rounds:
            return "No pair that is judged would change."
        return f"{self.effect}."

    @property
    def button(self) -> str:
        """The words that apply it, with the number."""
        return f"Apply: {self.effect}"

    @property
    def sentence(self) -> str:
        """The change of the rounds that follow, in words."""
        if self.change is None:
            return ""
        plural, verb = ("", "follows") if self.n_rounds == 1 else ("s", "follow")
        return (
            f"In {self.n_rounds} pool{plural} or import{plural} that {verb}: "
            f"{self.change.n_to_relevant:,} become relevant, {self.change.n_to_irrelevant:,} "
            f"become not relevant, {self.change.n_settled:,} without a grade get one, "
            f"{self.change.n_disputed:,} lose theirs until another label or a lead decides."
        )

    @property
    def way_back(self) -> str:
        """The way to take the change back, or what is lost where there is none."""
        if self.with_closed:
            return (
                "This cannot be taken back at once: closed pools and imports may each have a rule "
                "of their own, which this one replaces."
            )
        return (
            "It can be taken back here: the figures of now, saved again for the same pools, bring "
            "the grades back."
        )

    @property
    def largest_changes(self) -> list[policy_changes.ResolutionChange]:
        """The largest kinds of change."""
        return self.change.resolution_changes[:N_LISTED] if self.change else []


def preview_change(*, policy: Policy, with_closed: bool) -> PolicyPreview:
    """Preview saving a policy: at once if few pairs are affected, else by a worker."""
    preview = preview_at_once(policy=policy, with_closed=with_closed)
    if preview.is_waiting:
        kept.look(inquiry=inquiry_of(policy=policy, with_closed=with_closed))
    return preview


def preview_at_once(*, policy: Policy, with_closed: bool) -> PolicyPreview:
    """Preview saving a policy; one that waits if too many pairs are affected to count now."""
    collection = policy.collection
    inquiry = inquiry_of(policy=policy, with_closed=with_closed)
    rounds = round_policies.differing_rounds(
        collection=collection, policy=policy, with_closed=with_closed
    )
    preview = PolicyPreview(inquiry.key, rounds.count(), with_closed=with_closed)
    if not preview.n_rounds:
        effect = policy_changes.policy_effect([], policies={}, positive_from=0)
        return preview._replace(change=effect)
    if (row := kept.find_fresh(inquiry=inquiry)) is not None:
        return _preview(row)
    limit = {"limit": SYNCHRONOUS_ROWS + 1}
    with connection.cursor() as cursor:
        # the resolutions to examine, counted no further than it matters
        cursor.execute(_N_AFFECTED, _parameters(collection, with_closed) | limit)
        (n_affected,) = cursor.fetchone()
    if n_affected > SYNCHRONOUS_ROWS:
        return preview
    return PolicyPreview(inquiry.key, *_count(inquiry), with_closed)


def inquiry_of(*, policy: Policy, with_closed: bool) -> Inquiry:
    """The inquiry whose value is the effect of a proposed policy."""
    resolving_fields = {name: getattr(policy, name) for name in Policy.RESOLVING}
    # With the version it would get: its effect is another one once somebody has saved a policy.
    fields = {"with_closed": with_closed, "version": policy.version, **resolving_fields}
    key = sha256(json.dumps(sorted(fields.items())).encode()).hexdigest()[:32]
    return Inquiry(policy.collection, PREVIEW, key, fields)


def job_of(*, collection: Collection, key: str) -> progress.Job:
    """The background job that counts a preview."""
    return Inquiry(collection, PREVIEW, key).job


def find_preview(*, collection: Collection, key: str) -> PolicyPreview | None:
    """Return a preview that was asked for in this collection; None if it is too old."""
    inquiry = Inquiry(collection, PREVIEW, key)
    if (row := kept.find_fresh(inquiry=inquiry)) is not None:
        return _preview(row)
    return PolicyPreview(key, 0) if kept.is_requested(inquiry=inquiry) else None


@kept.keeps(
    PREVIEW, fresh_for=FRESH_FOR, request_lasts=WAIT, drop_after=WAIT, at_most=PREVIEWS_KEPT
)
def compute_preview(inquiry: Inquiry, row: Kept | None) -> Computed:
    """Count the effect of a proposed policy."""
    n_rounds, effect, asks_model = _count(inquiry)
    return Computed([n_rounds, effect._asdict(), asks_model])


def _preview(row: Kept) -> PolicyPreview:
    n_rounds, effect, asks_model = row.value
    changes = [ResolutionChange(*columns) for columns in effect["resolution_changes"]]
    change = PolicyEffect(**{**effect, "resolution_changes": changes})
    with_closed = row.parameters["with_closed"]
    return PolicyPreview(row.key, n_rounds, change, asks_model, with_closed)


def _count(inquiry: Inquiry) -> tuple[int, PolicyEffect, bool]:
    """The rounds that would follow a policy, its effect, and whether it asks for a model."""
    collection, with_closed = inquiry.collection, inquiry.parameters["with_closed"]
    resolving_fields = {name: inquiry.parameters[name] for name in Policy.RESOLVING}
    rounds = round_policies.differing_rounds(
        collection=collection,
        policy=Policy(collection=collection, **resolving_fields),
        with_closed=with_closed,
    )
    new_policies = {
        earlier_policy.pk: seating.label_policy(earlier_policy)._replace(**resolving_fields)
        for earlier_policy in Policy.objects.filter(collection=collection)
    }
    with connection.cursor() as cursor:
        cursor.execute(_LABELLED, _parameters(collection, with_closed))
        rows = [LabelledPairGroup(*columns) for columns in cursor.fetchall()]
    effect = policy_changes.policy_effect(
        rows, policies=new_policies, positive_from=collection.positive_from
    )
    return rounds.count(), effect, policy_changes.asks_model(new_policies)


def save_previewed_policy(
    *,
    collection: Collection,
    by: User | None,
    changes: Mapping[str, Any],
    with_closed: bool,
    preview_key: str,
) -> Policy:
    """Store a new version as save_policy, whose effect was seen where rounds follow it.

    preview_key : of the preview that was seen. Raises BadPolicy, PreviewUnseen.
    """
    draft = next_policy(collection=collection, by=by, changes=changes)
    n_rounds = round_policies.differing_rounds(
        collection=collection, policy=draft, with_closed=with_closed
    ).count()
    if n_rounds and preview_key != inquiry_of(policy=draft, with_closed=with_closed).key:
        raise PreviewUnseen(policy=draft, with_closed=with_closed, n_rounds=n_rounds)
    return save_policy(collection=collection, by=by, with_closed=with_closed, **changes)


def undo_version(*, earlier: Policy, policy: Policy, with_closed: bool) -> int | None:
    """Return the version whose figures take a change of the policy back; None if none does.

    Where closed rounds followed too, each may have had a rule of its own before.
    """
    is_unchanged = earlier.version == policy.version
    return None if with_closed or is_unchanged else earlier.version


@transaction.atomic
def take_back(*, collection: Collection, by: User | None, version: int, back_to: int) -> Policy:
    """Store the figures of an earlier version as a new one, if `version` is still the newest.

    Raises PolicyChanged.
    """
    # versions count up: people take turns
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    earlier = collection.policies.filter(version=back_to).first()
    if earlier is None or collection.policies.latest("version").version != version:
        raise PolicyChanged("The policy was changed since, so nothing was taken back.")
    return save_policy(collection=collection, by=by, **figures(earlier))


@transaction.atomic
def save_policy(
    *, collection: Collection, by: User | None, with_closed: bool = False, **changes: Any
) -> Policy:
    """Store a new version with some figures changed; rounds follow its rule, tie and tolerance.

    Rounds opened from now on run under it. Open rounds, and closed ones if asked, keep all their
    other figures, in a version of their own where those differ. A worker resolves their pairs anew.
    Raises BadPolicy.
    """
    # versions count up: people take turns
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    next_version = next_policy(collection=collection, by=by, changes=changes)
    differing_rounds = round_policies.differing_rounds(
        collection=collection, policy=next_version, with_closed=with_closed
    )
    rounds = list(differing_rounds.select_related("policy").order_by("pk"))
    versions = {}
    for round_ in rounds:
        own_figures = {
            **figures(round_.policy),
            **{name: getattr(next_version, name) for name in Policy.RESOLVING},
        }
        if own_figures != figures(next_version):
            versions[round_.pk] = change_policy(collection=collection, by=by, **own_figures)
    newest = change_policy(collection=collection, by=by, **figures(next_version))
    for round_ in rounds:
        round_policies.begin_following(round_=round_, policy=versions.get(round_.pk, newest))
        round_to_follow.send(sender=Round, round_id=round_.pk)
    return newest


def follow(*, round_: Round) -> None:
    """Resolve a round's labelled pairs by its policy; safe to run twice, also at once."""
    job = progress.Job("policy", round_.pk)
    with try_lock(round_) as is_ours:
        round_.refresh_from_db()
        if not is_ours or round_.following_since is None:
            return
        total = round_.round_pairs.filter(pair__resolution__isnull=False).count()
        round_policies.finish_following(round_=round_, on_rows=_progress_counter(job, total))
        progress.forget(job=job)


def rounds_behind() -> list[int]:
    """Return the keys of rounds whose resolutions have yet to follow their policy."""
    return list(
        Round.objects.filter(following_since__isnull=False)
        .order_by("pk")
        .values_list("pk", flat=True)
    )


def n_behind(*, collection: Collection) -> int:
    """Return the number of a collection's rounds that have yet to follow their policy."""
    return Round.objects.filter(collection=collection, following_since__isnull=False).count()


def _progress_counter(job: progress.Job, total: int) -> seating.RowsCallback:
    n_done = 0

    def count_rows(n_rows: int) -> None:
        nonlocal n_done
        n_done += n_rows
        progress.advance(job=job, n_done=n_done, total=total, unit="pairs")

    return count_rows


def _parameters(collection: Collection, with_closed: bool) -> dict[str, Any]:
    return {"collection": collection.pk, "with_closed": with_closed}
