"""Sizes of pictures as text: WIDTHxHEIGHT in pixels."""

from vlm_bench_sim.core.errors import ConfigError, quoted

WIDTH, HEIGHT = 256, 256
SIZE = f'{WIDTH}x{HEIGHT}'
MOST_PIXELS = 4096


def read_size(text: str) -> tuple[int, int]:
    """Return width and height from 'WIDTHxHEIGHT', pixels.

    Raises:
        ConfigError: the text has another form.
    """
    width, _, height = text.partition('x')
    if not all(part.isascii() and part.isdigit() and 0 < int(part) <= MOST_PIXELS for part in (width, height)):
        raise ConfigError(f'A size is WIDTHxHEIGHT in pixels up to {MOST_PIXELS}, such as 640x480; found {quoted(text)}.')
    return int(width), int(height)
