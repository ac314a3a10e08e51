"""Sentences: templates with references in their blanks, and paraphrases with the same meaning."""

import re
from dataclasses import dataclass, field
from string import Formatter

import numpy as np

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import TaskError, near
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.language.references import Ref


@serialisable
@dataclass(frozen=True)
class Instruction:
    """The instruction for the policy.

    Attributes:
        text: the sentence of this episode.
        paraphrases: other sentences with the same meaning.
        refs: the references behind the words, by blank. They name the props that are meant, so they are privileged.
    """

    text: str
    paraphrases: tuple[str, ...] = ()
    refs: dict[str, Ref] = field(default_factory=dict)

    def spoken(self, scene: Scene, chance: np.random.Generator) -> 'Instruction':
        """Return the instruction with its blanks filled from the scene, and one of its sentences as the text, chosen at random."""
        words = {blank: ref.words(scene) for blank, ref in self.refs.items()}
        sentences = [_sentence(template, words) for template in (self.text, *self.paraphrases)]
        text = sentences.pop(int(chance.integers(len(sentences))))
        return Instruction(text, tuple(sentences), self.refs)

    def templates(self, scene: Scene) -> tuple[str, ...]:
        """Return the templates of a spoken instruction, with a blank such as {item} for each reference. The template of `text` is first."""
        words = {blank: ref.words(scene) for blank, ref in self.refs.items()}
        return tuple(_blanked(sentence, words) for sentence in (self.text, *self.paraphrases))


def say(*templates: str, **refs: Ref) -> Instruction:
    """Return an instruction with blanks: the first template is the suite's own sentence, the others are paraphrases.

    Raises:
        TaskError: a template lacks a blank, or has one without a reference.
    """
    if not templates:
        raise TaskError('An instruction was given no sentence. Give at least one template.')
    for template in templates:
        blanks = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
        if blanks != refs.keys():
            odd = sorted(blanks ^ refs.keys())[0]
            raise TaskError(
                f'The sentence {template!r} and its references differ in {odd!r}. {near(odd, refs)} Every reference needs its blank in '
                'every sentence, and every blank its reference.'
            )
    return Instruction(templates[0], templates[1:], refs)


def _sentence(template: str, words: dict[str, str]) -> str:
    text = template.format(**words)
    return text[0].upper() + text[1:]


def _blanked(sentence: str, words: dict[str, str]) -> str:
    for blank, said in sorted(words.items(), key=lambda item: -len(item[1])):
        sentence = re.sub(re.escape(said), f'{{{blank}}}', sentence, flags=re.IGNORECASE)
    return sentence
