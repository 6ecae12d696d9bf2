"""Pages that belong to no room."""

from django.urls import path

from console.pages import (
    access,
    audit,
    clusters,
    components,
    health,
    namespaces,
    overview,
    palette,
    preferences,
    quick_starts,
)

app_name = "pages"

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("access/", access.access, name="access"),
    path("audit/", audit.audit, name="audit"),
    path("audit/export/", audit.export, name="audit-export"),
    path("audit/<int:key>/", audit.entry, name="audit-entry"),
    path("api/audit/", audit.AuditApi.as_view(), name="api-audit"),
    path("api/audit/<int:key>/", audit.AuditEntryApi.as_view(), name="api-audit-entry"),
    path("-/components/", components.components, name="components"),
    path("clusters/", clusters.list_, name="clusters"),
    path("command-line-tools/", clusters.command_line_tools, name="command-line-tools"),
    path("c/<path:rest>", clusters.unknown, name="unknown-cluster"),
    path("namespaces/", namespaces.namespaces, name="namespaces"),
    path("namespaces/pick/", namespaces.pick, name="pick-namespace"),
    path("namespaces/own/", namespaces.own, name="own-namespaces"),
    path("overview/snooze/", overview.snooze_trouble, name="snooze"),
    path("overview/tour/", overview.put_away, name="tour"),
    path("palette/", palette.palette, name="palette"),
    path("quick-starts/", quick_starts.catalog, name="quick-starts"),
    path("quick-starts/<str:name>/", quick_starts.quick_start, name="quick-start"),
    path("settings/", preferences.preferences, name="settings"),
]
