"""Every page of tools/atlas in both themes, both languages, wide and on a phone, for review, in .data/screenshots.

One PNG a page under <width>-<theme>-<language>/, and sheets of many pages beside one another under sheets/.
"""

from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page

from bench.console import CATALOG
from tools.atlas import scene
from tools.atlas.pages import Stop
from tools.pictures.camera import PICTURES, camera

FOLDER = PICTURES.parent.parent / ".data/screenshots"
LANGUAGES = {"en": "en-US", "ko": "ko-KR"}
#: Width of the window, how wide a page is on its sheet, and how many stand side by side.
SIZES = ((1400, 800, 2), (390, 390, 5))
# A page is pictured down to here; beyond it is more of the same.
TALLEST = 1800
_HEIGHT = (
    "() => Math.max(...[document.body, ...document.querySelectorAll('.pf-v6-c-page__main, main')].map((one) =>"
    " one.scrollHeight)) + 90"
)


def photograph(page: Page, url: str, stop: Stop, file: Path) -> None:
    """The whole page, down to TALLEST, once what it loads after its first response is there."""
    width = page.viewport_size["width"] if page.viewport_size else 1400
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{url}{stop.address}")
    page.wait_for_timeout(900)
    page.set_viewport_size({"width": width, "height": min(TALLEST, max(900, int(page.evaluate(_HEIGHT))))})
    page.wait_for_timeout(150)
    file.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=file)


def sheet(files: list[Path], target: Path, width: int, columns: int) -> None:
    """The pictures side by side, each `width` pixels wide under its name."""
    rows: list[list[Image.Image]] = []
    for index, file in enumerate(files):
        with Image.open(file) as picture:
            small = picture.convert("RGB").resize((width, picture.height * width // picture.width))
        ImageDraw.Draw(small).text((4, 2), file.stem, fill="red")
        if index % columns == 0:
            rows.append([])
        rows[-1].append(small)
    heights = [max(item.height for item in row) for row in rows]
    whole = Image.new("RGB", ((width + 8) * columns, sum(heights) + 8 * len(rows)), "grey")
    top = 0
    for row, height in zip(rows, heights, strict=True):
        for column, picture in enumerate(row):
            whole.paste(picture, (column * (width + 8), top))
        top += height + 8
    target.parent.mkdir(parents=True, exist_ok=True)
    whole.save(target)


def draw(
    browser: Browser,
    url: str,
    stops: list[Stop],
    themes: tuple[str, ...] = ("light", "dark"),
    languages: tuple[str, ...] = ("en", "ko"),
) -> None:
    """All of them, and their sheets."""
    for width, small, columns in SIZES:
        for theme in themes:
            for language in languages:
                name = f"{width}-{theme}-{language}"
                page = browser.new_page(
                    viewport={"width": width, "height": 900},
                    color_scheme="dark" if theme == "dark" else "light",
                    locale=LANGUAGES[language],
                )
                files = [FOLDER / name / f"{stop.name}.png" for stop in stops]
                for stop, file in zip(stops, files, strict=True):
                    photograph(page, url, stop, file)
                many = columns * 2
                for start in range(0, len(files), many):
                    sheet(
                        files[start : start + many],
                        FOLDER / "sheets" / f"{name}-{start // many + 1:02}.png",
                        small,
                        columns,
                    )
                page.close()
                print(f"{FOLDER / name}: {len(files)} pages", flush=True)


def main() -> None:
    """On a console of its own."""
    with camera(CATALOG if CATALOG.is_dir() else None) as (running, browser):
        draw(browser, running.url, scene.stops(scene.prepare(running.url, running.client)))
