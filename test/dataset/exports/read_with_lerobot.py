"""Run by LeRobot's own interpreter: load a dataset, look at every frame's numbers and at one batch. Nothing of this project is imported."""

import sys

import numpy as np
import torch
from lerobot.datasets.lerobot_dataset import LeRobotDataset
from lerobot.datasets.utils import dataset_to_policy_features

root, frames, episodes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
dataset = LeRobotDataset('local/bags', root=root, video_backend='pyav', delta_timestamps={'action': [0.0, 0.1, 0.2]})
assert (len(dataset), dataset.num_episodes) == (frames, episodes), (len(dataset), dataset.num_episodes)
features = dataset_to_policy_features(dataset.meta.features)
assert set(features) == {'action', 'observation.state', 'observation.images.front', 'observation.images.wrist'}, features

batch = next(iter(torch.utils.data.DataLoader(dataset, batch_size=8, shuffle=True, generator=torch.Generator().manual_seed(0))))
assert batch['action'].shape == (8, 3, 8), batch['action'].shape
assert batch['observation.state'].shape == (8, 8)
assert batch['observation.images.front'].shape == (8, 3, 48, 64)
assert 0.1 < batch['observation.images.front'].mean() < 0.9
assert batch['next.done'].dtype == torch.bool
assert all(isinstance(sentence, str) and sentence for sentence in batch['task'])

frame = dataset[0]
assert batch['subtask_index'].dtype == batch['step_index'].dtype == batch['leaf'].dtype == torch.int64
assert frame['camera_pose.front'].shape == frame['camera_pose.wrist'].shape == (7,)
assert ('depth.front' in frame) is ('depth.front' in dataset.meta.features)
for camera in ('front', 'wrist') if 'depth.front' in frame else ():
    depth, (fx, fy, cx, cy), pose = (frame[f'{what}.{camera}'].double().numpy() for what in ('depth', 'intrinsics', 'camera_pose'))
    assert (frame[f'depth.{camera}'].dtype, depth.shape) == (torch.float32, (48, 64))
    assert batch[f'depth.{camera}'].shape == (8, 48, 64)
    v, u = np.indices(depth.shape)
    seen = np.stack([(u - cx) / fx * depth, (v - cy) / fy * depth, depth], axis=-1)[depth > 0]
    axis, w = pose[3:6], pose[6]
    world = pose[:3] + seen + 2 * np.cross(axis, np.cross(axis, seen) + w * seen)
    on_the_table = np.abs(world[:, 2]) < 0.01  # its top is at 0
    assert on_the_table.mean() > 0.5, on_the_table.mean()

for episode in range(episodes):  # the last frame of one and the first of the next: films and tables agree on where they begin
    begin, end = (int(dataset.meta.episodes[episode][f'dataset_{side}_index']) for side in ('from', 'to'))
    assert dataset[begin]['frame_index'] == 0
    assert dataset[end - 1]['next.done']
    assert torch.allclose(dataset[begin]['action'][1], dataset[begin + 1]['action'][0])
skill_context = dataset.meta.stats['action']['mean']
table = np.stack(dataset.hf_dataset['action'])
assert np.allclose(skill_context, table.mean(0), atol=1e-5)
print(
    f'lerobot read {len(dataset)} frames of {episodes} episodes; a batch: '
    + ', '.join(f'{k} {tuple(v.shape)}' for k, v in batch.items() if hasattr(v, 'shape'))
)
