"""What annotate tells whoever stands on it; it knows no listener."""

from django.dispatch import Signal

pairs_changed = Signal()
"""Sent after commit with collection_id: labels of some of its pairs changed, see Change."""

items_joined = Signal()
"""Sent within the transaction with collection_id: items were loaded that the collection did not have."""

wishes_restored = Signal()
"""Sent within the transaction with round_ids: these rounds want pairs again that a lead had excluded."""

batch_to_reject = Signal()
"""Sent within the transaction with batch_id: too few of its golds are right, and the policy rejects such batches."""

round_to_follow = Signal()
"""Sent within the transaction with round_id: what is resolved of this round is to be brought under its new policy."""

work_asked = Signal()
"""Sent within the transaction with work_id: somebody asked for work that a worker does."""
