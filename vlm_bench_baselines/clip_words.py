"""Words as a CLIP text encoder of the user's understands them, from a folder: nothing is fetched, and nothing is a pickle."""

from collections.abc import Collection
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import torch
from safetensors import SafetensorError
from torch import Tensor

from vlm_bench_sim.core.errors import ConfigError

WEIGHTS = 'model.safetensors'
_READ = {'.json', '.txt', '.safetensors'}
_KEPT = 4096  # sentences whose features are kept


class ClipWords:
    """A frozen text encoder of CLIP, as `transformers` saves one (for example openai/clip-vit-base-patch32), with its tokenizer.

    Args:
        folder: with config.json, model.safetensors and the files of the tokenizer.

    Raises:
        ConfigError: transformers is not installed, or the folder holds no such encoder.
    """

    def __init__(self, folder: Path) -> None:
        try:
            from transformers import AutoTokenizer, CLIPTextModel
        except ImportError as error:
            raise ConfigError(f'CLIP needs {error.name}, which is not installed here. Run: pip install "transformers>=5.24"') from error
        try:
            self.digest = _digest(folder)
            self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
            model, told = CLIPTextModel.from_pretrained(folder, local_files_only=True, use_safetensors=True, output_loading_info=True)
            _check(model, told['missing_keys'], words=len(self._tokenizer))
            self._model = model.double().eval()
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
            wanted = f'a text encoder of CLIP with its tokenizer, as transformers saves them in config.json, {WEIGHTS} and others'
            raise ConfigError(f'{folder} does not hold {wanted}: {error!s:.300}. Name another folder.') from error
        self.numbers = int(self._model.config.hidden_size)
        self._length = int(self._model.config.max_position_embeddings)
        self.features = lru_cache(_KEPT)(self._features)

    @torch.no_grad()
    def _features(self, sentence: str) -> Tensor:
        """Return (words, numbers), the last hidden state of each token of a sentence, in 32 bits."""
        tokens = self._tokenizer(sentence, truncation=True, max_length=self._length, return_tensors='pt')
        found: Tensor = self._model(**tokens).last_hidden_state[0]
        return found.float()


def _digest(folder: Path) -> str:
    """Return the SHA-256 of the names and contents of all files that a model or a tokenizer is read from."""
    if not (folder / WEIGHTS).is_file():
        raise FileNotFoundError(f'there is no {WEIGHTS}')
    whole = sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in _READ and path.is_file():
            content = path.read_bytes()
            whole.update(f'{path.name} {len(content)}\n'.encode() + content)
    return whole.hexdigest()


def _check(model: torch.nn.Module, missing: Collection[str], *, words: int) -> None:
    """Refuse a model that transformers would fill up with random numbers, or that cannot read the tokenizer's words."""
    if missing:
        raise ValueError(f'{WEIGHTS} lacks {", ".join(sorted(missing)[:3])}')
    if not all(bool(torch.isfinite(one).all()) for one in model.parameters()):
        raise ValueError(f'{WEIGHTS} holds what is no number')
    if words > (known := int(model.config.vocab_size)):
        raise ValueError(f'the tokenizer has {words} words, and the model knows {known}')
