"""Files of labels and numbers, asked for on the page, made as a worker does, and fetched."""

from django.test import Client
from django.urls import reverse

from annotate.models import Collection
from tests.works import perform_work


def downloaded(client: Client, collection: Collection, kind: str, **fields: object) -> str:
    """The content of a file that the signed-in person asks for."""
    page = reverse("metrics:downloads", args=[collection.slug])
    answer = client.post(f"{page}new/{kind}/", fields)
    assert answer.status_code == 302, answer.content
    download = perform_work(collection.downloads.latest("pk"))
    assert download.work.error == "", download.work.error
    return b"".join(client.get(f"{page}{download.pk}/file/").streaming_content).decode()
