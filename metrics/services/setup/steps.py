"""The steps of setting a collection up: which are done, and where each is done."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count, Q, TextChoices

from annotate.access import LEADERS
from annotate.core.phrases import count_of, counted
from annotate.models import Collection, Gold, Import, Invitation, Policy, Role, Training
from annotate.services.pages.overview import Overview
from annotate.services.policy.policy_sentences import policy_sentences
from pooling.models import Run

RESEARCHER, LEAD = (Role.RESEARCHER,), (Role.LEAD,)


class StepState(TextChoices):
    """States of a step."""

    DONE = "done", "Done"
    UNDER_WAY = "under-way", "Under way"
    OPEN = "open", "Open"
    OPTIONAL = "optional", "May be left out"


class SetupStep(NamedTuple):
    """A step: its title, how it stands in words, and the page on which it is done.

    doers : the roles that can do it
    page : name of the page's address; "" where there is nothing to do on a page
    import_kind : which kind of file the page loads, where it loads files
    """

    title: str
    state: StepState
    text: str
    doers: Sequence[Role] = LEADERS
    page: str = ""
    import_kind: str = ""


class Setup(NamedTuple):
    """The steps of a collection for somebody with some of its roles."""

    steps: list[SetupStep]
    roles: set[Role]

    @property
    def n_done(self) -> int:
        """The number of steps that are done."""
        return sum(step.state == StepState.DONE for step in self.steps)

    @property
    def title(self) -> str:
        """The number of steps that are done, of how many."""
        return f"Set-up: {self.n_done} of {len(self.steps)} steps done"

    @property
    def is_over(self) -> bool:
        """True if people have judged: the last step is done."""
        return self.steps[-1].state == StepState.DONE

    @property
    def next_step(self) -> SetupStep | None:
        """The first step that must be done and that this person can do."""
        return next(
            (step for step in self.steps if step.state == StepState.OPEN and self.can_do(step)),
            None,
        )

    def can_do(self, step: SetupStep) -> bool:
        """True if the step has a page that one of the person's roles may open."""
        return bool(step.page) and not self.roles.isdisjoint(step.doers)

    def links(self) -> list[tuple[SetupStep, bool]]:
        """The steps, each with whether the person can do it."""
        return [(step, self.can_do(step)) for step in self.steps]


def setup(*, collection: Collection, figures: Overview, roles: set[Role]) -> Setup:
    """The steps of a collection, in the order in which they are best done; nine queries."""
    policy = collection.policies.latest("version")
    return Setup(
        [
            *_data_steps(figures),
            *_wording_steps(collection),
            _runs_step(collection),
            *_policy_steps(collection, policy),
            _pool_step(figures),
            *_people_steps(collection, figures),
        ],
        roles,
    )


def _data_steps(figures: Overview) -> list[SetupStep]:
    """Items, and the labels they came with."""
    has_items = bool(figures.n_queries and figures.n_documents)
    state = StepState.DONE if has_items else StepState.OPEN
    if figures.n_being_read:
        state = StepState.UNDER_WAY
    text = (
        f"{count_of(figures.n_queries, 'queries')}, {counted(figures.n_documents, 'document')}"
        if has_items
        else "Queries and documents, from a file or an archive."
    )
    names = ", ".join(reference_set.name for reference_set in figures.reference_sets)
    return [
        SetupStep(
            "Data",
            state,
            figures.being_read_text or text,
            RESEARCHER,
            "annotate:load",
            import_kind=Import.Kind.ITEMS,
        ),
        SetupStep(
            "Reference labels",
            StepState.DONE if names else StepState.OPTIONAL,
            names or "The labels it came with: scores are shown with and without what people add.",
            RESEARCHER,
            "annotate:load",
            import_kind=Import.Kind.REFERENCE,
        ),
    ]


