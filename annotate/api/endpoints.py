"""The frame of all endpoints: scopes by method, tags of answers, requests that can be repeated."""

import hashlib
import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import connection, transaction
from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import set_response_etag
from django.utils.decorators import method_decorator
from django.utils.http import parse_etags
from django.views.decorators.http import conditional_page
from rest_framework.exceptions import APIException
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from annotate.access import EVERYBODY
from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.schema import CHANGING
from annotate.api.throttles import TokenThrottle
from annotate.services.people.receipts import EndpointAnswer, KeyUsed, answer_once

MAX_KEY = 255
LOCK_ADDRESS = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


class ChangedSince(APIException):
    """The tag in `If-Match` is not that of what is there."""

    status_code = 412
    default_detail = "This has changed since you read it, and nothing was done: read it again."


@method_decorator(conditional_page, name="dispatch")
class Endpoint(APIView):
    """An endpoint; an answer that is read has an ETag, and 304 follows a request that names it.

    PUT, PATCH and DELETE with this tag as `If-Match` are 412 where something has changed since.
    scope : of the token, "" for any token; write_scope : where what changes something needs another
    shown_once : fields of what POST answers that are secrets, see `repeatable`
    """

    scope = ""
    write_scope = ""
    shown_once: tuple[str, ...] = ()

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer; of requests to one address that name what they change, one after the other."""
        if request.method not in CHANGING or "If-Match" not in request.headers:
            return super().dispatch(request, *args, **kwargs)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(LOCK_ADDRESS, [request.path])
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse who may not, and changes of what is not there any more."""
        super().initial(request, *args, **kwargs)
        if request.method in CHANGING and "If-Match" in request.headers:
            if_match = parse_etags(request.headers["If-Match"])
            if if_match != ["*"] and self.tag_of(request, *args, **kwargs) not in if_match:
                raise ChangedSince

    def tag_of(self, request: Request, *args: Any, **kwargs: Any) -> str:
        """The ETag that GET has at this moment; "" where there is nothing to be read."""
        read: Callable[..., Response] | None = getattr(self, "get", None)
        if read is None:
            return ""
        answer = super().finalize_response(request, read(request, *args, **kwargs))
        return str(set_response_etag(answer.render())["ETag"])

    def get_throttles(self) -> list[BaseThrottle]:
        """The throttles of this request, which its answer tells of."""
        self.throttles = [TokenThrottle()]
        return list(self.throttles)

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """Tell the pace of the token in the headers, also of refusals."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        for throttle in getattr(self, "throttles", []):
            for name, value in throttle.headers.items():
                answer[name] = value
        return answer

    def scope_of(self, method: str | None) -> str:
        """The scope that a request with this method needs."""
        return self.scope if method in SAFE_METHODS else self.write_scope or self.scope


def repeatable(post: Callable[..., Response]) -> Callable[..., Response]:
    """Let a program send a request of JSON once more, with the same `Idempotency-Key`.

    Within a day it gets the first answer again, marked `Idempotency-Replayed`, and nothing is done
    a second time; 422 for another request with this key. Refusals can be tried anew. The fields of
    `shown_once` are in the first answer alone, and null when it comes again: nothing keeps them.
    """

    @wraps(post)
    def answer(
        endpoint: Endpoint, request: TokenRequest, *arguments: Any, **parameters: Any
    ) -> Response:
        key = request.headers.get("Idempotency-Key", "")
        if not key:
            return post(endpoint, request, *arguments, **parameters)
        if len(key) > MAX_KEY:
            raise Unprocessable(f"Idempotency-Key: at most {MAX_KEY} characters.")
        slug = parameters.get("slug", "")
        if slug:  # a receipt is no way around a role that was taken, or the token's collection
            get_collection(request=request, slug=slug, roles=EVERYBODY)
        digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
        digest.update(request.body)

        def create() -> EndpointAnswer:
            response = post(endpoint, request, *arguments, **parameters)
            location = response.headers.get("Location", "")
            body = json.loads(JSONRenderer().render(response.data))  # as it is sent
            return EndpointAnswer(
                response.status_code, body, location, shown_once=endpoint.shown_once
            )

        try:
            result = answer_once(
                user=request.user,
                slug=slug,
                key=key,
                request_sha256=digest.hexdigest(),
                answer=create,
            )
        except KeyUsed as error:
            raise Unprocessable(str(error)) from error
        headers = {"Location": result.location} if result.location else {}
        headers |= {"Idempotency-Replayed": "true"} if result.is_repeated else {}
        return Response(result.body, status=result.status, headers=headers)

    answer.is_repeatable = True  # type: ignore[attr-defined]
    return answer
