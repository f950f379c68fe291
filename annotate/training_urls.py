"""URLs of the training: for people in training, and for leads who set it up."""

from django.urls import URLPattern, path

from annotate.views.judging import training, training_setup

SCREENS: list[URLPattern] = [
    path("", training.training, name="training"),
    path("quiz/", training.quiz, name="training-quiz"),
    path("begin/", training.begin, name="training-begin"),
    path("pairs/", training.screen, name="training-screen"),
    path("pairs/next", training.next_cards, name="training-next"),
    path("pairs/answer", training.answer, name="training-answer"),
    path("pairs/report", training.report, name="training-report"),
]
SETUP: list[URLPattern] = [
    path("", training_setup.setup, name="training-setup"),
    path("change/", training_setup.change, name="training-change"),
    path("quiz/", training_setup.quiz, name="training-questions"),
    path("pairs/", training_setup.pairs, name="training-pairs"),
    path("pairs/add/", training_setup.add, name="training-pair-add"),
    path("pairs/golds/", training_setup.add_golds, name="training-golds-add"),
    path("pairs/file/", training_setup.add_file, name="training-file-add"),
    path("pairs/<int:pk>/retire/", training_setup.retire, name="training-pair-retire"),
    path("pairs/<int:pk>/restore/", training_setup.restore, name="training-pair-restore"),
    path("people/<int:pk>/decide/", training_setup.decide, name="training-decide"),
]
