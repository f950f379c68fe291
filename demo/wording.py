"""English texts of captions and scenes."""

from random import Random

from demo.world import Scene, SceneCaption, ShapeGroup

NUMBER_WORDS = {1: "a", 2: "two", 3: "three", 4: "four"}
VERBS = {  # motion: (one shape does, several do)
    "right": ("moves to the right", "move to the right"),
    "left": ("moves to the left", "move to the left"),
    "up": ("rises", "rise"),
    "down": ("sinks", "sink"),
    "bounce": ("bounces", "bounce"),
    "grow": ("grows", "grow"),
    "shrink": ("shrinks", "shrink"),
    "blink": ("blinks", "blink"),
}
GROUNDS = (
    "pale paper",
    "a light background",
    "a soft grey sheet",
    "a plain cream card",
    "an empty page",
)
PLACES = {"left of": "to the left of", "above": "above", "inside": "inside"}


def caption_text(caption: SceneCaption) -> str:
    """The caption in words: "two small blue squares", "a green triangle left of a yellow star"."""
    first, *further_groups = caption.groups
    words = noun_phrase(first)
    if caption.motion:
        words += " " + VERBS[caption.motion][first.number > 1]
    if further_groups:
        joint = caption.relation or ("beside" if caption.motion else "and")
        words += f" {joint} {noun_phrase(further_groups[0])}"
    return words


def noun_phrase(group: ShapeGroup) -> str:
    """The group in words: "a red circle", "two small squares", "three green shapes"."""
    noun = group.kind or "shape"
    if group.number > 1:
        noun += "s"
    return " ".join(
        word for word in (NUMBER_WORDS[group.number], group.size, group.colour, noun) if word
    )


def describe(scene: Scene, rng: Random) -> str:
    """Describe a still scene completely, in two sentences."""
    first, *further_groups = scene.groups
    subject, ground = noun_phrase(first), rng.choice(GROUNDS)
    lie = "lie" if first.number > 1 else "lies"
    if not further_groups:
        ending = rng.choice(
            ("Nothing else is to be seen.", "There is nothing else.", "The rest is empty.")
        )
        return f"On {ground} there {'are' if first.number > 1 else 'is'} {subject}. {ending}"
    ending = rng.choice(("Nothing moves.", "All is still.", "The rest is empty."))
    return (
        f"On {ground}, {subject} {lie} {PLACES[scene.relation or 'above']} "
        f"{noun_phrase(further_groups[0])}. {ending}"
    )
