"""From page to page by clicks in one tab, as people go: how long until the next page is drawn, and whether it is
blank in between.

Milliseconds since the navigation began: `first byte` is the server's part and the way, `drawn` the first contentful
paint. Until then the browser keeps showing the page that is left (paint holding,
https://developer.chrome.com/blog/paint-holding), so nothing flashes when it is soon.
"""

from playwright.sync_api import Browser

from bench.figures import Figure, figure

#: Entries of the navigation, by the beginning of their addresses; more than once around, so that everything is cached
#: but the pages.
WAY = ("/operatorhub/", "/operators/", "/resources/core/v1/pods/", "/resources/", "/namespaces/", "/audit/", "/")
_READ = """() => {
  const [one] = performance.getEntriesByType("navigation");
  const [drawn] = performance.getEntriesByName("first-contentful-paint");
  return [one.responseStart, drawn?.startTime ?? 0, one.domContentLoadedEventEnd];
}"""
_REST = 700  # milliseconds that a person looks at a page


def clicks(browser: Browser, url: str, times: int, slowed: int = 1) -> list[Figure]:
    """`times` around after one that fills the cache; prints a line a page."""
    page = browser.new_page(viewport={"width": 1400, "height": 900}, locale="en-US")
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
    page.goto(f"{url}/")
    found: dict[str, list[list[float]]] = {}
    for around in range(times + 1):
        for href in WAY:
            link = f'a:is([href="{href}"], [href^="{href}?"])'
            # A group that is folded is opened first; what is measured begins with the click on the link.
            for summary in page.locator(f"#navigation details:not([open]):has({link}) > summary").all():
                summary.click()
            page.locator(f"#navigation {link}").first.click()
            page.wait_for_load_state()
            page.wait_for_timeout(_REST)
            if around:
                found.setdefault(href, []).append(page.evaluate(_READ))
    page.close()
    figures: list[Figure] = []
    print(f"\n{'by a click, processor / ' + str(slowed):<34}{'first byte':>12}{'drawn':>8}{'ready':>8} ms")
    for href, samples in found.items():
        first, drawn, ready = (list(column) for column in zip(*samples, strict=True))
        names = ("first byte", "drawn", "ready")
        lines = [
            figure(f"click to {href}, / {slowed}: {name}", "ms", column)
            for name, column in zip(names, (first, drawn, ready), strict=True)
        ]
        print(f"{href:<34}{lines[0].median:>12.0f}{lines[1].median:>8.0f}{lines[2].median:>8.0f}", flush=True)
        figures += lines
    return figures
