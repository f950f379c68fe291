"""The meaning of a policy's figures before they are saved."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from annotate.models import Collection, Policy, User
from annotate.services.collection.collections import next_policy
from annotate.services.policy import policies
from annotate.services.policy.costs import policy_cost
from annotate.services.policy.policy_sentences import policy_sentences


class PolicyDraft(NamedTuple):
    """A policy in words: rules, price, effect on judged pairs ("" where it is saved)."""

    sentences: list[str]
    cost: str
    effect: str = ""


def in_words(policy: Policy) -> PolicyDraft:
    """The words of a policy that is saved."""
    return PolicyDraft(policy_sentences(policy), policy_cost(policy).sentence)


def draft(
    *, collection: Collection, by: User | None, changes: Mapping[str, Any], with_closed: bool
) -> PolicyDraft:
    """The words of a policy with some figures changed; nothing is stored. Raises BadPolicy."""
    policy = next_policy(collection=collection, by=by, changes=changes)
    preview = policies.preview_at_once(policy=policy, with_closed=with_closed)
    return in_words(policy)._replace(effect=preview.draft_sentence)
