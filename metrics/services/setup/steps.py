"""The steps of setting a collection up: which are done, and where each is done."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db.models import Count, Max, Q, TextChoices
from django.urls import reverse

from annotate.access import LEADERS
from annotate.core.phrases import count_of, counted
from annotate.models import (
    Annotator,
    Collection,
    Gold,
    Import,
    Invitation,
    Item,
    Judgment,
    Role,
    Round,
    Side,
    Training,
    Work,
)
from annotate.services.policy.policy_sentences import policy_sentences
from pooling.models import Pool, Run

RESEARCHER, LEAD = (Role.RESEARCHER,), (Role.LEAD,)
# The pages on which a step is done, by its title; a step leads to the first of its pages. The last
# of some are addresses that answer with such a page where what was sent to them is refused.
STEP_PAGES: Mapping[str, Sequence[str]] = {
    "Data": ["annotate:load"],
    "Reference labels": ["annotate:load"],
    "Levels": ["annotate:levels"],
    "Guidelines": ["annotate:guidelines"],
    "Runs": ["pooling:run-upload", "pooling:runs", "pooling:run"],
    "Policy": ["annotate:policy"],
    "Golds": ["annotate:golds", "annotate:gold-retire"],
    "Pool": ["pooling:pools", "pooling:pool-new", "pooling:pool"],
    "Training": [
        "annotate:training-setup",
        "annotate:training-questions",
        "annotate:training-pairs",
        "annotate:training-change",
        "annotate:training-pair-add",
        "annotate:training-golds-add",
        "annotate:training-file-add",
    ],
    "People": ["annotate:members", "annotate:invite"],
}

START_PAGE = "annotate:judge"  # beside which no rail stands
NEEDED_STEPS = {"Data", "Runs", "Pool", "People", "Start"}


class StepState(TextChoices):
    """States of a step."""

    DONE = "done", "Done"
    UNDER_WAY = "under-way", "Under way"
    OPEN = "open", "Open"
    OPTIONAL = "optional", "May be left out"


class SetupStep(NamedTuple):
    """A step: its title, how it stands in words, and who can do it.

    doers : the roles that can do it
    import_kind : which kind of file its page loads, where it loads files
    report_address : the page that says why the last of its files was refused; "" otherwise
    """

    title: str
    state: StepState
    text: str
    doers: Sequence[Role] = LEADERS
    import_kind: str = ""
    report_address: str = ""

    @property
    def is_needed(self) -> bool:
        """True if nobody can judge without the step."""
        return self.title in NEEDED_STEPS

    @property
    def pages(self) -> Sequence[str]:
        """Names of the addresses of its pages."""
        return STEP_PAGES.get(self.title, [START_PAGE])

    def address(self, slug: str) -> str:
        """The address of its page in a collection."""
        arguments = [slug, self.import_kind] if self.import_kind else [slug]
        return reverse(self.pages[0], args=arguments)


class StepLine(NamedTuple):
    """A step in a list: address "" where its reader cannot do it."""

    step: SetupStep
    address: str
    is_present: bool


class Setup(NamedTuple):
    """The steps of a collection for somebody with some of its roles.

    is_over : people have judged, which is the last step
    """

    steps: list[SetupStep]
    roles: set[Role]
    slug: str
    is_over: bool

    @property
    def n_done(self) -> int:
        """The number of steps that are done."""
        return sum(step.state == StepState.DONE for step in self.steps)

    @property
    def title(self) -> str:
        """The number of steps that are done, of how many."""
        return f"Set-up: {self.n_done} of {len(self.steps)} steps done"

    @property
    def next_step(self) -> SetupStep | None:
        """The first step that must be done and that this person can do."""
        return next(
            (step for step in self.steps if step.state == StepState.OPEN and self.can_do(step)),
            None,
        )

    def next_after(self, step: SetupStep | None) -> SetupStep | None:
        """The step that follows in the list and is not done, up to the first that must be done.

        From a step that must be done, and from none, the way leads past those that need not be.
        """
        next_step = self.next_step
        if step is None or step.is_needed:
            return next_step
        last = self.steps.index(next_step) if next_step else len(self.steps)
        between = self.steps[self.steps.index(step) + 1 : last]
        return next(
            (step for step in between if step.state == StepState.OPTIONAL and self.can_do(step)),
            next_step,
        )

    def address_after(self, step: SetupStep | None) -> str:
        """The page of the step after another; without one the collection's first page."""
        next_step = self.next_after(step)
        if self.is_over or next_step is None:
            return reverse("metrics:collection", args=[self.slug])
        return next_step.address(self.slug)

    def step_of(self, page: str, *, import_kind: str = "") -> SetupStep | None:
        """The step that is done on a page by the name of its address."""
        return next(
            (
                step
                for step in self.steps
                if page in step.pages and step.import_kind in ("", import_kind)
            ),
            None,
        )

    def can_do(self, step: SetupStep) -> bool:
        """True if one of the person's roles may do the step now."""
        return not self.roles.isdisjoint(step.doers)

    def lines(self, present_step: SetupStep | None) -> list[StepLine]:
        """The steps, each with its address; one of them is present."""
        return [
            StepLine(
                step, step.address(self.slug) if self.can_do(step) else "", step == present_step
            )
            for step in self.steps
        ]

    @property
    def overview_lines(self) -> list[StepLine]:
        """The steps, of which the next one stands out."""
        return self.lines(self.next_step)