def _wording_steps(collection: Collection) -> list[SetupStep]:
    """Levels, and the guidelines."""
    n_levels = collection.levels.count()
    guidelines = collection.guidelines.latest("version")
    is_written = bool(guidelines.markdown.strip())
    return [
        SetupStep(
            "Levels",
            StepState.DONE,
            f"{counted(n_levels, 'level')}, relevant from grade {collection.positive_from}",
            LEAD,
            "annotate:levels",
        ),
        SetupStep(
            "Guidelines",
            StepState.DONE if is_written else StepState.OPTIONAL,
            f"Version {guidelines.version}" if is_written else "What annotators read first.",
            LEAD,
            "annotate:guidelines",
        ),
    ]


def _runs_step(collection: Collection) -> SetupStep:
    """The runs whose results are pooled."""
    runs = Run.objects.filter(collection=collection).aggregate(
        ready=Count("pk", filter=Q(state=Run.State.READY)),
        read=Count("pk", filter=Q(state=Run.State.RECEIVED)),
    )
    state, text = StepState.OPEN, "Results of retrieval systems: they decide what is worth judging."
    if runs["ready"]:
        state, text = StepState.DONE, counted(runs["ready"], "run")
    elif runs["read"]:
        state, text = StepState.UNDER_WAY, f"{counted(runs['read'], 'run')} being read"
    return SetupStep("Runs", state, text, RESEARCHER, "pooling:runs")


def _policy_steps(collection: Collection, policy: Policy) -> list[SetupStep]:
    """Labels a pair, and the pairs that check people."""
    n_golds = Gold.objects.filter(collection=collection, retired_at=None).count()
    asks_golds = bool(policy.gold_positives or policy.gold_negatives)
    has_golds = asks_golds and bool(n_golds or collection.reference_sets.usual().exists())
    gold_text = "Known pairs among the others, which check people's work."
    if n_golds:
        gold_text = f"{counted(n_golds, 'gold')} chosen"
    elif has_golds:
        gold_text = "Taken from the reference labels by themselves."
    return [
        SetupStep(
            "Policy",
            StepState.DONE if policy.version > 1 else StepState.OPTIONAL,
            policy_sentences(policy)[0],
            LEAD,
            "annotate:policy",
        ),
        SetupStep(
            "Golds",
            StepState.DONE if has_golds else StepState.OPTIONAL,
            gold_text,
            LEAD,
            "annotate:golds",
        ),
    ]


def _pool_step(figures: Overview) -> SetupStep:
    """The pairs that people are asked about."""
    if figures.n_open_pools:
        text = f"{counted(figures.n_open_pools, 'pool')} open"
        return SetupStep("Pool", StepState.DONE, text, LEADERS, "pooling:pools")
    text = "Takes the best results of the runs and offers them to annotators; with a price first."
    return SetupStep("Pool", StepState.OPEN, text, RESEARCHER, "pooling:pools")


def _people_steps(collection: Collection, figures: Overview) -> list[SetupStep]:
    """Training, people, and the first judgment."""
    training_on = Training.objects.filter(collection=collection, is_on=True).exists()
    n_invited = Invitation.objects.usable().filter(collection=collection).count()
    people = SetupStep(
        "People", StepState.OPEN, "Nobody judges here yet.", LEAD, "annotate:members"
    )
    if figures.n_annotators:
        text = counted(figures.n_annotators, "annotator")
        people = people._replace(state=StepState.DONE, text=text)
    elif n_invited:
        text = f"{counted(n_invited, 'invitation')} not accepted yet"
        people = people._replace(state=StepState.UNDER_WAY, text=text)
    start_text = "Begins when a pool is open and somebody has come."
    if figures.n_judgments:
        start_text = counted(figures.n_judgments, "judgment")
    elif figures.n_open_pools and figures.n_annotators:
        start_text = "Everything is ready: the first judgment is awaited."
    return [
        SetupStep(
            "Training",
            StepState.DONE if training_on else StepState.OPTIONAL,
            "On" if training_on else "Pairs with explanations, before people's labels count.",
            LEAD,
            "annotate:training-setup",
        ),
        people,
        SetupStep("Start", StepState.DONE if figures.n_judgments else StepState.OPEN, start_text),
    ]
