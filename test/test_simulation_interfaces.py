"""simulation_interfaces in the underlay: what the official release 2.1.0 declares, and what goes over the wire."""

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / 'underlay/simulation_interfaces'
BUILT = Path(__file__).resolve().parents[1] / 'underlay/install/share/simulation_interfaces'

# Of each official file: SHA-256 (its first 16 digits) over the JSON of its declarations, sections apart, without comments and spare spaces.
DECLARATIONS = {
    'action/SimulateSteps.action': 'e789db1d7dd70a92',
    'msg/Bounds.msg': '9842e0ea7e760c8d',
    'msg/EntityCategory.msg': '17049ab000589e3c',
    'msg/EntityFilters.msg': '550bc7b1eef8f7bb',
    'msg/EntityInfo.msg': 'dde1354b7a836abd',
    'msg/EntityState.msg': '3a371ba91ae5f2b8',
    'msg/NamedPose.msg': '202d4c9ed852ecfb',
    'msg/Resource.msg': '49faca47591b4e2a',
    'msg/Result.msg': '439a17334992ac95',
    'msg/SimulationState.msg': '8b8b18b23c81357b',
    'msg/SimulatorFeatures.msg': '34a56654dbec7d50',
    'msg/SpawnEntity.msg': '61377bee6baa9e1e',
    'msg/SpawnResult.msg': 'fae56a0d24a87eed',
    'msg/Spawnable.msg': 'ca16d98c32ad747a',
    'msg/TagsFilter.msg': '0092552d74a49342',
    'msg/WorldResource.msg': 'a792dd06cb092f39',
    'srv/DeleteEntity.srv': '3143d11cf7adb821',
    'srv/GetAvailableWorlds.srv': 'b28502b04997e38d',
    'srv/GetCurrentWorld.srv': 'fd0baaa939038642',
    'srv/GetEntities.srv': '4ae5ce39f5e5e0be',
    'srv/GetEntitiesStates.srv': '1660918d21e7b571',
    'srv/GetEntityBounds.srv': '55fe5f87196609cc',
    'srv/GetEntityInfo.srv': '0e41b3c9fb6d5ae8',
    'srv/GetEntityState.srv': '547f03d1b9623339',
    'srv/GetNamedPoseBounds.srv': '85b165fe483aa06e',
    'srv/GetNamedPoses.srv': '4d2b87d05cdcaffe',
    'srv/GetSimulationState.srv': '111bd4bbd9f4696f',
    'srv/GetSimulatorFeatures.srv': 'f684ee45daadd8a6',
    'srv/GetSpawnables.srv': '3c9c0aa7bf981a7f',
    'srv/LoadWorld.srv': '0429c4ca1b0a0a18',
    'srv/ResetSimulation.srv': '03d94acbd9a75f0e',
    'srv/SetEntityInfo.srv': '7eccb0887595949a',
    'srv/SetEntityState.srv': '02e211b92c9cbe03',
    'srv/SetSimulationState.srv': '0196c74dde9b379d',
    'srv/SpawnEntities.srv': 'bcfae58dcfa91612',
    'srv/SpawnEntity.srv': '8a070a8e61480e6d',
    'srv/StepSimulation.srv': '5c8871c080d6a792',
    'srv/UnloadWorld.srv': '346feb0d30cd1f1a',
}
# Type hashes of the official services and actions, which cover every message in them.
HASHES = {
    'action/SimulateSteps': 'RIHS01_f0837c898e1219cd73bf4c041feab41e8c533e8e1057e982744dba7b093467eb',
    'srv/DeleteEntity': 'RIHS01_ff7e96a5b83dc8e2bb34b8b034480028b3a24d9f8376b2c0590bac3704be3e28',
    'srv/GetAvailableWorlds': 'RIHS01_ce5589b5523f2732d1969a3c5a7e6b17a387091df8190c62f78d7fdd1109e3e3',
    'srv/GetCurrentWorld': 'RIHS01_79ed4e910e1b7a1c9f7950ff758bfba3535bf0dec669054e8af115a099724ddd',
    'srv/GetEntities': 'RIHS01_cb90004c48cd50f37732fb008e22c34c261dd680a723bf0f85d8437ea4498bf7',
    'srv/GetEntitiesStates': 'RIHS01_0a76170d0c1c90e1eaf805cfab78ea801d1f82df309a28c1f0fae4b570f19754',
    'srv/GetEntityBounds': 'RIHS01_17be8d36231178a5eed0de0344b55c19975581627a9aec30a4fee9926a35deed',
    'srv/GetEntityInfo': 'RIHS01_953b7ab6bfc35063f5c9a72463c6ce489baa10249a7fa510926d342a34b0d29e',
    'srv/GetEntityState': 'RIHS01_749c91f2a2353d98367b64f2995a0f5842ce92a08ec1ffb3e185540a91557fb5',
    'srv/GetNamedPoseBounds': 'RIHS01_59fa8dd2c68ba6771160cc66a628ac99fa95e2748fa0a43c2cc62a2e5f3f6fdc',
    'srv/GetNamedPoses': 'RIHS01_c3d12ab920115bfd4733f6d20516adc3968fb438538540997c37e200e02b04e3',
    'srv/GetSimulationState': 'RIHS01_3362dcebee4b1afebbf9c4beee5c79c1455385aded62092a892d61fde8644f30',
    'srv/GetSimulatorFeatures': 'RIHS01_abb9439c8cf196722a469fb6c68b44b484f198c2a1356ac38849a29c2a20a794',
    'srv/GetSpawnables': 'RIHS01_3e25fd827d8bcbd9db5e36ccb190efa22d6f6313897861268ab923bf091a992a',
    'srv/LoadWorld': 'RIHS01_87d0ded1bfddb40a74d0bedb963fdd592fbedb14d0057d597850404b73c338af',
    'srv/ResetSimulation': 'RIHS01_4ce285d7ff9b8ac70dcc95161f32bf54c05a6f4b13427990e41ab40c36c39646',
    'srv/SetEntityInfo': 'RIHS01_867fe2b6812f3e021859171f9b788560d66bb7079d640030baf6c0bb2dd2631e',
    'srv/SetEntityState': 'RIHS01_fba636c91d38832dbd4f6896ffce54ff98fd9929962b0533546b56ce00f988ac',
    'srv/SetSimulationState': 'RIHS01_a868b916dce49974f637ba252141258c4b07b0c06858b88af560e3eb6bfbcb30',
    'srv/SpawnEntities': 'RIHS01_41703a359ee032bf4fc230f144f531705ba039a2e97edeae1f7997dd83b04857',
    'srv/SpawnEntity': 'RIHS01_66860313e11009faddbfc8568e5d410d1a11607fe75eeb1308671dc0406fe3a7',
    'srv/StepSimulation': 'RIHS01_913fe0653690ce6bf8f09f316e6a626747012e9fca31e26719910d417aa8565c',
    'srv/UnloadWorld': 'RIHS01_ac7f9a73df1b5b15015d854c5ac552b7726506e22f886c6792804f0b7f88b30b',
}


