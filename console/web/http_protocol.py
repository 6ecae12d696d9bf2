"""uvicorn's HTTP protocol with bounds: headers, a client that reads nothing, messages of WebSockets.

uvicorn --http console.web.http_protocol:BoundedProtocol

uvicorn 0.54 bounds none of these: `h11_max_incomplete_event_size` is for h11 only, and `timeout_keep_alive` starts
after a first response. Bodies are bounded by console/web/request_body.py.
"""

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from kube import limits


class BoundedProtocol(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._header_bytes = 0
        self._in_headers = True
        self._header_timer: asyncio.TimerHandle | None = None
        self._stall_timer: asyncio.TimerHandle | None = None
        self._unsent_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_timers()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._in_headers:
            if self._header_timer is None:
                self._await_headers()
            # httptools keeps an unfinished header, so bytes are counted before they are parsed.
            self._header_bytes += len(data)
        super().data_received(data)
        if self._in_headers and self._header_bytes > limits.REQUEST_HEADER_BYTES.value:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_message_begin(self) -> None:
        self._in_headers = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_headers, self._header_bytes = False, 0
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > limits.REQUEST_HEADER_BYTES.value:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
            # No part of this request must reach the application: httptools stops parsing at an exception.
            raise ValueError("headers are too large")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._in_headers = True

    def send_400_response(self, msg: str) -> None:
        if not self.transport.is_closing():
            super().send_400_response(msg)

    def handle_websocket_upgrade(self) -> None:
        self._cancel_timers()
        self.config.ws_max_size = limits.WEBSOCKET_MESSAGE_BYTES.value
        super().handle_websocket_upgrade()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stall_timer is None:
            self._await_reader()

    def resume_writing(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None
        super().resume_writing()

    def _await_reader(self) -> None:
        self._unsent_bytes = self.transport.get_write_buffer_size()
        self._stall_timer = self.loop.call_later(limits.RESPONSE_STALL_SECONDS.value, self._check_reader)

    def _check_reader(self) -> None:
        """A page is written at once, and a slow client may read it for minutes: only one that reads nothing is cut
        off.
        """
        if self.transport.get_write_buffer_size() < self._unsent_bytes:
            self._await_reader()
        else:
            self.transport.abort()

    def _await_headers(self) -> None:
        self._header_timer = self.loop.call_later(limits.REQUEST_HEADER_SECONDS.value, self._headers_late)

    def _headers_late(self) -> None:
        self._header_timer = None
        if self._header_bytes:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        else:
            self.transport.close()

    def _cancel_timers(self) -> None:
        for timer in (self._header_timer, self._stall_timer):
            if timer is not None:
                timer.cancel()
        self._header_timer = self._stall_timer = None

    def _refuse(self, status: HTTPStatus) -> None:
        if self.transport.is_closing():
            return
        body = f"{status.phrase}\n"
        head = f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: text/plain; charset=utf-8\r\n"
        self.transport.write(f"{head}content-length: {len(body)}\r\nconnection: close\r\n\r\n{body}".encode())
        self.transport.close()
