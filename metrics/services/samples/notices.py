"""The notice of a page whose scores are touched by pairs that a sample did not draw."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.text import capfirst

from annotate.core.phrases import counted
from metrics.services.samples.estimates import EstimateKind
from metrics.services.samples.pools import names_from_facts

_ON_SAMPLES = {
    EstimateKind.UNBIASED: (
        "Estimated without bias, each judged pair standing for those of its stratum that were "
        "not drawn or not judged: {}; an interval holds the chance of the draw too, and an "
        "estimate may pass 100 %."
    ),
    EstimateKind.APPROXIMATE: (
        "Estimated approximately, AP as xinfAP and nDCG as infNDCG: {}; their bias is not known, "
        "so there is no interval, and no runs are told apart; undefined while some query has a "
        "stratum without a label."
    ),
    EstimateKind.NOT_ESTIMABLE: (
        "Marked †, as they count what was not drawn as irrelevant, and are off by an unknown "
        "amount: {}; there is no interval, and no runs are told apart."
    ),
}
_WHERE_ESTIMATED = (
    "P@k and RBP are estimated where all chosen runs were pooled as deep as they look."
)
_OF_REFERENCES = (
    "From a reference that is a sample nothing is estimated here; evaluate infers AP and nDCG "
    "from files."
)


def sample_sentence(samples: Sequence[str], of: str) -> str:
    """Word the warning that values count what samples did not draw as irrelevant.

    samples : of names_of_samples, at least one; of : the values, a noun in the plural
    """
    names = capfirst(", ".join(samples))
    verb, pronoun = ("is a sample", "it") if len(samples) == 1 else ("are samples", "they")
    return f"{names} {verb}: {of} count what {pronoun} did not draw as irrelevant."


def draw_sentence(samples: Sequence[str]) -> str:
    """Word the warning that shares of labelled pairs know nothing of the chances of a draw.

    samples : of names_of_samples, at least one
    """
    verb = "is a sample" if len(samples) == 1 else "are samples"
    return (
        f"{capfirst(', '.join(samples))} {verb}: shares are of labelled pairs alone, each counted "
        "once, whatever its chance to be drawn."
    )


def undrawn_sentences(undrawn: dict[str, Any], kinds: Mapping[str, str], sources: str) -> str:
    """Word the notice about pairs that no sample drew.

    undrawn : the result of UndrawnPairs.facts; kinds : by the measures' names
    sources : the noun for the source items
    """
    n, samples = undrawn["n"], names_from_facts(undrawn)
    if not samples:
        return "This collection has a sample: which scores that touches is being found out."
    names = ", ".join(samples)
    subject = (
        f"{names[0].upper()}{names[1:]} {'is a sample' if len(samples) == 1 else 'are samples'}"
    )
    undrawn_text = f"{subject}: which pairs of these {sources} were not drawn is not known"
    if n is not None:
        undrawn_text = (
            f"{subject}: {counted(n, 'pair')} of these {sources} "
            f"{'were' if n != 1 else 'was'} not drawn"
        )
        if n_waiting := undrawn["n_waiting"]:
            undrawn_text += (
                f", and {n_waiting:,} drawn {'ones have' if n_waiting != 1 else 'one has'} no label"
            )
    of_kind = {
        kind: ", ".join(name for name, measure_kind in kinds.items() if measure_kind == kind)
        for kind in _ON_SAMPLES
    }
    sentences = [text.format(of_kind[kind]) for kind, text in _ON_SAMPLES.items() if of_kind[kind]]
    if of_kind[EstimateKind.NOT_ESTIMABLE]:
        sentences.append(_OF_REFERENCES if undrawn.get("sets") else _WHERE_ESTIMATED)
    if not sentences:
        return f"{undrawn_text}, none of them among the ranks that these measures look at."
    return f"{undrawn_text}. {' '.join(sentences)}"
