"""The end of a batch, for its annotator: her own figures, and what is left for her."""

import math
from statistics import median
from typing import NamedTuple

from annotate.core.phrases import counted
from annotate.models import Annotator, Batch, Judgment, Seat
from annotate.services.judging.work_availability import ReachablePairs, reachable_pairs


class BatchEnd(NamedTuple):
    """Figures of a finished batch; golds and candidates are counted alike.

    seconds : active ones a label, the median; None where none was timed
    n_left : pairs that can still come to her, checks among them; is_least : and there are more
    """

    n_labels: int
    seconds: float | None
    n_left: int
    is_least: bool

    @property
    def work(self) -> str:
        """The labels of the batch and the pace."""
        labels = f"{counted(self.n_labels, 'label')} in this batch"
        return f"{labels}, {self.pace} each in the median." if self.seconds else f"{labels}."

    @property
    def pace(self) -> str:
        """The seconds of a label in two digits; minutes from a hundred seconds on."""
        seconds = self.seconds or 0.0
        if seconds >= 99.5:
            return f"{two_digits(seconds / 60):g} minutes"
        return f"{two_digits(seconds):g} seconds"

    @property
    def outlook(self) -> str:
        """The pairs that are left; nothing where none is."""
        if not self.n_left:
            return ""
        if self.is_least:  # never more than there are
            step = 10 ** max(0, len(str(self.n_left)) - 2)
            return f"At least {counted(self.n_left // step * step, 'pair')} are left for you."
        pairs = counted(int(two_digits(self.n_left)), "pair")
        return f"About {pairs} {'is' if self.n_left == 1 else 'are'} left for you."

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.work} {self.outlook}".strip()


def two_digits(number: float) -> float:
    """Return a positive number, rounded to its first two digits."""
    return round(number, 1 - math.floor(math.log10(number)))


def batch_end(*, annotator: Annotator) -> BatchEnd:
    """Return the figures of the person's newest batch, which is finished."""
    batch = Batch.objects.filter(annotator=annotator, training_try=None).latest("number")
    labels = Judgment.objects.current().filter(hand_out__batch=batch)
    times = [ms for ms in labels.values_list("active_ms", flat=True) if ms]
    pairs = reachable_pairs(annotators=[annotator])[annotator.pk]
    return BatchEnd(
        n_labels=labels.count(),
        seconds=median(times) / 1000 if times else None,
        n_left=_with_checks(batch, pairs),
        is_least=pairs.is_least,
    )


def _with_checks(batch: Batch, pairs: ReachablePairs) -> int:
    """Return how many pairs she will see, with as many checks among them as in this batch.

    Were candidates counted alone, the number would fall by fewer than she judged, and tell how many
    of a batch are checks.
    """
    n_candidates = batch.hand_outs.filter(seat__purpose=Seat.Purpose.LABEL).count()
    share = batch.hand_outs.count() / n_candidates if n_candidates else 1
    return math.ceil(pairs.n * share)
