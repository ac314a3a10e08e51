"""The GLSL programs of see-through objects. Every wall that a ray meets is drawn, front or back, near or far."""

from vlm_bench_sim.render.shaders import MARKED, PLAIN, TABLE

GLASS_VERTEX = f"""
#version 330 core
{TABLE}
uniform mat4 clip_from_world;
in vec3 position;
in vec3 facing;
in uint owner;
out vec3 world;
out vec3 across;  // the wall
flat out vec3 tint;  // sRGB
flat out float instance;

void main() {{
    int i = 4 * int(owner);
    mat3x4 pose = mat3x4(object[i], object[i + 1], object[i + 2]);
    tint = sqrt(object[i + 3].rgb);
    instance = object[i + 3].a;
    world = vec4(position, 1.0) * pose;
    across = vec4(facing, 0.0) * pose;
    gl_Position = clip_from_world * vec4(world, 1.0);
}}
"""

_WALL = """
#version 330 core
uniform vec3 eye;
in vec3 world;
in vec3 across;
flat in vec3 tint;
layout(location = 0) out vec4 color;
layout(location = 1) out float depth;
"""

TINT = f"""{_WALL}
const float SHARE = 0.16;  // of the tint, for a surface that is seen straight: a ray through a cup meets four
const float PURE = 0.9;    // of the light; the clearest glass is seen by its edges
const float LEAST = 0.08;  // cosine from which on the way through a wall grows no longer

void main() {{
    float straight = abs(dot(normalize(across), normalize(eye - world)));
    color = vec4(pow(PURE * tint, vec3(SHARE / max(straight, LEAST))), 1.0);
    depth = 0.0;
}}
"""
"""Gives the share of what is behind that is still seen."""

SHINE = f"""{_WALL}
uniform vec3 key;        // towards the key light
uniform vec3 key_light;  // linear
const vec3 SKY = vec3(0.90, 0.92, 0.95);
const vec3 GROUND = vec3(0.25, 0.23, 0.21);
const float FACING = 0.04;  // share of light that glass reflects straight on

void main() {{
    vec3 viewer = normalize(eye - world);
    vec3 n = normalize(across);
    n = faceforward(n, -viewer, n);
    vec3 mirrored = reflect(-viewer, n);
    float share = FACING + (1.0 - FACING) * pow(1.0 - dot(n, viewer), 5.0);
    vec3 room = mix(GROUND, SKY, smoothstep(-0.3, 0.6, mirrored.z));
    // The light is seen as a tall window, so that upright walls mirror it, too.
    vec2 ahead = normalize(mirrored.xy + vec2(1e-6, 0.0)), light = normalize(key.xy + vec2(1e-6, 0.0));
    float window = smoothstep(0.970, 0.985, dot(ahead, light)) * smoothstep(1.0, 0.8, abs(mirrored.z));
    color = vec4(share * room + (0.25 + share) * window * key_light, 1.0);
    depth = 0.0;
}}
"""
"""Gives what a wall reflects."""

SHADE_VERTEX = f"""
#version 330 core
{TABLE}
uniform mat4 clip_from_world;
uniform vec3 key;  // towards the key light
uniform float top;  // height of the table, m
in vec3 position;
in vec3 facing;
in uint owner;
out vec2 place;  // on the table
out float straight;
flat out vec3 tint;  // sRGB
const float ABOVE = 0.0015;  // m: over what is drawn on the table

void main() {{
    int i = 4 * int(owner);
    mat3x4 pose = mat3x4(object[i], object[i + 1], object[i + 2]);
    tint = sqrt(object[i + 3].rgb);
    straight = dot(normalize(vec4(facing, 0.0) * pose), key);
    vec3 world = vec4(position, 1.0) * pose;
    world -= key * ((world.z - top) / key.z);
    place = world.xy;
    gl_Position = clip_from_world * vec4(world + vec3(0.0, 0.0, ABOVE), 1.0);
}}
"""
"""Lays the objects flat on the table, along the light."""

SHADE = """
#version 330 core
uniform vec4 edges;  // of the table, m: least x and y, greatest x and y
in vec2 place;
in float straight;
flat in vec3 tint;
layout(location = 0) out vec4 color;
layout(location = 1) out float depth;
const vec3 LEFT = vec3(0.955);  // share of light behind a surface that the light meets straight on, before its tint

void main() {
    if (any(lessThan(place, edges.xy)) || any(greaterThan(place, edges.zw))) discard;
    color = vec4(LEFT * pow(tint, vec3(0.06 / max(abs(straight), 0.25))), 1.0);
    depth = 0.0;
}
"""
"""Gives the share of light that falls through a wall on the table."""


def mark(*, many: bool) -> str:
    """Return the shader that gives depth and id of a wall, but not over beads; `many` as for `shaders.programs`."""
    drawn = 'texelFetch(colors, at, 0).a * 255.0 + 0.5'
    more = ' + 256 * int(floatBitsToUint(texelFetch(depths, at, 0).r) & 3u)' if many else ''
    return f"""
#version 330 core
uniform sampler2D colors;  // what is behind: colors and ids
uniform sampler2D depths;
uniform ivec2 beads;       // first id of the beads, and the first after them
flat in float instance;
layout(location = 0) out vec4 color;
layout(location = 1) out float depth;

void main() {{
    ivec2 at = ivec2(gl_FragCoord.xy);
    int drawn = int({drawn}){more};
    if (drawn >= beads.x && drawn < beads.y) discard;
    color = vec4(0.0, 0.0, 0.0, {'float(uint(instance) & 255u)' if many else 'instance'} / 255.0);
    depth = {MARKED if many else PLAIN};
}}
"""
