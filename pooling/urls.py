"""Addresses of runs and pools."""

from django.urls import path

from pooling.views import pools, runs

app_name = "pooling"
urlpatterns = [
    path("c/<slug:slug>/runs/", runs.runs, name="runs"),
    path("c/<slug:slug>/runs/new/", runs.run_upload, name="run-upload"),
    path("c/<slug:slug>/runs/<int:pk>/", runs.run, name="run"),
    path("c/<slug:slug>/runs/<int:pk>/state/", runs.run_state, name="run-state"),
    path("c/<slug:slug>/pools/", pools.pools, name="pools"),
    path("c/<slug:slug>/pools/new/", pools.pool_new, name="pool-new"),
    path("c/<slug:slug>/pools/preview/", pools.pool_preview, name="pool-preview"),
    path("c/<slug:slug>/pools/<int:pk>/", pools.pool, name="pool"),
    path("c/<slug:slug>/pools/<int:pk>/state/", pools.pool_state, name="pool-state"),
    path("c/<slug:slug>/pools/<int:pk>/open/", pools.pool_open, name="pool-open"),
    path("c/<slug:slug>/pools/<int:pk>/close/", pools.pool_close, name="pool-close"),
    path("c/<slug:slug>/pools/<int:pk>/reopen/", pools.pool_reopen, name="pool-reopen"),
]
