"""What annotators have been told: which guidelines are the newest, and whether a person judged under older ones."""

from annotate.models import Annotator, Guidelines, Judgment


def newest_guidelines(*, annotator: Annotator) -> Guidelines | None:
    """What the annotators of this collection are told now."""
    return Guidelines.objects.filter(collection=annotator.collection_id).order_by("-version").first()


def judged_under_older(*, annotator: Annotator, guidelines: Guidelines | None) -> bool:
    """Whether this person's last judgment was given under older guidelines than these: she is to hear of them.

    False for who has not judged yet: to her they are no change.
    """
    last = Judgment.objects.filter(annotator=annotator).order_by("-at").values_list("guidelines", flat=True).first()
    return guidelines is not None and last is not None and last != guidelines.pk
