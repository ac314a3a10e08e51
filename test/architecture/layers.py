"""The import table of docs/architecture.md as data: who may import whom. Whatever stands in no row may not be imported."""

from dataclasses import dataclass

SIM, TASKS, BASELINES = 'vlm_bench_sim', 'vlm_bench_tasks', 'vlm_bench_baselines'
PACKAGES = (SIM, TASKS, BASELINES)
SUITE = f'{TASKS}.suite'
SHARED = f'{SUITE}.*._*'
"""The row of what the tasks of a family share: modules of its folder whose names begin with _, which its tasks may import."""


@dataclass(frozen=True)
class Layer:
    """One row.

    Attributes:
        ours: modules of ours that it may import, each with what lies in it; its own are allowed, but of `SUITE` only those that a
            family shares; so is the package itself, which holds the version and imports nothing.
        third: third-party packages.
        dynamic: True where it imports modules whose names are only known when it runs.
    """

    ours: tuple[str, ...] = ()
    third: tuple[str, ...] = ()
    dynamic: bool = False


def _sim(*names: str) -> tuple[str, ...]:
    return tuple(f'{SIM}.{name}' for name in names)


def _tasks(*names: str) -> tuple[str, ...]:
    return tuple(f'{TASKS}.{name}' for name in names)


_CORE = _sim('core')
_EVERY_TASK_LAYER = _tasks(
    'actions', 'agents', 'agreement', 'alternatives', 'authoring', 'campaign', 'catalogue', 'conformance', 'contact_guess', 'dataset',
    'episode', 'episode_messages', 'evaluation', 'execution', 'family', 'fingerprint', 'goal_number', 'goals', 'graph', 'judging',
    'language', 'play', 'policies', 'policy', 'real_graph', 'result', 'run', 'settings', 'sizes', 'skills', 'suites', 'task_choice',
    'trial', 'variation', 'workers',
)  # fmt: skip

