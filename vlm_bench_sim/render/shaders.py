"""The GLSL programs. Lights and viewer count as distant: light is computed per vertex, and only shadows per pixel."""

from vlm_bench_sim.render.pattern_shaders import PATTERN_INPUT, tint

OBJECTS = 1000
"""Maximum number of objects in one picture: 64 bytes each, to fit into a uniform block of 64 KiB."""

TABLE = f"""
layout(std140) uniform Objects {{ vec4 object[{4 * OBJECTS}]; }};  // three rows of the pose, then linear color and instance id
"""
"""Declares the table of objects."""

_VERTEX = """
#version 330 core
{table}
uniform mat4 clip_from_world;
uniform vec3 key;        // towards the key light
uniform vec3 key_light;  // linear
uniform vec3 halfway;    // between the key light and the viewer
in vec3 position;
in vec4 facing;  // normal, gloss
in vec3 paint;   // linear
in uint owner;
out vec3 always;  // radiance that no shadow takes away
{shaded}
flat out float instance;
{declared}
const vec3 FILL = normalize(vec3(-0.50, -0.70, 0.35));
const vec3 FILL_LIGHT = vec3(0.13, 0.135, 0.145);
const vec3 SKY = vec3(0.44, 0.45, 0.47);
const vec3 GROUND = vec3(0.21, 0.20, 0.19);
const vec3 BOUNCED = vec3(0.19, 0.18, 0.17);  // from the walls around
const float AWAY = 0.0004;  // m that a surface is held off its own shadow

void main() {{
    int i = 4 * int(owner);
    mat3x4 pose = mat3x4(object[i], object[i + 1], object[i + 2]);
    vec4 look = object[i + 3];
    vec3 n = normalize(vec4(facing.xyz, 0.0) * pose);
    instance = look.a;
    {computed}
    vec3 albedo = paint * look.rgb;
    vec3 world = vec4(position, 1.0) * pose;
    always = albedo * (mix(GROUND, SKY, 0.5 + 0.5 * n.z) + FILL_LIGHT * max(dot(n, FILL), 0.0){bounced});
    vec3 added = albedo * key_light * max(dot(n, key), 0.0) + facing.w * pow(max(dot(n, halfway), 0.0), 32.0);
    {ended}
    gl_Position = clip_from_world * vec4(world, 1.0);
}}
"""

_FRAGMENT = """
#version 330 core
in vec3 always;
flat in float instance;
layout(location = 0) out vec4 color;  // and the instance id in the fourth channel
layout(location = 1) out float depth;
{declared}
void main() {{
    color = vec4(sqrt({light}{tint}), {id} / 255.0);
    depth = {depth};
}}
"""

PLAIN = '1.0 / gl_FragCoord.w'
MARKED = f'uintBitsToFloat((floatBitsToUint({PLAIN}) & ~3u) | (uint(instance) >> 8))'
"""The depth of a pixel, m, without and with the upper part of its instance id."""
_SHADED = """
uniform mat4 shade_from_world;
out vec3 direct;  // what the key light adds
out vec3 shade;   // where the shadow map knows of it
"""

_IN_ROOM = """
uniform mat4 wide_from_world;
out vec3 wide;  // where the room's shadow map knows of it
out float level;
const float WIDE_AWAY = 0.008;  // as AWAY, for a map that is coarser
"""

_LIT = """
in vec3 direct;
in vec3 shade;
uniform sampler2DShadow shadows;
float lit() {
    if (direct == vec3(0.0)) return 1.0;
    if (%sany(lessThan(shade, vec3(0.0))) || any(greaterThan(shade, vec3(1.0)))) return %s;
    return texture(shadows, shade);
}
"""

_FINELY_LIT = """
in vec3 direct;
in vec3 shade;
uniform sampler2DShadow shadows;
uniform float blur;  // of the map's width

float lit() {
    if (direct == vec3(0.0)) return 1.0;
    if (%sany(lessThan(shade, vec3(0.0))) || any(greaterThan(shade, vec3(1.0)))) return %s;
    vec2 a = vec2(blur, 0.4 * blur), b = vec2(-a.y, a.x);  // a square that is turned a little, so that no edge runs along it
    return 0.25 * (texture(shadows, shade + vec3(a, 0.0)) + texture(shadows, shade + vec3(b, 0.0))
                 + texture(shadows, shade - vec3(a, 0.0)) + texture(shadows, shade - vec3(b, 0.0)));
}
"""

