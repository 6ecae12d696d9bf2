"""Compiles and runs one CEL expression, and words its failures as cel-go does.

The library is Google's for C++ with Python bindings. It knows ``self`` as a value of any type, where the API server
knows the schema's types, so type errors show up when a rule runs, not when a CRD is created.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any, NamedTuple

from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_optional

from . import collections, network, quantities, texts

_OPTIONAL = "cel.bind(oldSelf, __hasOld ? optional.of(__old) : optional.none(), ({}))"
#: validate() answers an optional; a list that is empty when all is well becomes one.
_VALIDATE = re.compile(r"format\.\w+\(\)\.validate\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
_WORDS = (
    (re.compile(r'Key not found in map : "?(.*?)"?$'), r"no such key: \1"),
    (re.compile(r"No matching overloads found.*"), "no such overload"),
    (re.compile(r"Index error: index=(-?\d+).*"), r"index out of bounds: \1"),
    (re.compile(r"divide by zero.*"), "division by zero"),
    (re.compile(r"modulus by zero.*"), "modulus by zero"),
    (re.compile(r"(integer|unsigned integer) overflow.*"), r"\1 overflow"),
    (re.compile(r"cannot convert string to int.*"), "strconv.ParseInt: invalid syntax"),
)


_UNDECLARED = re.compile(r"undeclared reference to '(\w+)'")
#: What Kubernetes' environments declare and this one may lack: no reason to refuse a rule.
KNOWN = frozenset(
    (
        "all",
        "authorizer",
        "base64",
        "bind",
        "cel",
        "cidr",
        "contains",
        "containsCIDR",
        "containsIP",
        "dateLabel",
        "decode",
        "distinct",
        "encode",
        "exists",
        "exists_one",
        "existsOne",
        "filter",
        "find",
        "findAll",
        "flatten",
        "format",
        "getDate",
        "getDayOfMonth",
        "getDayOfWeek",
        "getDayOfYear",
        "getEscapedPath",
        "getFullYear",
        "getHost",
        "getHostname",
        "getHours",
        "getMilliseconds",
        "getMinutes",
        "getMonth",
        "getPort",
        "getQuery",
        "getScheme",
        "getSeconds",
        "has",
        "hasValue",
        "indexOf",
        "ip",
        "isCanonical",
        "isCIDR",
        "isGlobalUnicast",
        "isInteger",
        "isIP",
        "isLinkLocalMulticast",
        "isLinkLocalUnicast",
        "isLoopback",
        "isQuantity",
        "isSemver",
        "isSorted",
        "isUnspecified",
        "isURL",
        "join",
        "jsonpatch",
        "lastIndexOf",
        "lowerAscii",
        "major",
        "map",
        "masked",
        "math",
        "minor",
        "named",
        "optFlatMap",
        "optional",
        "optMap",
        "orValue",
        "patch",
        "prefixLength",
        "quantity",
        "quote",
        "range",
        "replace",
        "reverse",
        "semver",
        "sets",
        "slice",
        "sort",
        "sortBy",
        "split",
        "strings",
        "substring",
        "sum",
        "transformList",
        "transformMap",
        "transformMapEntry",
        "trim",
        "upperAscii",
        "url",
        "validate",
        "value",
    )
)


class Failed(Exception):
    """The expression ran and failed; the message is cel-go's where it is known."""


class Unsupported(Exception):
    """The library cannot run the expression, though the API server may."""


class Malformed(Exception):
    """The expression isn't valid CEL."""


class Expression(NamedTuple):
    """Ready to run. ``optional``: ``oldSelf`` is an optional, which is there even on create."""

    compiled: Any
    optional: bool
    source: str


def _environment() -> Any:
    types = cel.Type
    functions: dict[tuple[str, bool], list[Any]] = defaultdict(list)
    for module in (texts, collections, quantities, network):
        for number, function in enumerate(module.FUNCTIONS):
            overload = cel.Overload(
                f"{module.__name__.rpartition('.')[2]}_{number}",
                getattr(types, function.result),
                [getattr(types, name) for name in function.parameters],
                function.method,
                function.run,
            )
            functions[(function.name, False)].append(overload)
    return cel.NewEnv(
        variables={"self": types.DYN, "oldSelf": types.DYN, "__old": types.DYN, "__hasOld": types.BOOL},
        extensions=[ext_optional.ExtOptional(), ext_bindings.ExtBindings()],
        functions=[cel.FunctionDecl(name, overloads) for (name, _), overloads in functions.items()],
    )


_ENVIRONMENT = _environment()


def compile_expression(source: str, optional: bool = False) -> Expression:
    """Malformed or Unsupported when it does not compile."""
    text = source.replace(".existsOne(", ".exists_one(")
    text = _VALIDATE.sub(lambda found: f"optional.ofNonZeroValue({found.group()})", text)
    if optional:
        text = _OPTIONAL.format(text)
    try:
        return Expression(_ENVIRONMENT.compile(text), optional, source)
    except RuntimeError as error:
        reason = str(error).removeprefix("INVALID_ARGUMENT: ").removesuffix(" [INVALID_ARGUMENT]")
        unknown = set(_UNDECLARED.findall(reason))
        if "Syntax error" in reason or (unknown and not unknown & KNOWN):
            raise Malformed(reason) from error
        if "found no matching overload" not in reason:
            raise Unsupported(reason) from error
    try:  # such as 1 < 1.5, which cel-go's checker knows
        return Expression(_ENVIRONMENT.compile(text, disable_check=True), optional, source)
    except RuntimeError as error:
        raise Unsupported(str(error)) from error


def result_of(expression: Expression) -> str:
    """The type that the expression gives, as CEL names it; empty when only running it can tell."""
    name = str(expression.compiled.return_type().name())
    return "" if name in ("DYN", "ANY", "UNKNOWN", "ERROR") or expression.optional else name


def run(expression: Expression, value: Any, old: Any, has_old: bool) -> Any:
    """The result as a plain Python value. Failed when evaluation ends in an error."""
    data: dict[str, Any] = {"self": value}
    if expression.optional:
        data |= {"__old": old, "__hasOld": has_old}
    elif has_old:
        data["oldSelf"] = old
    try:
        result = expression.compiled.eval(data=data)
    except RuntimeError as error:
        raise Unsupported(str(error)) from error
    if result.type().name() == "ERROR":
        raise _failure(str(result.plain_value()))
    return result.plain_value()


def _failure(error: str) -> Exception:
    message = error.partition(": ")[2] or error
    if "Non-CEL value" in message or "No value with name" in message:
        return Unsupported(message)
    for pattern, words in _WORDS:
        found = pattern.search(message)
        if found:
            return Failed(found.expand(words))
    return Failed(message)