def setup(*, collection: Collection, roles: set[Role]) -> Setup:
    """The steps of a collection, in the order in which they are best done; 15 queries."""
    reference_names = list(
        collection.reference_sets.usual().order_by("name").values_list("name", flat=True)
    )
    # read before the open rounds: a pool that opens in between is told as under way
    is_opening = Pool.objects.filter(
        collection=collection, work__state__in=Work.UNFINISHED
    ).exists()
    rounds = collection.rounds.filter(kind=Round.Kind.POOL, state=Round.State.OPEN)
    n_open_pools = rounds.count()
    n_annotators = (
        collection.memberships.filter(role=Role.ANNOTATOR).count()
        + collection.annotators.filter(origin=Annotator.Origin.SIMULATED).count()
    )
    return Setup(
        [
            *_data_steps(collection, reference_names),
            *_wording_steps(collection),
            _runs_step(collection),
            *_policy_steps(collection, has_references=bool(reference_names)),
            _pool_step(n_open_pools, is_opening=is_opening),
            *_people_steps(collection, n_annotators),
            _start_step(collection, n_open_pools, n_annotators),
        ],
        roles,
        collection.slug,
        not collection.is_being_set_up,
    )


def _data_steps(collection: Collection, reference_names: Sequence[str]) -> list[SetupStep]:
    """Items, and the labels they came with."""
    items = Item.objects.filter(collection=collection).aggregate(
        queries=Count("pk", filter=Q(side=Side.QUERY)),
        documents=Count("pk", filter=Q(side=Side.DOCUMENT)),
    )
    # the last file of each kind tells how its step stands
    imports = collection.imports.order_by("pk").select_related("work").only("kind", "work__state")
    last_imports = {import_.kind: import_ for import_ in imports}
    data = SetupStep(
        "Data",
        StepState.OPEN,
        "Queries and documents, from a file or an archive.",
        RESEARCHER,
        Import.Kind.ITEMS,
    )
    if items["queries"] and items["documents"]:
        text = f"{count_of(items['queries'], 'queries')}, {counted(items['documents'], 'document')}"
        data = data._replace(state=StepState.DONE, text=text)
    elif items["queries"] or items["documents"]:
        sides = sorted(items, key=lambda side: -items[side])
        text = f"{count_of(items[sides[0]], sides[0])}, no {sides[1]} yet"
        data = data._replace(text=text)
    reference = SetupStep(
        "Reference labels",
        StepState.OPTIONAL,
        "The labels it came with: scores are shown with and without what people add.",
        RESEARCHER,
        Import.Kind.REFERENCE,
    )
    if reference_names:
        reference = reference._replace(state=StepState.DONE, text=", ".join(reference_names))
    return [
        _with_reading(step, collection.slug, last_imports.get(step.import_kind))
        for step in (data, reference)
    ]


def _with_reading(step: SetupStep, slug: str, last_import: Import | None) -> SetupStep:
    """The step of a kind of file, with what became of the last file of this kind."""
    state = last_import.reading.state if last_import else ""
    if state in Work.UNFINISHED:
        return step._replace(state=StepState.UNDER_WAY, text="A file is being read.")
    if last_import and state == Work.State.FAILED:
        sentence = "The last file was refused."
        return step._replace(
            text=f"{step.text}. {sentence}" if step.state == StepState.DONE else sentence,
            report_address=reverse("annotate:import", args=[slug, last_import.pk]),
        )
    return step


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
        ),
        SetupStep(
            "Guidelines",
            StepState.DONE if is_written else StepState.OPTIONAL,
            "Written" if is_written else "What annotators read first.",
            LEAD,
        ),
    ]


