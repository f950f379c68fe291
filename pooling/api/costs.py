"""The cost of pairs, as previews of pools and of a run's first results tell it."""

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers
from rest_framework.response import Response

from annotate.api import Unprocessable
from annotate.api.fields import MomentField
from pooling.services.pools.preview_requests import PreviewResult
from pooling.services.pools.previews import PoolPreview

LATER = {"Retry-After": "3"}
COUNTING = inline_serializer(
    "Counting", {"state": serializers.CharField(help_text="`counting`; ask again later.")}
)


class CostAnswer(serializers.Serializer):
    """Pairs and their cost in labels and hours; n_pairs = n_new + n_waiting + n_judged."""

    state = serializers.CharField(default="done", help_text="`done`")
    n_pairs = serializers.IntegerField()
    n_new = serializers.IntegerField(help_text="Pairs that nobody has asked about.")
    n_waiting = serializers.IntegerField(help_text="Pairs that an open pool asks about.")
    n_judged = serializers.IntegerField(help_text="Pairs that people have judged.")
    n_queries = serializers.IntegerField()
    n_labels = serializers.IntegerField(
        help_text="Labels wanted, with planned doubles, beyond those that open pools ask for."
    )
    n_golds = serializers.IntegerField(help_text="Checks that are handed out among them.")
    n_further = serializers.IntegerField(
        help_text="Of the labels, those of pairs that an open pool asks about with fewer."
    )
    n_further_pairs = serializers.IntegerField()
    n_unknown = serializers.IntegerField(
        help_text="Results that are not counted, as the collection lacks their targets."
    )
    seconds = serializers.FloatField(help_text="Of one judgment.")
    is_measured = serializers.BooleanField(
        help_text="Whether `seconds` is the collection's median, or the usual figure."
    )
    hours = serializers.FloatField(help_text="Of people, for labels and golds.")
    at = MomentField()


def preview_of(result: PreviewResult) -> PoolPreview | None:
    """The preview; None while it is counted. Raises Unprocessable where there can be none."""
    if result.error:
        fault = {"field": result.field, "message": result.error}
        raise Unprocessable(result.error, errors=[fault])
    return result.preview


def counting() -> Response:
    """202 while a preview is counted."""
    return Response({"state": "counting"}, status=202, headers=LATER)
