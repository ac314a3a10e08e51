// The handle at the tool: arrows to pull it along the axes of the world, rings to turn it, and a middle to slide it over the table.

import { drawn } from './dom.js';

const FOV = 0.7; // rad, of the free view
const [WIDTH, HEIGHT] = [640, 480]; // of the drawing, which is laid over the picture
const FOCAL = HEIGHT / (2 * Math.tan(FOV / 2));
const SIZE = 0.085; // of its arrows, as a share of the distance to the eye
const AXES = [['x', [1, 0, 0]], ['y', [0, 1, 0]], ['z', [0, 0, 1]]];
const FARTHEST = 3; // m from the robot
const FLATTEST = 0.08; // sine of the angle at which the middle no longer slides

const plus = (a, b, scale = 1) => a.map((part, i) => part + scale * b[i]);
const dot = (a, b) => a.reduce((sum, part, i) => sum + part * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((part) => part / Math.hypot(...a));

// Product of two quaternions, xyzw.
function after([ax, ay, az, aw], [bx, by, bz, bw]) {
  return unit([aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]);
}

// What the free view sees, with points of the drawing for pixels.
class View {
  constructor({ azimuth, elevation, distance, target }) {
    const level = distance * Math.cos(elevation);
    this.eye = plus(target, [level * Math.cos(azimuth), level * Math.sin(azimuth), distance * Math.sin(elevation)]);
    this.forward = unit(plus(target, this.eye, -1));
    this.right = unit(cross(this.forward, [0, 0, 1]));
    this.down = cross(this.forward, this.right);
  }

  // Where a point of the world stands; null behind the eye.
  at(point) {
    const off = plus(point, this.eye, -1);
    const depth = dot(off, this.forward);
    return depth < 0.02 ? null : [WIDTH / 2 + (FOCAL * dot(off, this.right)) / depth, HEIGHT / 2 + (FOCAL * dot(off, this.down)) / depth];
  }

  // The direction in which a place of the drawing is seen.
  ray([x, y]) {
    return unit(plus(plus(this.forward, this.right, (x - WIDTH / 2) / FOCAL), this.down, (y - HEIGHT / 2) / FOCAL));
  }
}

export class Handle {
  #grip = null;
  #shown = '';

  // `moved` receives the pose to which it was pulled, and whether it is still held.
  constructor(picture, moved) {
    this.moved = moved;
    this.svg = drawn('svg', { class: 'handle', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-hidden': 'true' });
    picture.append(this.svg);
    this.svg.addEventListener('pointermove', (event) => this.#pull(event));
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) this.svg.addEventListener(end, () => this.release());
  }

  get held() {
    return this.#grip !== null;
  }

  // Draws it where the tool is, or where it was pulled to; nothing without an orbit: in a camera of the policy.
  show(orbit, tool, target) {
    const pose = target ?? tool;
    this.orbit = orbit;
    this.pose = pose;
    const state = JSON.stringify([orbit, tool, target]);
    if (state === this.#shown) return;
    this.#shown = state;
    if (!orbit || !pose) {
      this.release();
      this.svg.replaceChildren();
      return;
    }
    const view = new View(orbit);
    const middle = view.at(pose.position);
    if (!middle) {
      this.release();
      this.svg.replaceChildren();
      return;
    }
    const size = SIZE * Math.hypot(...plus(pose.position, view.eye, -1));
    const parts = AXES.map(([name, axis]) => this.#ring(view, pose.position, name, axis, size));
    parts.push(...AXES.map(([name, axis]) => this.#arrow(view, pose.position, name, axis, size)));
    const from = target && tool && view.at(tool.position);
    if (from) parts.unshift(drawn('line', { class: 'way', x1: from[0], y1: from[1], x2: middle[0], y2: middle[1] }));
    parts.push(this.#grabbed(drawn('circle', { class: 'middle', cx: middle[0], cy: middle[1], r: 9 }), 'slide', [0, 0, 1]));
    if (this.#grip) this.#redraw(parts);
    else this.svg.replaceChildren(...parts);
  }

  release() {
    if (!this.#grip) return;
    this.#grip = null;
    this.#shown = '';
    this.moved(null, false);
  }

  // What is held must stay in the page: it has captured the pointer.
  #redraw(parts) {
    const old = [...this.svg.children];
    if (old.length !== parts.length) return this.svg.replaceChildren(...parts);
    parts.forEach((part, i) => {
      for (const { name, value } of part.attributes) old[i].setAttribute(name, value);
      [...part.children].forEach((child, k) => { for (const { name, value } of child.attributes) old[i].children[k]?.setAttribute(name, value); });
    });
    return undefined;
  }

  #arrow(view, from, name, axis, size) {
    const [a, b] = [view.at(plus(from, axis, 0.25 * size)), view.at(plus(from, axis, size))];
    if (!a || !b) return drawn('g');
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const long = Math.hypot(dx, dy);
    const [ux, uy] = long ? [dx / long, dy / long] : [0, 0];
    const tip = long < 6 ? '' : `M${b[0] + 9 * ux} ${b[1] + 9 * uy}L${b[0] - 5 * uy} ${b[1] + 5 * ux}L${b[0] + 5 * uy} ${b[1] - 5 * ux}Z`;
    const group = drawn('g', { class: `arrow ${name}` }, drawn('line', { class: 'wide', x1: a[0], y1: a[1], x2: b[0] + 8 * ux, y2: b[1] + 8 * uy }),
      drawn('line', { class: 'thin', x1: a[0], y1: a[1], x2: b[0], y2: b[1] }), drawn('path', { class: 'tip', d: tip }),
      drawn('text', { class: 'axis', x: b[0] + 20 * ux, y: b[1] + 20 * uy, opacity: tip ? 1 : 0 }, name));
    return this.#grabbed(group, 'pull', axis);
  }

  #ring(view, from, name, axis, size) {
    const [, other] = AXES[(AXES.findIndex(([one]) => one === name) + 1) % 3];
    const third = cross(axis, other);
    const turn = Array.from({ length: 41 }, (_, i) => (i * Math.PI) / 20);
    const points = turn.map((angle) => view.at(plus(plus(from, other, 0.8 * size * Math.cos(angle)), third, 0.8 * size * Math.sin(angle)))).filter(Boolean);
    const d = `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}`;
    return this.#grabbed(drawn('g', { class: `ring ${name}` }, drawn('path', { class: 'wide', d }), drawn('path', { class: 'thin', d })), 'turn', axis);
  }

  #grabbed(part, how, axis) {
    part.setAttribute('data-how', how);
    part.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      event.stopPropagation();
      event.preventDefault();
      this.svg.setPointerCapture(event.pointerId);
      this.#grip = { how, axis, at: this.#place(event), pose: structuredClone(this.pose) };
    });
    return part;
  }

  #place(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [x, y];
  }

  #pull(event) {
    if (!this.#grip) return;
    event.stopPropagation();
    const { how, axis, at, pose } = this.#grip;
    const view = new View(this.orbit);
    const now = this.#place(event);
    const pulled = structuredClone(pose);
    if (how === 'pull') pulled.position = this.#along(view, pose.position, axis, at, now);
    else if (how === 'slide') pulled.position = this.#over(view, pose.position, at, now);
    else pulled.orientation = after(this.#turned(view, pose.position, axis, at, now), pose.orientation);
    pulled.position = pulled.position.map((part) => Math.max(-FARTHEST, Math.min(FARTHEST, part)));
    this.moved(pulled, true);
  }

  #along(view, from, axis, at, now) {
    const [a, b] = [view.at(from), view.at(plus(from, axis, 0.01))];
    if (!a || !b) return from;
    const way = [(b[0] - a[0]) / 0.01, (b[1] - a[1]) / 0.01]; // points for each metre
    const square = dot(way, way);
    return square < 400 ? from : plus(from, axis, dot(plus(now, at, -1), way) / square);
  }

  #over(view, from, at, now) {
    const meet = (place) => {
      const ray = view.ray(place);
      const far = (from[2] - view.eye[2]) / ray[2];
      return Math.abs(ray[2]) < FLATTEST || far <= 0 ? null : plus(view.eye, ray, far); // beyond the horizon it meets nothing
    };
    const [a, b] = [meet(at), meet(now)];
    return a && b ? [from[0] + b[0] - a[0], from[1] + b[1] - a[1], from[2]] : this.pose.position;
  }

  #turned(view, from, axis, at, now) {
    const middle = view.at(from) ?? at;
    const angle = (place) => Math.atan2(place[1] - middle[1], place[0] - middle[0]);
    const towards = dot(axis, plus(view.eye, from, -1)) > 0 ? -1 : 1; // y points down
    const half = (towards * (angle(now) - angle(at))) / 2;
    return [...axis.map((part) => part * Math.sin(half)), Math.cos(half)];
  }
}
