"""Addresses of the JSON views, under /api/resources/."""

from django.urls import path

from resources import api, api_history, api_types

app_name = "resources-api"

urlpatterns = [
    path("", api.Types.as_view(), name="types"),
    path("types/", api_types.Kinds.as_view(), name="kinds"),
    path("<str:group>/<str:version>/<str:plural>/explain/", api_types.Explain.as_view(), name="explain"),
    path("<str:group>/<str:version>/<str:plural>/", api.Objects.as_view(), name="objects"),
    path(
        "<str:group>/<str:version>/<str:plural>/<str:namespace>/<str:name>/history/",
        api_history.History.as_view(),
        name="history",
    ),
    path(
        "<str:group>/<str:version>/<str:plural>/<str:namespace>/<str:name>/history/<int:step>/",
        api_history.Change.as_view(),
        name="history-change",
    ),
    path("<str:group>/<str:version>/<str:plural>/<str:namespace>/<str:name>/", api.Object.as_view(), name="object"),
]
