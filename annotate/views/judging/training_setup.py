"""Set-up of a training by leads: its rules, quiz and pairs, and decisions about people."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate import access
from annotate.core.consequences import ActChanged, Consequences, CountChanged
from annotate.core.phrases import counted
from annotate.core.training.quizzes import BadQuestion
from annotate.forms.consequences import TakeBackForm
from annotate.forms.training import (
    DecisionForm,
    GoldsForm,
    PairForm,
    PairsFileForm,
    QuestionForm,
    QuestionFormSet,
    TrainingForm,
)
from annotate.http import SignedIn, takes_files
from annotate.markdown import Heading, headings
from annotate.models import Collection, Gold, Role, TrainingPair
from annotate.services.training import people as training_people
from annotate.services.training import quizzes
from annotate.services.training import setup as training_setup
from annotate.services.training.pair_consequences import retired_pairs, take_out_consequences
from annotate.services.training.sentences import SetupSteps, golds_note
from annotate.services.training.setup import BadPairs, BadTraining, PairSpec
from annotate.services.training.status import active_pairs, newest_quiz, training_of
from annotate.views import undoing

LEADS = (Role.LEAD,)
PAIRS_A_PAGE = 50
# notices, and the act that takes back what they tell
TAKEN_OUT = "Taken out: nobody else is trained on that pair.", "restore"
BROUGHT_BACK = "Brought back: people are trained on that pair again.", "retire"
DONE = {
    "admitted": "{} may judge now.",
    "exempted": "{} may judge without the training.",
    "sent_back": "{} begins the training anew, and gets no pairs until it is passed.",
}


@require_safe
@login_required
def setup(request: SignedIn, slug: str) -> HttpResponse:
    """Show the rules of the training, and the status of each person."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADS)
    return _setup_page(
        request, collection, TrainingForm(instance=training_of(collection=collection))
    )


@require_POST
@login_required
def change(request: SignedIn, slug: str) -> HttpResponse:
    """Change the rules of the training; switch it on or off."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADS)
    form = TrainingForm(request.POST, instance=training_of(collection=collection))
    if form.is_valid():
        try:
            training = training_setup.change_training(collection=collection, **form.cleaned_data)
        except BadTraining as error:
            form.add_error(None, str(error))
        else:
            message = (
                "Saved: newcomers are trained before they judge."
                if training.is_on
                else "Saved: nobody is trained."
            )
            messages.success(request, message)
            return redirect("annotate:training-setup", slug)
    return _setup_page(request, collection, form, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def quiz(request: SignedIn, slug: str) -> HttpResponse:
    """The questions, all in one form; saved, they are a version."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADS)
    forms = _question_forms(request, collection)
    faults: list[str] = []
    if request.method == "POST" and forms.is_valid():
        try:
            quizzes.change_quiz(collection=collection, questions=forms.questions(), by=request.user)
        except BadQuestion as error:
            faults = [str(error)]
        else:
            messages.success(request, "Saved: the next who take the quiz get these questions.")
            return redirect("annotate:training-questions", slug)
    context = {
        "collection": collection,
        "forms": forms,
        "faults": faults,
        "quiz": newest_quiz(collection=collection),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "annotate/training/questions.html", context, status=status)


def _question_forms(request: HttpRequest, collection: Collection) -> QuestionFormSet:
    """The forms of all questions, as they are stored or as they were sent."""
    stored_questions = [
        QuestionForm.as_initial(question)
        for question in quizzes.questions_of(collection=collection)
    ]
    return QuestionFormSet(
        request.POST or None,
        initial=stored_questions,
        prefix="questions",
        form_kwargs={"headings": _headings(collection)},
    )


@require_safe
@login_required
def pairs(request: SignedIn, slug: str) -> HttpResponse:
    """The pairs people are trained on."""
    return _pairs_page(request, access.get_collection(user=request.user, slug=slug, roles=LEADS))


@require_POST
@login_required
def add(request: SignedIn, slug: str) -> HttpResponse:
    """Train on one more pair."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADS)
    form = PairForm(
        request.POST, levels=list(collection.levels.all()), headings=_headings(collection)
    )
    if form.is_valid():
        try:
            training_setup.add_pairs(
                collection=collection, specs=[PairSpec(**form.cleaned_data)], by=request.user
            )
        except BadPairs as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "Added.")
            return redirect("annotate:training-pairs", slug)
    return _pairs_page(request, collection, pair_form=form)


@require_POST
@login_required
def add_golds(request: SignedIn, slug: str) -> HttpResponse:
    """Train on some of the golds."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADS)
    form = GoldsForm(request.POST)
    if not form.is_valid():
        return _pairs_page(request, collection, golds_form=form)
    n = training_setup.add_golds(collection=collection, by=request.user, **form.cleaned_data)
    messages.success(
        request, f"Added {n} of the golds; whoever is trained on one is never checked by it."
    )
    return redirect("annotate:training-pairs", slug)


