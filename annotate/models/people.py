"""Users, their roles in a collection, annotators, invitations, tokens."""

from typing import TypeAlias

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower, Now


class User(AbstractUser):
    """A person who signs in; knows nothing of collections, see Membership."""

    email = models.EmailField(blank=True)
    tour_closed_at = models.DateTimeField(
        null=True, blank=True, help_text="Until then her first page shows the tour."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("email"), condition=~Q(email=""), name="annotate_user_unique_email"
            ),
        ]


class Role(models.TextChoices):
    ANNOTATOR = "annotator", "Annotator"
    LEAD = "lead", "Lead"
    RESEARCHER = "researcher", "Researcher"


class Membership(models.Model):
    """One role a person holds in one collection; a person can hold several."""

    collection = models.ForeignKey("Collection", models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "user", "role"], name="annotate_membership_unique"
            ),
            models.CheckConstraint(
                condition=Q(role__in=Role.values), name="annotate_membership_known_role"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.collection}"


class AnnotatorOrigin(models.TextChoices):
    """The origin of an annotator's judgments."""

    PERSON = "person", "Person"
    IMPORT = "import", "Import"
    SIMULATED = "simulated", "Simulated"
    MODEL = "model", "Model"


class Annotator(models.Model):
    """The owner of judgments: a pseudonym fixed per collection, with or without a user."""

    Origin: TypeAlias = AnnotatorOrigin

    collection = models.ForeignKey("Collection", models.CASCADE, related_name="annotators")
    pseudonym = models.CharField(max_length=32)
    origin = models.CharField(max_length=10, choices=Origin)
    user = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="annotators"
    )
    external_id = models.CharField(max_length=255, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "pseudonym"], name="annotate_annotator_unique_pseudonym"
            ),
            models.UniqueConstraint(
                fields=["collection", "user"],
                condition=Q(user__isnull=False),
                name="annotate_annotator_unique_user",
            ),
            models.UniqueConstraint(
                fields=["collection", "origin", "external_id"],
                condition=~Q(external_id=""),
                name="annotate_annotator_unique_external_id",
            ),
            models.CheckConstraint(
                condition=Q(origin__in=AnnotatorOrigin.values),
                name="annotate_annotator_known_origin",
            ),
            models.CheckConstraint(
                condition=Q(user__isnull=True) | Q(origin=AnnotatorOrigin.PERSON),
                name="annotate_annotator_only_people_have_users",
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def is_stopped(self) -> bool:
        """True if nothing more is handed out to her: paused, or the collection is archived."""
        return self.paused_at is not None or self.collection.archived_at is not None


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Invitations, with the filter for usable ones."""

    def usable(self) -> "InvitationQuerySet":
        """Invitations whose link still lets somebody in."""
        return self.filter(accepted_at=None, expires_at__gt=Now())


class Invitation(models.Model):
    """A link that lets one person take a role; only the token's hash is kept."""

    collection = models.ForeignKey("Collection", models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Role)
    email = models.EmailField(blank=True)
    token_sha256 = models.CharField(max_length=64)
    expires_at = models.DateTimeField()
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    accepted_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    accepted_at = models.DateTimeField(null=True, blank=True)
    by_mail = models.BooleanField(
        default=False, help_text="The link is made when it is sent, and shown to nobody else."
    )
    mail_attempts = models.PositiveSmallIntegerField(default=0)
    mailed_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["token_sha256"], name="annotate_invitation_unique_token"
            ),
            models.CheckConstraint(
                condition=Q(role__in=Role.values), name="annotate_invitation_known_role"
            ),
            models.CheckConstraint(
                condition=Q(by_mail=False) | ~Q(email=""),
                name="annotate_invitation_mail_has_address",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.collection} until {self.expires_at:%Y-%m-%d}"


class ApiToken(models.Model):
    """A key for programs, shown once and stored as a hash.

    It is limited to scopes and perhaps one collection.
    """

    class Scope(models.TextChoices):
        RUNS_READ = "runs:read", "Read runs and their reports"
        RUNS_WRITE = "runs:write", "Upload runs, change them, and read them"
        FILES_WRITE = "files:write", "Load items, labels and judgments"
        POOLS_READ = "pools:read", "Read pools, their pairs and rounds"
        POOLS_WRITE = "pools:write", "Preview, open and close pools, and read them"
        QRELS_READ = "qrels:read", "Download qrels"
        JUDGMENTS_READ = (
            "judgments:read",
            "Read judgments, resolutions and the inbox under pseudonyms, request downloads",
        )
        NUMBERS_READ = (
            "numbers:read",
            "Read items, settings, progress, agreement and scores",
        )
        RELEASES_READ = "releases:read", "Download releases, and what changed between them"
        RELEASES_WRITE = "releases:write", "Make, publish and withdraw releases, and read them"
        MEMBERS_WRITE = (
            "members:write",
            "Read who is a member, invite, remove and pause people, withdraw their labels",
        )
        COLLECTIONS_WRITE = (
            "collections:write",
            "Make collections, change their settings, alarms and webhooks, decide on the inbox",
        )

    user = models.ForeignKey(User, models.CASCADE, related_name="api_tokens")
    collection = models.ForeignKey("Collection", models.CASCADE, null=True, blank=True)
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12)
    sha256 = models.CharField(max_length=64)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sha256"], name="annotate_apitoken_unique_sha256"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class WorkerHeartbeat(models.Model):
    """The last report of a Celery worker; in Postgres, so that it outlives the broker."""

    name = models.CharField(max_length=80)
    queues = ArrayField(
        models.CharField(max_length=20), default=list, help_text="What it takes from: short, long."
    )
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name"], name="annotate_workerheartbeat_unique_name"),
        ]

    def __str__(self) -> str:
        return f"{self.name} at {self.at}"


class SignInTry(models.Model):
    """A wrong password, or one being checked; forgotten within the hour.

    Account and address are stored as keyed hashes, which show whether two are the same and nothing
    else.
    """

    person = models.CharField(
        max_length=64, help_text="The account, or the name where there is none."
    )
    address = models.CharField(max_length=64)
    browser = models.CharField(
        max_length=64, blank=True, help_text="Blank where the person never signed in before."
    )
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "sign-in tries"
        indexes = [
            models.Index(fields=["person", "at"], name="annotate_signintry_person"),
            models.Index(fields=["address", "at"], name="annotate_signintry_address"),
        ]

    def __str__(self) -> str:
        return f"at {self.at}"
