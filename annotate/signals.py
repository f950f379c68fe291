"""What annotate tells whoever stands on it; it knows no listener."""

from django.dispatch import Signal

pairs_changed = Signal()
"""Sent after commit with collection_id: labels of some of its pairs changed, see Change."""
