"""Schemes in use elsewhere: levels with their words, from which a new scheme begins.

Names and sentences are a start, which a lead may change; grades, threshold and number of levels are
those of the source.
"""

from typing import Any, NamedTuple


class PresetLevel(NamedTuple):
    """A level of a preset; `reasons` is text as annotate.core.levels.level_reasons parses it."""

    grade: int
    name: str
    sentence: str
    reasons: str = ""


class SchemePreset(NamedTuple):
    """A scheme to begin from.

    key : its name in addresses
    levels : best first
    positive_from : the smallest relevant grade
    measurement : how grades are compared when agreement is computed
    """

    key: str
    title: str
    text: str
    levels: tuple[PresetLevel, ...]
    positive_from: int
    measurement: str = "ordinal"

    def rows(self) -> list[dict[str, Any]]:
        """The levels as rows of the table in which they are edited."""
        return [level._asdict() for level in self.levels]

    def collection_fields(self) -> dict[str, Any]:
        """The fields of a collection that belong to its scheme."""
        return {"positive_from": self.positive_from, "measurement": self.measurement}


# Chun et al. 2022 (ECCV Caption), section B.3: the same shortcomings for both middle answers.
_SHORTCOMINGS = (
    "names what is not there, leaves out the main thing, bad grammar; "
    "main thing is wrong: quantity, colour, size, action, position"
)
TWO_LEVELS = SchemePreset(
    key="two",
    title="Two levels",
    text="Relevant or not: the quickest to judge.",
    levels=(
        PresetLevel(1, "Relevant", "It shows what the query says."),
        PresetLevel(0, "Not relevant", "It does not."),
    ),
    positive_from=1,
)
SCHEMES = (
    TWO_LEVELS,
    SchemePreset(
        key="graded",
        title="Graded 0 to 3",
        text="How much of the query is there; relevant from “mostly”. Measures such as nDCG use "
        "the grades.",
        levels=(
            PresetLevel(3, "Exactly", "All that the query says is there."),
            PresetLevel(2, "Mostly", "A small thing is missing or differs."),
            PresetLevel(1, "Somewhat", "The topic is the same, the rest is not."),
            PresetLevel(0, "Not relevant", "It is about something else."),
        ),
        positive_from=2,
    ),
    SchemePreset(
        key="eccv",
        title="Four with reasons",
        text="As ECCV Caption asked: no middle to hide in, and what falls short where it is "
        "partly right.",
        levels=(
            PresetLevel(3, "100 % yes", "The words describe it fully."),
            PresetLevel(2, "Partially yes, but", "They fit, but something is off.", _SHORTCOMINGS),
            PresetLevel(1, "Mostly no, because", "They hardly fit.", _SHORTCOMINGS),
            PresetLevel(0, "100 % no", "They describe something else."),
        ),
        positive_from=2,
    ),
    SchemePreset(
        key="fire",
        title="Every element, or not",
        text="As FIRE asked of videos: relevant only if all that is mentioned can be seen; in "
        "doubt it is not.",
        levels=(
            PresetLevel(
                1,
                "Relevant",
                "Everyone and everything named, how many, where and what they do: all is there.",
            ),
            PresetLevel(0, "Not relevant", "An element is missing, or the words are too vague."),
        ),
        positive_from=1,
    ),
    SchemePreset(
        key="trec",
        title="TREC, 0 to 3",
        text="As TREC's deep learning track judged passages; relevant from “highly”.",
        levels=(
            PresetLevel(3, "Perfectly relevant", "It is about this, and answers it."),
            PresetLevel(2, "Highly relevant", "It answers, with some doubt or other matters."),
            PresetLevel(1, "Related", "It is on the topic, but does not answer."),
            PresetLevel(0, "Irrelevant", "It has nothing to do with it."),
        ),
        positive_from=2,
    ),
)


def scheme_preset(key: str) -> SchemePreset | None:
    """The preset of a name in addresses; None if there is none."""
    return next((preset for preset in SCHEMES if preset.key == key), None)
