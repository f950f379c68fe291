"""URLs of annotate: collections, people, judging.

A page of a collection lies under the section of the bar in which it is found, those of its home
directly under the collection. The screens on which people judge and train keep addresses of their
own: a browser sends there what it could not send before.
"""

from django.urls import URLPattern, URLResolver, include, path, register_converter

from annotate import training_urls
from annotate.services.imports.forms import ImportAddress
from annotate.views.collection import collections, home, imports, previews
from annotate.views.judging import judge, media
from annotate.views.people import account, invitations, members, tokens, tour
from annotate.views.review import (
    batches,
    concerns,
    golds,
    inbox,
    inbox_pair,
    item_choice,
    review_log,
)
from annotate.views.settings import general, guidelines, levels, policy
from annotate.views.webhooks import hooks

register_converter(ImportAddress, "import_kind")

IMPORTS = [
    path("", imports.imports, name="imports"),
    path("<import_kind:import_kind>/", imports.load, name="load"),
    path("<import_kind:import_kind>/preview/", previews.file_preview, name="file-preview"),
    path("<int:pk>/", imports.import_page, name="import"),
    path("<int:pk>/state/", imports.import_state, name="import-state"),
    path("<int:pk>/cancel/", imports.import_cancel, name="import-cancel"),
]
WEBHOOKS: list[URLPattern | URLResolver] = [
    path("", hooks.hooks, name="webhooks"),
    path("<int:pk>/", hooks.hook, name="webhook"),
    path("<int:pk>/act/", hooks.hook_act, name="webhook-act"),
    path("<int:pk>/deliveries/<int:delivery>/again/", hooks.send_again, name="webhook-again"),
]
SETTINGS: list[URLPattern | URLResolver] = [
    path("", general.settings, name="settings"),
    path("guidelines/", guidelines.guidelines, name="guidelines"),
    path("guidelines/preview/", guidelines.preview_guidelines, name="guidelines-preview"),
    path("levels/", levels.levels, name="levels"),
    path("levels/draft/", levels.draft_levels, name="levels-draft"),
    path("archive/", general.change_archive, name="archive-change"),
    path("delete/", general.delete_collection, name="collection-delete"),
    path("pay/", general.change_pay, name="pay-change"),
    path("alpha-marks/", general.change_alpha_marks, name="alpha-marks-change"),
    path("query-groups/", general.change_query_groups, name="query-groups-change"),
    path("publication/", general.change_publication, name="publication-change"),
    path("webhooks/", include(WEBHOOKS)),
    path("policy/", policy.policy, name="policy"),
    path("policy/draft/", policy.draft_policy, name="policy-draft"),
    path("policy/preview/<slug:key>/", policy.policy_preview, name="policy-preview"),
]
PEOPLE = [
    path("members/", members.members, name="members"),
    path("members/invite/", members.invite, name="invite"),
    path("members/<int:pk>/remove/", members.remove, name="member-remove"),
    path("members/return/", members.give_back, name="member-return"),
    path("invitations/<int:pk>/revoke/", members.revoke, name="invitation-revoke"),
]
INBOX = [
    path("", inbox.inbox_page, name="inbox"),
    path("pairs/<int:pk>/", inbox_pair.pair, name="inbox-pair"),
    path("pairs/<int:pk>/adjudicate/", inbox_pair.adjudicate, name="inbox-pair-adjudicate"),
    path("pairs/<int:pk>/act/", inbox_pair.pair_act, name="inbox-pair-act"),
    path("batches/<int:pk>/", batches.batch, name="inbox-batch"),
    path("batches/<int:pk>/act/", batches.batch_act, name="inbox-batch-act"),
    path("people/<int:pk>/act/", concerns.concern_act, name="inbox-concern-act"),
    path("log/", review_log.log, name="review-log"),
    path("log/csv/", review_log.log_csv, name="review-log-csv"),
    path("log/<int:pk>/work/", review_log.work, name="review-work"),
    path("log/<int:pk>/again/", review_log.work_again, name="review-work-again"),
]
JUDGE_SCREEN = [
    path("", judge.judge, name="judge"),
    path("next", judge.next_cards, name="judge-next"),
    path("answer", judge.answer, name="judge-answer"),
    path("undo", judge.undo, name="judge-undo"),
    path("report", judge.report, name="judge-report"),
    path("recent", judge.recent, name="judge-recent"),
    path("word", judge.changeable_answer, name="judge-word"),
    path("token", judge.token, name="judge-token"),
    path("signed-in", judge.signed_in, name="judge-signed-in"),
]

app_name = "annotate"
urlpatterns = [
    path("", home.home, name="home"),
    path("invitations/<str:token>/", invitations.invitation, name="invitation"),
    path("account/", account.account, name="account"),
    path("account/email/", account.email, name="account-email"),
    path("account/email/<str:token>/", account.email_confirm, name="account-email-confirm"),
    path("account/data/", account.own_data, name="own-data"),
    path("account/erase/", account.erase, name="account-erase"),
    path("account/tour/close/", tour.tour_close, name="tour-close"),
    path("account/tour/open/", tour.tour_open, name="tour-open"),
    path("tokens/", tokens.own_tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", tokens.revoke, name="token-revoke"),
    path("collections/new/", collections.collection_new, name="collection-new"),
    path("collections/new/preview/", previews.new_items_preview, name="new-items-preview"),
    path("collections/new/levels/draft/", levels.draft_new_levels, name="new-levels-draft"),
    path("c/<slug:slug>/imports/", include(IMPORTS)),
    path("c/<slug:slug>/settings/", include(SETTINGS)),
    path("c/<slug:slug>/judging/items/", item_choice.item_choice, name="item-choice"),
    path("c/<slug:slug>/judging/golds/", golds.golds, name="golds"),
    path("c/<slug:slug>/judging/golds/<int:pk>/retire/", golds.gold_retire, name="gold-retire"),
    path("c/<slug:slug>/judging/training/", include(training_urls.SETUP)),
    path("c/<slug:slug>/people/", include(PEOPLE)),
    path("c/<slug:slug>/inbox/", include(INBOX)),
    path("c/<slug:slug>/media/<int:pk>/", media.part_media, name="part-media"),
    path("c/<slug:slug>/media/<int:pk>/<int:number>/", media.part_media, name="part-source"),
    path(
        "c/<slug:slug>/media/<int:pk>/preview/<int:preview>/",
        media.part_preview,
        name="part-preview",
    ),
    path("c/<slug:slug>/training/", include(training_urls.SCREENS)),
    path("c/<slug:slug>/judge/", include(JUDGE_SCREEN)),
]
