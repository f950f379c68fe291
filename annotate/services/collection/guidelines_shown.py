"""The newest guidelines, and whether an annotator's last judgment was given under older ones."""

from annotate.models import Annotator, Guidelines, Judgment


def newest_guidelines(*, annotator: Annotator) -> Guidelines | None:
    """Return the newest guidelines of the annotator's collection."""
    return (
        Guidelines.objects.filter(collection=annotator.collection_id).order_by("-version").first()
    )


def judged_under_older(*, annotator: Annotator, guidelines: Guidelines | None) -> bool:
    """True if this person's last judgment was given under older guidelines; False before any."""
    last_guidelines = (
        Judgment.objects.filter(annotator=annotator)
        .order_by("-at")
        .values_list("guidelines", flat=True)
        .first()
    )
    return (
        guidelines is not None and last_guidelines is not None and last_guidelines != guidelines.pk
    )
