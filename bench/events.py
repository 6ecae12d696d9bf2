"""From a change in the cluster to the row in a browser: patch an object's status, wait until the row shows it."""

import time

from playwright.sync_api import Browser

from bench.console import Running
from bench.figures import Figure, figure

GROUP, PLURAL = "bench.operator-console.dev", "marks"
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"{PLURAL}.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": PLURAL, "singular": "mark", "kind": "Mark", "listKind": "MarkList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "additionalPrinterColumns": [{"name": "Seen", "type": "string", "jsonPath": ".status.seen"}],
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object"},
                            "status": {"type": "object", "properties": {"seen": {"type": "string"}}},
                        },
                    }
                },
            }
        ],
    },
}
# Notes, for each text that appears in the table, when the frame that shows it was made (milliseconds since 1970).
OBSERVE = """() => {
  window.__seen = {};
  const note = () => {
    for (const word of document.querySelector('table').textContent.match(/mark-\\d+/g) ?? [])
      if (!(word in window.__seen)) {
        window.__seen[word] = 0;
        requestAnimationFrame(() => { window.__seen[word] = performance.timeOrigin + performance.now(); });
      }
  };
  const all = {subtree: true, childList: true, characterData: true};
  new MutationObserver(note).observe(document.querySelector('#main'), all);
}"""


def event_to_screen(running: Running, browser: Browser, samples: int = 100) -> Figure:
    """Milliseconds from just before the PATCH is sent until the frame with the new text, `samples` times, one after
    the other.
    """
    running.cluster("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD)
    base = f"/apis/{GROUP}/v1/namespaces/default/{PLURAL}"
    for _ in range(100):
        try:
            running.cluster("GET", base)
            break
        except OSError:
            time.sleep(0.05)
    for number in range(30):
        running.cluster(
            "POST",
            base,
            {"apiVersion": f"{GROUP}/v1", "kind": "Mark", "metadata": {"name": f"row-{number}"}, "spec": {}},
        )
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(f"{running.url}/resources/{GROUP}/v1/{PLURAL}/?namespace=default")
    page.wait_for_selector("tbody tr")
    page.evaluate(OBSERVE)
    measured = []
    for number in range(-5, samples):  # the first five warm the path up
        word = f"mark-{number + 1000}"
        time.sleep(0.06 if number >= 0 else 1.0)
        started = time.time()
        running.cluster(
            "PATCH", f"{base}/row-{number % 30}/status", {"status": {"seen": word}}, "application/merge-patch+json"
        )
        page.wait_for_function("word => window.__seen[word] > 0", arg=word, timeout=15000, polling=20)
        if number >= 0:
            measured.append(float(page.evaluate("word => window.__seen[word]", word)) - started * 1000)
    page.close()
    return figure("event to screen: status patch to row in Chromium", "ms", measured, "50", "OKD 180, Headlamp 668")
