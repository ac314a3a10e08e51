"""The GLSL program that draws everything. Lights and viewer count as far away, so that light is worked out per corner, not per pixel."""

OBJECTS = 1000
"""Objects in one picture: 64 bytes each, so that all fit into a uniform block of 64 KiB."""

KEY = (0.30, 0.35, 0.90)
"""Direction of the key light, in the world, not normalised."""

VERTEX = f"""
#version 330 core
layout(std140) uniform Objects {{ vec4 object[{4 * OBJECTS}]; }};  // three rows of the pose, then linear colour and instance id
uniform mat4 clip_from_world;
uniform vec3 halfway;  // between the key light and the viewer
in vec3 position;
in vec4 facing;  // normal, gloss
in vec3 paint;   // linear
in uint owner;
out vec3 radiance;
flat out float instance;

const vec3 KEY = normalize(vec3{KEY});
const vec3 FILL = normalize(vec3(-0.50, -0.70, 0.35));
const vec3 KEY_LIGHT = vec3(0.56, 0.545, 0.52);
const vec3 FILL_LIGHT = vec3(0.13, 0.135, 0.145);
const vec3 SKY = vec3(0.44, 0.45, 0.47);
const vec3 GROUND = vec3(0.21, 0.20, 0.19);
const vec3 FLOOR = vec3(0.50, 0.51, 0.53);
const vec3 WALL = vec3(0.90, 0.915, 0.93);

vec3 lit(vec3 albedo, vec3 n, float gloss) {{
    vec3 light = mix(GROUND, SKY, 0.5 + 0.5 * n.z) + KEY_LIGHT * max(dot(n, KEY), 0.0) + FILL_LIGHT * max(dot(n, FILL), 0.0);
    return albedo * light + gloss * pow(max(dot(n, halfway), 0.0), 32.0);
}}

void main() {{
    int i = 4 * int(owner);
    mat3x4 pose = mat3x4(object[i], object[i + 1], object[i + 2]);
    vec4 look = object[i + 3];
    vec3 n = normalize(vec4(facing.xyz, 0.0) * pose);
    instance = look.a;
    if (instance > 0.0) {{
        radiance = lit(paint * look.rgb, n, facing.w);
        gl_Position = clip_from_world * vec4(vec4(position, 1.0) * pose, 1.0);
    }} else {{  // the backdrop has no place: it fills the picture behind everything, and n is the ray of sight
        radiance = mix(FLOOR, WALL, smoothstep(-0.95, 0.15, n.z));
        gl_Position = vec4(position, 1.0);
    }}
}}
"""

FRAGMENT = """
#version 330 core
in vec3 radiance;
flat in float instance;
layout(location = 0) out vec4 colour;
layout(location = 1) out float depth;
layout(location = 2) out uint id;

void main() {
    colour = vec4(sqrt(radiance), 1.0);
    depth = instance > 0.0 ? 1.0 / gl_FragCoord.w : 0.0;
    id = uint(instance);
}
"""
