"""Read-only admin pages for site admins; everything is changed on the product's own pages."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from annotate.models import (
    Annotator,
    Collection,
    Duplicate,
    Guidelines,
    Import,
    Invitation,
    Judgment,
    Kept,
    Membership,
    PairExclusion,
    Policy,
    Quiz,
    QuizAttempt,
    Report,
    ReviewAction,
    Round,
    Training,
    TrainingDecision,
    TrainingPair,
    TrainingTry,
    User,
    Work,
    WorkerHeartbeat,
)


class ReadOnlyAdmin(admin.ModelAdmin):
    """Lists and shows, nothing else: services and their checks are the only way to change a row."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: nobody adds here."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return False: nobody changes here."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return False: nobody deletes here."""
        return False


@admin.register(User)
class PersonAdmin(UserAdmin):
    """Accounts: the site's admin may close one, or give somebody the site."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Accounts are made by invitation."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """People are erased by `manage.py erase_person`, which keeps their judgments."""
        return False


@admin.register(Collection)
class CollectionAdmin(ReadOnlyAdmin):
    """Collections, without their secret."""

    list_display = ["slug", "name", "measurement", "is_rehearsal", "created_at"]
    search_fields = ["slug", "name"]
    exclude = ["key"]


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    """Memberships: the roles of people in collections."""

    list_display = ["user", "role", "collection", "created_at"]
    list_filter = ["role"]
    list_select_related = ["user", "collection"]


@admin.register(Annotator)
class AnnotatorAdmin(ReadOnlyAdmin):
    """Annotators, to whom judgments belong."""

    list_display = ["pseudonym", "origin", "collection", "paused_at"]
    list_filter = ["origin"]
    list_select_related = ["collection"]


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """Links by which people joined."""

    list_display = ["collection", "role", "email", "expires_at", "accepted_at"]
    list_select_related = ["collection"]
    exclude = ["token_sha256"]


@admin.register(Policy, Guidelines, Quiz)
class VersionAdmin(ReadOnlyAdmin):
    """Versions of policy, guidelines and quiz."""

    list_display = ["collection", "version", "by", "at"]
    list_select_related = ["collection", "by"]


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin):
    """Rounds and their state."""

    list_display = ["name", "kind", "state", "collection"]
    list_filter = ["kind", "state"]
    list_select_related = ["collection"]


@admin.register(Judgment)
class JudgmentAdmin(ReadOnlyAdmin):
    """Judgments as they were given."""

    list_display = ["id", "collection", "pair_id", "annotator", "level", "purpose", "at"]
    list_filter = ["purpose"]
    list_select_related = ["collection", "annotator", "level"]
    raw_id_fields = ["pair", "hand_out", "supersedes", "restores"]


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    """Pairs that wait for a lead."""

    list_display = ["kind", "why", "collection", "pair_id", "at", "state"]
    list_filter = ["kind", "state"]
    list_select_related = ["collection"]


@admin.register(ReviewAction)
class ReviewActionAdmin(ReadOnlyAdmin):
    """Actions of leads."""

    list_display = ["kind", "collection", "by", "reason", "at"]
    list_filter = ["kind"]
    list_select_related = ["collection", "by"]
    raw_id_fields = ["annotator", "batch", "pair", "item"]


@admin.register(PairExclusion)
class PairExclusionAdmin(ReadOnlyAdmin):
    """Excluded pairs."""

    list_display = ["pair_id", "collection", "reason", "at"]
    list_select_related = ["collection"]
    raw_id_fields = ["pair"]


@admin.register(Duplicate)
class DuplicateAdmin(ReadOnlyAdmin):
    """Items that repeat others."""

    list_display = ["item", "original", "collection", "at"]
    list_select_related = ["item", "original", "collection"]
    raw_id_fields = ["item", "original"]


@admin.register(Import)
class ImportAdmin(ReadOnlyAdmin):
    """Imports of files into collections, and their state."""

    list_display = ["file_name", "kind", "work__state", "collection", "by", "created_at"]
    list_filter = ["kind", "work__state"]
    list_select_related = ["collection", "by", "work"]


@admin.register(Kept)
class KeptAdmin(ReadOnlyAdmin):
    """Values that were computed when somebody looked."""

    list_display = ["kind", "collection", "parameters", "computed_at"]
    list_filter = ["kind"]
    list_select_related = ["collection"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Kept]:
        """Without the values, which may be long; one value's page reads it."""
        return super().get_queryset(request).defer("value")


@admin.register(Work)
class WorkAdmin(ReadOnlyAdmin):
    """Background works, and their state."""

    list_display = [
        "kind",
        "subject",
        "state",
        "collection",
        "by",
        "asked_at",
        "begun_at",
        "finished_at",
        "error_code",
    ]
    list_filter = ["kind", "state"]
    list_select_related = ["collection", "by"]


@admin.register(Training)
class TrainingAdmin(ReadOnlyAdmin):
    """Trainings of collections."""

    list_display = ["collection", "is_on", "measure", "pass_mark"]
    list_select_related = ["collection"]


@admin.register(TrainingPair)
class TrainingPairAdmin(ReadOnlyAdmin):
    """Pairs that people are trained on."""

    list_display = ["id", "pair_id", "grade", "retired_at"]
    raw_id_fields = ["pair"]


@admin.register(QuizAttempt)
class QuizAttemptAdmin(ReadOnlyAdmin):
    """Attempts at quizzes."""

    list_display = ["annotator", "quiz_id", "n_right", "passed", "at"]
    list_select_related = ["annotator"]


@admin.register(TrainingTry)
class TrainingTryAdmin(ReadOnlyAdmin):
    """Tries at the training pairs."""

    list_display = ["annotator", "number", "score", "passed", "finished_at"]
    list_select_related = ["annotator"]
    raw_id_fields = ["batch"]


@admin.register(TrainingDecision)
class TrainingDecisionAdmin(ReadOnlyAdmin):
    """Decisions to admit people in training, or to send them back."""

    list_display = ["annotator", "kind", "by", "at"]
    list_select_related = ["annotator", "by"]


@admin.register(WorkerHeartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    """The last heartbeat of each worker."""

    list_display = ["name", "at"]
