"""Imports of judgments, performed at once as a worker would."""

from typing import Any

from annotate.services.imports import judgments as judgment_import
from annotate.services.imports.judgments import JudgmentsReport
from annotate.services.seating import note_changes


def import_judgments(**options: Any) -> JudgmentsReport:
    """Store a file's labels, and resolve their pairs; see imports.judgments.store_judgments."""
    report = judgment_import.store_judgments(**options)
    if report.stored_keys:
        collection, (first, last) = options["collection"], report.stored_keys
        pairs = judgment_import.pairs_of(collection=collection, first_key=first, last_key=last)
        judgment_import.resolve_judgments(pairs=pairs, on_resolved=lambda pair: None)
        note_changes(collection_id=collection.pk, pair_ids=pairs.tolist())
    return report
