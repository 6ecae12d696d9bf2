"""`python -m console.processes.web FD PORT`: one of several web processes of `make run WEB=`.

All accept connections from one socket that the supervisor listens on: a free process accepts, so no connection goes to
a process that hangs or restarts, and while none runs connections wait. Each also has an address of its own, at which a
proxy or Prometheus reaches this very process. Uvicorn's own `--fd` treats the socket as a unix one and leaves Nagle's
algorithm on; its `--workers` have no address of their own.
"""

import socket
import sys

import uvicorn

from console.processes.parts import HTTP_PROTOCOL


def main(descriptor: int, port: int) -> None:
    own = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    own.bind(("127.0.0.1", port))
    config = uvicorn.Config(
        "console.asgi:application",
        http=HTTP_PROTOCOL,
        timeout_graceful_shutdown=2,
        access_log=False,
        log_level="warning",
        server_header=False,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor), own])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
