"""RE2's expressions in Python, and string formats."""

import pytest

from structural import formats, patterns


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        (r"^a$", ["a"], ["a\n", "ab"]),
        (r"^a\z", ["a"], ["a\n"]),
        (r"^[[:alpha:]_]+$", ["aB_"], ["a1", "é"]),
        (r"^[]a]+$", ["]a"], ["b"]),
        (r"^[^]a]+$", ["b"], ["]"]),
        (r"^\d\w\s$", ["1a "], ["١a "]),
        (r"(?i)^abc$", ["ABC"], ["ab"]),
        (r"^(?i)abc$", ["ABC"], ["ab"]),
        (r"x(?i)y|z$", ["xY", "aZ"], ["Xy"]),
        (r"^\Qa.b\E$", ["a.b"], ["axb"]),
        (r"^\p{L}+$", ["é日本"], ["1"]),
        (r"^\x{41}$", ["A"], ["B"]),
        (r"^(?P<n>a)(?<m>b)$", ["ab"], ["a"]),
        (r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", ["a-b"], ["-a"]),
        (r"^[\w.\-/$]+$", ["a$/"], ["a b"]),
        (r"^[[:^alpha:]]$", ["1"], ["a"]),
    ],
)
def test_pattern(pattern: str, yes: list[str], no: list[str]) -> None:
    assert patterns.fault(pattern) == ""
    assert all(patterns.matches(pattern, text) for text in yes)
    assert not any(patterns.matches(pattern, text) for text in no)


@pytest.mark.parametrize("pattern", ["(", "a**", "a++", "(?=x)", "(?<!x)a", r"(a)\1", "[z-a]", "x{2,1}"])
def test_what_re2_refuses(pattern: str) -> None:
    assert patterns.fault(pattern).startswith("error parsing regexp: ")


@pytest.mark.parametrize(
    ("name", "yes", "no"),
    [
        ("date-time", "2020-01-01T00:00:00.5+01:00", "2020-01-01 00:00:00"),
        ("duration", "1h30m", "x"),
        ("duration", "2 hours", ""),
        ("ipv4", "1.2.3.4", "1.2.3.04"),
        ("cidr", "10.0.0.1/8", "10.0.0.0/33"),
        ("email", "a@example.com", "a@"),
        ("hostname", "a-b.example.com", "-a.example.com"),
        ("uri", "/path", "path"),
        ("uuid4", "6fa459ea-ee8a-4ca4-894e-db77e160355e", "6fa459ea-ee8a-3ca4-894e-db77e160355e"),
        ("isbn10", "0321751043", "0321751044"),
        ("isbn13", "978-0321751041", "978-0321751042"),
        ("creditcard", "4111-1111-1111-1111", "4111-1111-1111-1112"),
        ("rgbcolor", "rgb(255,0,10)", "rgb(256,0,0)"),
        ("k8s-long-name", "a.b-c", "A.b"),
        ("something", "anything", None),
    ],
)
def test_format(name: str, yes: str, no: str | None) -> None:
    assert formats.holds(name, yes)
    assert no is None or not formats.holds(name, no)
