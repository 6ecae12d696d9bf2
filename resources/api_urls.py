"""Addresses of the JSON views, under /api/resources/."""

from django.urls import path

from resources.api import history, lists, objects, types

app_name = "resources-api"

_KIND = "<name:group>/<name:version>/<name:plural>/"
_OBJECT = f"{_KIND}<name:namespace>/<name:name>/"

urlpatterns = [
    path("", objects.Types.as_view(), name="types"),
    path("types/", types.Kinds.as_view(), name="kinds"),
    path(f"{_KIND}explain/", types.Explain.as_view(), name="explain"),
    path("events/", lists.Events.as_view(), name="events"),
    path("search/", lists.Search.as_view(), name="search"),
    path(_KIND, objects.Objects.as_view(), name="objects"),
    path(f"{_OBJECT}history/", history.History.as_view(), name="history"),
    path(f"{_OBJECT}history/<int:step>/", history.HistoryChange.as_view(), name="history-change"),
    path(_OBJECT, objects.Object.as_view(), name="object"),
    path(f"{_OBJECT}causes/", objects.Causes.as_view(), name="causes"),
    path(f"{_OBJECT}tree/", lists.Tree.as_view(), name="tree"),
    path(f"{_OBJECT}events/", lists.ObjectEvents.as_view(), name="object-events"),
]
