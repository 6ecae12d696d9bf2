"""What comes first, what is folded away, what belongs together, what depends on what; by schema, by descriptors, by
what is set.
"""

from typing import Any

from resources.forms.build import Builder
from resources.forms.descriptors import parse as descriptors_of
from resources.forms.fields import FormField, FormInput, Options
from resources.forms.schema import Schema
from tests.forms.page import Form
from tests.forms.test_examples import FORMS

MESH = FORMS["oddities/1.0.0 Mesh v1"]
PREFIX = "urn:alm:descriptor:com.tectonic.ui:"
TEXT = {"type": "string"}


def spec_of(form: Form, spec: dict[str, Any] | None, typed: FormInput | None = None) -> FormField:
    obj = form.begin(None) | ({"spec": spec} if spec is not None else {})
    (made, *_) = Builder(form.schema, Options(form.offer.descriptors, typed or FormInput())).top(obj)
    return made


def plain(*names: str, required: tuple[str, ...] = (), **more: Any) -> Form:
    spec = {"type": "object", "required": list(required), "properties": dict.fromkeys(names, TEXT) | more}
    return Form(MESH.type, Schema.from_document({"type": "object", "properties": {"spec": spec}}), type(MESH.offer)())


def names(fields: tuple[FormField, ...]) -> list[str]:
    return [str(field.path[-1]) for field in fields]


def child(field: FormField, *path: str | int) -> FormField:
    for step in path:
        field = next(item for item in field.children if item.path[-1] == step)
    return field


def test_required_and_described_then_required_then_described_then_the_rest() -> None:
    spec = spec_of(MESH, {})
    assert names(spec.basic)[:4] == ["size", "zone", "tls", "certificate"]
    assert names(spec.basic)[4:] == ["gamma", "listeners", "secretName", "storage", "resources", "mode", "issuer"]


def test_a_parent_stands_where_its_first_described_child_would() -> None:
    order = names(spec_of(MESH, {}).basic)
    assert order.index("secretName") < order.index("storage") < order.index("resources")


def test_what_depends_on_a_field_stands_behind_it() -> None:
    order = names(spec_of(MESH, {}).basic)
    assert order.index("certificate") == order.index("tls") + 1
    assert order.index("issuer") == order.index("mode") + 1


def test_optional_fields_that_nobody_set_are_folded_away() -> None:
    spec = spec_of(MESH, {"alpha": "set"})
    assert "alpha" in names(spec.basic)
    assert {"delta", "epsilon"} <= set(names(spec.folded))


def test_what_the_operator_calls_advanced_is_folded_unless_it_is_set() -> None:
    assert "beta" in names(spec_of(MESH, {}).folded)
    spec = spec_of(MESH, {"beta": "set"})
    assert "beta" in names(spec.basic)
    assert child(spec, "beta").text == "set"


def test_a_form_of_nothing_but_optional_fields_shows_the_first_few() -> None:
    spec = spec_of(plain(*"abcdefgh"), {})
    assert names(spec.basic) == list("abcdefgh")
    assert spec.folded == ()
    large = spec_of(plain(*"abcdefghijkl"), {})
    assert (names(large.basic), names(large.folded)) == (list("abcdefgh"), list("ijkl"))


def test_a_few_optional_fields_are_not_worth_a_fold() -> None:
    assert spec_of(plain("a", "b", "c", required=("a",)), {}).folded == ()
    assert names(spec_of(plain(*"abcdef", required=("c",)), {}).basic) == ["c"]


def test_optional_fields_fold_inside_a_section_that_is_set() -> None:
    inner = {"type": "object", "required": ["a"], "properties": dict.fromkeys("abc", TEXT)}
    section = child(spec_of(plain(section=inner), {"section": {"a": "1"}}), "section")
    assert (names(section.basic), names(section.folded)) == (["a"], ["b", "c"])


def test_unset_sections_stand_behind_what_is_set() -> None:
    section = {"type": "object", "properties": {"a": TEXT}}
    spec = spec_of(plain("text", first=section, second=section), {"second": {"a": "1"}})
    drawn = [name for group in spec.groups for name in names(group.fields)]
    assert drawn == ["text", "second", "first"]


