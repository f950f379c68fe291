"""URLs of annotate: collections, people, judging."""

from django.urls import include, path, register_converter

from annotate.services.imports.forms import ImportAddress
from annotate.views.collection import collections, home, imports, policy, settings
from annotate.views.judging import judge, media
from annotate.views.people import account, annotator, invitations, members, tokens
from annotate.views.review import batches, golds, inbox, inbox_pair, review_log

register_converter(ImportAddress, "import_kind")

app_name = "annotate"
urlpatterns = [
    path("", home.home, name="home"),
    path("invitations/<str:token>/", invitations.invitation, name="invitation"),
    path("account/", account.account, name="account"),
    path("account/email/", account.email, name="account-email"),
    path("account/email/<str:token>/", account.email_confirm, name="account-email-confirm"),
    path("account/data/", account.own_data, name="own-data"),
    path("account/erase/", account.erase, name="account-erase"),
    path("tokens/", tokens.own_tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", tokens.revoke, name="token-revoke"),
    path("collections/new/", collections.collection_new, name="collection-new"),
    path("c/<slug:slug>/", collections.collection, name="collection"),
    path("c/<slug:slug>/<import_kind:import_kind>/", imports.load, name="load"),
    path("c/<slug:slug>/imports/", imports.imports, name="imports"),
    path("c/<slug:slug>/imports/<int:pk>/", imports.import_page, name="import"),
    path("c/<slug:slug>/imports/<int:pk>/state/", imports.import_state, name="import-state"),
    path("c/<slug:slug>/imports/<int:pk>/cancel/", imports.import_cancel, name="import-cancel"),
    path("c/<slug:slug>/members/", members.members, name="members"),
    path("c/<slug:slug>/members/invite/", members.invite, name="invite"),
    path("c/<slug:slug>/members/<int:pk>/remove/", members.remove, name="member-remove"),
    path("c/<slug:slug>/invitations/<int:pk>/revoke/", members.revoke, name="invitation-revoke"),
    path("c/<slug:slug>/annotators/<int:pk>/", annotator.annotator, name="annotator"),
    path("c/<slug:slug>/annotators/<int:pk>/act/", annotator.annotator_act, name="annotator-act"),
    path("c/<slug:slug>/inbox/", inbox.inbox_page, name="inbox"),
    path("c/<slug:slug>/inbox/pairs/<int:pk>/", inbox_pair.pair, name="inbox-pair"),
    path(
        "c/<slug:slug>/inbox/pairs/<int:pk>/adjudicate/",
        inbox_pair.adjudicate,
        name="inbox-pair-adjudicate",
    ),
    path("c/<slug:slug>/inbox/pairs/<int:pk>/act/", inbox_pair.pair_act, name="inbox-pair-act"),
    path("c/<slug:slug>/inbox/batches/<int:pk>/", batches.batch, name="inbox-batch"),
    path("c/<slug:slug>/inbox/batches/<int:pk>/act/", batches.batch_act, name="inbox-batch-act"),
    path("c/<slug:slug>/review-log/", review_log.log, name="review-log"),
    path("c/<slug:slug>/review-log/csv/", review_log.log_csv, name="review-log-csv"),
    path("c/<slug:slug>/review-log/<int:pk>/work/", review_log.work, name="review-work"),
    path(
        "c/<slug:slug>/review-log/<int:pk>/again/", review_log.work_again, name="review-work-again"
    ),
    path("c/<slug:slug>/settings/", settings.settings, name="settings"),
    path(
        "c/<slug:slug>/settings/guidelines/", settings.change_guidelines, name="guidelines-change"
    ),
    path(
        "c/<slug:slug>/settings/guidelines/preview/",
        settings.preview_guidelines,
        name="guidelines-preview",
    ),
    path("c/<slug:slug>/settings/delete/", settings.delete_collection, name="collection-delete"),
    path("c/<slug:slug>/settings/pay/", settings.change_pay, name="pay-change"),
    path(
        "c/<slug:slug>/settings/query-groups/",
        settings.change_query_groups,
        name="query-groups-change",
    ),
    path("c/<slug:slug>/settings/golds/", golds.golds, name="golds"),
    path("c/<slug:slug>/settings/golds/<int:pk>/retire/", golds.gold_retire, name="gold-retire"),
    path("c/<slug:slug>/settings/policy/", policy.change_policy, name="policy-change"),
    path(
        "c/<slug:slug>/settings/policy/preview/<slug:key>/",
        policy.policy_preview,
        name="policy-preview",
    ),
    path("c/<slug:slug>/media/<int:pk>/", media.part_media, name="part-media"),
    path("c/<slug:slug>/media/<int:pk>/<int:number>/", media.part_media, name="part-source"),
    path("c/<slug:slug>/training/", include("annotate.training_urls")),
    path("c/<slug:slug>/judge/", judge.judge, name="judge"),
    path("c/<slug:slug>/judge/next", judge.next_cards, name="judge-next"),
    path("c/<slug:slug>/judge/answer", judge.answer, name="judge-answer"),
    path("c/<slug:slug>/judge/undo", judge.undo, name="judge-undo"),
    path("c/<slug:slug>/judge/report", judge.report, name="judge-report"),
    path("c/<slug:slug>/judge/recent", judge.recent, name="judge-recent"),
    path("c/<slug:slug>/judge/word", judge.changeable_answer, name="judge-word"),
    path("c/<slug:slug>/judge/token", judge.token, name="judge-token"),
]