def _runs_step(collection: Collection) -> SetupStep:
    """The runs whose results are pooled; hidden ones cannot be."""
    runs = (
        Run.objects.published()
        .filter(collection=collection)
        .aggregate(
            ready=Count("pk", filter=Q(state=Run.State.READY, on_hold_since=None)),
            held=Count("pk", filter=Q(state=Run.State.READY, on_hold_since__isnull=False)),
            read=Count("pk", filter=Q(state=Run.State.RECEIVED)),
            refused=Count("pk", filter=Q(state=Run.State.REJECTED)),
            last_refused=Max("pk", filter=Q(state=Run.State.REJECTED)),
        )
    )
    state, text = StepState.OPEN, "Results of retrieval systems: they decide what is worth judging."
    report_address = ""
    if runs["refused"]:
        report_address = reverse("pooling:run", args=[collection.slug, runs["last_refused"]])
    if runs["read"]:
        state, text = StepState.UNDER_WAY, f"{counted(runs['read'], 'run')} being read"
    elif runs["ready"]:
        state, text = StepState.DONE, counted(runs["ready"], "run")
        if runs["refused"]:
            text = f"{text}. {counted(runs['refused'], 'file')} refused."
    elif runs["held"]:
        text = f"{counted(runs['held'], 'run')} on hold: its page says why."
    elif runs["refused"]:
        text = f"{counted(runs['refused'], 'file')} refused."
    return SetupStep("Runs", state, text, RESEARCHER, report_address=report_address)


def _policy_steps(collection: Collection, *, has_references: bool) -> list[SetupStep]:
    """Labels a pair, and the pairs that check people."""
    policy = collection.policies.latest("version")
    n_golds = Gold.objects.filter(collection=collection, retired_at=None).count()
    asks_golds = bool(policy.gold_positives or policy.gold_negatives)
    has_golds = asks_golds and bool(n_golds or has_references)
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
        ),
        SetupStep(
            "Golds",
            StepState.DONE if has_golds else StepState.OPTIONAL,
            gold_text,
            LEAD,
        ),
    ]


def _pool_step(n_open_pools: int, *, is_opening: bool) -> SetupStep:
    """The pairs that people are asked about."""
    if n_open_pools:
        return SetupStep("Pool", StepState.DONE, f"{counted(n_open_pools, 'pool')} open")
    text = "Takes the best results of the runs and offers them to annotators; with a price first."
    step = SetupStep("Pool", StepState.OPEN, text, RESEARCHER)
    if is_opening:
        return step._replace(state=StepState.UNDER_WAY, text="A pool is being opened.")
    return step


def _people_steps(collection: Collection, n_annotators: int) -> list[SetupStep]:
    """Training, and the people."""
    training_on = Training.objects.filter(collection=collection, is_on=True).exists()
    n_invited = (
        Invitation.objects.usable().filter(collection=collection, role=Role.ANNOTATOR).count()
    )
    people = SetupStep("People", StepState.OPEN, "Nobody judges here yet.", LEAD)
    if n_annotators:
        text = counted(n_annotators, "annotator")
        people = people._replace(state=StepState.DONE, text=text)
    elif n_invited:
        text = f"{n_invited:,} invited, not come yet"
        people = people._replace(state=StepState.UNDER_WAY, text=text)
    return [
        SetupStep(
            "Training",
            StepState.DONE if training_on else StepState.OPTIONAL,
            "On" if training_on else "Pairs with explanations, before people's labels count.",
            LEAD,
        ),
        people,
    ]


def _start_step(collection: Collection, n_open_pools: int, n_annotators: int) -> SetupStep:
    """The first judgment."""
    if not collection.is_being_set_up:
        n_judgments = Judgment.objects.filter(collection=collection).count()
        return SetupStep("Start", StepState.DONE, counted(n_judgments, "judgment"), doers=())
    if not n_open_pools or not n_annotators:
        absent = "a pool is open" if not n_open_pools else "an annotator has come"
        text = f"Begins once {absent}."
        return SetupStep("Start", StepState.OPEN, text, doers=())
    text = "Everything is ready: the first judgment is awaited."
    return SetupStep("Start", StepState.OPEN, text, (Role.ANNOTATOR,))
