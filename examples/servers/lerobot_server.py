"""Serves a policy of LeRobot that was trained on `vlm-bench export lerobot`: ACT, Diffusion, SmolVLA, pi0 and others, by its own library.

It runs in LeRobot's environment (0.4.4, or a newer one with the same functions) and is spoken to over openpi's wire, without pickle.
"""

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np

from examples.servers import serving
from examples.servers.formats import IMAGES, TASK, Array, FormatError, check, check_names

STATE = 'observation.state'
_INSTALL = 'Install lerobot in an environment of its own, with msgpack and websockets, and start this server there.'


class LeRobot:
    """A policy with its processors.

    Args:
        path: folder of a checkpoint, such as `checkpoints/last/pretrained_model`.

    Raises:
        MissingLibraryError: LeRobot is not installed.
        FormatError: the policy asks for something that the bench does not send.
    """

    def __init__(self, path: str) -> None:
        configs = serving.library('lerobot.configs.policies', _INSTALL, random=False)
        factory = serving.library('lerobot.policies.factory', _INSTALL, random=False)
        self._torch = serving.library('torch', _INSTALL, random=False)
        config = configs.PreTrainedConfig.from_pretrained(path)
        self.policy = factory.get_policy_class(config.type).from_pretrained(path, config=config).eval()
        self.before, self.after = factory.make_pre_post_processors(config, pretrained_path=path)
        self.inputs = {name: tuple(feature.shape) for name, feature in config.input_features.items()}
        strange = [name for name in self.inputs if name != STATE and not name.startswith(IMAGES)]
        if strange:
            raise FormatError(f'The policy asks for {", ".join(strange)}, which the bench does not send. Train it on an export alone.')

    def batch(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """Return an observation as LeRobot's processors take it: pictures (1, 3, height, width) from 0 to 1, numbers (1, n), the task.

        Raises:
            FormatError: something is missing, or has another shape.
        """
        check_names('The observation', told, required=(*self.inputs, TASK), only=False)
        found: dict[str, Any] = {TASK: [str(told[TASK])]}
        for name, shape in self.inputs.items():
            if name == STATE:
                value = check(name, told[name], shape=shape, dtype='float32')
            else:
                picture = check(name, told[name], shape=(*shape[1:], 3), dtype='uint8')
                value = picture.transpose(2, 0, 1).astype(np.float32) / 255.0
            found[name] = self._torch.from_numpy(np.array(value))[None]
        return found

    def row(self, told: Mapping[str, Any]) -> Array:
        """Return the next row of the action space, (1, n) float32."""
        with self._torch.inference_mode():
            action = self.after(self.policy.select_action(self.before(self.batch(told))))
        found: Array = action.to('cpu').numpy().astype(np.float32)
        return found


class LeRobotEpisode:
    """One episode, which is one connection: the policy forgets the last one when it begins. It keeps actions to come, for one episode.

    Args:
        model: the policy.
    """

    def __init__(self, model: LeRobot) -> None:
        self._model = model
        model.policy.reset()

    def answer(self, told: Any) -> Array:
        """Return the next row.

        Raises:
            FormatError: the observation cannot be turned into the policy's input.
        """
        if not isinstance(told, Mapping):
            raise FormatError(f'An observation is a map; found {type(told).__name__}. Send what --observation export describes.')
        return self._model.row(told)


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--checkpoint', required=True, help='folder of a checkpoint of LeRobot')
    parser.add_argument('--action', default='joints', help='action space of the export that it was trained on')
    parser.add_argument('--host', default='127.0.0.1')
    parser.add_argument('--port', type=int, default=8000)

    def made(asked: argparse.Namespace) -> serving.Maker:
        """Return what makes episodes with the policy."""
        model = LeRobot(asked.checkpoint)
        return lambda: LeRobotEpisode(model)

    serving.run(parser, made, action=parser.parse_args().action, remembers=True)