def test_the_order_of_the_schema_is_kept_without_descriptors() -> None:
    assert names(spec_of(plain("z", "a", "m", required=("m",)), {}).children) == ["m", "z", "a"]


def test_a_fold_opens_for_what_is_wrong_or_asked_for_in_it() -> None:
    form = plain(*"abcdef", required=("a",))
    assert not spec_of(form, {}).folded_open
    wrong = spec_of(form, {}, FormInput(errors={("spec", "c"): "no"}))
    assert wrong.folded_open or "c" in names(wrong.basic)
    assert child(wrong, "c").error == "no"


def test_fields_of_one_group_stand_together_under_its_name() -> None:
    groups = {group.label: names(group.fields) for group in spec_of(MESH, {}).groups}
    assert groups["Security"] == ["certificate", "issuer"]


def test_hidden_fields_are_not_shown_and_keep_their_value() -> None:
    spec = spec_of(MESH, {"internal": "kept"})
    assert "internal" not in names(spec.children)
    assert "s:/spec/internal" not in MESH.open({**MESH.begin(None), "spec": {"internal": "kept"}}).index
    page = MESH.open({**MESH.begin(None), "spec": {"internal": "kept"}})
    assert page.submit().object["spec"]["internal"] == "kept"


def test_hidden_fields_are_shown_when_something_is_wrong_with_them() -> None:
    assert "internal" in names(spec_of(MESH, {}, FormInput(errors={("spec", "internal"): "wrong"})).children)


def met(field: FormField) -> dict[tuple[str, str], bool]:
    return {(need.pointer, need.value): need.met for need in field.depends}


def test_dependencies_name_the_control_and_say_whether_they_are_met() -> None:
    off, on = spec_of(MESH, {}), spec_of(MESH, {"tls": True})
    assert met(child(off, "certificate")) == {("/spec/tls", "true"): False}
    assert met(child(on, "certificate")) == {("/spec/tls", "true"): True}


def test_several_dependencies_are_all_given() -> None:
    found = met(child(spec_of(MESH, {"mode": "semi"}), "issuer"))
    assert found == {("/spec/mode", "auto"): False, ("/spec/mode", "semi"): True, ("/spec/tls", "true"): False}


def test_a_dependency_inside_a_list_means_the_same_item() -> None:
    listeners = child(spec_of(MESH, {"listeners": [{"kind": "tcp"}, {"kind": "http"}]}), "listeners")
    assert met(child(listeners, 0, "path")) == {("/spec/listeners/@0/kind", "http"): False}
    assert met(child(listeners, 1, "path")) == {("/spec/listeners/@1/kind", "http"): True}


def test_a_default_meets_a_dependency() -> None:
    form = plain("b", a={"type": "boolean", "default": True})
    found = descriptors_of([{"path": "b", "x-descriptors": [f"{PREFIX}fieldDependency:a:true"]}])
    (spec, *_) = Builder(form.schema, Options(found)).top({"spec": {}})
    assert met(child(spec, "b")) == {("/spec/a", "true"): True}


def test_a_field_that_is_not_shown_yet_keeps_what_it_holds() -> None:
    obj = {**MESH.begin(None), "spec": {"size": 1, "zone": "z", "tls": False, "certificate": "c"}}
    page = MESH.open(obj)
    assert page.submit().object == obj
    assert page.named("s:/spec/certificate")


def test_paths_with_indices_and_with_spec_in_front_are_understood() -> None:
    found = descriptors_of([{"path": "spec.users[0].name", "displayName": "User"}, {"path": "a.b", "displayName": "B"}])
    assert found.get(("spec", "users", 7, "name")).display_name == "User"  # type: ignore[union-attr]
    assert found.get(("spec", "a", "b")).display_name == "B"  # type: ignore[union-attr]


def test_the_commas_of_a_label_selector_join_nothing() -> None:
    found = descriptors_of([{"path": "a", "x-descriptors": ["urn:alm:descriptor:io.kubernetes:Secret?x=1,y=2"]}])
    assert found.get(("spec", "a")).kubernetes == "Secret?x=1,y=2"  # type: ignore[union-attr]


