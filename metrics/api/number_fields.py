"""The answers of progress, agreement, leaderboard and analyses, for the schema."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, inline_serializer
from rest_framework import serializers

from annotate.api.fields import MomentField
from annotate.models import Direction
from metrics.services.leaderboard.files import FACTS

COMPUTING = OpenApiResponse(
    inline_serializer(
        "Computing",
        {
            "state": serializers.CharField(help_text="`computing`."),
            "detail": serializers.CharField(required=False),
        },
    ),
    "It is being computed: ask again after as many seconds as `Retry-After` says.",
)


def number(about: str = "") -> serializers.FloatField:
    """A number that may be undefined."""
    return serializers.FloatField(allow_null=True, help_text=about)


class FreshnessAnswer(serializers.Serializer):
    """The moment of numbers, and whether they are still those of the labels."""

    computed_at = MomentField(allow_null=True)
    is_stale = serializers.BooleanField(
        help_text="Something has changed that the numbers do not have yet."
    )


class CountsAnswer(serializers.Serializer):
    """The counts of a pool, or of all of them."""

    n_pairs = serializers.IntegerField(help_text="All but those left out.")
    states = serializers.DictField(
        child=serializers.IntegerField(), help_text="How many pairs are in each state."
    )
    n_labels = serializers.IntegerField()
    n_seats_left = serializers.IntegerField()


class PoolCountsAnswer(CountsAnswer):
    """The counts of a pool or of an import."""

    pool = serializers.IntegerField(allow_null=True, help_text="Its id; null for an import.")
    name = serializers.CharField()
    kind = serializers.CharField()
    state = serializers.CharField()


class ValueRangeAnswer(serializers.Serializer):
    """A number with its range."""

    value = serializers.FloatField()
    low = number()
    high = number()


class ForecastAnswer(FreshnessAnswer):
    """Pace and hours, so far and to come."""

    labels_a_day = ValueRangeAnswer(allow_null=True)
    n_days = serializers.IntegerField(help_text="Days with labels, on which the pace rests.")
    days_left = ValueRangeAnswer(
        allow_null=True, help_text="Of the labels that people who are there can give."
    )
    reason = serializers.CharField(
        allow_null=True, help_text="Why no days are promised; null where they are."
    )
    n_seats_left = serializers.IntegerField()
    n_stuck = serializers.IntegerField(
        help_text="Labels that nobody who is there can give; of very many no more are counted."
    )
    hours_spent = number("Null while no label carries a time.")
    hours_left = ValueRangeAnswer(allow_null=True)
    n_timed = serializers.IntegerField()
    n_untimed = serializers.IntegerField()


class ProgressAnswer(FreshnessAnswer, CountsAnswer):
    """The progress of the judging of a collection."""

    pools = PoolCountsAnswer(many=True)
    forecast = ForecastAnswer(allow_null=True)


class AgreementFiguresAnswer(serializers.Serializer):
    """Agreement of some labels; where alpha or its interval is null, a reason says why."""

    alpha = number("Krippendorff's alpha.")
    reason = serializers.CharField(allow_null=True)
    low = number("Lower end of its 95 % interval.")
    high = number("Upper end of its 95 % interval.")
    interval_reason = serializers.CharField(allow_null=True)
    n_pairs = serializers.IntegerField(help_text="Pairs with two labels or more.")
    n_labels = serializers.IntegerField(help_text="Labels on these pairs.")
    n_replicates = serializers.IntegerField(allow_null=True)
    n_groups = serializers.IntegerField(allow_null=True)
    seed = serializers.IntegerField(allow_null=True)
    percent_unanimous = number("Of these pairs.")
    percent_equal = number("How often two labels of one pair are equal.")


class AgreementAnswer(FreshnessAnswer):
    """The agreement of people."""

    level = serializers.CharField(allow_null=True, help_text="Of measurement.")
    sampling_units = serializers.CharField(
        allow_null=True, help_text="What the samples of the interval draw."
    )
    planned = AgreementFiguresAnswer()
    all = AgreementFiguresAnswer()


class ScoreLineAnswer(serializers.Serializer):
    """A run and a measure on a query set."""

    direction = serializers.ChoiceField(choices=Direction.choices)
    run = serializers.CharField()
    run_id = serializers.IntegerField(help_text="Tells runs of one name apart.")
    system = serializers.CharField()
    measure = serializers.CharField()
    unit = serializers.ChoiceField(choices=["share", "rank"])
    pseudo_group = serializers.IntegerField(allow_null=True)
    letters = serializers.CharField(allow_null=True)
    n_queries = serializers.IntegerField()
    n_missing = serializers.IntegerField(allow_null=True)
    n_gallery = serializers.IntegerField(allow_null=True)
    gallery_at = serializers.CharField(allow_null=True)
    n_groups = serializers.IntegerField(allow_null=True)
    groups_by = serializers.CharField(allow_null=True)
    on_samples = serializers.CharField(allow_null=True)
    n_population = serializers.IntegerField(allow_null=True)
    is_beyond_people = serializers.BooleanField(allow_null=True)

    def get_fields(self) -> dict[str, serializers.Field]:
        """The columns, with the score and what stands beside it."""
        fields: dict[str, serializers.Field] = super().get_fields()
        return fields | {name: number() for name in FACTS}


class LeaderboardAnswer(FreshnessAnswer):
    """The choices, and a row for each run and measure, best runs first."""

    collection = serializers.CharField()
    label_source = serializers.CharField()
    positive_from = serializers.IntegerField()
    query_set = serializers.CharField(allow_blank=True)
    measures = serializers.ListField(child=serializers.CharField())
    method = serializers.CharField()
    missing = serializers.CharField()
    protocol = serializers.CharField(allow_null=True)
    unscored_runs = serializers.ListField(child=serializers.CharField())
    rows = ScoreLineAnswer(many=True)


class AnalysisRowAnswer(serializers.Serializer):
    """A row of the register of analyses."""

    name = serializers.CharField()
    chapter = serializers.CharField()
    question = serializers.CharField()
    paper = serializers.CharField(allow_blank=True)
    definition = serializers.CharField()
    parameters = serializers.ListField(child=serializers.CharField())


class WholeAnalysisAnswer(AnalysisRowAnswer, FreshnessAnswer):
    """An analysis: its choices, and its result or the reason why there is none."""

    collection = serializers.CharField()
    direction = serializers.ChoiceField(choices=Direction.choices, allow_null=True)
    protocol = serializers.CharField(allow_null=True)
    query_set = serializers.CharField(allow_null=True, allow_blank=True)
    label_source = serializers.CharField(allow_null=True)
    threshold = serializers.IntegerField(allow_null=True)
    measures = serializers.ListField(child=serializers.CharField(), allow_null=True)
    method = serializers.CharField(allow_null=True)
    missing = serializers.CharField(allow_null=True)
    runs = serializers.ListField(child=serializers.CharField(), allow_null=True)
    mark = serializers.CharField(allow_null=True, allow_blank=True)
    n = serializers.IntegerField(allow_null=True)
    error = number()
    difference = number()
    power = number()
    not_defined = serializers.CharField(allow_null=True)
    headline = serializers.CharField(allow_null=True)
    caption = serializers.CharField(allow_null=True)
    notes = serializers.ListField(child=serializers.CharField(), allow_null=True)
    columns = serializers.ListField(child=serializers.DictField(), allow_null=True)
    rows = serializers.ListField(
        child=serializers.ListField(child=serializers.JSONField()),
        allow_null=True,
        help_text="A cell for each column, null where it is not defined.",
    )
    spec = serializers.JSONField(allow_null=True, help_text="The chart, as Vega-Lite.")


class DiffSideAnswer(serializers.Serializer):
    """A side of a diff: a release, or the labels of a moment."""

    version = serializers.CharField(allow_null=True, help_text="Null for the labels now.")
    as_of = MomentField(allow_null=True)


class DiffTableAnswer(serializers.Serializer):
    """A table of a diff."""

    headline = serializers.CharField()
    reading = serializers.CharField(allow_blank=True, help_text="How to read it.")
    notes = serializers.ListField(child=serializers.CharField())
    columns = serializers.ListField(child=serializers.DictField(child=serializers.CharField()))
    rows = serializers.ListField(
        child=serializers.DictField(child=serializers.JSONField(allow_null=True)),
        help_text="A value for the key of each column.",
    )


class ReleaseDiffAnswer(FreshnessAnswer):
    """The changes between a release and another one, or the labels now."""

    before = DiffSideAnswer()
    after = DiffSideAnswer()
    label_source = serializers.CharField()
    tables = serializers.DictField(child=DiffTableAnswer())


COMPUTED_CSV = {(200, "text/csv"): OpenApiTypes.STR, 202: COMPUTING}
