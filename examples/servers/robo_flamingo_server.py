"""Serves RoboFlamingo (RoboFlamingo/RoboFlamingo): OpenFlamingo reads pictures and a sentence at each moment, and an LSTM remembers.

The sentence is `<image>`, the instruction, `<|endofchunk|>` and the tokenizer's end of a text. The first `<image>` is the camera, as
RoboFlamingo has it. Pictures of an instruction follow as OpenFlamingo writes them: each is an `<image>` inside of the sentence.
"""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from examples.servers import serving
from examples.servers.formats import CLIP_SIDE, COLUMNS, Array, FormatError, Seen, check, check_names, clip_pixels, drawn, token_ids
from examples.servers.serving import Episode, Maker

IMAGE, END = '<image>', '<|endofchunk|>'
WINDOW, TOKENS, VOCABULARY, HIDDEN = 12, 32, 50280, 8
"""Moments that the LSTM remembers, most tokens of a sentence, words of the tokenizer, and the random model's hidden size."""
LIMITS = (-1.8, 2.2)
"""Least and greatest value of a picture that is normalised for CLIP."""
_INSTALL = 'Put a clone of RoboFlamingo/RoboFlamingo and its open_flamingo folder on PYTHONPATH, and install its requirements.txt.'


@dataclass
class Memory:
    """What the LSTM of a model remembers, under the names of its head."""

    hidden_state: Any = None
    history_memory: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class RoboFlamingo:
    """RoboFlamingo as its evaluation on CALVIN has it.

    Attributes:
        model: `MPTFlamingo`, or a function of the same arguments with an `lm_head`.
        picture: returns a picture as CLIP takes it, (3, 224, 224) float32.
        tokenizer: of the language model.
        eos: text that ends every text.
        tensor: returns an array as the model takes it.
    """

    model: Any
    picture: Callable[[Array], Array]
    tokenizer: Callable[..., Mapping[str, Array]]
    eos: str
    tensor: Callable[[Array], Any]


class RoboFlamingoEpisode(Episode):
    """One episode of RoboFlamingo. The memory of the LSTM is put in place before each question, so that episodes do not share it."""

    def __init__(self, flamingo: RoboFlamingo, *cameras: str) -> None:
        super().__init__(*cameras)
        self._flamingo = flamingo

    def begin(self, seen: Seen) -> None:
        """Write the sentence, and empty the memory."""
        parts = seen.parts()
        text = ' '.join(part if isinstance(part, str) else IMAGE for part in parts)
        sentence = f'{IMAGE}{text}{END}{self._flamingo.eos}'
        tokens = self._flamingo.tokenizer([sentence], max_length=TOKENS, padding='longest', truncation='only_first', return_tensors='np')
        self._words, self._mask = tokens['input_ids'], tokens['attention_mask']
        self._shown = [self._flamingo.picture(part) for part in parts if not isinstance(part, str)]
        self._memory = Memory()

    def step(self, seen: Seen) -> Array:
        """Return one row: 6 numbers of the pose in ±1, and the gripper as ±1 by whether its probability exceeds a half."""
        views = [self._flamingo.picture(view) for view in seen.views]
        vision, gripper = (self._flamingo.tensor(np.stack([view, *self._shown])[None, :, None]) for view in views)
        head = self._flamingo.model.lm_head
        head.window_size, head.hidden_state, head.history_memory = 1, self._memory.hidden_state, self._memory.history_memory
        answer = self._flamingo.model(
            vision_x=vision,
            lang_x=self._flamingo.tensor(self._words),
            attention_mask=self._flamingo.tensor(self._mask),
            vision_gripper=gripper,
            state_tensor=None,
            return_feature=True,
        )
        self._memory = Memory(head.hidden_state, head.history_memory)
        pose, closed = answer.logits[:2]
        return np.array([*(float(number) for number in pose[0, -1]), 1.0 if float(closed[0, -1, 0]) > 0.5 else -1.0], np.float32)


