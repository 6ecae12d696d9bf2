"""What bench/load decides without a person: a fault in it would pass every run unnoticed."""

import math

from bench.load import browsers, memory

ANNA = {"name": "load-07", "wide": False}


def test_an_answer_that_is_no_whole_page_of_ones_own_is_an_error() -> None:
    page = "<html><main>load-07-map-01 preload-99</main></html>"
    assert browsers.wrong(ANNA, 200, page, whole=True) == ""
    assert browsers.wrong(ANNA, 503, "<main><p>no  database</p>", whole=True).startswith("503 ")
    assert "not whole" in browsers.wrong(ANNA, 200, "<html><main>load-07", whole=True)
    assert browsers.wrong(ANNA, 200, "<li>load-07", whole=False) == ""
    assert browsers.wrong(ANNA, 200, page.replace("load-07", "load-08"), whole=True) == "it shows load-08"
    assert browsers.wrong({**ANNA, "wide": True}, 200, page.replace("load-07", "load-08"), whole=True) == ""


def test_only_what_loads_by_itself_is_loaded() -> None:
    page = """<div hx-get="/a/?x=1&amp;y=2" hx-trigger="load"></div>
        <div hx-trigger="load delay:1s, click" hx-get="/b/"></div>
        <input hx-get="/c/" hx-trigger="input changed delay:100ms"><a hx-get="/d/">d</a>
        <p hx-get="?part=states" hx-trigger="load"></p><p hx-get="" hx-trigger="load"></p>"""
    assert browsers.loads_itself(page, "/e/?f=1") == ["/a/?x=1&y=2", "/b/", "/e/?part=states", "/e/?f=1"]


def test_memory_that_grows_to_the_end_is_told_from_memory_that_fills_up() -> None:
    def level(mib):
        return [(float(second), mib(second)) for second in range(0, 300, 5)]

    assert memory.flat(level(lambda _second: 150.0))
    assert memory.flat(level(lambda second: 200 - 80 * math.exp(-second / 30)))
    assert memory.flat(level(lambda second: 150 + second % 20 / 4))
    assert not memory.flat(level(lambda second: 150 + second / 6))
    first, last = memory.growth(level(lambda second: 150 + second / 6))
    assert 170 < first < 180 and 190 < last < 200
