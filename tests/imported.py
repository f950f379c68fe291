"""Judgments that are imported at once, as a worker would."""

from typing import Any

from annotate.services import importing
from annotate.services.importing import JudgmentsReport
from annotate.services.seating import note_changes


def import_judgments(**options: Any) -> JudgmentsReport:
    """Store a file's labels, and resolve their pairs; see importing.store_judgments."""
    report = importing.store_judgments(**options)
    if report.stored:
        collection, (first, last) = options["collection"], report.stored
        pairs = importing.pairs_of(collection=collection, first=first, last=last)
        importing.resolve_judgments(pairs=pairs, stored=lambda pair: None)
        note_changes(collection_id=collection.pk, pair_ids=pairs.tolist())
    return report
