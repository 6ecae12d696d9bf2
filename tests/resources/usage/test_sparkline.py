"""The drawing of an hour."""

from resources.usage import HEIGHT, WIDTH, sparkline


def test_there_is_no_line_of_one_point() -> None:
    assert sparkline([]) is None
    assert sparkline([None, 3, None]) is None


def test_it_begins_at_zero_and_ends_with_the_newest() -> None:
    line = sparkline([0, 10, 5])
    assert line is not None
    assert line.lines == (f"M2.0 {HEIGHT - 2:.1f}L{WIDTH / 2:.1f} 2.0L{WIDTH - 2:.1f} {HEIGHT / 2:.1f}",)
    assert line.end == (WIDTH - 2, HEIGHT / 2)


def test_a_gap_is_a_gap() -> None:
    line = sparkline([1, 2, None, None, 3, 2, None])
    assert line is not None
    assert len(line.lines) == len(line.areas) == 2
    assert line.end is None


def test_nothing_but_zeros_is_a_line_at_the_bottom() -> None:
    line = sparkline([0, 0])
    assert line is not None
    assert line.end == (WIDTH - 2, HEIGHT - 2)
