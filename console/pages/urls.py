"""Pages that belong to no room."""

from django.urls import path

from console.pages import health, namespaces, overview, palette, preferences

app_name = "pages"

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("namespaces/", namespaces.namespaces, name="namespaces"),
    path("palette/", palette.palette, name="palette"),
    path("settings/", preferences.preferences, name="settings"),
]
