"""Small changes of the library's numeric code, each of which some test should notice.

A mutant differs from its module in one place: a comparison is turned round or moved by its
boundary, an operator, a number, a rounding or a direction is another one, a condition is negated.
What runs for no value is left alone: annotations, docstrings, decorators, and what messages say.
"""

import ast
import copy
import hashlib
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pkdp import _ROOMS

ROOT = Path(__file__).resolve().parents[2]
# Stored answers of other packages, and stored times.
NOT_NUMERIC = {"pkdp/studies/peers.py", "pkdp/studies/timings.py"}

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
OPPOSITES = {"min": "max", "minimum": "maximum", "floor": "ceil", "any": "all", "below": "above"}
OPPOSITES |= {opposite: name for name, opposite in OPPOSITES.items()}


@dataclass(frozen=True)
class Mutant:
    """A module that differs from the one in the repository by one place.

    Attributes
    ----------
    module
        The module's path from the root.
    function
        The qualified name of the function or class it is in; empty at the module's top.
    line
        Where the statement begins.
    was, becomes
        The line that differs, as `ast.unparse` writes it.
    number
        Which of several mutants that read the same this is, from 0.
    index
        Which change of the module this is, from 0.
    """

    module: str
    function: str
    line: int
    was: str
    becomes: str
    number: int
    index: int

    @property
    def name(self) -> str:
        """What this mutant is called, as long as its statement is what it is."""
        which = f" #{self.number}" if self.number else ""
        return f"{self.module}::{self.function}{which}: {self.was} -> {self.becomes}"

    @property
    def lot(self) -> str:
        """A number drawn for this mutant, the same each time."""
        return hashlib.sha256(self.name.encode()).hexdigest()

    def source(self) -> str:
        """Return the whole module, changed."""
        tree = ast.parse((ROOT / self.module).read_text())
        changes = (
            change for _, statement in _statements(tree, "") for change in _changes(statement)
        )
        next(itertools.islice(changes, self.index, None))()
        return ast.unparse(tree)


def numeric_modules() -> list[str]:
    """Return the modules that compute, as paths from the root."""
    rooms = (path for room in _ROOMS for path in (ROOT / "pkdp" / room).glob("*.py"))
    names = sorted(str(path.relative_to(ROOT)) for path in rooms if path.name != "__init__.py")
    return ["pkdp/_checks.py", *(name for name in names if name not in NOT_NUMERIC)]


def mutants_of(module: str) -> list[Mutant]:
    """Return every mutant of a module, in the order of its text."""
    tree = ast.parse((ROOT / module).read_text())
    found: list[Mutant] = []
    times: Counter[tuple[str, str, str]] = Counter()
    for function, statement in _statements(tree, ""):
        before = _lines(statement)
        for change in _changes(statement):
            change()
            pairs = zip(before, _lines(statement), strict=False)
            was, becomes = next((one.strip(), two.strip()) for one, two in pairs if one != two)
            change()  # back
            number = times[function, was, becomes]
            times[function, was, becomes] += 1
            line, index = statement.lineno, len(found)
            found.append(Mutant(module, function, line, was, becomes, number, index))
    return found


def _lines(statement: ast.stmt) -> list[str]:
    """Return a statement as lines, without the statements that it holds."""
    bare = copy.copy(statement)
    if hasattr(bare, "body"):
        bare.body = [ast.Pass()]
    for field in ("orelse", "finalbody", "handlers", "cases"):
        if getattr(bare, field, None):
            setattr(bare, field, [])
    return ast.unparse(bare).splitlines()


def _statements(node: ast.AST, function: str) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the statements whose own expressions may change, with the function they are in."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            inside = function
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                if any(ast.unparse(decorator) == "overload" for decorator in child.decorator_list):
                    continue
                inside = f"{function}.{child.name}".lstrip(".")
            if _computes(child):
                yield inside, child
            if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
                yield from _statements(child, inside)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from _statements(child, function)


def _computes(statement: ast.stmt) -> bool:
    """Whether a value comes of the expressions of a statement itself."""
    match statement:
        case ast.Raise() | ast.Import() | ast.ImportFrom() | ast.ClassDef():
            return False
        case ast.Expr(value=ast.Constant()):  # a docstring
            return False
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return False
        case ast.Assign(value=ast.Subscript() | ast.BinOp(op=ast.BitOr())) if (
            statement.col_offset == 0
        ):
            return False  # the name of a type
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return False
    return True


class Change:
    """A change of one field of a node, or of one item of it; calling it again takes it back."""

    def __init__(self, node: ast.AST, field: str, value: object, index: int | None = None) -> None:
        self.holder = node.__dict__ if index is None else getattr(node, field)
        self.key = field if index is None else index
        self.value = value

    def __call__(self) -> None:
        self.holder[self.key], self.value = self.value, self.holder[self.key]


def _changes(statement: ast.stmt) -> Iterator[Change]:
    """Yield the changes of a statement's own expressions; those of what it holds are their own."""
    match statement:
        case ast.Break():
            return
        case ast.FunctionDef():
            for index, default in enumerate(statement.args.defaults):
                yield from _changes_at(statement.args, "defaults", default, index)
            for index, default in enumerate(statement.args.kw_defaults):
                if default is not None:
                    yield from _changes_at(statement.args, "kw_defaults", default, index)
            return
        case ast.AugAssign() if type(statement.op) in OPERATORS:
            yield Change(statement, "op", OPERATORS[type(statement.op)]())
        case ast.If() | ast.While() if not isinstance(statement.test, ast.Compare | ast.UnaryOp):
            yield Change(statement, "test", ast.UnaryOp(ast.Not(), statement.test))
    yield from _changes_below(statement)


def _changes_below(node: ast.AST) -> Iterator[Change]:
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "format_spec"}:
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.expr | ast.keyword | ast.comprehension | ast.withitem):
                yield from _changes_at(node, field, child, index)


def _changes_at(parent: ast.AST, field: str, node: ast.AST, index: int | None) -> Iterator[Change]:
    """Yield the changes of an expression, which is a field of another one, and of its parts."""
    match node:
        case ast.JoinedStr():
            return
        case ast.Compare():
            for place, comparison in enumerate(node.ops):
                for other in COMPARISONS[type(comparison)]:
                    yield Change(node, "ops", other(), place)
        case ast.BinOp() if type(node.op) in OPERATORS:
            yield Change(node, "op", OPERATORS[type(node.op)]())
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            yield Change(parent, field, node.operand, index)
        case ast.BoolOp():
            yield Change(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.IfExp() if not isinstance(node.test, ast.Compare | ast.UnaryOp):
            yield Change(node, "test", ast.UnaryOp(ast.Not(), node.test))
        case ast.Constant(value=bool()):
            yield Change(node, "value", not node.value)
        case ast.Constant(value=int() | float()):
            more = node.value + 1
            yield Change(node, "value", more if more != node.value else 2 * more)
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in OPPOSITES:
            yield Change(node, "id" if isinstance(node, ast.Name) else "attr", OPPOSITES[name])
    yield from _changes_below(node)


def sample(module: str, size: int) -> list[Mutant]:
    """Return so many mutants of a module, or all: those with the least lots, always the same."""
    return sorted(mutants_of(module), key=lambda mutant: mutant.lot)[:size]
