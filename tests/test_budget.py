"""The size of the project: a number may fall, and rises only for a feature that an issue names."""

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

import pkdp

ROOT = Path(__file__).parents[1]
BUDGET = {
    "longest function": 49,
    "longest module": 400,
    "machinery: lines": 8_206,
    "options": 285,
    "pkdp: lines of code": 24_208,
    "pkdp: nodes": 285_449,
    "public definitions": 884,
    "tests: lines of code": 44_507,
    "tests: nodes": 582_166,
    "top-level names": 25,
}
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
TEXT = (ast.Constant, ast.JoinedStr)
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
MACHINERY = {"book": {".py", ".js", ".css", ".html"}, "notebooks": {".py"}}


def lines_of_code(text, nodes):
    """The numbers of the lines of a module that are neither comment, docstring nor blank."""
    every = {number: line.strip() for number, line in enumerate(text.split("\n"), 1)}
    lines = {number for number, line in every.items() if line and line[0] != "#"}
    alone = {node.value for node in nodes if isinstance(node, ast.Expr)}
    texts = (node for node in nodes if isinstance(node, TEXT) and node not in alone)
    if not all(lines.issuperset(range(node.lineno, node.end_lineno)) for node in texts):
        # Lines of a long text may be blank, or look like comments.
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type not in NO_CODE and token.string:
                lines.update(range(token.start[0], token.end[0] + 1))
    for node in alone:
        if isinstance(node, ast.Constant):
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return lines


def modules(folder):
    """The path in the project, the nodes and the lines of code of each module."""
    for path in (ROOT / folder).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        nodes = list(ast.walk(ast.parse(text)))
        yield path.relative_to(ROOT), nodes, lines_of_code(text, nodes)


def is_public(path):
    """Whether readers are meant to import a module; releases alone ask the engines."""
    parts = [part for part in path.with_suffix("").parts if part != "__init__"]
    return not any(part.startswith("_") or part in ("engines", "certified") for part in parts)


def measured():
    size = Counter({"top-level names": len(pkdp.__all__)})
    for folder in ("pkdp", "tests"):
        for path, nodes, lines in modules(folder):
            size[f"{folder}: lines of code"] += len(lines)
            size[f"{folder}: nodes"] += len(nodes)
            if folder == "tests":
                continue
            functions = [node for node in nodes if isinstance(node, FUNCTION)]
            spans = (range(node.lineno, node.end_lineno + 1) for node in functions)
            size["longest module"] = max(size["longest module"], len(lines))
            lengths = (len(lines & {*span}) for span in spans)
            size["longest function"] = max(size["longest function"], *lengths, 0)
            if is_public(path):
                named = [*functions, *(node for node in nodes if isinstance(node, ast.ClassDef))]
                size["public definitions"] += sum(node.name[0] != "_" for node in named)
                given = [node.args for node in functions if node.name[0] != "_"]
                size["options"] += sum(len(args.defaults) for args in given)
                size["options"] += sum(
                    len(args.kw_defaults) - args.kw_defaults.count(None) for args in given
                )
    for folder, kinds in MACHINERY.items():
        files = (path for path in (ROOT / folder).rglob("*.*") if path.suffix in kinds)
        lines = (line for path in files for line in path.read_text(encoding="utf-8").splitlines())
        size["machinery: lines"] += sum(bool(line.strip()) for line in lines)
    return size


def test_no_number_has_risen():
    size = measured()
    assert size.keys() == BUDGET.keys()
    assert {name: number for name, number in size.items() if number > BUDGET[name]} == {}
