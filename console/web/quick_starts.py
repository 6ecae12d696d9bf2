"""Quick starts: instructions in tasks that stay beside the pages while the user works.

They are ConsoleQuickStarts of console.openshift.io/v1, from where all additions come (console/web/navigation.py), and
one of our own, whose tasks are the overview's first steps.
https://github.com/openshift/api/blob/master/console/v1/types_console_quick_start.go

Which one is open is in a cookie; how far a user is, in the database, for each user and cluster.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from django.urls import reverse
from django.utils.translation import gettext as _

from console.prefer import store
from console.web import access, navigation
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.reader import read
from kube.types.extensions import ConsoleQuickStart, QuickStartReview, QuickStartSummary, ResourceAttributes

#: The name of the open one; '' where none is.
OPEN_COOKIE = "console_quick_start"
#: Our own.
FIRST_STEPS = "first-steps"
NOT_STARTED, IN_PROGRESS, COMPLETE = "not-started", "in-progress", "complete"
#: Of a task that has a check: answered yes, no, or not yet.
YES, NO, OPEN = "y", "n", "-"
_MAX_TASKS = 50
_MAX_LINES = 30
_MAX_TITLE = 200
_MAX_ICON = 100_000
# A name of Kubernetes, or the value of a label.
_ADDRESSABLE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?")
_LANGUAGE, _COUNTRY, _NAME = (f"console.openshift.io/{word}" for word in ("lang", "country", "name"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """`description`, and the texts of the review and the summary, are Markdown. `help`: a line for the overview; `url`:
    the page for it, '' for none.
    """

    title: str
    description: str
    help: str = ""
    url: str = ""
    review: QuickStartReview
    summary: QuickStartSummary = field(default_factory=QuickStartSummary)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickStart:
    """`introduction`, `conclusion`: Markdown; `icon`: an image as a data address, '' for none; `following`: names of
    the quick starts that continue it; `needs`: permissions without which it isn't offered.
    """

    name: str
    title: str
    description: str
    icon: str = ""
    minutes: int = 0
    prerequisites: tuple[str, ...] = ()
    introduction: str = ""
    tasks: tuple[Task, ...]
    conclusion: str = ""
    following: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    needs: tuple[ResourceAttributes, ...] = ()

    @property
    def url(self) -> str:
        return reverse("pages:quick-start", args=[self.name])


@dataclass(frozen=True, slots=True)
class Position:
    """`step`: 0 is the introduction, 1 the first task, one more than there are tasks the conclusion. `answers`: one
    letter for each task.
    """

    step: int = 0
    answers: str = ""

    @classmethod
    def parse(cls, text: str, tasks: int) -> "Position":
        """Of a quick start that has been changed since: as far as it still fits."""
        step, _colon, answers = text.partition(":")
        number = int(step) if step.isascii() and step.isdigit() and len(step) < 4 else 0
        known = "".join(letter if letter in (YES, NO) else OPEN for letter in answers[:tasks])
        return cls(min(number, tasks + 1), known.ljust(tasks, OPEN))

    def __str__(self) -> str:
        return f"{self.step}:{self.answers}"

    def answered(self, letter: str) -> "Position":
        """With an answer to the check of the task that is shown."""
        at = self.step - 1
        if not 0 <= at < len(self.answers):
            return self
        return replace(self, answers=f"{self.answers[:at]}{letter}{self.answers[at + 1 :]}")

    def moved(self, step: int) -> "Position":
        return replace(self, step=max(0, min(step, len(self.answers) + 1)))


@dataclass(frozen=True, slots=True)
class TaskState:
    """`state`: done, failed, current or '' for one that is still to come."""

    task: Task
    number: int
    state: str


@dataclass(frozen=True, slots=True)
class Guide:
    """A quick start, and how far this user is."""

    quick_start: QuickStart
    progress: Position
    following: tuple[QuickStart, ...] = ()

    @property
    def task(self) -> Task | None:
        """The one that is shown; None in the introduction and the conclusion."""
        at = self.progress.step - 1
        return self.quick_start.tasks[at] if 0 <= at < len(self.quick_start.tasks) else None

    @property
    def is_introduction(self) -> bool:
        return self.progress.step == 0

    @property
    def check_result(self) -> str:
        return self.progress.answers[self.progress.step - 1] if self.task else OPEN

    @property
    def is_conclusion(self) -> bool:
        return self.progress.step > len(self.quick_start.tasks)

    @property
    def next_step(self) -> int:
        return self.progress.step + 1

    @property
    def previous_step(self) -> int:
        return self.progress.step - 1

    @property
    def has_failed(self) -> bool:
        return NO in self.progress.answers

    @property
    def status(self) -> str:
        if self.is_conclusion and not self.has_failed:
            return COMPLETE
        return IN_PROGRESS if self.progress.step else NOT_STARTED

    @property
    def status_words(self) -> str:
        return {NOT_STARTED: _("Not started"), IN_PROGRESS: _("In progress"), COMPLETE: _("Complete")}[self.status]

    @property
    def colour(self) -> str:
        return {IN_PROGRESS: "blue", COMPLETE: "green"}.get(self.status, "")

    @property
    def tasks(self) -> tuple[TaskState, ...]:
        return tuple(
            TaskState(task, number, self._state(number)) for number, task in enumerate(self.quick_start.tasks, 1)
        )

    def _state(self, number: int) -> str:
        if number == self.progress.step:
            return "current"
        if number > self.progress.step:
            return ""
        return "failed" if self.progress.answers[number - 1] == NO else "done"


def guides(client: ClusterClient, language: str) -> tuple[Guide, ...]:
    """Those that this user is offered, each in the language that fits best; our own first."""
    texts = store.quick_starts_of(client)
    return tuple(_guide(item, texts) for item in _known(client, language) if _is_allowed(client, item))


def guide(client: ClusterClient, name: str, language: str) -> Guide | None:
    """None for one that isn't offered."""
    known = {item.name: item for item in _known(client, language)}
    if name not in known or not _is_allowed(client, known[name]):
        return None
    following = (known[word] for word in known[name].following if word in known)
    allowed = tuple(item for item in following if _is_allowed(client, item))
    return replace(_guide(known[name], store.quick_starts_of(client)), following=allowed)


