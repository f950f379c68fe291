"""The people of the demo's campaign: names, the quality of their work, and their sentences.

A sentence is drawn without a look at its pair, so it is one that can be said of any.
"""

from typing import NamedTuple

from annotate.models import Report
from metrics.core.labels.simulation import SimulatedAnnotator


class Profile(NamedTuple):
    """A simulated person: share of the batches that she takes, and how well she judges."""

    name: str
    share: float
    quality: SimulatedAnnotator


CARELESS = Profile("Kasper", 0.9, SimulatedAnnotator(0.25, 0.4, 0.7, 5.0))
TOO_FAST = Profile("Lotte", 1.3, SimulatedAnnotator(0.985, 0.99, 0.5, 0.8))
PROFILES = (
    Profile("Amal", 1.3, SimulatedAnnotator(0.97, 0.995, 0.08, 7.5)),
    Profile("Bruno", 1.1, SimulatedAnnotator(0.95, 0.99, 0.10, 6.0)),
    Profile("Chiara", 1.0, SimulatedAnnotator(0.93, 0.99, 0.12, 8.5)),
    Profile("Dmitri", 1.0, SimulatedAnnotator(0.92, 0.98, 0.15, 5.5)),
    Profile("Emeka", 1.2, SimulatedAnnotator(0.90, 0.99, 0.15, 6.5)),
    Profile("Freya", 0.9, SimulatedAnnotator(0.90, 0.975, 0.20, 10.0)),
    Profile("Goro", 0.8, SimulatedAnnotator(0.88, 0.985, 0.18, 7.0)),
    Profile("Hana", 1.1, SimulatedAnnotator(0.94, 0.97, 0.15, 9.0)),
    Profile("Imre", 0.7, SimulatedAnnotator(0.85, 0.97, 0.25, 6.0)),
    Profile("Jelena", 0.6, SimulatedAnnotator(0.82, 0.96, 0.30, 12.0)),
    CARELESS,
    TOO_FAST,
)
COMMENTS = (
    "I had to look twice.",
    "I was between two levels here.",
    "I read the caption three times before I was sure.",
    "An example of this in the guidelines would help.",
    "Somebody else may see it otherwise.",
    "The first look was wrong; this is the second.",
)
NOTES_OF_REPORTS: dict[str, tuple[str, ...]] = {
    Report.Reason.AMBIGUOUS: (
        "The caption can be read in two ways.",
        "I do not know what the caption counts in.",
        "I could defend two levels, as I read it.",
    ),
    Report.Reason.NOT_ENOUGH: (
        "I looked twice and still cannot tell.",
        "From this alone I would be guessing.",
        "I cannot tell it with certainty on my screen.",
    ),
}
NOTES_OF_ESCALATIONS = (
    "Does the caption's wording count to the letter here?",
    "The guidelines do not say what to do with one like this.",
    "I would say 1, but somebody should look at it.",
)
