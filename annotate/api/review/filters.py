"""Filters of lists, as parameters of an address."""

from typing import Any

from annotate.api import TokenRequest
from annotate.api.fields import StrictSerializer, validated
from annotate.api.parameters import page_parameters

OF_PAGES = ("cursor", "page_size")


def filters(
    *, request: TokenRequest, form: type[StrictSerializer], other_names: tuple[str, ...] = OF_PAGES
) -> dict[str, Any]:
    """The filters of a request; raises Unprocessable for a parameter that the list has not.

    other_names : parameters that are no filters
    """
    names = [*form().fields, *other_names]
    parameters = page_parameters(request=request, names={name: name for name in names})
    values = {name: value for name, value in parameters.items() if name not in other_names}
    return validated(form(data=values))
