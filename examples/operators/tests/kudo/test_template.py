"""Go's templates, as packages use them."""

import pytest

from examples.operators.kudo.template import TemplateError, render

VALUES = {
    "Name": "g",
    "Params": {"N": 3, "EMPTY": "", "MODE": "fast", "ON": True, "LIST": ["a", "b"], "MAP": {"k": "v"}},
}


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("{{ .Name }}-{{.Params.N}}", "g-3"),
        ("{{ .Params.ON }}", "true"),
        ('{{ .Params.MODE | upper | printf "<%s>" }}', "<FAST>"),
        ('{{ if eq .Params.MODE "slow" "fast" }}yes{{ end }}', "yes"),
        ("{{ if .Params.EMPTY }}a{{ else if .Params.ON }}b{{ else }}c{{ end }}", "b"),
        ("{{ range $i, $e := until .Params.N }}{{ $i }}{{ $.Name }}{{ end }}", "0g1g2g"),
        ("{{ range .Params.LIST }}{{ . }},{{ else }}none{{ end }}", "a,b,"),
        ("{{ range $k, $v := .Params.MAP }}{{ $k }}={{ $v }}{{ end }}", "k=v"),
        ("{{ range .Params.EMPTY | default (list) }}x{{ else }}none{{ end }}", "none"),
        ("{{ with .Params.MODE }}{{ . }}{{ else }}none{{ end }}", "fast"),
        ("{{ $x := add .Params.N 1 }}{{ $x }}", "4"),
        ("a\n  {{- /* said aside */ -}}\n  b", "ab"),
        ('{{ index .Params "N" }}{{ index .Params.LIST 1 }}', "3b"),
        ("{{ quote .Name }} {{ .Params.MAP | toJson }}", '"g" {"k": "v"}'),
        ("x:{{ .Params.MAP | toYaml | nindent 2 }}", "x:\n  k: v"),
        ('{{ sub (atoi "3") 1 }}{{ max 1 3 2 }}{{ min 4 2 }}', "232"),
        (
            '{{ hasPrefix "fa" .Params.MODE }} {{ contains "z" .Params.MODE }} {{ trimSuffix "t" .Params.MODE }}',
            "true false fas",
        ),
        (
            '{{ range splitList "," "a,b" }}<{{ . }}>{{ end }}{{ first .Params.LIST }}{{ last .Params.LIST }}',
            "<a><b>ab",
        ),
        ('{{ $d := dict "k" 1 }}{{ $d.k }}{{ hasKey $d "z" }}{{ coalesce .Params.EMPTY "x" | squote }}', "1false'x'"),
        ('{{ "YWI=" | b64dec }}{{ b64enc "ab" }}{{ empty .Params.EMPTY }}', "abYWI=true"),
        ("{{ and .Params.ON (not .Params.EMPTY) }} {{ or .Params.EMPTY .Name }}", "true g"),
    ],
)
def test_what_is_written(source: str, wanted: str) -> None:
    assert render("a.yaml", source, VALUES) == wanted


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("a\n{{ .Params.WRONG }}", "a.yaml, line 2: there is no .Params.WRONG"),
        ("{{ if }}", "a.yaml, line 1: a value is missing"),
        ("{{ frobnicate 1 }}", "a.yaml, line 1: function 'frobnicate' is not known"),
        ("a\n\n{{ if true }}", "a.yaml, line 3: this if has no end"),
        ("{{ end }}", "a.yaml, line 1: this end belongs to nothing"),
        ("{{ else }}", "a.yaml, line 1: this else belongs to nothing"),
        ("\n{{ .Name", "a.yaml, line 2: “{{” is never closed"),
        ("{{ $y }}", "a.yaml, line 1: variable $y is not known"),
        ("{{ until 20000 }}", "a.yaml, line 1: until: a list of 20000 numbers is longer than 10000"),
        ('{{ int "x" }}', "a.yaml, line 1: int: invalid literal for int() with base 10: 'x'"),
        ("{{ range .Name }}{{ end }}", "a.yaml, line 1: range can't go over str 'g'"),
        ('{{ template "x" }}', "a.yaml, line 1: template is not known here"),
        ("{{ .Name.__class__ }}", "a.yaml, line 1: there is no .Name.__class__"),
    ],
)
def test_mistakes_name_file_and_line(source: str, wanted: str) -> None:
    with pytest.raises(TemplateError) as found:
        render("a.yaml", source, VALUES)
    assert str(found.value) == wanted
