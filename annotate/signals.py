"""Signals of annotate to the applications that stand on it; it knows no listener."""

from django.dispatch import Signal

pairs_changed = Signal()
"""Sent after commit with collection_id: labels of some of its pairs changed, see Change."""

items_joined = Signal()
"""Sent within the transaction with collection_id: items were loaded that the collection did not have."""

round_pairs_restored = Signal()
"""Sent within the transaction with round_ids: these rounds have pairs again that a lead had excluded."""

batch_to_reject = Signal()
"""Sent within the transaction with batch_id: too few of its golds are right, and the policy rejects such batches."""

round_to_follow = Signal()
"""Sent within the transaction with round_id: the resolutions of this round are to be updated to its new policy."""

work_requested = Signal()
"""Sent within the transaction with work_id: work for a worker was requested."""
