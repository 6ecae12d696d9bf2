"""`make screenshots`: takes the screenshots of docs/ again and those of every page into .data/screenshots, on consoles
of its own: all of them, or those named.
"""

import sys

from tools import form_pictures
from tools.pictures import hub, main_pages, resources

ALBUMS = {"operatorhub": hub.main, "resources": resources.main, "forms": form_pictures.draw, "pages": main_pages.main}


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
