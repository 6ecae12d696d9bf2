"""The smallest site with live pages: the real stream and the real scripts, around one list and one region of
ConfigMaps in `default`.

uvicorn tests.resources.stream.site:application
"""

import asyncio
from pathlib import Path
from typing import Any

from console.web.clusters import console_client
from console.wsgi import application as _pages  # noqa: F401  sets Django up, before models are imported
from resources.changes import Topic, position
from resources.lists.listing import row_html, row_view
from resources.stream.broker import Broker
from resources.views.stream import StreamApp

VENDOR = Path(__file__).resolve().parents[3] / "static/vendor"
PAGE = """<!DOCTYPE html><html><head><title>live</title>
<meta name="htmx-config" content='{{"allowEval":false,"includeIndicatorStyles":false}}'>
<script type="module" src="/static/vendor/js/console.js"></script>
<script type="module" src="/static/vendor/js/live.js"></script></head>
<body data-live-since="{since}"><div id="main">
<div id="health-banner" data-text-lost="interrupted" hidden><span data-health-text></span></div>
<input id="outside"><time datetime="2020-01-01T00:00:00Z" data-age>?</time>
<table><tbody id="rows" data-live-rows="{topic}" data-live-url="/rows">{rows}</tbody></table>
{region}
</div></body></html>"""
REGION = """<section id="region" data-live="{topic}" data-live-names="watched" data-live-url="/region">
<p id="value">{value}</p><details><summary>more</summary>inside</details>
<form><input name="typed" value="as served"></form></section>"""


def _type() -> Any:
    return console_client().find("core", "v1", "configmaps")


def _topic() -> str:
    return str(
        Topic(cluster=console_client().name, group="core", version="v1", plural="configmaps", namespace="default")
    )


def rows() -> str:
    table = console_client().table(_type(), "default")
    return "".join(
        f'<tr id="row-{view.uid}" data-version="{view.version}"><td>{view.name}</td><td>{view.cells[0].text}</td></tr>'
        for view in (row_view(_type(), table.columns, row) for row in table.rows)
    )


def region() -> str:
    found = [obj for obj in console_client().list(_type(), "default").items if obj["metadata"]["name"] == "watched"]
    value = found[0].get("data", {}).get("value", "") if found else "absent"
    return REGION.format(topic=_topic(), value=value)


def page() -> str:
    return PAGE.format(since=position(0.5), topic=_topic(), rows=rows(), region=region())


class Site:
    def __init__(self) -> None:
        self._pages = {"/": page, "/rows": rows, "/region": region}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await receive()
            self.broker = Broker(row_html)
            self.stream = StreamApp(self.broker)
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await self.broker.stop()
            await self.stream.stop()
            await send({"type": "lifespan.shutdown.complete"})
        elif scope["path"] == "/stream":
            await self.stream(scope, receive, send)
        else:
            await self._answer(scope["path"], send)

    async def _answer(self, path: str, send: Any) -> None:
        status, kind, body = 200, "text/html", b""
        if path in self._pages:
            body = (await asyncio.to_thread(self._pages[path])).encode()
        elif path.startswith("/static/vendor/") and (VENDOR / path[15:]).is_file():
            kind, body = "text/javascript", (VENDOR / path[15:]).read_bytes()
        else:
            status = 404
        policy = "default-src 'none'; script-src 'self'; connect-src 'self'; worker-src 'self'"
        headers = [(b"content-type", f"{kind}; charset=utf-8".encode()), (b"content-security-policy", policy.encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


application = Site()
