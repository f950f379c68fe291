"""Rules beside the bars of runs: one over what shares a letter, so what does not differ."""

from collections.abc import Sequence
from typing import NamedTuple

from metrics.charts.charts import Spec, tooltip_row

ROOM = 66  # pixels for rules at the right of the bars
ARROW_LANE = 16  # pixels for the arrows before them
CHARACTER = 6.5  # pixels
LANE = 8  # pixels from one to the next


class LetterRule(NamedTuple):
    """A letter, the places of its two or more runs (0 for the best), and the number of its lane."""

    letter: str
    places: list[int]
    lane: int

    def span(self, labels: Sequence[str]) -> dict[str, str | int]:
        """The letter, its first and last run by these labels, and how many runs have it."""
        first, last = labels[self.places[0]], labels[self.places[-1]]
        return {"letter": self.letter, "first": first, "last": last, "n": len(self.places)}


class LetterRules(NamedTuple):
    """The rules that find room, by their first run, of n_letters letters that runs share.

    most_letters : of a run, that find room in words
    """

    rules: list[LetterRule]
    n_letters: int
    most_letters: int

    @property
    def note(self) -> str:
        """A sentence on letters without a rule; "" where each has one."""
        n_left = self.n_letters - len(self.rules)
        if not n_left:
            return ""
        return (
            f"Chart: {n_left:,} of {self.n_letters:,} letters that runs share "
            f"{'has' if n_left == 1 else 'have'} no rule, for want of room; "
            "the table has all letters."
        )


def letter_rules(letters: Sequence[Sequence[str]]) -> LetterRules:
    """Give each letter the first lane that is free from its first to its last run.

    letters : of each run, best first. A letter that finds all lanes taken gets no rule, nor does
        one of a single run
    """
    places: dict[str, list[int]] = {}
    for position, run_letters in enumerate(letters):
        for letter in run_letters:
            places.setdefault(letter, []).append(position)
    most_letters = 2 if any(len(letter) > 1 for letter in places) else 4
    of_several = [letter for letter in places if len(places[letter]) > 1]
    ends: list[int] = []  # of each lane the place of its last run so far
    rules = []
    for letter in sorted(of_several, key=lambda letter: (places[letter][0], len(letter), letter)):
        first, last = places[letter][0], places[letter][-1]
        lane = next((lane for lane, end in enumerate(ends) if end < first), len(ends))
        if lane == len(ends):
            if (lane + 1) * LANE > ROOM:
                continue
            ends.append(last)
        ends[lane] = last
        rules.append(LetterRule(letter, places[letter], lane))
    return LetterRules(rules, len(of_several), most_letters)


def rule_layers(
    rules: LetterRules, labels: Sequence[str], *, at: float, are_wide: bool
) -> list[Spec]:
    """A thin rule for each letter from its first to its last run, with a dot at each.

    labels : of the runs, as on the axis; at : pixels from the bars to the first rule
    are_wide : rows have room for larger dots
    """
    domain = {"domain": list(labels)}
    tooltip = [tooltip_row("letter", "Do not differ: letter"), tooltip_row("n", "Runs", "d")]
    layers: list[Spec] = []
    dot: Spec = {"type": "point", "shape": "circle", "size": 16 if are_wide else 6}
    for lane in sorted({rule.lane for rule in rules.rules}):
        in_lane = [rule for rule in rules.rules if rule.lane == lane]
        dots = [
            {"letter": rule.letter, "run": labels[position], "n": len(rule.places)}
            for rule in in_lane
            for position in rule.places
        ]
        at_right: Spec = {"x": {"value": "width"}, "tooltip": tooltip}
        first: Spec = {"field": "first", "type": "nominal", "scale": domain}
        style: Spec = {"xOffset": at + lane * LANE, "color": "@ink", "opacity": 1}
        layers += [
            {
                "data": {"values": [rule.span(labels) for rule in in_lane]},
                "mark": {"type": "rule", "strokeWidth": 1, **style},
                "encoding": {"y": first, "y2": {"field": "last"}, **at_right},
            },
            {
                "data": {"values": dots},
                "mark": {**dot, **style},
                "encoding": {"y": first | {"field": "run"}, **at_right},
            },
        ]
    return layers
