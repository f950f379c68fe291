"""Signals of annotate to the applications that stand on it; it knows no listener."""

from django.dispatch import Signal

pairs_changed = Signal()
"""Sent after commit with collection_id: labels of some of its pairs changed, see Change."""

items_joined = Signal()
"""Sent within the transaction with collection_id: new items of the collection were loaded."""

round_pairs_restored = Signal()
"""Sent within the transaction with round_ids: they have pairs again that a lead had excluded."""

duplicates_changed = Signal()
"""Sent within the transaction with collection_id: other items of it repeat others than before."""

batch_to_reject = Signal()
"""Sent within the transaction with batch_id: the policy rejects it for its wrong golds."""

round_to_follow = Signal()
"""Sent within the transaction with round_id: its resolutions are to follow its new policy."""

deletion_requested = Signal()
"""Sent with collection_id, by_id and expected (items that were told): a lead wants it deleted."""

work_requested = Signal()
"""Sent within the transaction with work_id: work for a worker was requested."""

value_requested = Signal()
"""Sent with a kept.Inquiry: its value is to be computed by a worker."""

deliveries_waiting = Signal()
"""Sent within the transaction with hook_id: a webhook has something to be sent."""
