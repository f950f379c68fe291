"""Change of the marks that alpha of a collection's labels is held to."""

from annotate.core.labels.alpha_marks import AlphaMarks
from annotate.models import Collection


def change_alpha_marks(*, collection: Collection, marks: AlphaMarks) -> None:
    """Set the marks; numbers stay, and what is said of them follows."""
    Collection.objects.filter(pk=collection.pk).update(
        tentative_alpha=marks.tentative, firm_alpha=marks.firm
    )
