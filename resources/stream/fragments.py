"""A change as the row that a list shows: the same template and the same values as the list's first paint, made once for all browsers."""

from typing import Any

import msgspec
from django.template.loader import get_template
from django.utils import translation

from kube import table
from kube.discovery import ResourceType
from resources.changes import Change, Topic
from resources.listing import row_view


def row_html(type_: ResourceType, topic: str, columns: bytes, change: Change, language: str) -> str:
    """`<tr id="row-{uid}">…</tr>` of templates/resources/_row.html. `columns`: JSON of the Table's columnDefinitions.

    The template gets `row`, and `all_namespaces`: whether the list it belongs to shows a namespace in each row.
    """
    row: dict[str, Any] = msgspec.json.decode(change.row)
    definitions = table.columns({"columnDefinitions": msgspec.json.decode(columns)})
    with translation.override(language):
        view = row_view(type_, definitions, table.Row(tuple(row["cells"]), row["object"]))
        context = {"row": view, "all_namespaces": type_.namespaced and not Topic.parse(topic).namespace}
        # strip() also makes a plain str of the SafeString, which the encoder asks for.
        return get_template("resources/_row.html").render(context).strip()
