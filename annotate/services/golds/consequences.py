"""The consequences of retiring a gold and of bringing it back."""

from annotate.core.consequences import Consequences
from annotate.core.phrases import counted
from annotate.models import Gold


def retirement_consequences(*, gold: Gold, n: int, n_wrong: int) -> Consequences:
    """Return the consequences of handing a gold out no more.

    n : people's answers to it; n_wrong : those on the other side
    """
    answers = counted(n, "answer")
    return Consequences(
        act="retire",
        title="Retire",
        subject=items_of(gold),
        button=f"Retire, with {answers}" if n else "Retire",
        sentences=(
            "Nobody is handed it any more.",
            f"{answers} to it, {n_wrong:,} of them wrong, would count neither for nor against "
            "anybody; what batches were checked by before stands."
            if n
            else "Nobody has answered it.",
        ),
        way_back="It can be brought back here: answers to it then count again.",
        n=n,
        may_have_reason=True,
        is_danger=False,
    )


def restoration_consequences(*, gold: Gold) -> Consequences:
    """Return the consequences of handing a retired gold out again."""
    return Consequences(
        act="restore",
        title="Bring back",
        subject=items_of(gold),
        button="Bring back",
        sentences=("It is handed out again, and answers to it count again.",),
        way_back="It can be retired here at any time.",
        may_have_reason=True,
        is_danger=False,
    )


def items_of(gold: Gold) -> str:
    """Return the ids of a gold's two items."""
    return f"{gold.pair.query.external_id} and {gold.pair.document.external_id}"
