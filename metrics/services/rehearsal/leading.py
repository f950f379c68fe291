"""The lead of the demo's campaign, who decides a part of what waits for her and leaves the rest."""

from django.contrib.auth.hashers import make_password

from annotate.models import (
    Annotator,
    Batch,
    Collection,
    Pair,
    Report,
    Resolution,
    ReviewAction,
    User,
)
from annotate.services.review import adjudicating, exclusions, report_settling
from annotate.services.supervision import pausing, verdicts
from metrics.services.rehearsal.profiles import CARELESS, TOO_FAST
from metrics.services.rehearsal.truth import TrueGrades

N_DECIDED = 3  # disputes
SIMULATED_LEAD = "simulated-lead"  # the account that decides where there is none called lead
DECIDES, REJECTS, SETTLES, EXCLUDES, PAUSES = (
    0.3,
    0.4,
    0.5,
    0.6,
    0.8,
)  # from this share of the campaign on
Kind = ReviewAction.Kind


class SimulatedLead:
    """Her decisions, each once its time has come and there is something to decide."""

    def __init__(self, *, collection: Collection, truth: TrueGrades) -> None:
        self._collection = collection
        self._truth = truth
        self._user = (
            User.objects.filter(username="lead").first()
            or User.objects.get_or_create(
                username=SIMULATED_LEAD, defaults={"password": make_password(None)}
            )[0]
        )

    def work(self, *, share: float) -> None:
        """Do what is due at this share of the campaign."""
        if share >= DECIDES and self._n_actions(Kind.ADJUDICATED) < N_DECIDED:
            self._decide_dispute()
        if share >= REJECTS and not self._n_actions(Kind.BATCH_REJECTED):
            self._reject_batch()
        if share >= SETTLES and not self._n_actions(Kind.REPORTS_SETTLED):
            self._settle_report()
        if share >= EXCLUDES and not self._n_actions(Kind.ITEM_EXCLUDED):
            self._exclude_document()
        if share >= PAUSES and not self._n_actions(Kind.PAUSED):
            pausing.pause(
                annotator=Annotator.objects.get(
                    collection=self._collection, pseudonym=TOO_FAST.name
                ),
                by=self._user,
                reason="A label in less than a second: let us look at the guidelines together.",
            )

    def _n_actions(self, kind: Kind) -> int:
        return ReviewAction.objects.filter(collection=self._collection, kind=kind).count()

    def _decide_dispute(self) -> None:
        disputes = Resolution.objects.filter(
            collection=self._collection, status=Resolution.Status.DISPUTED
        )
        for dispute in disputes.select_related("pair__collection").order_by("pair")[:1]:
            pair = dispute.pair
            adjudicating.adjudicate(
                pair=pair,
                by=self._user,
                grade=self._truth.get((pair.query_id, pair.document_id), 0),
                note="By the wording of the levels in the guidelines.",
            )

    def _reject_batch(self) -> None:
        batches = Batch.objects.filter(
            collection=self._collection,
            annotator__pseudonym=CARELESS.name,
            verdict=Batch.Verdict.HELD,
        )
        for batch in batches.order_by("pk")[:1]:
            verdicts.reject_batch(
                batch=batch, by=self._user, reason="Too many golds are wrong to keep its labels."
            )

    def _settle_report(self) -> None:
        reports = Report.objects.open().filter(
            collection=self._collection, kind=Report.Kind.CANNOT_JUDGE
        )
        for pair in Pair.objects.filter(reports__in=reports).order_by("pk")[:1]:
            report_settling.settle_reports(
                pair=pair, by=self._user, reason="It can be told: go by what is to be seen."
            )

    def _exclude_document(self) -> None:
        reports = Report.objects.open().filter(
            collection=self._collection, kind=Report.Kind.ESCALATED
        )
        for pair in Pair.objects.filter(reports__in=reports).order_by("pk")[:1]:
            exclusions.exclude_item(
                item=pair.document,
                by=self._user,
                reason="It is from an earlier draft of the study.",
            )
