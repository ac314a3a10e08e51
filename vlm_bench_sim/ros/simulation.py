"""The features of simulation_interfaces that our simulator supports, and the result codes of its services."""

from enum import IntEnum

from vlm_bench_sim.core.errors import VlmBenchError

FEATURE_UNSUPPORTED, OK, NOT_FOUND, INCORRECT_STATE, OPERATION_FAILED = range(5)


class Refused(VlmBenchError):
    """A request that is refused.

    Attributes:
        code: result code of the service, a shared code or one of its own.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = int(code)


class Feature(IntEnum):
    """The supported features, by the numbers of SimulatorFeatures. All others are unsupported."""

    SPAWNING = 0
    DELETING = 1
    ENTITY_TAGS = 4
    ENTITY_BOUNDS = 5
    ENTITY_BOUNDS_BOX = 6
    ENTITY_CATEGORIES = 8
    SPAWNING_RESOURCE_STRING = 9
    ENTITY_STATE_GETTING = 10
    ENTITY_STATE_SETTING = 11
    ENTITY_INFO_GETTING = 12
    SPAWNABLES = 14
    SIMULATION_RESET = 20
    SIMULATION_RESET_TIME = 21
    SIMULATION_RESET_STATE = 22
    SIMULATION_RESET_SPAWNED = 23
    SIMULATION_STATE_GETTING = 24
    SIMULATION_STATE_SETTING = 25
    SIMULATION_STATE_PAUSE = 26
    STEP_SIMULATION_SINGLE = 31
    STEP_SIMULATION_MULTIPLE = 32
    STEP_SIMULATION_ACTION = 33
    SPAWNING_ENTITIES = 50


SPAWN_FORMATS = ('vlm_bench_prop',)
CUSTOM_INFO = (
    'Resources are addresses such as vlm_bench://cube?size=0.04&color=red&mass=0.05 (GetSpawnables lists the shapes), '
    'or the JSON of a Prop. One step is one control period of 50 ms, twelve physics steps. '
    'The clock never runs backwards, not even on a reset. '
    'Furniture is listed as a whole and link by link (cabinet/top); it is read-only. /truth/world_state lists beads and dirt. '
    'Bounds are boxes. An entity overlaps a region if the axis-aligned box around the entity does.'
)


class Spawn(IntEnum):
    """Reasons why nothing was spawned; the numbers of SpawnResult and SpawnEntity."""

    NAME_NOT_UNIQUE = 101
    NAME_INVALID = 102
    UNSUPPORTED_FORMAT = 103
    NO_RESOURCE = 104
    NAMESPACE_INVALID = 105
    RESOURCE_PARSE_ERROR = 106
    MISSING_ASSETS = 107
    UNSUPPORTED_ASSETS = 108
    INVALID_POSE = 109


ENTITIES_SPAWN_FAILED = 150
SET_INVALID_POSE = 101


class Transition(IntEnum):
    """Reasons why the simulation's state did not change; the numbers of SetSimulationState."""

    ALREADY_IN_TARGET_STATE = 101
    STATE_TRANSITION_ERROR = 102
    INCORRECT_TRANSITION = 103


class State(IntEnum):
    """Whether simulated time passes; the numbers of SimulationState that occur here."""

    STOPPED = 0
    PLAYING = 1
    PAUSED = 2


class Scope(IntEnum):
    """The scope of a reset; the bits of ResetSimulation. 0 means everything, and so does 255."""

    DEFAULT = 0
    TIME = 1
    STATE = 2
    SPAWNED = 4
    ALL = 255


def scopes(asked: int) -> frozenset[Scope]:
    """Return the requested parts of a reset.

    Raises:
        Refused: an undefined bit is set.
    """
    parts = (Scope.TIME, Scope.STATE, Scope.SPAWNED)
    if asked in (Scope.DEFAULT, Scope.ALL):
        return frozenset(parts)
    if asked & ~sum(parts):
        raise Refused(FEATURE_UNSUPPORTED, f'The scope {asked} has an undefined bit. Send 0 or 255 (all), or a sum of 1, 2 and 4.')
    return frozenset(part for part in parts if asked & part)
