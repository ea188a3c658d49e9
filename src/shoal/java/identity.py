"""Texts that are compared by identity: `op == "d"` asks whether it is the same object, which a text that was read is not."""

from __future__ import annotations

from shoal.java.sheet import Sheet
from shoal.java.source import below
from shoal.lazy import pattern

# What gives a text that it has just made.
_MAKES = pattern(
    r"(?:get)?(?:as)?(?:Text|String|TextValue|AsString|AsText)|to\w*String|asText|textValue|substring|trim|to(?:Lower|Upper)Case|getProperty|replace\w*|strip\w*"
)
_COMPARED = pattern(r'[=!]=\s*"|"\s*[=!]=')


def collect(sheet: Sheet) -> None:
    source = sheet.source
    if _COMPARED.search(source.text) is None:
        return
    for node in below(source.root, "binary_expression"):
        sides = [node.child_by_field_name(name) for name in ("left", "right")]
        texts = [side for side in sides if side is not None and side.type == "string_literal"]
        others = [side for side in sides if side is not None and side.type not in ("string_literal", "null_literal")]
        operator = source.written(node.child_by_field_name("operator"))
        if operator not in ("==", "!=") or len(texts) != 1 or len(others) != 1:
            continue
        named = source.written(others[0]).rpartition(".")[2]
        if named.isupper() or others[0].type == "binary_expression":
            continue  # a constant may be the very same object
        declared = source.declared_by(others[0]) if others[0].type == "identifier" else None
        made = source.given(declared) if declared is not None else others[0]
        read = made is not None and made.type == "method_invocation" and _MAKES.fullmatch(source.name(made)) is not None
        sheet.out.oddity("text-by-identity", operator, source.span(node), "read" if read else "")
