"""A change as the row that a list shows: the same template and the same values as the list's first paint, made once for
all browsers that show the same columns in the same language.
"""

from dataclasses import replace
from typing import Any

import msgspec
from django.template.loader import get_template
from django.utils import translation

from console.web import clusters
from console.web.front import addresses_of
from kube import table
from kube.discovery import ResourceType
from resources.changes import Change, Topic
from resources.lists.columns import IN_SEVERAL, WITH_USAGE, read
from resources.lists.entries import entry_of
from resources.lists.listing import row_view
from resources.state.health import Health


def row_html(type_: ResourceType, name: str, columns: bytes, change: Change, language: str) -> str:
    """`<tr id="row-{uid}">…</tr>` of templates/resources/_row.html. `columns`: JSON of the Table's columnDefinitions.

    `name`: the topic, with `?` and the columns of the list unless it has the default ones. The
    template gets `row`, `all_namespaces`: whether the list it belongs to shows a namespace in each row, and `live`.
    """
    row: dict[str, Any] = msgspec.json.decode(change.row)
    definitions = table.columns({"columnDefinitions": msgspec.json.decode(columns)})
    topic, _question, keys = name.partition("?")
    place = clusters.named(Topic.parse(topic).cluster) or clusters.default()
    with translation.override(language), addresses_of(place):
        state, reason = (row.get("health") or {}).get(language, ("", ""))
        entry = entry_of(
            type_, table.TableRow(tuple(row["cells"]), row["object"]), health=Health(state=state, reason=reason)
        )
        entry = replace(entry, version=change.version or entry.version)
        words = keys.split(",")
        view = row_view(type_, definitions, entry, read(keys), usage=WITH_USAGE in words)
        several = not Topic.parse(topic).namespace or IN_SEVERAL in words
        context = {"row": view, "all_namespaces": type_.namespaced and several, "live": True}
        # strip() also makes a plain str of the SafeString, which the encoder asks for.
        return get_template("resources/_row.html").render(context).strip()
