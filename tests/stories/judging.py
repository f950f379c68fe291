"""The people of a story: they accept an invitation and judge on the judge screen, never by the API.

Who is handed which pair is left to the product; what each says of a pair stands in the campaign.
"""

from urllib.parse import urlsplit
from uuid import uuid4

from django.urls import reverse

from tests.servers.webclient import WebClient
from tests.stories import campaign

PASSWORD = "a long pass phrase for the story"


def join_and_judge(*, base: str, link: str, slug: str, annotator: str) -> int:
    """Accept an invitation and answer every card; returns the number of answers.

    base : the address of the site
    annotator : one of campaign.ANNOTATORS
    """
    return judge(join(base=base, link=link, slug=slug, annotator=annotator), slug, annotator)


def join(*, base: str, link: str, slug: str, annotator: str) -> WebClient:
    """Accept an invitation; returns what the annotator judges with."""
    client = WebClient(base)
    client.submit(
        urlsplit(link).path, {"username": account_name(slug, annotator), "password": PASSWORD}
    )
    client.get(reverse("annotate:judge", args=[slug]))
    return client


def judge(client: WebClient, slug: str, annotator: str) -> int:
    """Answer every card that there is by the requests of the judge screen; returns their number."""
    n_answers, cards = 0, next_cards(client, slug)
    while cards:
        query, document = (
            campaign.item_of_text(cards[0][side]["parts"][0]["text"])
            for side in ("query", "document")
        )
        answer = {
            "hand_out": cards[0]["hand_out"],
            "submission_id": str(uuid4()),
            "grade": campaign.label(annotator, query, document),
            "active_ms": 900,
        }
        reply, _ = client.post(reverse("annotate:judge-answer", args=[slug]), answer)
        assert reply["saved"]
        n_answers += 1
        cards = reply["cards"] or next_cards(client, slug)
    return n_answers


def account_name(slug: str, annotator: str) -> str:
    """The user name of an annotator: the stories share a site."""
    return f"{annotator}-of-{slug}"


def next_cards(client: WebClient, slug: str) -> list[dict]:
    """The cards of the next batch; none where no pair wants a label of hers."""
    reply, _ = client.post(reverse("annotate:judge-next", args=[slug]), {})
    return list(reply["cards"])
