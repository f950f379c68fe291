"""The truth of the demo study, which is known since its scenes were drawn."""

from annotate.models import Collection, ReferenceLabel, User
from annotate.services.collection.references import load_reference
from metrics.services.rehearsal.demo import FOLDER

TRUTH = "truth"  # the name of its reference set
TrueGrades = dict[tuple[int, int], int]


def load_truth(*, collection: Collection, by: User | None = None) -> TrueGrades:
    """Store the truth as a reference set; return its grade of each pair, by query and document.

    A pair that it lacks has grade 0.
    """
    with open(FOLDER / "truth.qrels", "rb") as stream:
        load_reference(
            collection=collection, stream=stream, file_name="truth.qrels", name=TRUTH, by=by
        )
    labels = ReferenceLabel.objects.filter(
        reference_set__collection=collection, reference_set__name=TRUTH
    )
    return {
        (query, document): grade
        for query, document, grade in labels.values_list("query", "document", "grade")
    }