@require_POST
@login_required
@takes_files
def add_file(request: SignedIn, slug: str) -> HttpResponse:
    """Train on the pairs of a table, all of them or none."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADS)
    form = PairsFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _pairs_page(request, collection, file_form=form)
    file = form.cleaned_data["file"]
    try:
        n = training_setup.add_file(
            collection=collection,
            content=file.read(),
            name=file.name,
            anchors=_anchors(collection),
            by=request.user,
        )
    except BadPairs as error:
        return _pairs_page(request, collection, file_form=form, faults=str(error).splitlines())
    messages.success(request, f"Added {counted(n, 'pair')}.")
    return redirect("annotate:training-pairs", slug)


@require_POST
@login_required
def retire(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Take a training pair out."""
    pair = access.get_training_pair(user=request.user, slug=slug, pk=pk)
    return _change_pair(request, pair, partial(training_setup.retire_pair, pair=pair), TAKEN_OUT)


@require_POST
@login_required
def restore(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Bring a training pair back that was taken out."""
    pair = access.get_training_pair(user=request.user, slug=slug, pk=pk)
    done_at = TakeBackForm.moment_in(request.POST)
    bring_back = partial(training_setup.bring_back_pair, pair=pair, done_at=done_at)
    return _change_pair(request, pair, bring_back, BROUGHT_BACK)


def _change_pair(
    request: SignedIn, pair: TrainingPair, change: Callable[[], bool], notice: tuple[str, str]
) -> HttpResponse:
    """Change a training pair, tell it, and go back to the list.

    change : False where it had been done before
    notice : its text, and the act that takes it back
    """
    text, undo_act = notice
    slug = pair.pair.collection.slug
    try:
        is_changed = change()
    except (BadTraining, ActChanged) as error:
        messages.error(request, str(error))
        return redirect("annotate:training-pairs", slug)
    if is_changed:
        undo_url = reverse(f"annotate:training-pair-{undo_act}", args=[slug, pair.pk])
        undoing.notify(request, text, undo_url=undo_url, done_at=pair.retired_at, act=undo_act)
    else:
        messages.info(request, "Nothing was changed: it had been done before.")
    return redirect("annotate:training-pairs", slug)


@require_POST
@login_required
def decide(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Admit a person in training, exempt her, or send her back."""
    annotator = access.get_led_annotator(user=request.user, slug=slug, pk=pk)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        messages.error(
            request,
            "Nothing was changed: " + " ".join(str(errors[0]) for errors in form.errors.values()),
        )
        return redirect("annotate:training-setup", slug)
    decision = form.cleaned_data
    try:
        training_people.decide(annotator=annotator, by=request.user, **decision)
        messages.success(request, DONE[decision["kind"]].format(annotator.user or annotator))
    except CountChanged as error:
        messages.error(request, f"Nothing was changed: {error}")
    except training_people.AlreadyDecided as error:
        messages.info(request, str(error))
    return redirect("annotate:training-setup", slug)


def _headings(collection: Collection) -> list[Heading]:
    return headings(collection.guidelines.latest("version").markdown)


def _anchors(collection: Collection) -> dict[str, str]:
    """Anchors of the headings, by the names a file may use: a heading's words, or its anchor."""
    headings_ = _headings(collection)
    anchors = {heading.title.casefold(): heading.anchor for heading in headings_}
    return anchors | {heading.anchor: heading.anchor for heading in headings_}


def _setup_page(
    request: HttpRequest, collection: Collection, form: TrainingForm, *, status: int = 200
) -> HttpResponse:
    newest = newest_quiz(collection=collection)
    context = {
        "collection": collection,
        "training": training_of(collection=collection),
        "form": form,
        "people": training_people.send_back_consequences(
            statuses=training_people.people(collection=collection)
        ),
        "steps": SetupSteps(
            n_questions=len(newest.questions) if newest else 0,
            n_pairs=active_pairs(collection=collection).count(),
        ),
    }
    return render(request, "annotate/training/setup.html", context, status=status)


def _pairs_page(
    request: HttpRequest,
    collection: Collection,
    *,
    pair_form: PairForm | None = None,
    golds_form: GoldsForm | None = None,
    file_form: PairsFileForm | None = None,
    faults: list[str] | None = None,
) -> HttpResponse:
    paginator = Paginator(training_setup.listed_pairs(collection=collection), PAIRS_A_PAGE)
    page = paginator.get_page(request.GET.get("page"))
    n_golds = Gold.objects.filter(collection=collection, retired_at=None).count()
    context = {
        "collection": collection,
        "page": page,
        "rows": _pair_rows(collection, list(page)),
        "retired": retired_pairs(collection=collection),
        "n_in_pools": training_setup.pairs_in_pools(collection=collection),
        "n_golds": n_golds,
        "golds_note": golds_note(n_golds),
        "pair_form": pair_form
        or PairForm(levels=list(collection.levels.all()), headings=_headings(collection)),
        "golds_form": golds_form or GoldsForm(),
        "file_form": file_form or PairsFileForm(),
        "faults": faults,
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "annotate/training/pairs.html", context, status=status)


def _pair_rows(
    collection: Collection, training_pairs: list[TrainingPair]
) -> list[tuple[TrainingPair, str, str, Consequences]]:
    """Each pair with its level's name, its heading, and the consequences of taking it out."""
    titles = {heading.anchor: heading.title for heading in _headings(collection)}
    names = {level.grade: level.name for level in collection.levels.all()}
    return [
        (row, names.get(row.grade, ""), titles.get(row.anchor, ""), consequences)
        for row, consequences in take_out_consequences(training_pairs=training_pairs)
    ]