def _guide(item: QuickStart, texts: Mapping[str, str]) -> Guide:
    return Guide(item, Position.parse(texts.get(item.name, ""), len(item.tasks)))


def _known(client: ClusterClient, language: str) -> tuple[QuickStart, ...]:
    found: dict[str, list[ConsoleQuickStart]] = {}
    for obj in navigation.additions(client, "ConsoleQuickStart"):
        parsed = read(obj, ConsoleQuickStart)
        found.setdefault(_name(parsed), []).append(parsed)
    chosen = (_parse(name, _best(versions, language)) for name, versions in found.items())
    usable = (item for item in chosen if item.name and item.tasks and item.name != FIRST_STEPS)
    return (first_steps(), *sorted(usable, key=lambda item: item.title.lower()))


def _name(obj: ConsoleQuickStart) -> str:
    """Translations of one quick start have the same; '' for what can't stand in an address."""
    name = _mark(obj, _NAME) or obj.metadata.name
    return name if _ADDRESSABLE.fullmatch(name) else ""


def _mark(obj: ConsoleQuickStart, key: str) -> str:
    return obj.metadata.labels.get(key) or obj.metadata.annotations.get(key) or ""


def _best(versions: Iterable[ConsoleQuickStart], language: str) -> ConsoleQuickStart:
    """The user's language and country; else the language; else English, which is that of one without a language."""
    wanted, _dash, country = language.lower().partition("-")

    def rank(obj: ConsoleQuickStart) -> tuple[bool, ...]:
        own, own_country = (_mark(obj, _LANGUAGE) or "en").lower(), _mark(obj, _COUNTRY).lower()
        return own != wanted, own != "en", own_country != country, bool(own_country)

    return min(versions, key=rank)


def _parse(name: str, obj: ConsoleQuickStart) -> QuickStart:
    spec = obj.spec
    tasks = (
        Task(
            title=task.title[:_MAX_TITLE] or _("Task"),
            description=task.description,
            review=task.review,
            summary=task.summary,
        )
        for task in spec.tasks[:_MAX_TASKS]
    )
    return QuickStart(
        name=name,
        title=spec.display_name[:_MAX_TITLE] or name,
        description=spec.description,
        icon=spec.icon if spec.icon.startswith("data:image/") and len(spec.icon) <= _MAX_ICON else "",
        minutes=max(0, spec.duration_minutes),
        prerequisites=tuple(line for line in spec.prerequisites[:_MAX_LINES] if line),
        introduction=spec.introduction,
        tasks=tuple(tasks),
        conclusion=spec.conclusion,
        following=spec.next_quick_start[:_MAX_LINES],
        tags=tuple(tag[:_MAX_TITLE] for tag in spec.tags[:_MAX_LINES]),
        needs=spec.access_review_resources[:_MAX_LINES],
    )


