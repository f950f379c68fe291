"""Repeatable requests: whoever sends one again gets the first answer, and nothing happens twice."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.db import transaction

from annotate.models import Collection, Receipt, User


class KeyUsed(Exception):
    """The key is that of another request; nothing was done."""


class EndpointAnswer(NamedTuple):
    """An answer: its status, its JSON, and the address of what it created.

    is_repeated : whether it is that of an earlier request
    shown_once : fields that no receipt keeps; they are null where the answer is repeated
    """

    status: int
    body: Any
    location: str = ""
    is_repeated: bool = False
    shown_once: tuple[str, ...] = ()


@transaction.atomic
def answer_once(
    *,
    user: User,
    slug: str,
    key: str,
    request_sha256: str,
    answer: Callable[[], EndpointAnswer],
) -> EndpointAnswer:
    """Answer a request, or repeat the answer to the same one of the same person.

    A request at the same time waits for the first. One that raises leaves no receipt. Raises
    KeyUsed.
    slug : of the collection in the address, with which the receipt goes; "" for none
    request_sha256 : of all that the request asks for
    """
    receipt, is_new = Receipt.objects.get_or_create(
        user=user,
        key=key,
        defaults={
            "request_sha256": request_sha256,
            "collection": Collection.objects.filter(slug=slug).first(),
        },
    )
    if not is_new:
        if receipt.request_sha256 != request_sha256:
            raise KeyUsed(
                f'The key "{key[:60]}" was used for another request within a day; send this one '
                "with a new key."
            )
        return EndpointAnswer(
            receipt.status or 200, receipt.answer, receipt.location, is_repeated=True
        )
    result = answer()
    receipt.status, receipt.location = result.status, result.location
    receipt.answer = (
        result.body | dict.fromkeys(result.shown_once) if result.shown_once else result.body
    )
    receipt.save()
    return result
