"""Words by CLIP, with a tiny random model that transformers saves as it saves the real ones."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTokenizer
from typer.testing import CliRunner

from test.baselines.conftest import PLOT, made
from test.baselines.test_demonstrations import write
from vlm_bench_baselines.clip_words import ClipWords
from vlm_bench_baselines.data import Data
from vlm_bench_baselines.demonstrations import Survey
from vlm_bench_baselines.key_frame.lesson import KeyFrameLesson
from vlm_bench_baselines.key_frame.reading import Reader
from vlm_bench_baselines.key_frame.settings import KeyFrameTraining, NetworkSettings
from vlm_bench_baselines.training import BEST, train
from vlm_bench_baselines.words import Vocabulary, said
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.fusion import TopDown
from vlm_bench_tasks.cli.main import app

LETTERS = 'abcdefghijklmnopqrstuvwxyz'


def clip(folder, seed=0):
    """Save a tiny CLIP whose tokens are letters."""
    folder.mkdir()
    tokens = [*LETTERS, *(f'{letter}</w>' for letter in LETTERS), '<|startoftext|>', '<|endoftext|>']
    (folder / 'vocab.json').write_text(json.dumps({token: i for i, token in enumerate(tokens)}))
    (folder / 'merges.txt').write_text('#version: 0.2\n')
    CLIPTokenizer(str(folder / 'vocab.json'), str(folder / 'merges.txt')).save_pretrained(folder)
    torch.manual_seed(seed)
    sizes = {'hidden_size': 16, 'intermediate_size': 16, 'num_hidden_layers': 1, 'num_attention_heads': 2, 'max_position_embeddings': 40}
    config = CLIPTextConfig(vocab_size=len(tokens), bos_token_id=52, eos_token_id=53, pad_token_id=53, **sizes)
    CLIPTextModel(config).save_pretrained(folder, safe_serialization=True)
    return folder


@pytest.fixture(scope='module')
def tiny(tmp_path_factory):
    return clip(tmp_path_factory.mktemp('clip') / 'tiny')


def test_a_sentence_has_a_vector_for_each_token_and_long_ones_are_cut(tiny):
    words = ClipWords(tiny)
    first, second, long = (words.features(text) for text in ('put it on', 'put it in', 'word ' * 30))
    assert words.numbers == 16 and first.shape == second.shape == (9, 16) and first.dtype is torch.float32
    assert not torch.allclose(first[-1], second[-1]) and torch.equal(first[:6], second[:6])  # what comes later is not seen yet
    assert long.shape == (40, 16)


def test_sentences_of_a_batch_are_filled_up(tiny):
    found = said(['put it on', 'put'], Vocabulary(()), ClipWords(tiny))
    assert found.features.shape == (2, 9, 16) and found.tokens.tolist() == [[1] * 9, [1] * 5 + [0] * 4]
    assert not found.features[1, 5:].any()


@pytest.fixture(scope='module')
def trained(tiny, tmp_path_factory):
    folder = tmp_path_factory.mktemp('trained')
    data = Data([made(i) for i in range(8)], [made(i) for i in range(1000, 1004)], Survey(PLOT, 'vlmbench:front', 64, 48))
    size, settings = NetworkSettings(widths=(8, 8), words=8, sentence=8, matched=4), KeyFrameTraining(steps=2, batch=2, every=1)
    train(KeyFrameLesson(data, network=size, settings=settings, encoder=ClipWords(tiny)), folder, told=lambda *_: None)
    return folder / BEST


def test_weights_read_with_the_clip_that_they_were_trained_with_and_no_other(trained, tiny, tmp_path):
    one = made(2000)
    seen = TopDown(one.color, one.height, one.seen.astype('uint8'))
    reader = Reader(trained, tiny)
    heats = [reader.read(seen, sentence, blank=blank).heat for sentence, blank in ((one.sentence, ''), ('Wait.', ''), ('', 'words'))]
    assert not any((heats[i] == heats[j]).all() for i, j in ((0, 1), (0, 2), (1, 2)))
    with pytest.raises(ConfigError, match='need clip=FOLDER'):
        Reader(trained)
    for change in ('seed', 'config.json', 'tokenizer.json'):
        other = clip(tmp_path / change, seed=change == 'seed')
        if change != 'seed':
            told = json.loads((other / change).read_text())
            (other / change).write_text(json.dumps(told, indent=1))
        with pytest.raises(ConfigError, match='need the CLIP'):
            Reader(trained, other)


def test_a_folder_that_holds_no_clip_is_refused_by_name(tiny, tmp_path):
    with pytest.raises(ConfigError, match='does not hold a text encoder'):
        ClipWords(tmp_path)
    broken = clip(tmp_path / 'broken')
    (broken / 'model.safetensors').write_bytes(b'noise')
    with pytest.raises(ConfigError, match='broken does not hold'):
        ClipWords(broken)


@pytest.mark.parametrize(('damage', 'said'), [('lost', 'lacks .*weight'), ('nan', 'no number'), ('words', 'the tokenizer has 55 words')])
def test_a_clip_that_would_be_filled_up_with_random_numbers_is_refused(tmp_path, damage, said):
    folder = clip(tmp_path / 'broken')
    weights = load_file(folder / 'model.safetensors')
    first = min(name for name in weights if 'layers.0' in name and name.endswith('weight'))
    if damage == 'lost':
        del weights[first]
    elif damage == 'nan':
        weights[first][0] = float('nan')
    else:
        tokenizer = CLIPTokenizer.from_pretrained(folder)
        tokenizer.add_tokens(['one-more'])
        tokenizer.save_pretrained(folder)
    save_file(weights, folder / 'model.safetensors', metadata={'format': 'pt'})
    with pytest.raises(ConfigError, match=said):
        ClipWords(folder)


def test_the_command_trains_with_it(tiny, tmp_path):
    for part, seed in (('data', 0), ('val', 80000)):
        write(tmp_path / part / 'a.npz', shape=(2, 4), seed=seed)
    words = ['train', 'key-frame', str(tmp_path / 'data'), '--validation', str(tmp_path / 'val'), '--out', str(tmp_path / 'out')]
    done = CliRunner().invoke(app, [*words, '--steps', '1', '--batch', '1', '--clip', str(tiny), '--widths', '8,8', '--threads', '1'])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(app, [*words, '--clip', str(tmp_path)])
    assert done.exit_code == 2 and 'does not hold a text encoder' in done.stderr
    done = CliRunner().invoke(app, [*words, '--clip', str(tiny), '--blank', 'words'])
    assert done.exit_code == 2 and 'Leave out one of them' in done.stderr
