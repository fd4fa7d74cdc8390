"""The size of the project: a number may fall, and rises only for a feature that an issue names."""

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

import pkdp

ROOT = Path(__file__).parents[1]
BUDGET = {
    "longest function": 108,
    "longest module": 619,
    "machinery: lines": 7_529,
    "options": 345,
    "pkdp: lines of code": 27_940,
    "pkdp: nodes": 320_187,
    "public definitions": 917,
    "tests: lines of code": 49_686,
    "tests: nodes": 654_341,
    "top-level names": 60,
}
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
MACHINERY = {"book": {".py", ".js", ".css", ".html"}, "notebooks": {".py"}}


def lines_of_code(text, tree):
    """The numbers of the lines of a module that are neither comment, docstring nor blank."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE and token.string:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return lines


def measured():
    size = Counter({"top-level names": len(pkdp.__all__)})
    for folder in ("pkdp", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text)
            lines = lines_of_code(text, tree)
            size[f"{folder}: lines of code"] += len(lines)
            size[f"{folder}: nodes"] += sum(1 for _ in ast.walk(tree))
            if folder == "pkdp":
                size["longest module"] = max(size["longest module"], len(lines))
                public = "/_" not in path.as_posix()
                for node in ast.walk(tree):
                    if not isinstance(node, (*FUNCTION, ast.ClassDef)):
                        continue
                    if isinstance(node, FUNCTION):
                        length = len(lines & set(range(node.lineno, node.end_lineno + 1)))
                        size["longest function"] = max(size["longest function"], length)
                    if public and not node.name.startswith("_"):
                        size["public definitions"] += 1
                        given = getattr(node, "args", None)
                        size["options"] += given is not None and len(given.defaults) + sum(
                            default is not None for default in given.kw_defaults
                        )
    for folder, kinds in MACHINERY.items():
        for path in (ROOT / folder).rglob("*.*"):
            if path.suffix in kinds:
                text = path.read_text(encoding="utf-8")
                size["machinery: lines"] += sum(1 for line in text.splitlines() if line.strip())
    return size


def test_no_number_has_risen():
    size = measured()
    assert size.keys() == BUDGET.keys()
    assert {name: number for name, number in size.items() if number > BUDGET[name]} == {}
