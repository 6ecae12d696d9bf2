"""`python -m tools.pictures [operatorhub] [resources]` draws the pictures of docs/ anew, on a console of its own: all of them, or those named."""

import sys

from tools.pictures import hub, resources

ALBUMS = {"operatorhub": hub.main, "resources": resources.main}


def main() -> int:
    """0 when all are drawn, 2 for a name that there is not."""
    chosen = sys.argv[1:] or list(ALBUMS)
    if unknown := [name for name in chosen if name not in ALBUMS]:
        print(f"no such pictures: {', '.join(unknown)}. There are: {', '.join(ALBUMS)}")
        return 2
    for name in chosen:
        ALBUMS[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