def test_descriptors_of_nothing_are_passed_over() -> None:
    assert "nowhere" not in names(spec_of(MESH, {}).children)


def test_the_name_that_is_generated_needs_no_name() -> None:
    builder = Builder(MESH.schema, Options())
    fields = builder.metadata({"metadata": {"generateName": "x-", "finalizers": ["keep/me"]}}, True, ())
    assert [(field.path[-1], field.required) for field in fields][:2] == [("name", False), ("generateName", False)]
    obj = {**MESH.begin(None), "metadata": {"generateName": "x-", "finalizers": ["keep/me"], "namespace": "default"}}
    assert MESH.open(obj).submit().object == obj


def test_a_group_that_is_named_like_its_section_or_has_one_member_is_none() -> None:
    descriptors = [
        {"path": "tls.a", "x-descriptors": [f"{PREFIX}fieldGroup:tls"]},
        {"path": "tls.b", "x-descriptors": [f"{PREFIX}fieldGroup:tls"]},
        {"path": "x", "x-descriptors": [f"{PREFIX}fieldGroup:alone"]},
        {"path": "y"},
        {"path": "p", "x-descriptors": [f"{PREFIX}fieldGroup:pair"]},
        {"path": "z"},
        {"path": "q", "x-descriptors": [f"{PREFIX}fieldGroup:pair"]},
    ]
    form = plain("x", "y", "z", "p", "q", tls={"type": "object", "properties": {"a": TEXT, "b": TEXT}})
    (spec, *_) = Builder(form.schema, Options(descriptors_of(descriptors))).top({"spec": {}})
    assert [(group.name, names(group.fields)) for group in child(spec, "tls").groups] == [("", ["a", "b"])]
    assert [(group.name, names(group.fields)) for group in spec.groups] == [
        ("", ["x", "y"]),
        ("Pair", ["p", "q"]),
        ("", ["z", "tls"]),
    ]


def test_items_that_a_list_must_have_are_offered_and_are_none_until_used() -> None:
    items = {
        "type": "object",
        "required": ["name"],
        "properties": {"name": TEXT, "tags": {"type": "array", "items": TEXT}},
    }
    lists = {
        "texts": {"type": "array", "items": TEXT, "minItems": 2},
        "things": {"type": "array", "items": items, "minItems": 1},
        "optional": {"type": "array", "items": TEXT, "minItems": 1},
    }
    form = plain("a", required=("texts", "things"), **lists)
    page = form.open(form.begin(None))
    offered = [name for name in page.index if "/@n" in name and name[:2] in ("s:", "o:")]
    assert offered[:4] == ["s:/spec/texts/@n0", "s:/spec/texts/@n1", "o:/spec/things/@n0", "s:/spec/things/@n0/name"]
    assert page.submit().object["spec"] == {}
    page.named("s:/spec/texts/@n1")[0].value = "typed"
    page.named("s:/spec/things/@n0/name")[0].value = "thing"
    assert page.submit().object["spec"] == {"texts": ["typed"], "things": [{"name": "thing"}]}
    page.press("~add", "/spec/things")
    assert page.submit().object["spec"] == {"texts": ["typed"], "things": [{"name": "thing"}, {}]}


def test_of_many_cards_the_first_two_stand_open() -> None:
    user = {"type": "object", "properties": {"name": TEXT}}
    form = plain(users={"type": "array", "items": user, "maxItems": 3})
    users = child(spec_of(form, {"users": [{"name": name} for name in "abc"]}), "users")
    assert [item.open for item in users.children] == [True, True, False]
    assert users.full
    wrong = FormInput(errors={("spec", "users", 2, "name"): "no"})
    assert child(spec_of(form, {"users": [{"name": name} for name in "abc"]}, wrong), "users", 2).open
    assert not child(spec_of(form, {"users": [{"name": "a"}]}), "users").full


def test_a_kind_without_a_schema_for_spec_says_why_it_is_edited_as_yaml() -> None:
    free = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    form = Form(MESH.type, Schema.from_document({"type": "object", "properties": {"spec": free}}), type(MESH.offer)())
    assert "This type has no schema for spec, so it is edited as YAML." in form.html(form.begin(None))
    assert "This type has no schema" not in MESH.html(MESH.begin(None))
