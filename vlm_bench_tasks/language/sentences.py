"""Sentences: templates with references or pictures in their blanks, and paraphrases with the same meaning."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from string import Formatter

import numpy as np

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import TaskError, near
from vlm_bench_sim.core.prompts import MOST_PICTURES, PromptPicture, marker
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.language.pictures import Exhibit, first_frame
from vlm_bench_tasks.language.references import Ref

_FIRST = re.compile(r'(?:^|(?<=[.!?] ))[a-z]')  # letter of a sentence


@serialisable
@dataclass(frozen=True)
class Instruction:
    """The instruction for the policy.

    Attributes:
        text: the sentence of this episode. `<image 1>` stands for the first picture.
        paraphrases: other sentences with the same meaning and the same pictures.
        refs: the references behind the words, by blank. They name the props that are meant, so they are privileged.
        pictures: the pictures of the sentence, in the order of their numbers. What they are made of is privileged, too.
        drawings: pictures without words, such as a state that is wanted, by blank; only in an instruction that is not told yet.
        exhibits: things that are not in the scene, by blank; also only before it is told.
    """

    text: str
    paraphrases: tuple[str, ...] = ()
    refs: dict[str, Ref] = field(default_factory=dict)
    pictures: tuple[PromptPicture, ...] = ()
    drawings: dict[str, PromptPicture] = field(default_factory=dict)
    exhibits: dict[str, Exhibit] = field(default_factory=dict)

    def spoken(self, scene: Scene, chance: np.random.Generator) -> 'Instruction':
        """Return the instruction with its blanks filled from the scene, and one of its sentences as the text, chosen at random.

        Raises:
            TaskError: each sentence has a picture without words.
        """
        words = self._words(scene)
        told = [template for template in (self.text, *self.paraphrases) if _blanks(template).keys() <= words.keys()]
        if not told:
            raise TaskError('Each sentence of the task has a picture without words. Ask the task with pictures.')
        sentences = [_sentence(template, words) for template in told]
        text = sentences.pop(int(chance.integers(len(sentences))))
        return Instruction(text, tuple(sentences), self.refs)

    def pictured(self, scene: Scene, chance: np.random.Generator, view: str = '') -> 'Instruction':
        """Return the instruction with a picture in each blank that can be drawn, and one of its sentences as the text, chosen at random.

        Args:
            scene: the scene.
            chance: chooses the sentence.
            view: name of the camera of a last picture, of the table at the start; '' for no such picture.

        Raises:
            TaskError: the sentence has too many pictures.
        """
        every = [self.text, *self.paraphrases]
        template = every.pop(int(chance.integers(len(every))))
        blanks = _blanks(template)
        drawn = self.drawings | {blank: one.picture for blank, one in self.exhibits.items()} | _pictures(self.refs, scene)
        order = [blank for blank in blanks if blank in drawn]
        said = self._words(scene) | {blank: marker(number) for number, blank in enumerate(order, start=1)}
        pictures = (*(drawn[blank] for blank in order), *([first_frame(scene, view)] if view else []))
        if len(pictures) > MOST_PICTURES:
            raise TaskError(f'{len(pictures)} pictures in {template!r} are too many; {MOST_PICTURES} are allowed. Name fewer things.')
        alike = [other for other in every if _blanks(other).keys() == blanks.keys()]
        after = f' The table at the start: {marker(len(pictures))}.' if view else ''
        text, *paraphrases = (_sentence(each, said) + after for each in (template, *alike))
        return Instruction(text, tuple(paraphrases), self.refs, pictures)

    def _words(self, scene: Scene) -> dict[str, str]:
        """Return what can be said of each blank in words."""
        return {blank: one.words for blank, one in self.exhibits.items()} | {blank: ref.words(scene) for blank, ref in self.refs.items()}

    def templates(self, scene: Scene) -> tuple[str, ...]:
        """Return the templates of a spoken instruction, with a blank such as {item} for each reference. The template of `text` is first."""
        words = {blank: ref.words(scene) for blank, ref in self.refs.items()}
        return tuple(_blanked(sentence, words) for sentence in (self.text, *self.paraphrases))


def say(*templates: str, **blanks: Ref | PromptPicture | Exhibit) -> Instruction:
    """Return an instruction with blanks: the first template is the suite's own sentence, the others are paraphrases.

    A sentence with a picture in one of its blanks is told only to those who can be shown pictures. All others need every reference
    and every exhibit.

    Raises:
        TaskError: a template lacks a blank, or has one without a reference or a picture.
    """
    if not templates:
        raise TaskError('An instruction was given no sentence. Give at least one template.')
    refs = {blank: filled for blank, filled in blanks.items() if isinstance(filled, Ref)}
    drawings = {blank: filled for blank, filled in blanks.items() if isinstance(filled, PromptPicture)}
    exhibits = {blank: filled for blank, filled in blanks.items() if isinstance(filled, Exhibit)}
    for template in templates:
        found = _blanks(template).keys()
        odd = found - blanks.keys() if found & drawings.keys() else found ^ {*refs, *exhibits}
        if odd:
            first = sorted(odd)[0]
            raise TaskError(
                f'The sentence {template!r} and its references differ in {first!r}. {near(first, blanks)} Every reference needs its blank '
                'in every sentence, and every blank its reference or picture.'
            )
    if unused := drawings.keys() - {blank for template in templates for blank in _blanks(template)}:
        raise TaskError(f'No sentence has a blank for the picture {sorted(unused)[0]!r}. Use it in a sentence, or leave it out.')
    return Instruction(templates[0], templates[1:], refs, drawings=drawings, exhibits=exhibits)


def _pictures(refs: Mapping[str, Ref], scene: Scene) -> dict[str, PromptPicture]:
    """Return the picture of each reference that can be drawn, by blank."""
    drawn = {blank: ref.picture(scene) for blank, ref in refs.items()}
    return {blank: picture for blank, picture in drawn.items() if picture is not None}


def _blanks(template: str) -> dict[str, None]:
    """Return the names of a template's blanks in their order."""
    return dict.fromkeys(name for _, name, _, _ in Formatter().parse(template) if name is not None)


def _sentence(template: str, words: Mapping[str, str]) -> str:
    return _FIRST.sub(lambda letter: letter[0].upper(), template.format(**words))


def _blanked(sentence: str, words: dict[str, str]) -> str:
    for blank, said in sorted(words.items(), key=lambda item: -len(item[1])):
        sentence = re.sub(re.escape(said), f'{{{blank}}}', sentence, flags=re.IGNORECASE)
    return sentence
