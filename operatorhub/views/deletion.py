"""The page that asks before a Subscription, an OperatorGroup or a catalog is deleted."""

from dataclasses import dataclass

from django.http import HttpResponse

from console.web import render
from console.web.errors import Problem
from console.web.request import ConsoleRequest


@dataclass(frozen=True, slots=True)
class Line:
    """Words, a link where they have a `url`, with a `note` behind them."""

    words: str
    url: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """`trail`: the pages above it; `submit`: its button; `effects`: a paragraph each; `affected`: the objects that the
    last of them is about, `gap`: why those can't be listed.

    `way`: of templates/console/_undo.html; `uid`: exactly this object is deleted.
    """

    title: str
    trail: tuple[Line, ...]
    submit: str
    back: str
    effects: tuple[Line, ...]
    affected: tuple[Line, ...] = ()
    gap: str = ""
    way: str
    uid: str
    kubectl: str
    refused: str
    problem: Problem | None


def ask(request: ConsoleRequest, deletion: Deletion) -> HttpResponse:
    """With the status of the problem, if it was tried and failed."""
    status = deletion.problem.status if deletion.problem else 200
    return render.page(request, "operatorhub/deletion.html", deletion, status=status)
