"""A study with two pools that share pairs, a file of judgments, and some third labels."""

from datetime import timedelta

from django.utils import timezone

from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.models import Collection, Seat
from metrics.services.numbers import refresh
from pooling.models import Pool
from tests import campaigns, cast
from tests.annotate.core.files.samples import file
from tests.judgment_imports import import_judgments
from tests.metrics import studies
from tests.tables.fixture_cache import cached_rows


@cached_rows
def label_study(slug: str = "labels") -> Collection:
    """30 pairs of pool "depth 3", of which "again" has six; nine judgments in file "experts"."""
    study = studies.study(slug, n_queries=10, n_documents=10, labels_per_pair=2, ceiling=3)
    for seed in range(4):
        studies.judge(cast.annotator(study), seed=seed, n=16)
        # the next one's batch holds all that is left: no draw chooses
        Seat.objects.filter(collection=study, state="held").update(
            leased_until=timezone.now() - timedelta(minutes=1)
        )
    pairs = list(study.pairs.order_by("pk"))[:6]
    round_ = campaigns.open_pool_round(study, pairs, name="again")
    Pool.objects.create(
        collection=study,
        name="again",
        strategy="depth",
        round=round_,
        state="open",
        opened_at=timezone.now(),
    )
    rows = [f"e{n},q{query},d{query + 5},{(n + query) % 3}" for query in range(4) for n in range(2)]
    import_judgments(
        collection=study,
        stream=file("annotator,query,document,grade", *rows, "e1,q9,d5,2"),
        file_name="experts.csv",
        columns=JudgmentColumns(),
        name="experts",
    )
    refresh.refresh(collection=study)
    return study
