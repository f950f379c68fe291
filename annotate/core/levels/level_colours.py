"""The colours of the levels of a scheme: one level has one colour wherever it is drawn."""

from collections.abc import Mapping

# names in static/css/tokens.css: positives take the first ones, the others the last ones
PALETTE = ("green", "teal", "blue", "violet", "red", "amber", "slate")


def level_colours(own_colours: Mapping[int, str], *, positive_from: int) -> dict[int, str]:
    """Return the colour of each grade: its own, else by its place among the grades.

    Positive grades, the largest first, take what is free from the first colour on; the others, the
    smallest first, from the last one back. So no two of up to seven have one colour but where
    somebody set it.

    own_colours : the colour that was set for each grade of the scheme, or ""
    """
    free_colours = [colour for colour in PALETTE if colour not in own_colours.values()] or PALETTE
    bare_grades = sorted(grade for grade, colour in own_colours.items() if not colour)
    positives = [grade for grade in reversed(bare_grades) if grade >= positive_from]
    negatives = [grade for grade in bare_grades if grade < positive_from]
    n = len(free_colours)
    return {
        **own_colours,
        **{grade: free_colours[position % n] for position, grade in enumerate(positives)},
        **{grade: free_colours[-1 - position % n] for position, grade in enumerate(negatives)},
    }
