"""Hints of the inbox: what is done about a tab's pairs, and what stands there once some wait."""

from typing import NamedTuple

from annotate.services.review.inbox import Tab


class TabHint(NamedTuple):
    """The hints of one tab.

    title, text : said while nothing waits
    advice : said above the pairs that wait
    """

    title: str
    text: str
    advice: str = ""


def saving_hint(tab: Tab | None) -> str:
    """Say what a grade's key does on the page of a pair; tab : the one that the lead came from."""
    return "A key saves at once and shows the next pair." if tab else "A key saves at once."


HINTS = {
    Tab.PEOPLE: TabHint(
        "Nobody has a flag",
        "A person gets a flag for what chance hardly explains: answers in no time, "
        "clips cut short, one level many times in a row, or too few golds right.",
        "A flag accuses nobody: it says where to look. Once you say that it is fine, only answers "
        "from then on can bring it back.",
    ),
    Tab.BATCHES: TabHint(
        "No batch waits",
        "A batch stands here when too few of its golds were right, or when the policy asks you to "
        "look at it: accept it, reject it, or have its pairs asked again.",
    ),
    Tab.DISPUTED: TabHint(
        "Nothing is disputed",
        "A pair stands here when people disagree, all the labels that the policy allows are given, "
        "and its rule still finds no grade. You decide then.",
        "People gave these pairs labels that the policy finds no grade for, and no more labels are "
        "asked. Your grade decides; it never enters agreement.",
    ),
    Tab.ESCALATED: TabHint(
        "Nothing was escalated",
        "A pair stands here when an annotator hands it to you with a note, instead of a label.",
        "Annotators handed these pairs to you. Nobody else gets them until you decide.",
    ),
    Tab.CANNOT: TabHint(
        "Everything can be judged so far",
        "A pair stands here when somebody says that it does not play, is in the wrong language, or "
        "cannot be judged for another reason; with how many people said so.",
        "Annotators could not judge these pairs. After two people a pair leaves the queue; exclude "
        "it, or what is broken of it, or return it.",
    ),
    Tab.GOLDS: TabHint(
        "No gold is in doubt",
        "A gold stands here when most of the people who are right on the other golds answer it on "
        "the other side: then it is rather the gold that is wrong.",
    ),
}