def declarations(text: str) -> list[list[str]]:
    """Return the declarations of an interface file by section."""
    lines = (re.sub(r'\s*=\s*', '=', ' '.join(line.split('#')[0].split())) for line in text.splitlines())
    sections: list[list[str]] = [[]]
    for line in lines:
        if line == '---':
            sections.append([])
        elif line:
            sections[-1].append(line)
    return sections


def test_every_interface_is_there_and_no_other() -> None:
    assert {path.relative_to(FOLDER).as_posix() for path in FOLDER.glob('*/*')} == set(DECLARATIONS)


@pytest.mark.parametrize('path', DECLARATIONS)
def test_an_interface_is_official_field_for_field_and_constant_for_constant(path: str) -> None:
    found = declarations((FOLDER / path).read_text())
    assert sha256(json.dumps(found).encode()).hexdigest()[:16] == DECLARATIONS[path], found


@pytest.mark.parametrize('path', DECLARATIONS)
def test_each_declaration_has_a_comment_and_each_file_says_what_it_is_for(path: str) -> None:
    lines = (FOLDER / path).read_text().splitlines()
    assert lines[0].startswith('# ')
    assert [line for line in lines if line and line != '---' and '#' not in line] == []


@pytest.mark.ros
@pytest.mark.parametrize('name', HASHES)
def test_a_built_type_has_the_official_hash(name: str) -> None:
    built = BUILT / f'{name}.json'
    if not built.exists():
        pytest.skip('simulation_interfaces is not built here: it comes from the ROS 2 installation')
    hashes = {entry['type_name']: entry['hash_string'] for entry in json.loads(built.read_text())['type_hashes']}
    assert hashes[f'simulation_interfaces/{name}'] == HASHES[name]
