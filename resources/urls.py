"""Addresses of types, lists and objects. The scheme is docs/architecture.md, 'Contracts'.

`namespace` is '-' in the cluster's scope. What belongs to a kind as a whole has one part behind the plural (`new`, `new-yaml`, `section`, `find`, `bulk`, `download`, `explain`, `served`), an
object has two or more: so no namespace or name, whatever it is, can hide a page.
"""

from django.urls import path

from resources.views import (
    act,
    bulk,
    columns,
    contents,
    cordon,
    delete,
    detail,
    download,
    event_stream,
    explain,
    find,
    form,
    forward,
    history,
    importing,
    keyvalues,
    kindstate,
    labels,
    list,
    logs,
    menu,
    owner,
    pickers,
    reveal,
    rollback,
    scale,
    schema,
    search,
    terminal,
    types,
    undo,
    yaml,
)

app_name = "resources"

_KIND = "<str:group>/<str:version>/<str:plural>/"
_OBJECT = f"{_KIND}<str:namespace>/<str:name>/"

urlpatterns = [
    path("", types.types, name="types"),
    path("counts/", types.numbers, name="numbers"),
    path("import/", importing.import_, name="import"),
    path("owner/", owner.owner, name="owner"),
    path("forwards/", forward.forwards, name="forwards"),
    path("search/", search.search, name="search"),
    path("events/", event_stream.event_stream, name="events"),
    path("schema/", schema.schema, name="schema"),
    path("kinds/", schema.kinds, name="kinds"),
    path("names/", pickers.names, name="names"),
    path("history/", history.deleted, name="deleted"),
    path("undo/<str:key>/", undo.undo, name="undo"),
    path(_KIND, list.list_, name="list"),
    path(f"{_KIND}columns/", columns.choose, name="columns"),
    path(f"{_KIND}bulk/", bulk.bulk, name="bulk"),
    path(f"{_KIND}download/", download.download, name="download"),
    path(f"{_KIND}new/", form.new, name="new"),
    path(f"{_KIND}new-values/", keyvalues.new, name="new-values"),
    path(f"{_KIND}new-yaml/", yaml.new, name="new-yaml"),
    path(f"{_KIND}section/", form.section, name="section"),
    path(f"{_KIND}explain/", explain.explain, name="explain"),
    path(f"{_KIND}served/", kindstate.served, name="served"),
    path(f"{_KIND}find/", find.find, name="find"),
    path(_OBJECT, detail.detail, name="detail"),
    path(f"{_OBJECT}history/", history.history, name="history"),
    path(f"{_OBJECT}history/<int:step>/", history.change, name="history-change"),
    path(f"{_OBJECT}history/<int:step>/revert/", undo.step, name="history-revert"),
    path(f"{_OBJECT}edit/", form.edit, name="edit"),
    path(f"{_OBJECT}yaml/", yaml.edit, name="yaml"),
    path(f"{_OBJECT}delete/", delete.delete, name="delete"),
    path(f"{_OBJECT}rollback/", rollback.rollback, name="rollback"),
    path(f"{_OBJECT}value/", reveal.value, name="value"),
    path(f"{_OBJECT}contents/", contents.contents, name="contents"),
    path(f"{_OBJECT}cordon/", cordon.cordon, name="cordon"),
    path(f"{_OBJECT}scale/", scale.scale, name="scale"),
    path(f"{_OBJECT}act/<str:act>/", act.act, name="act"),
    path(f"{_OBJECT}labels/", labels.labels, name="labels"),
    path(f"{_OBJECT}menu/", menu.menu, name="menu"),
    path(f"{_OBJECT}logs/", logs.logs, name="logs"),
    path(f"{_OBJECT}terminal/", terminal.terminal, name="terminal"),
    path(f"{_OBJECT}forward/", forward.forward, name="forward"),
]
