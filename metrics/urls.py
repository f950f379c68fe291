"""URLs of metrics: dashboard, leaderboard, explorer, analyses and their pages, downloads, bias."""

from django.urls import URLPattern, URLResolver, include, path

from metrics.views import (
    alarms,
    analysis,
    collection_home,
    comments,
    dashboard,
    downloads,
    duplicates,
    explorer,
    guards,
    leaderboard,
    plans,
    pool_bias,
)
from metrics.views.people import person
from metrics.views.releases import (
    public_releases,
    release_diffs,
    release_publication,
    releases,
)

DASHBOARD = [
    path("", dashboard.dashboard, name="dashboard"),
    path("numbers/", dashboard.numbers, name="dashboard-numbers"),
    path("people/<int:pk>/", person.person, name="dashboard-person"),
    path("people/<int:pk>/numbers/", person.person_numbers, name="dashboard-person-numbers"),
    path("people/<int:pk>/act/", person.person_act, name="dashboard-person-act"),
    path("alarms/", alarms.alarms, name="alarms"),
    path("alarms/<int:pk>/end/", alarms.end_alarm, name="alarm-end"),
    path("<slug:tab>/", dashboard.dashboard, name="dashboard-tab"),
    path("<slug:tab>/numbers/", dashboard.numbers, name="dashboard-tab-numbers"),
]
GUARDS = [
    path("", guards.guards, name="guards"),
    path("<slug:guard>/", guards.set_guard, name="guard-set"),
]
LEADERBOARD = [
    path("", leaderboard.leaderboard, name="leaderboard"),
    path("table.<str:form>", leaderboard.leaderboard_table, name="leaderboard-table"),
    path("state/", leaderboard.leaderboard_state, name="leaderboard-state"),
    path("compare/", leaderboard.compare, name="compare"),
    path("compare/state/", leaderboard.compare_state, name="compare-state"),
    path("plan/", plans.plan, name="plan"),
    path("plan/<int:pk>/end/", plans.end_plan, name="plan-end"),
]
DOWNLOADS = [
    path("", downloads.downloads, name="downloads"),
    path("new/<str:download_kind>/", downloads.download_new, name="download-new"),
    path("<int:pk>/state/", downloads.download_state, name="download-state"),
    path("<int:pk>/cancel/", downloads.download_cancel, name="download-cancel"),
    path("<int:pk>/again/", downloads.download_again, name="download-again"),
    path("<int:pk>/file/", downloads.download_file, name="download-file"),
]
RELEASE_DIFF = [
    path("", release_diffs.release_diff, name="release-diff"),
    path("state/", release_diffs.release_diff_state, name="release-diff-state"),
    path("<slug:table>.csv", release_diffs.release_diff_table, name="release-diff-table"),
]
RELEASES: list[URLPattern | URLResolver] = [
    path("", releases.releases, name="releases"),
    path("new/", releases.release_new, name="release-new"),
    path("<str:version>/", releases.release, name="release"),
    path("<str:version>/state/", releases.release_state, name="release-state"),
    path("<str:version>/cancel/", releases.release_cancel, name="release-cancel"),
    path("<str:version>/again/", releases.release_again, name="release-again"),
    path("<str:version>/discard/", releases.release_discard, name="release-discard"),
    path("<str:version>/withdraw/", releases.release_withdraw, name="release-withdraw"),
    path("<str:version>/archive/", releases.release_archive, name="release-archive"),
    path("<str:version>/files/<path:path>", releases.release_file, name="release-file"),
    path("<str:version>/diff/", include(RELEASE_DIFF)),
    path(
        "<str:version>/publication/",
        release_publication.release_publication,
        name="release-publication",
    ),
    path("<str:version>/publish/", release_publication.release_publish, name="release-publish"),
    path(
        "<str:version>/unpublish/", release_publication.release_unpublish, name="release-unpublish"
    ),
]
PUBLIC_RELEASE = [
    path("", public_releases.overview, name="public-release"),
    path("card/", public_releases.data_card, name="public-card"),
    path("scores/", public_releases.scores, name="public-scores"),
    path("pairs/", public_releases.queries, name="public-queries"),
    path("pairs/<int:set_number>/<int:number>/", public_releases.query, name="public-query"),
    path("files/", public_releases.files, name="public-files"),
    path("files/<path:path>", public_releases.file, name="public-file"),
    path("archive.zip", public_releases.archive, name="public-archive"),
]
ANALYSES = [
    path("", analysis.analyses, name="analyses"),
    path("<slug:chapter>/", analysis.chapter, name="analysis-chapter"),
    path("<slug:chapter>/<slug:name>/", analysis.analysis, name="analysis"),
    path("<slug:chapter>/<slug:name>/state/", analysis.analysis_state, name="analysis-state"),
    path("<slug:chapter>/<slug:name>/table.csv", analysis.analysis_table, name="analysis-table"),
]
DUPLICATES = [
    path("", duplicates.duplicates, name="duplicates"),
    path("state/", duplicates.duplicates_state, name="duplicates-state"),
    path("mark/", duplicates.mark, name="duplicates-mark"),
    path("mark-all/", duplicates.mark_all, name="duplicates-mark-all"),
    path("unmark/", duplicates.unmark, name="duplicates-unmark"),
    path("unmark-all/", duplicates.unmark_all, name="duplicates-unmark-all"),
]
COMMENTS = [
    path("", comments.comments, name="comments"),
    path("state/", comments.comments_state, name="comments-state"),
    path("table.csv", comments.comments_file, name="comments-file"),
]
POOL_BIAS = [
    path("", pool_bias.pool_bias, name="pool-bias"),
    path("state/", pool_bias.pool_bias_state, name="pool-bias-state"),
]

app_name = "metrics"
urlpatterns = [
    path("c/<slug:slug>/", collection_home.collection, name="collection"),
    path("c/<slug:slug>/setup/next/", collection_home.next_step, name="setup-next"),
    path("c/<slug:slug>/dashboard/", include(DASHBOARD)),
    path("c/<slug:slug>/settings/guards/", include(GUARDS)),
    path("c/<slug:slug>/results/leaderboard/", include(LEADERBOARD)),
    path("c/<slug:slug>/results/explorer/", explorer.explorer, name="explorer"),
    path("c/<slug:slug>/results/explorer/state/", explorer.explorer_state, name="explorer-state"),
    path("c/<slug:slug>/results/analysis/", include(ANALYSES)),
    path("c/<slug:slug>/results/duplicates/", include(DUPLICATES)),
    path("c/<slug:slug>/results/comments/", include(COMMENTS)),
    path("c/<slug:slug>/results/downloads/", include(DOWNLOADS)),
    path("c/<slug:slug>/results/releases/", include(RELEASES)),
    path("c/<slug:slug>/judging/pools/<int:pk>/favours/", include(POOL_BIAS)),
    path("releases/<slug:slug>/", public_releases.releases, name="public-releases"),
    path("releases/<slug:slug>/<str:version>/", include(PUBLIC_RELEASE)),
]
