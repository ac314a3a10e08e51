"""The budgets and the forbidden constructs of CONTRIBUTING.md, read from the source with `ast`."""

import ast
from collections.abc import Callable, Iterator

from imports import within
from layers import DECIDING, WALL_CLOCK

MODULE, FUNCTION, NODE, TASK = 300, 50, 150, 90
PARAMETERS, POSITIONAL = 7, 2
NAMELESS = {'utils', 'util', 'common', 'helpers', 'helper', 'misc', 'manager', 'managers'}
CLOCKS = {'time', 'time_ns', 'monotonic', 'monotonic_ns', 'perf_counter', 'perf_counter_ns', 'process_time', 'now', 'utcnow', 'today'}
CLOCK_MODULES = ('time', 'datetime', 'date')
READS_CODE = {'eval', 'exec'}
UNSAFE_YAML = {'load', 'load_all', 'full_load', 'unsafe_load'}
ARRAYS = ('.rotation', '.T', 'normal', 'intrinsics', 'axis', 'direction', 'jacobian')
BLAS = {'dot', 'inner', 'vdot', 'matmul', 'tensordot'}
OWN_GENERATORS = {'default_rng', 'Generator', 'SeedSequence', 'PCG64', 'Philox', 'BitGenerator'}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def lengths(module: str, text: str) -> Iterator[str]:
    """Yield what is too long: the module, its functions; node and task files have limits of their own."""
    count = len(text.splitlines())
    task = '.suite.' in module and not module.rpartition('.')[2].startswith('_')
    limit = NODE if module.endswith('_node') else TASK if task else MODULE
    if count > limit:
        yield f'{module} has {count} lines; {limit} are allowed'
    for node in _functions(text):
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > FUNCTION:
            yield f'{module}:{node.lineno} {node.name} has {lines} lines; {FUNCTION} are allowed'


def constructors(module: str, text: str) -> Iterator[str]:
    """Yield constructors with too many parameters, or with more than two that may be given by position. Frozen values are exempt."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name == '__init__':
            positional = len(node.args.posonlyargs + node.args.args) - 1
            count = positional + len(node.args.kwonlyargs)
            yield from _judged(f'{module}:{node.lineno} __init__', count, positional)
        elif isinstance(node, ast.ClassDef) and _mutable_dataclass(node):
            given = [field for field in node.body if isinstance(field, ast.AnnAssign) and _is_parameter(field)]
            names = [ast.unparse(field.target) for field in given]
            only = names.index('_') if '_' in names else len(names)
            yield from _judged(f'{module}:{node.lineno} {node.name}', len(names) - ('_' in names), only)


def _judged(where: str, count: int, positional: int) -> Iterator[str]:
    if count > PARAMETERS:
        yield f'{where} takes {count} parameters; {PARAMETERS} are allowed'
    if positional > POSITIONAL:
        yield f'{where} takes {positional} parameters by position; beyond {POSITIONAL} they are keyword-only'


def _mutable_dataclass(node: ast.ClassDef) -> bool:
    marks = [ast.unparse(mark) for mark in node.decorator_list]
    return any(mark.startswith('dataclass') and 'frozen=True' not in mark and 'kw_only=True' not in mark for mark in marks)


def _is_parameter(field: ast.AnnAssign) -> bool:
    return 'ClassVar' not in ast.unparse(field.annotation) and not (field.value and 'init=False' in ast.unparse(field.value))


def untyped(module: str, text: str) -> Iterator[str]:
    """Yield functions of which a parameter or the result has no type."""
    for node in _functions(text):
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, *filter(None, (node.args.vararg, node.args.kwarg))]
        bare = [a.arg for a in given if a.annotation is None and a.arg not in ('self', 'cls')]
        if bare or node.returns is None:
            yield f'{module}:{node.lineno} {node.name} has no type for {", ".join(bare) or "its result"}'


def forbidden(module: str, text: str) -> Iterator[str]:
    """Yield constructs that no file may hold."""
    for node in ast.walk(ast.parse(text)):
        for check in _CHECKS:
            why = check(module, node)
            if why:
                yield f'{module}:{getattr(node, "lineno", 0)} {why}'
    if module.rpartition('.')[2] in NAMELESS:
        yield f'{module} has a name that says nothing'


def _functions(text: str) -> Iterator[Function]:
    return (node for node in ast.walk(ast.parse(text)) if isinstance(node, Function))


def _swallow(_: str, node: ast.AST) -> str:
    return 'catches everything without a name' if isinstance(node, ast.ExceptHandler) and node.type is None else ''


def _star(_: str, node: ast.AST) -> str:
    starred = isinstance(node, ast.ImportFrom) and any(alias.name == '*' for alias in node.names)
    return 'imports *' if starred else ''


def _mutable_default(_: str, node: ast.AST) -> str:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return ''
    defaults = [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]
    made = {'list', 'dict', 'set', 'bytearray', 'deque', 'defaultdict'}
    mutable = [d for d in defaults if isinstance(d, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)]
    mutable += [d for d in defaults if isinstance(d, ast.Call) and isinstance(d.func, ast.Name) and d.func.id in made]
    return 'has a default that can change' if mutable else ''


def _chance(_: str, node: ast.AST) -> str:
    if not (isinstance(node, ast.Attribute) and ast.unparse(node.value) in ('np.random', 'numpy.random', 'random')):
        return ''
    own = ast.unparse(node.value) != 'random' and node.attr in OWN_GENERATORS
    return '' if own else f'uses the global generator: {ast.unparse(node)}'


def _clock(module: str, node: ast.AST) -> str:
    if any(within(module, layer) for layer in WALL_CLOCK):
        return ''
    if isinstance(node, ast.ImportFrom) and node.module == 'time':
        return f'imports the wall clock: {", ".join(alias.name for alias in node.names)}'
    reads = isinstance(node, ast.Attribute) and node.attr in CLOCKS and ast.unparse(node.value).split('.')[-1] in CLOCK_MODULES
    return f'reads the wall clock: {ast.unparse(node)}' if reads else ''


def _code_from_text(_: str, node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ''
    name = ast.unparse(node.func)
    unsafe = name in READS_CODE or name in {f'yaml.{word}' for word in UNSAFE_YAML} or name.endswith('.Unpickler')
    return f'makes code or objects of text: {name}' if unsafe else ''


def _assertion(_: str, node: ast.AST) -> str:
    return 'asserts; raise an error that says what to do' if isinstance(node, ast.Assert) else ''


def _by_processor(module: str, node: ast.AST) -> str:
    if not any(within(module, layer) for layer in DECIDING):
        return ''
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):  # poses are put together with it, too
        arrays = [side for side in map(ast.unparse, (node.left, node.right)) if side.endswith(ARRAYS)]
        return f'asks BLAS: {arrays[0]} @; core/algebra.py has matmul and dot' if arrays else ''
    if not isinstance(node, ast.Call):
        return ''
    name = ast.unparse(node.func)
    over_rows = name == 'np.linalg.norm' and any(word.arg == 'axis' for word in node.keywords)  # adds in a fixed order
    asks = name.rpartition('.')[0] == 'np.linalg' or name.endswith('.dot') or name in {f'np.{word}' for word in BLAS}
    return f'asks BLAS or LAPACK: {name}; core/algebra.py comes out the same on every processor' if asks and not over_rows else ''


_CHECKS: tuple[Callable[[str, ast.AST], str], ...] = (
    _swallow, _star, _mutable_default, _chance, _clock, _code_from_text, _assertion, _by_processor,
)  # fmt: skip
