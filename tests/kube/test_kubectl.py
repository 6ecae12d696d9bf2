"""Commands that follow the form beside them: what counts by its ticks, and what its fields give."""

import subprocess

from kube.kubectl import Command, CommandArgument, Commands

APPLY = frozenset({"1"})
RUN = Command(
    "kubectl debug web",
    rest=(
        CommandArgument("image", "a:1", before=" --image=", otherwise=" --image=IMAGE"),
        CommandArgument("target", before=" -t "),
        " -- sh",
    ),
)


def test_what_is_ticked_and_what_must_not_be() -> None:
    commands = Commands((Command("create", unless=APPLY), Command("apply", (APPLY,))), APPLY)
    assert str(commands) == "apply"
    assert commands.text(()) == "create"


def test_fields_give_their_values_as_the_page_comes_and_as_they_are_typed() -> None:
    assert RUN.text_of() == "kubectl debug web --image=a:1 -- sh"
    assert RUN.text_of({"image": " b ", "target": "c"}) == "kubectl debug web --image=b -t c -- sh"
    assert RUN.text_of({"image": ""}) == "kubectl debug web --image=IMAGE -- sh"


def test_what_is_typed_stays_one_word_for_a_shell() -> None:
    typed = "it's; $(touch /tmp/no) `no`"
    line = Command("printf %s", rest=(CommandArgument("a", typed, before=" "),)).text_of()
    assert subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True).stdout == typed
