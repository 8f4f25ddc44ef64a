"""How is a function offered as a tool? Its keyword parameters are the input, its result the output, both typed.

A tool is a function `(store, *, …) -> result` over public verbs. Its docstring is what the model reads, its annotations
make the schemas, and its result is a frozen dataclass. Schemas are made when they are first asked for.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from simonides.faces.mcp.errors import Refusal, refused_arguments

if TYPE_CHECKING:
    from mcp_types import CallToolResult
    from mcp_types import Tool as ToolOffer
    from pydantic import BaseModel, TypeAdapter

    from simonides.faces.mcp.opening import Opening

NAMESPACE = "namespace"


@dataclass(frozen=True, slots=True)
class Tool:
    """A function and what clients are told about its effects.

    repeats: doing it again with the same arguments changes nothing more. text: what the model reads; without it the
    result as JSON.
    """

    run: Callable[..., Any]
    title: str
    reads_only: bool = False
    destroys: bool = False
    repeats: bool = False
    text: Callable[[Any], str] | None = None

    @property
    def name(self) -> str:
        return self.run.__name__


def offer(tool: Tool, *, namespaces: bool) -> ToolOffer:
    """The tool as clients list it. namespaces: whether a call may name one."""
    from mcp_types import Tool as Offer
    from mcp_types import ToolAnnotations

    return Offer(
        name=tool.name,
        title=tool.title,
        description=inspect.getdoc(tool.run),
        input_schema=_without_null(lean(_input(tool, namespaces).model_json_schema())),
        output_schema=lean(_output(tool).json_schema(mode="serialization")),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads_only,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.reads_only or tool.repeats,
            open_world_hint=False,
        ),
    )


def call(tool: Tool, arguments: Mapping[str, Any], opening: Opening, *, namespaces: bool) -> CallToolResult:
    """Runs a tool on its namespace. An argument that is null counts as not given.

    Raises Refusal for arguments that do not fit, and what the verbs raise.
    """
    from mcp_types import CallToolResult, TextContent

    given = _checked(tool, arguments, namespaces)
    store = opening.store(given.pop(NAMESPACE, None) if namespaces else None)
    result = tool.run(store, **given)
    structured = _output(tool).dump_python(result, mode="json", by_alias=True)
    text = json.dumps(structured, ensure_ascii=False) if tool.text is None else tool.text(result)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)


def _checked(tool: Tool, arguments: Mapping[str, Any], namespaces: bool) -> dict[str, Any]:
    from pydantic import ValidationError

    told = {name: value for name, value in arguments.items() if value is not None}
    try:
        read = _input(tool, namespaces).model_validate(told)
    except ValidationError as error:
        raise refused_arguments(error) from None
    except RecursionError:
        raise Refusal("arguments_invalid", "the arguments are nested too deeply") from None
    return {name: getattr(read, name) for name in read.model_fields_set}


@functools.cache
def _input(tool: Tool, namespaces: bool) -> type[BaseModel]:
    """A model of the function's keyword parameters; anything else is refused."""
    from pydantic import ConfigDict, Field, create_model

    hints = get_type_hints(tool.run, localns={"Store": Any}, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in list(inspect.signature(tool.run).parameters.items())[1:]:
        fields[name] = (hints[name], ... if parameter.default is parameter.empty else parameter.default)
    if namespaces:
        about = "Whose memories; the server's own namespace when left out."
        fields[NAMESPACE] = (Annotated[str | None, Field(description=about)], None)
    return create_model(tool.name, __config__=ConfigDict(extra="forbid"), **fields)


@functools.cache
def _output(tool: Tool) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(get_type_hints(tool.run, localns={"Store": Any}, include_extras=True)["return"])


def lean(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema without references and made-up titles: short, and readable by every client."""
    named = schema.get("$defs", {})
    plain = _plain(schema, named)
    assert isinstance(plain, dict)
    plain.pop("$defs", None)
    return plain


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """An input schema that does not speak of null: an argument that is null counts as not given."""
    properties = schema.get("properties", {})
    for name, field in properties.items():
        kinds = [kind for kind in field.get("anyOf", []) if kind != {"type": "null"}]
        if len(kinds) == 1:
            told = {key: value for key, value in field.items() if key != "anyOf"}
            properties[name] = {**kinds[0], **told}
        if "default" in field and field["default"] is None:
            del properties[name]["default"]
    return schema


def _plain(node: Any, named: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(item, named) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return _plain({**named[node["$ref"].rpartition("/")[2]], **rest}, named)
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            out[key] = {name: _plain(inner, named) for name, inner in value.items()}
        elif key not in ("title", "$defs"):
            out[key] = _plain(value, named)
    return out
