"""specDescriptors as they are found in real packages."""

from resources.forms.descriptors import parse

PREFIX = "urn:alm:descriptor:com.tectonic.ui:"


def test_names_order_and_widgets() -> None:
    found = parse(
        [
            {"path": "size", "displayName": "Size", "x-descriptors": [f"{PREFIX}podCount"]},
            {"path": "users[0].name", "displayName": "User", "x-descriptors": [f"{PREFIX}advanced,{PREFIX}text"]},
            {"path": "mode", "x-descriptors": [f"{PREFIX}select:a", f"{PREFIX}select:b"]},
        ]
    )
    size = found.get(("spec", "size"))
    assert size is not None
    assert (size.display_name, size.order, size.widgets) == ("Size", 0, {"podCount"})
    user = found.get(("spec", "users", 3, "name"))
    assert user is not None
    assert user.advanced
    mode = found.get(("spec", "mode"))
    assert mode is not None
    assert mode.options == ("a", "b")


def test_malformed_ones_are_taken_as_meant_or_passed_over() -> None:
    found = parse(
        [
            None,
            {"path": 3},
            {"path": "a", "x-descriptors": ["ui:booleanSwitch", 5]},
            {"path": "b", "x-descriptors": None},
        ]
    )
    switch = found.get(("spec", "a"))
    assert switch is not None
    assert switch.widgets == {"booleanSwitch"}
    assert parse("nonsense").by_path == {}