def _is_allowed(client: ClusterClient, item: QuickStart) -> bool:
    """Also where the API server doesn't answer the review: a quick start grants nothing."""
    return not any(_refusal(client, need) for need in item.needs)


def _refusal(client: ClusterClient, need: ResourceAttributes) -> str:
    type_ = ResourceType(
        group=need.group, version=need.version, plural=need.resource, kind=need.resource, namespaced=True
    )
    return access.refusal(
        client=client,
        verb=need.verb,
        type_=type_,
        namespace=need.namespace,
        name=need.name,
        subresource=need.subresource,
    )


def save(client: ClusterClient, name: str, progress: Position) -> None:
    """Raises DatabaseError."""
    store.keep_quick_start(client, name, str(progress))


# Our own


def first_steps() -> QuickStart:
    return QuickStart(
        name=FIRST_STEPS,
        title=_("Getting started"),
        description=_(
            "Install operators from a catalog, create instances of what they provide, and find out why something "
            "doesn't run."
        ),
        minutes=15,
        introduction=_(
            "In five tasks you install an operator and create an instance of what it provides. The tasks stay beside "
            "the pages while you work."
        ),
        tasks=(_namespace_task(), _operator_task(), _instance_task(), _watch_task(), _forward_task()),
        conclusion=_("You installed an operator and created an instance. Remove both on their pages, under Actions."),
    )


def _with_kubectl() -> str:
    return _("With kubectl:")


def _namespace_task() -> Task:
    return Task(
        title=_("Create a namespace"),
        help=_("A place for an operator and its instances"),
        url=reverse("pages:namespaces"),
        description=_(
            "1. Open **Namespaces**.\n2. Enter a name under **New namespace**, and select **Create namespace**."
        )
        + f"\n\n{_with_kubectl()}\n\n```\nkubectl create namespace demo\n```",
        review=QuickStartReview(
            instructions=_("Is the new namespace in the list?"),
            failed_task_help=_("The message above the form says why the API server refused it."),
        ),
    )


def _operator_task() -> Task:
    return Task(
        title=_("Find an operator in OperatorHub"),
        help=_("Search, read, install, and watch every step"),
        url=reverse("operatorhub:catalog"),
        description=_(
            "1. Open **OperatorHub**, and search for an operator.\n2. Select it, read what it is and which permissions "
            "it gets, and select **Install**.\n3. Select the namespace, and install. The next page shows each step."
        ),
        review=QuickStartReview(
            instructions=_("Is the operator listed under **Installed operators**, without a problem?"),
            failed_task_help=_("Open the operator. Its page says what is in the way, and how to fix it."),
        ),
    )


def _instance_task() -> Task:
    return Task(
        title=_("Create an instance"),
        help=_("Fill in a form made from the operator's own schema"),
        url=reverse("operatorhub:services"),
        description=_(
            "1. Select a resource type that the operator provides.\n2. Fill in the form, or edit the YAML.\n3. Select "
            "**Create**."
        ),
        review=QuickStartReview(
            instructions=_("Did the page of the new instance open?"),
            failed_task_help=_("Errors are shown beside the fields that they are about."),
        ),
    )


def _watch_task() -> Task:
    return Task(
        title=_("Watch the instance start"),
        help=_("View its state, Pods, events and history, live"),
        url=f"{reverse('resources:types')}?custom=1",
        description=_(
            "Open the instance. Its page shows its state and its Pods, events and history, and follows every change."
        ),
        review=QuickStartReview(
            instructions=_("Is the instance ready?"),
            failed_task_help=_("Its page says why it isn't ready. Open its Pods for their logs."),
        ),
    )


def _forward_task() -> Task:
    return Task(
        title=_("Access the instance from your machine"),
        help=_("Select Actions, then Port-forward, on the page of a Pod, Service or instance"),
        url=reverse("resources:forwards"),
        description=_("On the page of the instance, its Service or a Pod, select **Actions**, then **Port-forward**.")
        + f"\n\n{_with_kubectl()}\n\n```\nkubectl port-forward --namespace=demo service/example 8080\n```",
        review=QuickStartReview(
            instructions=_("Does your client reach the instance?"),
            failed_task_help=_("Check that its Pods are ready, and that the port is the one of the instance."),
        ),
    )
