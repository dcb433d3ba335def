#!/usr/bin/env python3
"""Writes python_expressions.tsv: random expressions of the Python dialect and what Python makes of them.

Usage: python_expressions.py > python_expressions.tsv

An expression is undefined ("U") where Python raises, and where docs/expressions.md says so: an integer that is met and
does not fit 64 bits, a shift by more than 63, an infinity or NaN, a complex number, a name as truth or in arithmetic.
Every defined result is that of eval().
"""
import ast
import math
import operator
import random

SEED = 20240607
COUNT = 5000
NAMES = {"a": 3, "b": -7, "c": 0, "d": 1024, "x": 2.5, "y": -0.5, "z": 0.0, "t": True, "f": False, "s": "rows",
         "u": "cols", "big": 2**62, "least": -2**63, "odd": 2**53 + 1}
ATOMS = ["a", "b", "c", "d", "x", "y", "z", "t", "f", "0", "1", "2", "3", "5", "16", "64", "0x1f", "1_000", "0b101", "1.5",
         ".25", "2.", "1e3", "0.1", "7.0", "True", "False"]
RARE = ["s", "u", "'rows'", '"x"', "big", "least", "odd", "9007199254740992.0", "1e300", "0o17", "9223372036854775807"]
BINARY = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "<<", ">>"]
COMPARE = ["==", "!=", "<", "<=", ">", ">="]
FUNCTIONS = {"abs": abs, "float": float, "int": int, "max": max, "min": min, "pow": pow, "round": round}


class Undefined(Exception):
    pass


class Unsupported(Exception):
    pass


def atom(rnd):
    return rnd.choice(RARE if rnd.random() < 0.12 else ATOMS)


def elements(rnd, depth):
    return [text(rnd, depth - 1) if rnd.random() < 0.3 else atom(rnd) for _ in range(rnd.randint(1, 4))]


def bracket(rnd, items):
    if rnd.random() < 0.7:
        return "[" + ", ".join(items) + "]"
    return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"


def part(rnd, depth):
    inner = text(rnd, depth - 1)
    return inner if rnd.random() < 0.5 else "(" + inner + ")"


def text(rnd, depth):
    if depth <= 0 or rnd.random() < 0.1:
        return atom(rnd)
    kind = rnd.random()
    if kind < 0.4:
        return part(rnd, depth) + " " + rnd.choice(BINARY) + " " + part(rnd, depth)
    if kind < 0.55:
        result = part(rnd, depth)
        for _ in range(rnd.choice([1, 1, 1, 2, 2, 3])):
            result += " " + rnd.choice(COMPARE) + " " + part(rnd, depth)
        return result
    if kind < 0.68:
        return (" " + rnd.choice(["and", "or"]) + " ").join(part(rnd, depth) for _ in range(rnd.choice([2, 2, 3])))
    if kind < 0.73:
        return rnd.choice(["-", "+", "not ", "- "]) + part(rnd, depth)
    if kind < 0.79:
        return part(rnd, depth) + rnd.choice([" in ", " not in "]) + bracket(rnd, elements(rnd, depth))
    if kind < 0.85:
        return bracket(rnd, elements(rnd, depth)) + "[" + rnd.choice(["0", "1", "-1", "a", "t", text(rnd, depth - 1)]) + "]"
    if kind < 0.90:
        return part(rnd, depth) + " if " + part(rnd, depth) + " else " + part(rnd, depth)
    name = rnd.choice(sorted(FUNCTIONS))
    count = {"pow": 2, "max": rnd.randint(2, 4), "min": rnd.randint(2, 4)}.get(name, 1)
    return name + "(" + ", ".join(text(rnd, depth - 1) for _ in range(count)) + ")"


OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitAnd: operator.and_,
             ast.BitOr: operator.or_, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
             ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
             ast.Gt: operator.gt, ast.GtE: operator.ge, ast.USub: operator.neg, ast.UAdd: operator.pos,
             ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b}


def checked(value):
    if isinstance(value, complex):
        raise Undefined
    if isinstance(value, float) and not math.isfinite(value):
        raise Undefined
    if isinstance(value, int) and not -2**63 <= value < 2**63:
        raise Undefined
    return value


def numbers(*values):
    if any(isinstance(value, str) for value in values):
        raise Undefined
    return values


def powers(a, b):
    whole = isinstance(a, int) and isinstance(b, int)
    if whole and abs(a) > 1 and b > 63:
        raise Undefined  # and would take long
    return numbers(a, b)


