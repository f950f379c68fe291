"""Long lists for programs, in pages: each has the address of the next one."""

import re
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api import TokenRequest, Unprocessable

MAX_PAGE_SIZE = 1000
PAGE_PARAMETERS = [
    OpenApiParameter("cursor", str, description="Where a page begins; `next` holds it."),
    OpenApiParameter(
        "page_size",
        {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE},
        description="How many rows; 100 without it.",
    ),
]


class Pages(CursorPagination):
    """Pages by a cursor: rows that come meanwhile move none of the others to another page.

    ?page_size= is 100 unless the program says less or more, 1,000 at most.
    """

    page_size = 100
    page_size_query_param = "page_size"

    def get_page_size(self, request: Request) -> int:
        """The rows of a page; raises Unprocessable for what is no such number."""
        text = request.query_params.get(self.page_size_query_param, str(self.page_size))
        if not re.fullmatch("[0-9]{1,4}", text) or not 1 <= int(text) <= MAX_PAGE_SIZE:
            raise Unprocessable(f"page_size: give a whole number from 1 to {MAX_PAGE_SIZE:,}.")
        return int(text)


def page_of(
    *,
    request: TokenRequest,
    rows: QuerySet[Any],
    ordering: tuple[str, ...],
    name: str,
    as_json: Callable[[Any], dict[str, Any]],
) -> Response:
    """A page of rows as JSON under a name, with the address of the next page, or null.

    ordering : fields that tell all rows apart, the first of which the cursor goes by
    """
    return page_at_once(
        request=request,
        rows=rows,
        ordering=ordering,
        name=name,
        as_json=lambda page: [as_json(row) for row in page],
    )


def page_at_once(
    *,
    request: TokenRequest,
    rows: QuerySet[Any],
    ordering: tuple[str, ...],
    name: str,
    as_json: Callable[[list[Any]], list[dict[str, Any]]],
) -> Response:
    """As `page_of`, for rows with facts that are looked up for the whole page at once."""
    pages = Pages()
    pages.ordering = ordering
    try:
        page: list[Model] = pages.paginate_queryset(rows, request) or []
    except (ValueError, ValidationError) as error:  # a moment or a number that is none
        raise NotFound(pages.invalid_cursor_message) from error
    return Response({name: as_json(page), "next": pages.get_next_link()})


def page_answer(*, name: str, row: type[serializers.Serializer]) -> serializers.Serializer:
    """The answer of `page_of`, for the schema."""
    return inline_serializer(
        f"{name.title().replace('_', '')}Page",
        {
            name: row(many=True),
            "next": serializers.URLField(
                allow_null=True, help_text="The address of the next page; null on the last one."
            ),
        },
    )
