"""The GLSL code of the patterns: `tint` returns the color of a pixel, from two colors and the place on the object in periods.

The numbers of patterns are their places in `looks.PATTERNS`, from 1.
"""

from vlm_bench_sim.core.looks import SIMPLE

PATTERN_INPUT = """
in vec4 base;   // under a pattern: linear color, and the pattern's period, m
in vec4 weave;  // of the pattern: linear color, and its number
out vec3 place;  // on the thing, in periods
flat out vec3 under;
flat out vec4 over;
"""
"""Declares what the vertex shader hands on for a pattern."""

_PATTERN = """
in vec3 place;
flat in vec3 under;
flat in vec4 over;

float edge(float x) { float w = 0.7 * fwidth(x) + 1e-5; return smoothstep(-w, w, x); }
float saw(float x) { return abs(fract(x) - 0.5); }
float chance(vec2 cell) { return fract(sin(dot(cell, vec2(12.9898, 78.233))) * 43758.5453); }

float noise(vec2 q) {
    vec2 cell = floor(q), at = fract(q);
    at *= at * (3.0 - 2.0 * at);
    return mix(mix(chance(cell), chance(cell + vec2(1, 0)), at.x), mix(chance(cell + vec2(0, 1)), chance(cell + vec2(1, 1)), at.x), at.y);
}

float pattern(int kind, vec2 q) {
    vec2 at = fract(q) - 0.5;
    if (kind == 1) return edge(saw(q.x) - 0.25);
    if (kind == 2) return edge(0.32 - length(at));
    if (kind == 3) return edge(saw(atan(q.y, q.x) / 6.2831853 + 0.5 * length(q)) - 0.25);
    if (kind == 4) return edge(sin(3.1415927 * q.x) * sin(3.1415927 * q.y));
    if (kind == 5) return edge(max(saw(2.0 * q.y) - 0.43, saw(q.x + 0.5 * mod(floor(2.0 * q.y), 2.0)) - 0.465));
    if (kind == 6) {
        float ring = 1.6 * q.y + 0.35 * noise(vec2(0.35 * q.x, 1.5 * q.y)) + 0.06 * noise(vec2(3.0 * q.x, 40.0 * q.y));
        return 0.75 * smoothstep(0.1, 0.5, saw(ring)) * (0.8 + 0.4 * noise(vec2(0.8 * q.x, 16.0 * q.y)));
    }
    if (kind == 7) return edge(max(saw(q.x), saw(q.y)) - 0.41);
    if (kind == 8) return edge(saw(q.y + saw(q.x)) - 0.25);
    if (kind == 9) {
        float cloud = noise(q) + 0.5 * noise(2.0 * q + 7.0) + 0.25 * noise(4.0 * q + 3.0);
        return pow(1.0 - saw(0.6 * q.x + 1.1 * cloud) * 2.0, 4.0);
    }
    if (kind == 10) return edge(saw(length(q)) - 0.25);
    if (kind == 11) return edge(0.38 - abs(at.x) - 0.6 * abs(at.y));
    return smoothstep(0.45, 0.75, noise(6.0 * q) * (0.55 + 0.6 * noise(2.0 * q + 5.0)) + 0.25 * noise(13.0 * q));
}
"""

_TINT = """
vec3 tint() {
    int kind = int(over.w + 0.5);
    vec3 across = abs(cross(dFdx(place), dFdy(place)));
    vec2 q = across.z >= max(across.x, across.y) ? place.xy : across.y >= across.x ? place.xz : place.yz;
    return kind == 0 ? vec3(1.0) : %s;
}
"""

_SIMPLE_TINT = 'mix(under, over.rgb, pattern(kind, q))'

_RICH_TINT = f'(kind > {len(SIMPLE)} ? rich(kind, q) : {_SIMPLE_TINT})'

_RICH = """
const vec3 GLOW = vec3(0.0, 0.55, 0.10);  // that the hottest magma adds to its color

float paisley(vec2 q) {  // drops with a bent tip, every other one upside down, each with a rim, a heart and a ring between them
    vec2 cell = floor(q), at = (fract(q) - 0.5) * (1.0 - 2.0 * mod(cell.x + cell.y, 2.0));
    at = vec2(0.83 * at.x + 0.56 * at.y, 0.83 * at.y - 0.56 * at.x);
    float wide = 0.80 * sqrt(max(at.y + 0.46, 0.0)) * (0.58 - at.y);
    float in_drop = at.y < 0.58 ? wide - abs(at.x + 0.06 - 0.95 * max(at.y, 0.0) * at.y) : -1.0;
    return edge(in_drop) - edge(in_drop - 0.10) + edge(in_drop - 0.18);
}

float hue(vec3 c) {  // 0 for red, 1/3 for green, 2/3 for blue
    float most = max(c.r, max(c.g, c.b)), span = max(most - min(c.r, min(c.g, c.b)), 1e-6);
    vec3 less = (most - c) / span;
    return fract((c.r == most ? less.b - less.g : c.g == most ? 2.0 + less.r - less.b : 4.0 + less.g - less.r) / 6.0);
}

vec3 rainbow(float x) {  // seven bands, whose hues go from that of the ground to that of the pattern
    float most = max(under.r, max(under.g, under.b)), least = min(under.r, min(under.g, under.b)), first = hue(under);
    float turned = first + fract(hue(over.rgb) - first) * floor(7.0 * fract(x)) / 6.0;
    return mix(vec3(least), vec3(most), clamp(abs(6.0 * fract(turned + vec3(0.0, 2.0, 1.0) / 3.0) - 3.0) - 1.0, 0.0, 1.0));
}

vec3 rich(int kind, vec2 q) {
    vec2 at = fract(q) - 0.5;
    if (kind == 13) return mix(under, over.rgb, paisley(q));
    if (kind == 14) {
        float bent = q.y + 1.1 * noise(vec2(0.9 * q.x, 0.7 * q.y)) + 0.25 * noise(2.5 * q + 3.0);
        return mix(under, over.rgb, edge(0.04 + 0.34 * noise(vec2(1.1 * q.x + 5.0, 0.8 * q.y)) - saw(bent)));
    }
    if (kind == 15) {
        float crust = noise(1.3 * q) + 0.5 * noise(2.6 * q + 7.0) + 0.2 * noise(6.0 * q + 3.0);
        float hot = pow(1.0 - 2.0 * saw(1.4 * crust), 2.5);
        return mix(under, over.rgb, hot) + GLOW * smoothstep(0.6, 1.0, hot);
    }
    if (kind == 16) return rainbow(q.x);
    return mix(under, over.rgb, smoothstep(0.36, 0.04, length(at - 0.1)) - 0.25 * smoothstep(0.40, 0.5, length(at)));
}
"""


def tint(*, rich: bool) -> str:
    """Return the code that declares `tint`. `rich`: with the patterns that are not simple, which cost as much as all the others."""
    return _PATTERN + _RICH + _TINT % _RICH_TINT if rich else _PATTERN + _TINT % _SIMPLE_TINT
