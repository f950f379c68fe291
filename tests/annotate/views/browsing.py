"""Requests of a browser to the pages of this application, and their answers."""

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.pages import text_of


def page(client: Client, name: str, /, *args: object, status: int = 200) -> str:
    """The text of a page."""
    answer = client.get(reverse(f"annotate:{name}", args=args))
    assert answer.status_code == status, answer.status_code
    return text_of(answer)


def send(
    client: Client, name: str, /, *args: object, status: int = 302, **fields: object
) -> HttpResponse:
    """The answer to a form."""
    answer = client.post(reverse(f"annotate:{name}", args=args), fields)
    assert answer.status_code == status, answer.content.decode()
    return answer


def upload(*lines: str, name: str = "collection.jsonl") -> SimpleUploadedFile:
    """A file of a form."""
    return SimpleUploadedFile(name, "".join(line + "\n" for line in lines).encode())
