"""A Redis server in Python, for machines where no real one can be had. Says so at every start: nothing is kept."""

import sys

from fakeredis import TcpFakeServer


def main(port: int) -> None:
    sys.stdout.write(
        "no Redis server on this machine: fakeredis stands in. For trying out only; nothing is kept. Set REDIS_URL to"
        " use a real one.\n"
    )
    sys.stdout.flush()
    TcpFakeServer(("127.0.0.1", port), server_type="redis").serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]))
