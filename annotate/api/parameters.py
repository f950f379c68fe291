"""The parameters of endpoints whose pages have choices, by their names."""

from collections.abc import Mapping

from django.http import QueryDict

from annotate.api import TokenRequest, Unprocessable


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