# The longest prefix of a module's name says which row is its.
LAYERS = {
    f'{SIM}.core': Layer((), ('numpy', 'transforms3d')),
    f'{SIM}.assets': Layer(_CORE, ('yaml',)),
    f'{SIM}.extensions': Layer(_CORE, dynamic=True),
    f'{SIM}.files': Layer(_sim('core'), ('pydantic',)),
    f'{SIM}.mesh_shapes': Layer(_sim('core', 'assets', 'extensions', 'files'), ('numpy', 'pydantic', 'scipy', 'trimesh')),
    f'{SIM}.profiles': Layer(_sim('core', 'assets', 'extensions', 'files', 'mesh_shapes'), ('pydantic',)),
    f'{SIM}.versions': Layer(_sim('core.engine', 'assets', 'extensions'), ('numpy',)),
    f'{SIM}.physics': Layer(_CORE, ('numpy', 'trimesh')),
    f'{SIM}.bullet': Layer(_sim('core', 'assets', 'physics'), ('numpy', 'pybullet', 'trimesh', 'manifold3d')),
    f'{SIM}.mujoco': Layer(_sim('core', 'physics'), ('numpy', 'mujoco')),
    f'{SIM}.engines': Layer(_sim('core', 'physics'), dynamic=True),
    f'{SIM}.render': Layer(_sim('core', 'assets'), ('numpy', 'moderngl', 'trimesh', 'cv2')),
    f'{SIM}.motion': Layer(_sim('core', 'assets'), ('numpy', 'pinocchio', 'eigenpy', 'coal', 'ompl', 'toppra', 'ruckig')),
    f'{SIM}.prompts': Layer(_sim('core', 'motion', 'profiles', 'render'), ('numpy',)),
    f'{SIM}.motion.reach': Layer(_sim('core', 'assets', 'profiles', 'motion'), ('numpy', 'yaml')),
    f'{SIM}.bags': Layer(_sim('core', 'assets', 'ros.names', 'ros.fields'), ('numpy', 'rosbags', 'mcap', 'zstandard', 'lz4', 'yaml')),
    f'{SIM}.ros': Layer(_CORE, ('numpy',)),
    f'{SIM}.ros.convert': Layer(_sim('core', 'ros'), dynamic=True),
    f'{SIM}.ros.start': Layer(_sim('core.errors', 'ros.keyring', 'ros.orphan'), dynamic=True),
    f'{SIM}.nodes': Layer((SIM,), ('numpy', 'rclpy')),
    f'{SIM}.nodes.driving.moveit_planner': Layer((SIM,), ('numpy', 'moveit_configs_utils'), dynamic=True),
    f'{TASKS}.goals': Layer(_CORE, ('numpy',)),
    f'{TASKS}.language': Layer(_CORE, ('numpy',)),
    f'{TASKS}.variation': Layer(
        (*_CORE, *_tasks('language.references', 'language.looks', 'language.places', 'language.sizes')), ('numpy',)
    ),
    f'{TASKS}.episode': Layer((*_sim('core', 'extensions', 'mesh_shapes'), *_tasks('goals', 'language', 'variation'))),
    f'{TASKS}.episode_messages': Layer((*_sim('core', 'ros.prompts'), *_tasks('episode'))),
    f'{TASKS}.family': Layer((*_CORE, *_tasks('episode', 'variation'))),
    f'{TASKS}.authoring': Layer((*_CORE, *_tasks('episode', 'family', 'goals', 'language', 'variation'))),
    f'{TASKS}.settings': Layer((*_sim('core', 'assets', 'files'), *_tasks('variation')), ('pydantic',)),
    SUITE: Layer(_tasks('authoring'), ('numpy',)),
    SHARED: Layer((*_CORE, *_tasks('authoring', 'language', 'variation')), ('numpy',)),
    f'{TASKS}.alternatives': Layer((*_CORE, *_tasks('goals', 'language'))),
    f'{TASKS}.suites': Layer(
        (*_sim('core', 'assets', 'extensions', 'mesh_shapes', 'profiles', 'versions'), *_tasks('family')), dynamic=True
    ),
    f'{TASKS}.catalogue': Layer(
        (*_sim('core', 'extensions'), *_tasks('alternatives', 'episode', 'family', 'language.pictures', 'settings', 'suites', 'variation'))
    ),
    f'{TASKS}.task_choice': Layer((*_CORE, *_tasks('catalogue', 'family'))),
    f'{TASKS}.goal_number': Layer(_tasks('catalogue', 'episode')),
    f'{TASKS}.trial': Layer((*_CORE, *_tasks('catalogue', 'episode'))),
    f'{TASKS}.result': Layer(_tasks('family', 'trial'), ('pydantic',)),
    f'{TASKS}.campaign': Layer(_tasks('trial')),
    f'{TASKS}.fingerprint': Layer(_sim('assets')),
    f'{TASKS}.sizes': Layer(_CORE),
    f'{TASKS}.graph': Layer((*_sim('core', 'assets', 'profiles'), *_tasks('catalogue', 'sizes')), ('yaml',)),
    f'{TASKS}.real_graph': Layer((*_CORE, *_tasks('graph'))),
    f'{TASKS}.contact_guess': Layer((*_sim('core', 'motion', 'profiles'), *_tasks('judging'))),
    f'{TASKS}.judging': Layer((*_CORE, *_tasks('goals')), ('numpy',)),
    f'{TASKS}.judging.judges': Layer((*_CORE, *_tasks('episode', 'goals', 'judging'))),
    f'{TASKS}.judging.statistics': Layer(_CORE, ('numpy', 'scipy')),
    f'{TASKS}.skills': Layer((*_CORE, *_tasks('goals')), ('numpy', 'scipy')),
    f'{TASKS}.policy': Layer((*_CORE, *_tasks('goals', 'skills')), ('numpy',)),
    f'{TASKS}.policies': Layer((*_sim('core', 'extensions'), *_tasks('goals', 'skills', 'policy')), ('numpy',), dynamic=True),
    f'{TASKS}.agents': Layer((*_sim('core', 'assets'), *_tasks('goals', 'skills', 'policy')), ('numpy', 'cv2')),
    f'{TASKS}.actions': Layer(_CORE, ('numpy',)),
    f'{TASKS}.workers': Layer(_CORE),
    f'{TASKS}.play': Layer((*_CORE, *_tasks('episode', 'judging'))),
    f'{TASKS}.execution': Layer((*_CORE, *_tasks('policy', 'variation'))),
    f'{TASKS}.run': Layer((*_sim('core', 'engines', 'render', 'motion', 'bags', 'profiles', 'prompts', 'versions'), *_EVERY_TASK_LAYER)),
    f'{TASKS}.agreement': Layer(
        (
            *_sim('core', 'motion'),
            *_tasks('episode', 'evaluation.files', 'goals', 'judging', 'policies.oracle', 'policy', 'run', 'trial'),
        ),
        ('pydantic',),
    ),
    f'{TASKS}.dataset': Layer(
        (
            *_sim('core', 'extensions', 'physics', 'profiles', 'render', 'motion', 'bags', 'versions'),
            *_sim('ros.driver', 'ros.names', 'ros.fields', 'ros.prompts'),
            *_EVERY_TASK_LAYER,
        ),
        ('pydantic',),
    ),
    f'{TASKS}.dataset.over_ray': Layer((*_CORE, *_tasks('workers')), ('ray',)),
    f'{TASKS}.dataset.filming': Layer((*_CORE, *_sim('bags', 'render'), *_tasks('dataset')), ('numpy',)),
    f'{TASKS}.evaluation': Layer(
        (*_sim('core', 'extensions', 'bags', 'versions'), *_EVERY_TASK_LAYER), ('numpy', 'pydantic', 'msgpack', 'websockets', 'zmq')
    ),
    f'{TASKS}.evaluation.page': Layer(_tasks('evaluation', 'trial'), ('jinja2',)),
    f'{TASKS}.evaluation.page_strips': Layer(
        (*_sim('core', 'bags', 'render', 'ros.names', 'ros.fields'), *_tasks('dataset', 'evaluation', 'trial'))
    ),
    f'{TASKS}.dataset.exports': Layer(
        (
            *_sim('core', 'bags', 'physics.history', 'motion', 'profiles', 'render', 'ros.names', 'ros.fields'),
            *_tasks('actions', 'dataset.labels', 'dataset.recorded_prompt', 'dataset.waypoints', 'judging'),
        ),
        ('numpy', 'pyarrow', 'av'),
    ),
    f'{TASKS}.dataset.exports.redrawn': Layer(
        (
            *_sim('core', 'bags', 'ros.names', 'ros.fields'),
            *_tasks('actions.spaces', 'dataset.exports.cameras', 'dataset.exports.plain', 'dataset.rendering', 'episode', 'run'),
        ),
        ('numpy',),
    ),
    f'{TASKS}.dataset.exports.maps': Layer(
        (*_sim('core', 'bags'), *_tasks('actions.spaces', 'dataset.exports.redrawn', 'dataset.rendering', 'run')),
        ('numpy',),
    ),
    f'{TASKS}.dataset.exports.voxels': Layer(
        (*_sim('core', 'bags'), *_tasks('actions.spaces', 'dataset.exports.redrawn', 'dataset.rendering', 'run')),
        ('numpy',),
    ),
    f'{TASKS}.environment': Layer(
        (
            *_sim('core', 'profiles'),
            *_tasks(
                'actions',
                'catalogue',
                'dataset.exports.numbers',
                'episode',
                'execution',
                'judging',
                'language.pictures',
                'play',
                'run',
                'variation',
            ),
        ),
        ('numpy', 'gymnasium', 'pygame'),
    ),
    f'{TASKS}.environment.vla_eval_bench': Layer(
        (*_CORE, *_tasks('actions', 'catalogue', 'dataset.exports.cameras', 'environment', 'sizes', 'task_choice', 'variation')),
        ('numpy', 'vla_eval'),
    ),
    f'{TASKS}.environment.lerobot_plugin': Layer(_tasks('actions', 'environment', 'sizes'), ('lerobot',)),
    f'{TASKS}.conformance': Layer((*_sim('core', 'bags', 'motion', 'ros.fields'), *_EVERY_TASK_LAYER), ('numpy',)),
    f'{TASKS}.nodes': Layer(
        (
            *_sim('core', 'ros', 'bags', 'profiles', 'render.png', 'versions'),
            *_sim('nodes.base', 'nodes.lockstep.participant'),
            *_tasks('dashboard'),
            *_EVERY_TASK_LAYER,
        ),
        ('numpy', 'rclpy'),
    ),
    f'{TASKS}.pages': Layer(
        (*_sim('core', 'profiles', 'bags', 'bullet', 'prompts', 'render', 'motion', 'ros'), *_EVERY_TASK_LAYER),
        ('typer', 'yaml', 'cv2', 'numpy'),
    ),
    f'{TASKS}.pages.policy_page': Layer((*_sim('core', 'profiles', 'render', 'motion'), *_tasks('pages'), *_EVERY_TASK_LAYER), ('jinja2',)),
    f'{TASKS}.launching': Layer((*_sim('core', 'assets', 'profiles', 'bags', 'ros'), *_EVERY_TASK_LAYER), ('rich',)),
    f'{TASKS}.launching.listener': Layer((*_sim('core', 'ros', 'nodes.base.bench_node'), *_tasks('judging')), ('rclpy',)),
    f'{TASKS}.console': Layer(
        (
            *_sim('core', 'assets', 'extensions', 'mesh_shapes', 'profiles', 'bags', 'render', 'motion', 'ros'),
            *_tasks('dashboard', 'launching', 'pages'),
            *_EVERY_TASK_LAYER,
        ),
        ('rich', 'cv2', 'yaml'),
    ),
    # `up` and `real`, with what they hear, `person`, `check-driver` and the doctor are the commands that need ROS.
    f'{TASKS}.console.person': Layer((*_sim('core.errors', 'ros', 'nodes.base.bench_node'), *_tasks('graph')), ('rich', 'rclpy')),
    f'{TASKS}.console.driver_checking': Layer(
        (*_sim('profiles', 'ros.installed', 'nodes.base.bench_node', 'nodes.driving'), *_tasks('graph')), ('rich', 'rclpy')
    ),
    f'{TASKS}.console.doctor': Layer((*_sim('core', 'render.context'), *_tasks('console')), ('rich', 'rclpy'), dynamic=True),
    f'{TASKS}.console.tryouts': Layer((*_CORE, *_tasks('console', 'workers')), dynamic=True),
    f'{TASKS}.console.messages': Layer(
        (*_sim('core', 'ros', 'nodes.base'), *_tasks('console', 'graph', 'launching', 'workers')), ('rclpy',)
    ),
    f'{TASKS}.dashboard': Layer(
        (
            *_sim('core', 'bags', 'profiles', 'render'),
            *_tasks(
                'catalogue',
                'dataset',
                'episode',
                'evaluation.files',
                'evaluation.page_strips',
                'evaluation.report',
                'judging',
                'result',
                'variation.seeds',
                'variation.streams',
            ),
        ),
        ('numpy', 'pydantic', 'transforms3d', 'websockets', 'yaml'),
    ),
    f'{TASKS}.cli': Layer(
        (*_sim('core', 'extensions', 'profiles', 'bags'), *_tasks('console', 'dashboard', 'launching', 'pages'), *_EVERY_TASK_LAYER),
        ('typer', 'rich'),
        dynamic=True,
    ),
    BASELINES: Layer(
        (*_CORE, *_tasks('policy', 'actions', 'evaluation.files', 'variation.seeds')),
        ('numpy', 'cv2', 'pydantic', 'torch', 'safetensors', 'matplotlib', 'transformers', 'typer', 'rich'),
    ),
}

