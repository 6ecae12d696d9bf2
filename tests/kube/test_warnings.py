"""Warning headers: read, and collected around writes."""

import pytest

from kube import limits, recording


@pytest.mark.parametrize(
    ("header", "texts"),
    [
        ('299 - "v1alpha1 is old"', ("v1alpha1 is old",)),
        ('299 - "one", 299 - "two, and more"', ("one", "two, and more")),
        (r'299 api "say \"no\" to C:\\"', (r'say "no" to C:\ '.strip(),)),
        ('299 - "dated" "Sat, 21 Nov 2026 12:00:00 GMT", 299 - "after"', ("dated", "after")),
        ('299 - ""', ()),
        ("nonsense", ()),
        ('299 - "open', ()),
    ],
)
def test_headers(header: str, texts: tuple[str, ...]) -> None:
    assert recording.warning_texts(header) == texts


def test_each_text_once_and_only_where_somebody_collects() -> None:
    recording.add_warnings(['299 - "lost"'])
    with recording.collect_warnings() as outer:
        recording.add_warnings(['299 - "first"', '299 - "first"'])
        with recording.collect_warnings() as inner:
            recording.add_warnings(['299 - "within"'])
        recording.add_warnings(['299 - "second"'])
    recording.add_warnings(['299 - "late"'])
    assert (outer, inner) == (["first", "second"], ["within"])


def test_a_flood_has_an_end() -> None:
    with recording.collect_warnings() as texts:
        recording.add_warnings(f'299 - "{number}"' for number in range(1000))
    assert len(texts) == limits.WARNINGS.value