def truth(node):
    return bool(numbers(value(node))[0])


def binary(node):
    a, b = numbers(value(node.left), value(node.right))
    if isinstance(node.op, ast.Pow):
        powers(a, b)
    if isinstance(node.op, (ast.LShift, ast.RShift)) and isinstance(b, int) and b > 63:
        raise Undefined
    return OPERATORS[type(node.op)](a, b)


def comparison(node):
    left = value(node.left)
    for op, right_node in zip(node.ops, node.comparators):
        if isinstance(op, (ast.In, ast.NotIn)):
            return OPERATORS[type(op)](left, [value(item) for item in right_node.elts])
        right = value(right_node)
        if not OPERATORS[type(op)](left, right):
            return False
        left = right
    return True


def value(node):
    return checked(unchecked(node))


def unchecked(node):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return NAMES[node.id]
    if isinstance(node, ast.BinOp):
        return binary(node)
    if isinstance(node, ast.UnaryOp):
        if isinstance(node.op, ast.Not):
            return not truth(node.operand)
        return OPERATORS[type(node.op)](*numbers(value(node.operand)))
    if isinstance(node, ast.BoolOp):
        decides = isinstance(node.op, ast.Or)
        for operand in node.values[:-1]:
            result = value(operand)
            if bool(numbers(result)[0]) == decides:
                return result
        return value(node.values[-1])
    if isinstance(node, ast.Compare):
        return comparison(node)
    if isinstance(node, ast.IfExp):
        return value(node.body) if truth(node.test) else value(node.orelse)
    if isinstance(node, ast.Subscript):
        items = [value(item) for item in node.value.elts]
        return items[value(node.slice)]
    if isinstance(node, ast.Call):
        arguments = [value(item) for item in node.args]
        if node.func.id not in ("min", "max"):
            numbers(*arguments)
        if node.func.id == "pow":
            powers(*arguments)
        return FUNCTIONS[node.func.id](*arguments)
    raise Unsupported  # what precedence made of the text, as [1, 2][0](3)


def shown(result):
    kinds = {bool: "b", int: "i", float: "r", str: "n"}
    text_of = {bool: lambda v: str(int(v)), float: float.hex}.get(type(result), str)
    return kinds[type(result)] + ":" + text_of(result)


def require_supported(root):
    """Lists stand behind the last `in` of a chain or before an index, nowhere else."""
    placed = set()
    for node in ast.walk(root):
        if isinstance(node, ast.Compare):
            if any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops[:-1]):
                raise Unsupported
            if isinstance(node.ops[-1], (ast.In, ast.NotIn)):
                if not isinstance(node.comparators[-1], (ast.List, ast.Tuple)):
                    raise Unsupported
                placed.add(node.comparators[-1])
        elif isinstance(node, ast.Subscript):
            if not isinstance(node.value, (ast.List, ast.Tuple)):
                raise Unsupported
            placed.add(node.value)
        elif isinstance(node, ast.Call) and not isinstance(node.func, ast.Name):
            raise Unsupported
    if any(isinstance(node, (ast.List, ast.Tuple)) and node not in placed for node in ast.walk(root)):
        raise Unsupported


def expected(source):
    root = ast.parse(source, mode="eval").body
    require_supported(root)
    is_logical = isinstance(root, ast.BoolOp)
    try:
        result = truth(root) if is_logical else value(root)
    except (Undefined, ArithmeticError, TypeError, IndexError, ValueError):
        return "U"
    evaluated = eval(source, {"__builtins__": {}}, {**NAMES, **FUNCTIONS})
    assert repr(bool(evaluated) if is_logical else evaluated) == repr(result), source
    return shown(result)


def main():
    rnd = random.Random(SEED)
    print(f"# python_expressions.py, seed {SEED}: expression, then its kind and value (U: undefined)")
    seen, undefined = set(), 0
    while len(seen) < COUNT:
        source = text(rnd, rnd.choice([1, 2, 2, 3, 3]))
        if len(source) > 90 or source in seen:
            continue
        try:
            result = expected(source)
        except (SyntaxError, Unsupported):
            continue
        if result == "U" and undefined > COUNT // 4:
            continue
        undefined += result == "U"
        seen.add(source)
        print(source, result, sep="\t")


if __name__ == "__main__":
    import warnings
    warnings.simplefilter("ignore")
    main()
