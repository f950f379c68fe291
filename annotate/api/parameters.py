"""The parameters of endpoints: those of their pages, filters of lists, and of pages."""

from collections.abc import Iterable, Mapping

from django.http import QueryDict
from drf_spectacular.utils import OpenApiParameter

from annotate.api import TokenRequest, Unprocessable

OF_PAGES = ("page_size", "cursor")


def page_parameters(*, request: TokenRequest, names: Mapping[str, str]) -> QueryDict:
    """The parameters of a request as the page has them; raises Unprocessable for another one.

    names : each parameter, and its name in the address of the page
    """
    parameters = QueryDict(mutable=True)
    for name, values in request.query_params.lists():
        if name not in names:
            raise Unprocessable(
                f'"{name[:60]}" is no parameter; there are {", ".join(names) or "none"}.'
            )
        parameters.setlist(names[name], values)
    return parameters


def filters_of(*, request: TokenRequest, names: Iterable[str]) -> QueryDict:
    """The filters of a list in pages; raises Unprocessable for another parameter."""
    return page_parameters(request=request, names={name: name for name in (*names, *OF_PAGES)})


def choice_of(*, parameters: QueryDict, name: str, choices: Iterable[str]) -> str:
    """The value of a parameter, "" without one; raises Unprocessable for what is no choice."""
    value, values = parameters.get(name, ""), list(choices)
    if value and value not in values:
        message = f'"{value[:40]}" is no choice of "{name}"; there are: {", ".join(values)}.'
        raise Unprocessable(message, errors=[{"field": name, "message": message}])
    return value


def text_of(*, parameters: QueryDict, name: str, longest: int) -> str:
    """The text of a parameter, "" without one; raises Unprocessable for one that none can equal."""
    text = parameters.get(name, "")
    if len(text) > longest:
        message = f'"{name}" has at most {longest} characters.'
        raise Unprocessable(message, errors=[{"field": name, "message": message}])
    return text


def page_parameter_docs(**descriptions: str | Iterable[str]) -> list[OpenApiParameter]:
    """The parameters of a list in pages, for the schema: those of its filters, and of all pages.

    descriptions : of each filter, or its choices
    """
    filters = [
        OpenApiParameter(name, description=value)
        if isinstance(value, str)
        else OpenApiParameter(name, enum=list(value))
        for name, value in descriptions.items()
    ]
    size = OpenApiParameter("page_size", int, description="100 without it, 1,000 at most.")
    cursor = OpenApiParameter("cursor", description="Of the next page; take the whole `next`.")
    return [*filters, size, cursor]
