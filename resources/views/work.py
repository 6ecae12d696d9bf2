"""One request of the object editor, in the form or as YAML: reads, checks, dry-runs and sends the submission.

Both views share it, and each can answer for the other: a text that can't be parsed is shown in the text view, a control
that can't be parsed in the form. Every answer holds everything that was typed.
"""

from dataclasses import replace
from functools import cached_property

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django_htmx.http import HttpResponseClientRedirect

from console.web import audit, render
from console.web.errors import Problem
from console.web.request import ConsoleRequest
from kube.errors import AlreadyExists, Forbidden, KubeError, StatusCause
from kube.objects import KubeObject, name_of, namespace_of
from resources.forms import errors
from resources.forms.errors import Placed
from resources.forms.paths import words
from resources.forms.schema import Schema
from resources.history import writes
from resources.place import Place
from resources.types.manager import manager
from resources.views import editor_responses, form_page, save_messages, submission, yaml_page
from resources.views.submission import FORM, YAML, Draft, Shell
from resources.writing import draft, examples
from resources.writing.diff import same
from resources.writing.draft import Clashing, ObjectGone, Outcome, refusal_causes
from resources.writing.examples import Offer
from resources.yamltext import YamlProblem


class Work:
    """`face`: the view that the answer is in.

    `schema_problem`: why the schema can't be read, '' if it can, or if the cluster has none.
    """

    def __init__(self, request: ConsoleRequest, place: Place, face: str, editing: bool = False) -> None:
        self.request = request
        self.place = place
        self.face = face
        self.editing = editing
        self.schema_problem = ""

    @cached_property
    def schema(self) -> Schema:
        try:
            return Schema.from_document(self.request.cluster.schema(self.place.type))
        except KubeError as error:
            if not error.is_partial:
                raise
            self.schema_problem = str(error)
            return Schema.from_document(None)

    @cached_property
    def offer(self) -> Offer:
        return examples.offer(self.request.cluster, self.place.type, self.place.namespace)

    def shell(self, written: Draft, asked: str = "") -> Shell:
        made = submission.make_shell(self.place, self.offer.title, self.offer.description, self.editing)
        note = editor_responses.note(self)
        made = replace(made, face=self.face, begun=written.begun, start=written.start, note=note, asked=asked)
        if self.editing:
            who = manager(written.obj)
            made = replace(made, managed_by=who.words if who else "")
            if not written.original:
                return made
            client, sent = self.request.cluster, self.request.method == "POST"
            notice = submission.change_notice(client, self.place, self.face, written.original, check=sent)
            return replace(made, notice=notice)
        client = self.request.cluster
        objects = examples.object_starts(client, self.place)
        versions = submission.version_choices(client, self.place, self.face)
        return replace(made, starts=examples.example_starts(self.offer), objects=objects, versions=versions)

    # Opening

    def begin(self) -> HttpResponse:
        """A new object's page; `?name=`: what it is to be called."""
        asked = examples.wanted_start(self.request.GET)
        if asked:
            chosen = examples.chosen_start(self.offer, asked)
        else:
            chosen = examples.default_start(self.request.cluster, self.place, self.offer)
        obj = examples.starting_object(self.request.cluster, self.place, self.schema, self.offer, chosen)
        if name := self.request.GET.get("name", ""):
            obj = {**obj, "metadata": {**(obj.get("metadata") or {}), "name": name[:253]}}
        if chosen.startswith("from:") and self.place.type.kind == "Secret":
            audit.record(self.request, "reveal", f"{self.place.ref}{chosen[5:]}", "ok")
        return self.show(Draft(obj=obj, start=chosen, begun=submission.digest(obj)))

    def changed(self) -> HttpResponse:
        """The region that says that the object changed since it was opened: as `opened` and `uid` have it."""
        asked, client = self.request.GET, self.request.cluster
        try:
            state = submission.change_state(client, self.place, asked.get("opened", ""), asked.get("uid", ""))
        except Forbidden:
            return HttpResponse(status=204)
        shell = submission.make_shell(self.place, self.place.type.kind, "", True).on(self.face)
        context = {"shell": replace(shell, notice=submission.ChangeNotice("", "", state))}
        return render.page(self.request, "resources/_editor_changed.html", context)

    def edit(self) -> HttpResponse:
        """An existing object's form."""
        obj = draft.editable(self.place.get(self.request.cluster))
        self.read_secret()
        return self.show(Draft(obj=obj, original=obj))

    def read_secret(self) -> None:
        """The page shows values of the Secret that is there: an act, whatever was done before."""
        if self.editing and self.place.secret:
            audit.record(self.request, "reveal", self.place.ref, "ok")

    def show(
        self,
        written: Draft,
        *,
        problem: Problem | None = None,
        placed: tuple[Placed, ...] = (),
        asked: str = "",
        gone: bool = False,
    ) -> HttpResponse:
        """The page, in the view that this request is about."""
        drawn = editor_responses.form if self.face == FORM else editor_responses.yaml
        return drawn(self, written, problem=problem, placed=placed, asked=asked, gone=gone)

    # What was sent

    def post(self) -> HttpResponse:
        """Every button of both views."""
        post = self.request.POST
        try:
            if "~preview" in post and not self.place.secret:
                return editor_responses.preview(self)
            written = submission.of_text(post) if "text" in post else submission.of_form(post)
        except YamlProblem as problem:
            return self.unreadable(problem)
        except (ValueError, RecursionError):
            return HttpResponseBadRequest(save_messages.empty_form())
        if written.unread:
            return self.unread(written)
        if "text" in post and (problem_ := yaml_page.misplaced(written.obj, self.place, written.text)):
            return self.unreadable(problem_)
        return self.chosen(written)

    def chosen(self, written: Draft) -> HttpResponse:
        post = self.request.POST
        if "~restart" in post:
            return self.restart(written, post.get("~from", ""), sure=post.get("~restart") == "sure")
        if "~again" in post:
            obj = examples.as_new(written.obj)
            return self.show(written.with_object(obj, original={}, begun="-", clashes=(), undecided=()))
        if "~switch" in post or "~back" in post or written.asked:
            return self.show(written)
        if "~live" in post or "~merge" in post:
            return self.take_changes(written, show="~live" in post)
        if written.undecided:
            return editor_responses.clashing(self, written)
        known = errors.object_problems(
            self.schema, draft.own(written.obj), draft.own(written.original) if self.editing else None
        )
        return self.send(written, dry_run="~review" in post, known=known)

    def send(self, written: Draft, dry_run: bool, known: tuple[Placed, ...] = ()) -> HttpResponse:
        """What the console finds wrong (`known`) the cluster is asked about too, by a dry run: it may know more, and
        it has the last word.
        """
        try:
            outcome = self.outcome(written, dry_run or bool(known))
            if known and not dry_run:
                outcome = self.outcome(written, False)
        except Clashing as clashing:
            audit.record(self.request, "patch", self.place.ref, "Conflict")
            return self.clashed(written, clashing)
        except ObjectGone as gone:
            return self.show(written, problem=save_messages.gone(self.place, gone), gone=True)
        except KubeError as refused:
            return self.refused(written, refused, known)
        if dry_run:
            self.read_secret()
            return editor_responses.review(self, written, outcome)
        return self.saved(outcome)

    def outcome(self, written: Draft, dry_run: bool) -> Outcome:
        client, type_ = self.request.cluster, self.place.type
        if self.editing:
            return draft.update(client, type_, written.original, written.obj, self.schema, dry_run=dry_run)
        namespace = namespace_of(written.obj)
        if type_.namespaced and not namespace:
            raise save_messages.missing_namespace()
        made = draft.create(client, type_, written.obj, namespace, dry_run=dry_run)
        return Outcome({}, written.obj, made)

    def restart(self, written: Draft, wanted: str, sure: bool) -> HttpResponse:
        """Another start; typed content is discarded only if that was confirmed (`sure`)."""
        if written.dirty and not sure:
            return self.show(written, asked=wanted)
        face = YAML if wanted == "paste" else self.face
        query = {"start": wanted, "view": face, **({"namespace": self.place.namespace} if self.place.namespace else {})}
        return self.go(self.place.kind_url("new" if face == FORM else "new-yaml", **query))

    def take_changes(self, written: Draft, show: bool) -> HttpResponse:
        """What changed in the cluster since the object was opened: shown, or merged into the draft."""
        client, type_ = self.request.cluster, self.place.type
        try:
            if show:
                live = draft.live(client, type_, written.original)
                self.read_secret()
                return editor_responses.live_changes(self, written, live)
            merged, live = draft.rebase(client, type_, written.original, written.obj, self.schema)
        except Clashing as clashing:
            return self.clashed(written, clashing)
        except ObjectGone as gone:
            return self.show(written, problem=save_messages.gone(self.place, gone), gone=True)
        self.read_secret()
        messages.info(self.request, save_messages.merged())
        obj = _with_status(draft.with_servers(merged, live), written.obj)
        return self.show(written.with_object(obj, original=draft.editable(live)))

    # What came of it

    def go(self, url: str) -> HttpResponse:
        if self.request.htmx:
            return HttpResponseClientRedirect(url)
        return HttpResponseRedirect(url, status=303)

    def saved(self, outcome: Outcome) -> HttpResponse:
        obj = outcome.result
        place = Place(self.place.type, namespace_of(obj), name_of(obj))
        if self.editing and same(outcome.sent, draft.own(outcome.live)):
            messages.info(self.request, save_messages.no_changes(place))
            return self.go(place.url())
        audit.record(self.request, "patch" if self.editing else "create", place.ref, "ok")
        text = save_messages.saved(place) if self.editing else save_messages.created(place)
        verb, before = ("patch", outcome.live) if self.editing else ("create", None)
        writes.add_message(self.request, text, writes.wrote(self.request.cluster, verb, place, before, obj))
        return self.go(place.url())

    def unreadable(self, problem: YamlProblem) -> HttpResponse:
        """The text stays as it is, whichever view was asked for; `~switch=discard` gives it up for what was read
        last.
        """
        post = self.request.POST
        if post.get("~switch") == "discard":
            return self.show(editor_responses.last_good(post))
        self.face = YAML
        return editor_responses.broken(self, submission.yaml_of(post), problem)

    def unread(self, written: Draft) -> HttpResponse:
        if written.asked:
            return self.show(written)
        self.face = FORM
        unread_messages = [(item, form_page.unread_words(item)) for item in written.unread]
        keys = {item.path: text for item, text in unread_messages if item.code == "key"}
        texts = {item.path: text for item, text in unread_messages if item.code != "key"}
        readable = errors.object_problems(self.schema, draft.own(written.obj)) if not self.editing else ()
        placed = tuple(Placed(item.path, words(item.path), text) for item, text in unread_messages)
        placed += tuple(error for error in readable if error.path not in {*keys, *texts})
        typed = replace(written.typed, errors={**errors.by_path(placed), **texts}, key_errors=keys)
        return editor_responses.form(
            self, replace(written, typed=typed), problem=save_messages.invalid_fields(), placed=placed, placing=False
        )

    def refused(self, written: Draft, refused: KubeError, known: tuple[Placed, ...] = ()) -> HttpResponse:
        verb = "patch" if self.editing else "create"
        audit.record(
            self.request, verb, f"{self.place.ref}{'' if self.editing else name_of(written.obj)}", refused.reason
        )
        causes = refusal_causes(refused)
        if isinstance(refused, AlreadyExists):
            causes = (StatusCause("metadata.name", "FieldValueDuplicate", save_messages.refused(refused).title),)
        placed = errors.joined(errors.place_causes(causes, self.schema, written.obj), known)
        problem = save_messages.refused(refused)
        if placed and problem.status == 400:
            problem = replace(problem, status=422)
        return self.show(written, problem=problem, placed=placed)

    def clashed(self, written: Draft, clashing: Clashing) -> HttpResponse:
        """Theirs is what mine is compared with from now on, and every clash waits for a decision."""
        self.read_secret()
        merged = _with_status(clashing.merged, written.obj)
        clashes = clashing.clashes
        settled = written.with_object(merged, original=clashing.theirs, clashes=clashes, undecided=clashes, decided={})
        return editor_responses.clashing(self, settled)


def _with_status(obj: KubeObject, written: KubeObject) -> KubeObject:
    """With the status that stands in the text: it isn't sent."""
    return {**obj, "status": written["status"]} if "status" in written else obj
