"""Runs that a program names by id or by name."""

from annotate.api import TokenRequest, Unprocessable
from annotate.models import Collection
from pooling.models import Run


def run_keys(*, request: TokenRequest, collection: Collection, values: list[str]) -> list[str]:
    """The keys of runs that are given by id or, where no run has such an id, by name.

    Raises Unprocessable for a name of several runs in use, as a hidden one may have that of
    another.
    """
    runs = Run.objects.visible_to(request.user).filter(collection=collection).order_by("pk")
    ids = {str(run.pk) for run in runs}
    by_name: dict[str, list[Run]] = {}
    for run in runs.in_use():
        by_name.setdefault(run.name, []).append(run)
    keys = []
    for value in values:
        namesakes = [] if value in ids else by_name.get(value, [])
        if len(namesakes) > 1:
            marks = [f"{run.pk}{' (hidden)' if run.is_hidden else ''}" for run in namesakes]
            raise Unprocessable(
                f'{len(namesakes)} runs that you may see are called "{value[:60]}": give the id of '
                f"the one that you mean, {' or '.join(marks)}."
            )
        keys.append(str(namesakes[0].pk) if namesakes else value)
    return keys