_LIT_ROOM = """
in vec3 wide;
in float level;
uniform sampler2DShadow wide_shadows;
const float TABLE = -0.15;  // m; the lowest that a table's top is put: what lies below has nothing to do with the map of what is on it
const float SOFT = 0.0015;  // of the map's width

float lit_room() {
    if (any(lessThan(wide, vec3(0.0))) || any(greaterThan(wide, vec3(1.0)))) return 1.0;
    vec3 a = vec3(SOFT, 0.4 * SOFT, 0.0), b = vec3(-a.y, a.x, 0.0);
    return 0.25 * (texture(wide_shadows, wide + a) + texture(wide_shadows, wide + b)
                 + texture(wide_shadows, wide - a) + texture(wide_shadows, wide - b));
}
"""


_NEAR = 'direct = added; shade = (shade_from_world * vec4(world + AWAY * n, 1.0)).xyz;'
_WIDE = 'wide = (wide_from_world * vec4(world + WIDE_AWAY * n, 1.0)).xyz; level = world.z;'

FEW = 255
"""Largest instance id that the color's fourth channel holds; the upper part of larger ids is in the last two bits of the depth."""
GREATEST = 1023


def programs(
    *, shadows: bool, fine: bool, patterns: bool, many: bool, rich: bool = False, room: bool = False, far: bool = False
) -> tuple[str, str]:
    """Return vertex and fragment shader; features that a picture does not need cost nothing.

    Args:
        shadows: objects cast shadows.
        fine: shadow edges are softer.
        patterns: some objects have a pattern.
        rich: some of them are not simple.
        many: some instance ids are greater than `FEW`.
        room: objects far from the table cast shadows, too.
        far: all objects are far from the table, between walls that return some light.
    """
    room = room and shadows
    vertex = _VERTEX.format(
        table=TABLE,
        bounced=' + BOUNCED' if far else '',
        shaded=(_SHADED if shadows else '') + (_IN_ROOM if room else ''),
        ended=(_NEAR if shadows else 'always += added;') + (_WIDE if room else ''),
        declared=PATTERN_INPUT if patterns else '',
        computed='place = position / max(base.w, 1e-6); under = base.rgb; over = weave;' if patterns else '',
    )
    lit = (_FINELY_LIT if fine else _LIT) % (('level < TABLE || ', 'lit_room()') if room else ('', '1.0')) if shadows else ''
    declared = (_LIT_ROOM if room else '') + lit + (tint(rich=rich) if patterns else '')
    return vertex, _FRAGMENT.format(
        declared=declared,
        light='(always + lit() * direct)' if shadows else 'always',
        tint=' * tint()' if patterns else '',
        id='float(uint(instance) & 255u)' if many else 'instance',
        depth=MARKED if many else PLAIN,
    )


BACKDROP_VERTEX = """
#version 330 core
uniform mat3 world_rays;
in vec3 position;
out vec3 always;
const vec3 FLOOR = vec3(0.50, 0.51, 0.53);
const vec3 WALL = vec3(0.90, 0.915, 0.93);

void main() {
    always = mix(FLOOR, WALL, smoothstep(-0.95, 0.15, normalize(world_rays * vec3(position.xy, 1.0)).z));
    gl_Position = vec4(position, 1.0);
}
"""

BACKDROP_FRAGMENT = """
#version 330 core
in vec3 always;
layout(location = 0) out vec4 color;
layout(location = 1) out float depth;

void main() {
    color = vec4(sqrt(always), 0.0);
    depth = 0.0;
}
"""

SHADOW_VERTEX = f"""
#version 330 core
{TABLE}
uniform mat4 shade_from_world;
in vec3 position;
in uint owner;

void main() {{
    int i = 4 * int(owner);
    vec3 world = vec4(position, 1.0) * mat3x4(object[i], object[i + 1], object[i + 2]);
    gl_Position = vec4(2.0 * (shade_from_world * vec4(world, 1.0)).xyz - 1.0, 1.0);
}}
"""

SHADOW_FRAGMENT = """
#version 330 core
void main() {}
"""

COVERS = 8
"""Number of images for the coverage of objects, with four objects in each."""

COVER_VERTEX = f"""
#version 330 core
{TABLE}
uniform mat4 clip_from_world;
uniform float first;  // instance id of the first thing that is counted
in vec3 position;
in uint owner;
flat out float slot;

void main() {{
    int i = 4 * int(owner);
    slot = object[i + 3].a - first;
    vec3 world = vec4(position, 1.0) * mat3x4(object[i], object[i + 1], object[i + 2]);
    gl_Position = slot >= 0.0 && slot < {4 * COVERS}.0 ? clip_from_world * vec4(world, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}}
"""

COVER_FRAGMENT = f"""
#version 330 core
flat in float slot;
layout(location = 0) out vec4 cover[{COVERS}];

void main() {{
    int k = int(slot);
    vec4 mine = vec4(equal(ivec4(k % 4), ivec4(0, 1, 2, 3)));
    {' '.join(f'cover[{n}] = k / 4 == {n} ? mine : vec4(0.0);' for n in range(COVERS))}
}}
"""
