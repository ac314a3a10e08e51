"""The GLSL programs. Lights and viewer count as far away, so that light is worked out per corner; only shadows are, per pixel."""

OBJECTS = 1000
"""Objects in one picture: 64 bytes each, so that all fit into a uniform block of 64 KiB."""

_TABLE = f"""
layout(std140) uniform Objects {{ vec4 object[{4 * OBJECTS}]; }};  // three rows of the pose, then linear colour and instance id
"""

VERTEX = f"""
#version 330 core
{_TABLE}
uniform mat4 clip_from_world;
uniform mat4 shade_from_world;
uniform vec3 key;        // towards the key light
uniform vec3 key_light;  // linear
uniform vec3 halfway;    // between the key light and the viewer
in vec3 position;
in vec4 facing;  // normal, gloss
in vec3 paint;   // linear
in uint owner;
out vec3 always;  // radiance that no shadow takes away
out vec3 direct;  // and what the key light adds
out vec3 shade;   // where the shadow map knows of it
flat out float instance;

const vec3 FILL = normalize(vec3(-0.50, -0.70, 0.35));
const vec3 FILL_LIGHT = vec3(0.13, 0.135, 0.145);
const vec3 SKY = vec3(0.44, 0.45, 0.47);
const vec3 GROUND = vec3(0.21, 0.20, 0.19);
const vec3 FLOOR = vec3(0.50, 0.51, 0.53);
const vec3 WALL = vec3(0.90, 0.915, 0.93);
const float AWAY = 0.0004;  // m that a surface is held off its own shadow

void main() {{
    int i = 4 * int(owner);
    mat3x4 pose = mat3x4(object[i], object[i + 1], object[i + 2]);
    vec4 look = object[i + 3];
    vec3 n = normalize(vec4(facing.xyz, 0.0) * pose);
    instance = look.a;
    direct = vec3(0.0);
    shade = vec3(0.0);
    if (instance > 0.0) {{
        vec3 albedo = paint * look.rgb;
        vec3 world = vec4(position, 1.0) * pose;
        always = albedo * (mix(GROUND, SKY, 0.5 + 0.5 * n.z) + FILL_LIGHT * max(dot(n, FILL), 0.0));
        direct = albedo * key_light * max(dot(n, key), 0.0) + facing.w * pow(max(dot(n, halfway), 0.0), 32.0);
        shade = (shade_from_world * vec4(world + AWAY * n, 1.0)).xyz;
        gl_Position = clip_from_world * vec4(world, 1.0);
    }} else {{  // the backdrop has no place: it fills the picture behind everything, and n is the ray of sight
        always = mix(FLOOR, WALL, smoothstep(-0.95, 0.15, n.z));
        gl_Position = vec4(position, 1.0);
    }}
}}
"""

_FRAGMENT = """
#version 330 core
in vec3 always;
in vec3 direct;
in vec3 shade;
flat in float instance;
layout(location = 0) out vec4 colour;
layout(location = 1) out float depth;
layout(location = 2) out uint id;
{uniforms}
void main() {{
    colour = vec4(sqrt(always + {share} * direct), 1.0);
    depth = instance > 0.0 ? 1.0 / gl_FragCoord.w : 0.0;
    id = uint(instance);
}}
"""

FRAGMENT = _FRAGMENT.format(uniforms='', share='1.0')

FRAGMENT_SHADOWED = _FRAGMENT.format(
    share='lit()',
    uniforms="""
uniform sampler2DShadow shadows;
uniform float blur;  // of the map's width

float lit() {
    if (direct == vec3(0.0) || any(lessThan(shade, vec3(0.0))) || any(greaterThan(shade, vec3(1.0)))) return 1.0;
    vec2 a = vec2(blur, 0.4 * blur), b = vec2(-a.y, a.x);  // a square that is turned a little, so that no edge runs along it
    return 0.25 * (texture(shadows, shade + vec3(a, 0.0)) + texture(shadows, shade + vec3(b, 0.0))
                 + texture(shadows, shade - vec3(a, 0.0)) + texture(shadows, shade - vec3(b, 0.0)));
}
""",
)

SHADOW_VERTEX = f"""
#version 330 core
{_TABLE}
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
