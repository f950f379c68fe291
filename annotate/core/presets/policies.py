"""Policies in use elsewhere, from which a policy begins."""

from collections.abc import Mapping
from typing import NamedTuple

Figure = int | str | bool


class PolicyPreset(NamedTuple):
    """A policy to begin from.

    key : its name in addresses
    figures : fields of a policy that it sets; all others stay as they are
    """

    key: str
    title: str
    text: str
    figures: Mapping[str, Figure]


_COMMON: Mapping[str, Figure] = {
    "rule": "majority",
    "tie": "dispute",
    "tolerance": 0,
    "stop_early": False,
}
POLICIES = (
    PolicyPreset(
        key="quick",
        title="Quick",
        text="One label a pair, no golds, no repeats: a first look, without agreement.",
        figures={
            **_COMMON,
            "labels_per_pair": 1,
            "double_percent": 0,
            "ceiling": 1,
            "gold_positives": 0,
            "gold_negatives": 0,
            "gold_action": "none",
            "repeat_percent": 0,
        },
    ),
    PolicyPreset(
        key="solid",
        title="Solid",
        text="As FIRE: 10 % doubled, a third label on disagreement; a known pair of each kind in "
        "every batch.",
        figures={
            **_COMMON,
            "labels_per_pair": 1,
            "double_percent": 10,
            "ceiling": 3,
            "gold_positives": 1,
            "gold_negatives": 1,
            "gold_action": "hold",
        },
    ),
    PolicyPreset(
        key="gold-standard",
        title="Gold standard",
        text="Three labels a pair by three people; what they do not decide, a lead does.",
        figures={
            **_COMMON,
            "labels_per_pair": 3,
            "double_percent": 0,
            "ceiling": 3,
            "gold_positives": 1,
            "gold_negatives": 1,
            "gold_action": "hold",
        },
    ),
)


def policy_preset(key: str) -> PolicyPreset | None:
    """The preset of a name in addresses; None if there is none."""
    return next((preset for preset in POLICIES if preset.key == key), None)
