"""The text of pages, wherever their templates break lines."""

from django.http import HttpResponse


def text_of(answer: HttpResponse) -> str:
    """The answer's page with its white space as browsers see it."""
    return " ".join(answer.content.decode().split())
