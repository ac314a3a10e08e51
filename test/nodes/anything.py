"""Messages of any type with anything in their fields: by walking the types, from a seed."""

from vlm_bench_sim.ros.convert import interface

REALS = (0.0, -0.0, 1.0, -1e9, 1e-310, 1e308, float('nan'), float('inf'), float('-inf'))
TEXTS = (
    '',
    ' ',
    '?',
    'cube',
    'world',
    'panda_joint1',
    'vlmbench/pick_place',
    '{"is":',
    '/' * 50,
    '..',
    'é𝄞\u202e',
    'a\nb\x1b[31m',
    'x' * 20_000,
)
_BITS = {'octet': 8, 'char': 8} | {f'{sign}int{bits}': bits for sign in ('', 'u') for bits in (8, 16, 32, 64)}


def fields(type_, draw):
    """Return anything as the fields of a message, the request of a service or the goal of an action."""
    kind = interface(type_)
    kind = {'srv': lambda: kind.Request, 'action': lambda: kind.Goal}.get(type_.split('/')[1], lambda: kind)()
    return _message(kind, draw)


def elsewhere(content, draw, new):
    """Return fields of a sound message with something else in one place, as a message of anything has it there."""
    name = draw.choice(list(new))
    if isinstance(new[name], dict) and isinstance(content.get(name), dict):
        return content | {name: elsewhere(content[name], draw, new[name])}
    return content | {name: new[name]}


def _message(kind, draw):
    told = kind.get_fields_and_field_types()
    return {name: _value(type_, draw) for name, type_ in told.items() if name != 'structure_needs_at_least_one_member'}


def _value(type_, draw):
    if type_.startswith('sequence<'):
        element, _, most = type_[len('sequence<') : -1].partition(', ')
        return _list(element, draw, min(int(most or 40), draw.choice((0, 0, 1, 2, 7, 40))))
    if type_.endswith(']'):
        element, _, count = type_[:-1].partition('[')
        return _list(element, draw, int(count))
    if '/' in type_:
        package, name = type_.split('/')[0], type_.split('/')[-1]
        return _message(interface(f'{package}/msg/{name}'), draw)
    return _scalar(type_, draw)


def _list(element, draw, count):
    values = [_value(element, draw) for _ in range(count)]
    return bytes(values) if element in ('uint8', 'octet') and count else values


def _scalar(type_, draw):
    if type_ in ('double', 'float'):
        value = draw.choice((*REALS, draw.uniform(-3, 3), draw.uniform(-3, 3)))
        return max(-3e38, min(3e38, value)) if type_ == 'float' and abs(value) != float('inf') and value == value else value
    if type_ == 'boolean':
        return draw.random() < 0.5
    if type_.startswith(('string', 'wstring')):
        return draw.choice(TEXTS)
    bits = _BITS[type_]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if type_.startswith('int') else (0, (1 << bits) - 1)
    return draw.choice((low, high, 0, 1, 2, min(high, 100)))
