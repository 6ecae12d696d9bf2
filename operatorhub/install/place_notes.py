"""What the form says of the namespace beside its errors.

A sentence that an error contradicts, or says better, is left out. Pure.
"""

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext as _

from kube.objects import name_of
from operatorhub.install.choices import Choices
from operatorhub.install.conflicts import InstallConflict
from operatorhub.install.objects import is_new
from operatorhub.install.situation import Situation

#: Conflicts that make further notes on the namespace pointless: it doesn't exist, its name is invalid, or it is being
#: deleted.
_NO_PLACE = frozenset({"no-namespace", "bad-namespace", "terminating"})
#: Conflicts that say what is with its OperatorGroup, or that none is made because nothing is installed there.
_NO_GROUP = frozenset({"groups", "group-mode", "subscribed", "name-taken", "invisible"})


def notes_of_place(
    situation: Situation, choices: Choices, conflicts: Iterable[InstallConflict], *, template: bool
) -> tuple[str, ...]:
    """`template`: the operator's author suggests labels and annotations for the namespace."""
    keys = {conflict.key for conflict in conflicts}
    if not choices.namespace or keys & _NO_PLACE:
        return ()
    found = [*_existence_notes(situation, choices.namespace, template=template)]
    if not keys & _NO_GROUP:
        found += _group_notes(situation, choices.namespace)
    return tuple(found)


def _existence_notes(situation: Situation, namespace: str, *, template: bool) -> Iterator[str]:
    if is_new(namespace, situation):
        yield _("“%(name)s” doesn't exist and will be created.") % {"name": namespace}
        if template:
            yield _("The namespace gets the labels and annotations that the operator's author suggests.")
    elif namespace not in situation.namespaces:
        yield _("You don't have permission to list namespaces, so this namespace is assumed to exist.")
    else:
        yield _("“%(name)s” exists.") % {"name": namespace}
        if template:
            yield _("The labels that the author suggests aren't added; the namespace stays unchanged.")


def _group_notes(situation: Situation, namespace: str) -> Iterator[str]:
    groups = situation.groups.get(namespace, ())
    if groups:
        yield _("The existing OperatorGroup “%(group)s” is used.") % {"group": name_of(groups[0])}
    elif namespace in situation.namespaces and situation.knows("operatorgroups"):
        yield _("The namespace has no OperatorGroup yet, so one is created.")