# True whatever the table says: package → the only layers that may import it.
ONLY = {
    'pybullet': (f'{SIM}.bullet',),
    'mujoco': (f'{SIM}.mujoco',),
    f'{SIM}.mujoco': (f'{SIM}.mujoco',),
    'moderngl': (f'{SIM}.render',),
    'rclpy': (
        f'{SIM}.nodes',
        f'{TASKS}.nodes',
        f'{TASKS}.launching.listener',
        *(f'{TASKS}.console.{name}' for name in ('person', 'driver_checking', 'doctor', 'messages')),
    ),
    f'{SIM}.nodes': (f'{SIM}.nodes', f'{TASKS}.nodes', f'{TASKS}.launching', f'{TASKS}.console'),
    f'{TASKS}.nodes': (f'{TASKS}.nodes',),
    f'{TASKS}.cli': (f'{TASKS}.cli',),
    f'{TASKS}.suite': (),
    TASKS: (TASKS, BASELINES),
    BASELINES: (BASELINES,),
    'torch': (BASELINES,),
}

# Names that read code or objects out of text, or chance and time out of thin air.
FORBIDDEN = {
    'pickle', 'cPickle', 'dill', 'cloudpickle', 'joblib', 'marshal', 'shelve',
    'random',
}  # fmt: skip

# Where a wall clock may be read: pacing, fault timeouts and stopwatches that never enter a hash.
WALL_CLOCK = (
    f'{SIM}.nodes',
    f'{TASKS}.nodes',
    f'{TASKS}.run',
    f'{TASKS}.workers',
    f'{TASKS}.dataset.over_ray',
    f'{TASKS}.launching',
    f'{TASKS}.console',
    f'{TASKS}.evaluation.wires.vla_eval',  # its messages bear a time
    f'{TASKS}.dashboard.missions',  # attempts of people have a time
    f'{BASELINES}.cost',
)

# What decides a state or a command, and so must come out the same on every processor.
DECIDING = (
    *(f'{SIM}.{name}' for name in ('core', 'mesh_shapes', 'physics', 'bullet', 'mujoco', 'motion')),
    *(
        f'{TASKS}.{name}'
        for name in ('goals', 'skills', 'variation', 'policies', 'agents', 'judging', 'language', 'evaluation', 'environment')
    ),
)
