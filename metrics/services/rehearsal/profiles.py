"""The people of the demo's campaign: names, the quality of their work, and their sentences."""

from typing import NamedTuple

from metrics.core.labels.simulation import SimulatedAnnotator


class Profile(NamedTuple):
    """A simulated person: share of the batches that she takes, and how well she judges."""

    name: str
    share: float
    quality: SimulatedAnnotator


CARELESS = Profile("Kasper", 0.9, SimulatedAnnotator(0.55, 0.72, 0.7, 5.0))
TOO_FAST = Profile("Lotte", 1.3, SimulatedAnnotator(0.8, 0.94, 0.5, 0.8))
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
    "The shape is there, but I had to look twice for the colour.",
    "Is light blue still blue?",
    "Two of them overlap; I counted both.",
    "The clip blinks, so I went by its bright half.",
    "Hard to say where the middle ends.",
    "The caption says so little that nearly everything fits.",
)
NOTES_OF_REPORTS = (
    "I cannot tell orange from red here.",
    "The caption can be read in two ways.",
    "The shapes hide each other.",
)
NOTES_OF_ESCALATIONS = (
    "Does a small star count as a star in this study?",
    "The guidelines do not say what to do with shapes that are cut off.",
    "I would say 1, but somebody should look at it.",
)