class RandomRoboFlamingo:
    """A model without weights that takes and answers what RoboFlamingo does. What it saw of late alone decides its answers."""

    def __init__(self) -> None:
        self.lm_head = SimpleNamespace(hidden_state=None, history_memory=[], window_size=WINDOW)

    def __call__(self, **given: Any) -> Any:
        """Return `logits`: the pose, (1, 1, 6) in ±1, and the probability that the gripper closes, (1, 1, 1).

        Raises:
            FormatError: the model would not take the input.
        """
        names = ('vision_x', 'lang_x', 'attention_mask', 'vision_gripper', 'state_tensor', 'return_feature')
        check_names('RoboFlamingo', given, required=names)
        ids = check('lang_x', given['lang_x'], shape=(1, None), dtype='int64', limits=(0, VOCABULARY + 1))
        check('attention_mask', given['attention_mask'], shape=ids.shape, dtype='int64', limits=(0, 1))
        marks = int((ids == VOCABULARY).sum())
        if not marks or ids.shape[1] > TOKENS:
            raise FormatError(f'A sentence has {IMAGE} in it and up to {TOKENS} tokens; found {marks} pictures and {ids.shape[1]} tokens.')
        shape = (1, None, 1, 3, CLIP_SIDE, CLIP_SIDE)
        vision = check('vision_x', given['vision_x'], shape=shape, dtype='float32', limits=LIMITS)
        gripper = check('vision_gripper', given['vision_gripper'], shape=vision.shape, dtype='float32', limits=LIMITS)
        if marks > vision.shape[1]:  # a sentence that is too long is cut, so there may be fewer
            raise FormatError(f'A sentence with {marks} {IMAGE} needs as many pictures; found {vision.shape[1]} in vision_x.')
        if self.lm_head.window_size != 1 or given['state_tensor'] is not None:
            raise FormatError('One moment at a time is asked with lm_head.window_size 1 and without a state. Set them so.')
        memory = [*self.lm_head.history_memory, drawn((1, 1, HIDDEN), vision, gripper, ids)][-WINDOW:]
        self.lm_head.history_memory, self.lm_head.hidden_state = memory, drawn((1, 1, HIDDEN), *memory)
        numbers = drawn((1, 1, COLUMNS), self.lm_head.hidden_state)
        return SimpleNamespace(logits=(np.tanh(0.2 * numbers[..., :-1]), 1.0 / (1.0 + np.exp(-numbers[..., -1:]))))


def tokens_at_random(sentences: list[str], *, max_length: int, **_: Any) -> dict[str, Array]:
    """Return numbers of words as the tokenizer does, (1, n) int64; `<image>` and `<|endofchunk|>` follow after those of words."""
    spaced = sentences[0].replace(IMAGE, f' {IMAGE} ').replace(END, f' {END} ')
    special = {IMAGE: VOCABULARY, END: VOCABULARY + 1}
    ids = [special.get(word, number) for word, number in zip(spaced.split(), token_ids(spaced, VOCABULARY), strict=True)][:max_length]
    return {'input_ids': np.array([ids]), 'attention_mask': np.ones((1, len(ids)), np.int64)}


def loaded(asked: argparse.Namespace) -> RoboFlamingo:
    """Return the model of a checkpoint, on OpenFlamingo's own, as its evaluation on CALVIN makes it.

    Raises:
        MissingLibraryError: its library is not installed.
    """
    factory, torch, pictures = (serving.library(name, _INSTALL) for name in ('robot_flamingo.models.factory', 'torch', 'PIL.Image'))
    model, process, tokenizer = factory.create_model_and_transforms(
        'ViT-L-14', 'openai', asked.language_model, asked.language_model,
        cross_attn_every_n_layers=factory.mpt_dict[asked.llm_name]['cross_attn_every_n_layers'],
        window_size=WINDOW, use_gripper=True, fusion_mode='post', llm_name=asked.llm_name, sep_lm_head=True, return_feature=True,
    )  # fmt: skip
    model.load_state_dict(torch.load(asked.open_flamingo, map_location='cpu', weights_only=True), strict=False)
    weights = torch.load(asked.checkpoint, map_location='cpu', weights_only=True)['model_state_dict']
    model.load_state_dict({name.removeprefix('module.'): weight for name, weight in weights.items()}, strict=False)
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    model.to(device).eval().requires_grad_(requires_grad=False)
    tokenizer.padding_side = 'right'
    return RoboFlamingo(
        model,
        lambda picture: process(pictures.fromarray(picture)).numpy(),
        tokenizer,
        tokenizer.eos_token,
        lambda array: torch.from_numpy(array).to(device),
    )


def maker(asked: argparse.Namespace) -> Maker:
    """Return what makes episodes with the model that the options name."""
    random = asked.random and RoboFlamingo(RandomRoboFlamingo(), clip_pixels, tokens_at_random, '', lambda array: array)
    flamingo = random or loaded(asked)
    return lambda: RoboFlamingoEpisode(flamingo, asked.base, asked.hand)


if __name__ == '__main__':
    parser = serving.options(__doc__)
    parser.add_argument(
        '--language-model', default='', help='folder of the language model and its tokenizer, such as mpt-1b-redpajama-200b-dolly'
    )
    parser.add_argument('--open-flamingo', default='', help="OpenFlamingo's weights, checkpoint.pt, which the checkpoint adds to")
    parser.add_argument('--llm-name', default='mpt_dolly_3b', help="name of the language model in RoboFlamingo's table mpt_dict")
    serving.run(parser, maker)
