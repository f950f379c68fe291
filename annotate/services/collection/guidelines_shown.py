"""The newest guidelines, and whether a person or a page knows older ones."""

from annotate.models import Annotator, Collection, Guidelines, Judgment


class NewerVersion(Exception):
    """Somebody saved guidelines after a page showed older ones; nothing was changed.

    newest : their version
    """

    def __init__(self, newest: int) -> None:
        super().__init__(
            f"Somebody saved version {newest} after this page was loaded: yours was not saved. "
            "Open this page in another tab to see theirs; save again to put yours in its place."
        )
        self.newest = newest


def require_newest(*, collection: Collection, version: int | None) -> None:
    """Lock the collection; raise NewerVersion unless its newest guidelines are of this version.

    version : the one that a page showed; None, of a page that showed none, is not compared
    """
    locked_collection = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    newest = locked_collection.guidelines.latest("version").version
    if version is not None and version != newest:
        raise NewerVersion(newest)


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
