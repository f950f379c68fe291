"""The end of a batch, for its annotator: her own figures, and what is left for her."""

from statistics import median
from typing import NamedTuple

from annotate.core.phrases import counted
from annotate.models import Annotator, Batch, Judgment
from annotate.services.pages.pairs_left import PairsLeft, pairs_left, two_digits


class BatchEnd(NamedTuple):
    """Figures of a finished batch; golds and candidates are counted alike.

    seconds : active ones a label, the median; None where none was timed
    pairs : those that can still come to her
    """

    n_labels: int
    seconds: float | None
    pairs: PairsLeft

    @property
    def work(self) -> str:
        """The labels of the batch."""
        return f"{counted(self.n_labels, 'label')} in this batch."

    @property
    def pace(self) -> str:
        """The seconds of a label in two digits, minutes from a hundred on; nothing if untimed."""
        if not self.seconds:
            return ""
        if self.seconds >= 99.5:
            time = f"{two_digits(self.seconds / 60):g} minutes"
        else:
            time = f"{two_digits(self.seconds):g} seconds"
        return f"A label took {time} in the median."

    @property
    def outlook(self) -> str:
        """The pairs that are left; nothing where none is."""
        if not self.pairs.n:
            return ""
        return f"{self.pairs.text} {'is' if self.pairs.n == 1 else 'are'} left for you."

    @property
    def text(self) -> str:
        """All of it; the pace is last, as small screens cut what has no room."""
        return " ".join(filter(None, [self.work, self.outlook, self.pace]))


def batch_end(*, annotator: Annotator) -> BatchEnd:
    """Return the figures of the person's newest batch, which is finished."""
    batch = Batch.objects.filter(annotator=annotator, training_try=None).latest("number")
    labels = Judgment.objects.current().filter(hand_out__batch=batch)
    times = [ms for ms in labels.values_list("active_ms", flat=True) if ms]
    return BatchEnd(
        n_labels=labels.count(),
        seconds=median(times) / 1000 if times else None,
        pairs=pairs_left(annotators=[annotator])[annotator.pk],
    )
