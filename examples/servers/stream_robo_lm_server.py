"""Serves StreamRoboLM, the model of ClevrSkills' authors: a language model reads the prompt, then one moment after the other.

Its code (Qualcomm-AI-research/clevrskills-bench) was not to be had here, so this is the outline of the paper, under names and sizes
of ours. `--checkpoint` therefore needs `--adapter module:function`: a function of yours that takes the path and returns a `Stream`.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from examples.servers import serving
from examples.servers.formats import COLUMNS, Array, FormatError, Seen, check, check_names, drawn, resized, token_ids
from examples.servers.serving import Episode, Maker

SIDE, VOCABULARY, HIDDEN = 256, 50272, 16
"""Height and width of the pictures, pixels; words of OPT's tokenizer; hidden size of the random model."""
_INSTALL = 'Write a module with a function that takes the path of the weights and returns a Stream, and put it on PYTHONPATH.'


class Stream(Protocol):
    """StreamRoboLM as this server asks it. What it remembers is passed in and out, so that one model plays several episodes."""

    def start(self, prompt: Sequence[str | Array]) -> Any:
        """Return what it remembers of a prompt: words and (256, 256, 3) uint8 RGB pictures in their order."""

    def step(self, memory: Any, observation: Mapping[str, Array]) -> tuple[Any, Any]:
        """Return what it remembers after a moment, and the action, 7 numbers in ±1.

        Args:
            memory: what it remembered before.
            observation: `base` and `hand`, (256, 256, 3) uint8 RGB.
        """


class StreamRoboLmEpisode(Episode):
    """One episode of StreamRoboLM."""

    def __init__(self, stream: Stream, *cameras: str) -> None:
        super().__init__(*cameras)
        self._stream = stream

    def begin(self, seen: Seen) -> None:
        """Let the model read the prompt."""
        self._memory = self._stream.start([part if isinstance(part, str) else resized(part, SIDE, SIDE) for part in seen.parts()])

    def step(self, seen: Seen) -> Any:
        """Let the model see the moment, and return its action."""
        views = {name: resized(view, SIDE, SIDE) for name, view in zip(('base', 'hand'), seen.views, strict=True)}
        self._memory, action = self._stream.step(self._memory, views)
        return action


class RandomStream:
    """A model without weights that takes and answers what a `Stream` does. Prompt and moments so far alone decide its answers."""

    def start(self, prompt: Sequence[str | Array]) -> Array:
        """Return a memory of (16,) float32.

        Raises:
            FormatError: it would not take the prompt.
        """
        if not any(isinstance(part, str) for part in prompt):
            raise FormatError(f'A prompt of StreamRoboLM has words in it; found {len(prompt)} pictures alone. Add the instruction.')
        read = [np.array(token_ids(part, VOCABULARY)) if isinstance(part, str) else _picture('prompt', part) for part in prompt]
        return drawn((HIDDEN,), *read)

    def step(self, memory: Any, observation: Mapping[str, Array]) -> tuple[Array, Array]:
        """Return the next memory and (7,) float32 in ±1.

        Raises:
            FormatError: it would not take the observation.
        """
        check_names('An observation of StreamRoboLM', observation, required=('base', 'hand'))
        check('memory', memory, shape=(HIDDEN,), dtype='float32')
        after = drawn((HIDDEN,), memory, *(_picture(name, observation[name]) for name in ('base', 'hand')))
        return after, np.tanh(0.2 * after[:COLUMNS])


def _picture(name: str, picture: Any) -> Array:
    return check(name, picture, shape=(SIDE, SIDE, 3), dtype='uint8')


def loaded(checkpoint: str, adapter: str) -> Stream:
    """Return the model of a checkpoint, by a function `module:function` of yours.

    Raises:
        MissingLibraryError: there is no such function.
    """
    name, _, function = adapter.partition(':')
    if not name or not function:
        asked = f'--checkpoint needs --adapter module:function for StreamRoboLM; found {adapter!r}'
        raise serving.MissingLibraryError(f'{asked}. {_INSTALL} Or start the server with --random.')
    module = serving.library(name, _INSTALL)
    if not hasattr(module, function):
        raise serving.MissingLibraryError(f'--adapter {adapter}: {name} has no function {function}. {_INSTALL}')
    made: Stream = getattr(module, function)(checkpoint)
    return made


def maker(asked: argparse.Namespace) -> Maker:
    """Return what makes episodes with the model that the options name."""
    stream = RandomStream() if asked.random else loaded(asked.checkpoint, asked.adapter)
    return lambda: StreamRoboLmEpisode(stream, asked.base, asked.hand)


if __name__ == '__main__':
    parser = serving.options(__doc__)
    parser.add_argument('--adapter', default='', help='module:function that loads the model of --checkpoint')
    serving.run(parser, maker)
