"""Addresses of the JSON views, under /api/resources/."""

from django.urls import path

from resources import api, api_history, api_lists, api_types

app_name = "resources-api"

_OBJECT = "<str:group>/<str:version>/<str:plural>/<str:namespace>/<str:name>/"

urlpatterns = [
    path("", api.Types.as_view(), name="types"),
    path("types/", api_types.Kinds.as_view(), name="kinds"),
    path("<str:group>/<str:version>/<str:plural>/explain/", api_types.Explain.as_view(), name="explain"),
    path("events/", api_lists.Events.as_view(), name="events"),
    path("search/", api_lists.Search.as_view(), name="search"),
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
    path(f"{_OBJECT}tree/", api_lists.Tree.as_view(), name="tree"),
    path(f"{_OBJECT}events/", api_lists.ObjectEvents.as_view(), name="object-events"),
]
