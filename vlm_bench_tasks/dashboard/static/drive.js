// Driving: held keys, a gamepad, the handle at the tool, and places that are pointed at. Nothing moves unless something is held.

import { byId } from './dom.js';
import { Handle } from './handle.js';

const ALIVE_MS = 100; // between two signs that a person is there
const REST_MS = 15; // between two looks at the inputs while nothing is held
const DEAD_ZONE = 0.15; // of a stick
const ABOVE = 0.12; // m above the place that was pointed at
const WIDE = 0.95; // share of its farthest from which a hand counts as open
const BEHIND = Math.PI; // the view of one who stands behind the robot, for cameras of the policy
const SERVO = { 1: 'slower: near a singularity', 2: 'stopped: a singularity', 4: 'slower: something is near', 5: 'stopped: the robot or the table is in the way', 6: 'a joint is at its limit' };

// Along right, away and up; about right, away and up.
const MOVES = {
  KeyD: [1, 0, 0, 0, 0, 0], KeyA: [-1, 0, 0, 0, 0, 0], KeyW: [0, 1, 0, 0, 0, 0], KeyS: [0, -1, 0, 0, 0, 0], KeyE: [0, 0, 1, 0, 0, 0], KeyQ: [0, 0, -1, 0, 0, 0],
  KeyI: [0, 0, 0, 1, 0, 0], KeyK: [0, 0, 0, -1, 0, 0], KeyO: [0, 0, 0, 0, 1, 0], KeyU: [0, 0, 0, 0, -1, 0], KeyJ: [0, 0, 0, 0, 0, 1], KeyL: [0, 0, 0, 0, 0, -1],
  KeyT: [0, 0, 0, 0, 0, 0],
};
const TURNS = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08] };

export class Drive {
  on = false;
  #keys = new Set();
  #shift = false;
  #pressed = false; // the button of the pad
  #target = null; // where the handle was pulled to, or what was pointed at
  #arrived = null; // the last of them that was reached
  #closed = null; // what the hand was told last in this episode
  #opening = 1;
  #busy = false; // with a planned motion or the hand
  #moves = false; // for held inputs
  #token = '';

  constructor(link, panel, fail) {
    Object.assign(this, { link, panel, fail, tool: null });
    this.handle = new Handle(panel.picture, (pose, held) => this.#pulled(pose, held));
    for (const [id, act] of Object.entries({ drive: () => this.toggle(), 'drive-hand': () => this.hand(), 'drive-go': () => this.go() })) byId(id).addEventListener('click', act);
    byId('drive-time').addEventListener('pointerdown', () => this.on && this.#keys.add('KeyT'));
    for (const end of ['pointerup', 'pointerleave', 'pointercancel']) byId('drive-time').addEventListener(end, () => this.#keys.delete('KeyT'));
    addEventListener('keyup', (event) => {
      this.#keys.delete(event.code);
      this.#shift = event.shiftKey;
    });
    addEventListener('blur', () => this.#release());
    document.addEventListener('visibilitychange', () => this.#release());
    panel.picture.addEventListener('dblclick', (event) => this.on && !panel.camera && this.#point(event), { capture: true });
    this.draw();
  }

  // What the bench said last.
  newest(told) {
    if (told.token !== this.#token) {
      this.#token = told.token;
      this.#closed = null;
      this.#target = null;
    }
    this.tool = told.tool ?? this.tool;
    this.#opening = told.opening;
    this.draw();
  }

  async toggle() {
    if (this.on) {
      this.#end();
      this.link.ask('leave').catch(() => {});
      return;
    }
    try {
      await this.link.ask('take', { operator: byId('operator').value.trim() });
    } catch (error) {
      this.fail(error);
      return;
    }
    this.fail(null);
    this.on = true;
    byId('stage').focus();
    this.draw();
    this.#alive();
    this.#loop();
  }

  // Returns whether a key that was pressed is one for driving.
  key(event) {
    this.#shift = event.shiftKey;
    if (event.code === 'KeyR') return !event.repeat && (this.toggle(), true);
    if (!this.on) return false;
    if (TURNS[event.code]) this.panel.turn(...TURNS[event.code]);
    else if (event.code in MOVES) this.#keys.add(event.code);
    else if (event.code === 'Space') event.repeat || this.hand();
    else if (event.code === 'Enter') event.repeat || this.go();
    else if (event.code === 'KeyP') byId('drive-plan').checked = !byId('drive-plan').checked;
    else if (event.code === 'Escape') this.#stop();
    else return ['ShiftLeft', 'ShiftRight'].includes(event.code);
    return true;
  }

  get #isClosed() {
    return this.#closed ?? this.#opening < WIDE;
  }

  async hand() {
    const closed = !this.#isClosed;
    if (await this.#done('grasp', { closed, by: 'keyboard' })) this.#closed = closed;
    this.draw();
  }

  async go() {
    if (!this.#target) {
      this.fail(new Error('Go where? Double-click a place in the free view, or choose "Plan first" and pull the handle.'));
      return;
    }
    const target = this.#target;
    if (await this.#done('go', { ...target, by: 'pointer' }) && this.#target === target) this.#target = null;
    this.draw();
  }

  #stop() {
    this.#keys.clear();
    this.#target = null;
    this.link.ask('hold').catch(() => {});
    this.draw();
  }

  #release() {
    this.#keys.clear();
    this.handle.release();
    if (this.on) this.link.ask('hold').catch(() => {});
  }

  #end() {
    this.on = false;
    this.#moves = false;
    this.#keys.clear();
    this.#target = null;
    this.draw();
  }

  async #done(what, fields) {
    if (!this.on || this.#busy) return false;
    this.#busy = true;
    this.draw();
    let done = true;
    while (this.#moves) await new Promise((resolve) => setTimeout(resolve, REST_MS)); // a twist would break it off
    try {
      await this.link.ask(what, fields);
      this.fail(null);
    } catch (error) {
      this.fail(error);
      done = false;
    }
    this.#busy = false;
    this.draw();
    return done;
  }

  // Says that a person is there, as long as the page is seen.
  async #alive() {
    while (this.on) {
      if (!document.hidden && document.hasFocus()) this.link.ask('alive').catch((error) => this.#lost(error));
      await new Promise((resolve) => setTimeout(resolve, ALIVE_MS));
    }
  }

  #lost(error) {
    if (!this.on) return;
    this.#end();
    this.fail(error);
  }

  async #loop() {
    while (this.on) {
      const wish = this.#wish() ?? (this.#moves ? ['move', {}] : null); // one period more, in which it comes to rest
      if (wish) await this.#send(...wish);
      this.#moves = wish !== null && Object.keys(wish[1]).length > 0;
      if (!wish) await new Promise((resolve) => setTimeout(resolve, REST_MS));
    }
  }

  async #send(what, fields) {
    const target = this.#target;
    try {
      const answer = await this.link.ask(what, { ...fields, ...(what === 'move' ? {} : target) });
      this.tool = answer.tool ?? this.tool;
      byId('drive-says').textContent = SERVO[answer.servo] ?? '';
      if (answer.there) this.#arrived = target;
      this.draw();
    } catch (error) {
      this.#keys.clear();
      this.handle.release();
      this.fail(error);
    }
  }

  #wish() {
    if (this.#busy) return null;
    const fine = this.#shift || byId('drive-fine').checked;
    if (this.handle.held && this.#target && !byId('drive-plan').checked) return this.#target === this.#arrived ? null : ['reach', { fine, by: 'handle' }];
    const keys = [...this.#keys].map((code) => MOVES[code]);
    const [pad, by] = keys.length ? [[], 'keyboard'] : [this.#pad(), 'gamepad'];
    const sum = [...keys, ...pad].reduce((whole, one) => whole.map((part, i) => Math.max(-1, Math.min(1, part + one[i]))), [0, 0, 0, 0, 0, 0]);
    if (!keys.length && !pad.length) return null;
    return ['move', { linear: this.#world(sum.slice(0, 3)), angular: this.#world(sum.slice(3)), fine, by }];
  }

  // Sticks: left along the table, right up and about the upright; triggers tilt. The lowest button is the hand.
  #pad() {
    const pad = [...(navigator.getGamepads?.() ?? [])].find((one) => one?.connected);
    if (!pad) return [];
    const beyond = (value = 0) => (Math.abs(value) < DEAD_ZONE ? 0 : (Math.sign(value) * (Math.abs(value) - DEAD_ZONE)) / (1 - DEAD_ZONE));
    const pressed = pad.buttons[0]?.pressed ?? false;
    if (pressed && !this.#pressed) this.hand();
    this.#pressed = pressed;
    const tilt = beyond((pad.buttons[7]?.value ?? 0) - (pad.buttons[6]?.value ?? 0));
    const wish = [beyond(pad.axes[0]), -beyond(pad.axes[1]), -beyond(pad.axes[3]), tilt, 0, -beyond(pad.axes[2])];
    return wish.some(Boolean) || pad.buttons[1]?.pressed ? [wish] : []; // the second button lets time pass
  }

  // From right, away and up in the picture to the axes of the world.
  #world([right, away, up]) {
    const azimuth = this.panel.camera ? BEHIND : this.panel.orbit.azimuth;
    const [sin, cos] = [Math.sin(azimuth), Math.cos(azimuth)];
    return [-right * sin - away * cos, right * cos - away * sin, up].map((part) => Math.max(-1, Math.min(1, part)));
  }

  #pulled(pose, held) {
    if (held) this.#target = pose;
    else if (!byId('drive-plan').checked) this.#target = null;
    this.draw();
  }

  // Puts the handle above the place in the picture that was pointed at.
  async #point(event) {
    event.stopPropagation();
    const box = this.panel.canvas.getBoundingClientRect();
    const scale = Math.min(box.width / 4, box.height / 3); // the picture is 4 : 3, and as large as its place allows
    const x = 0.5 + (event.clientX - box.left - box.width / 2) / (4 * scale);
    const y = 0.5 + (event.clientY - box.top - box.height / 2) / (3 * scale);
    if (x < 0 || x > 1 || y < 0 || y > 1 || !this.tool) return;
    try {
      const { position } = await this.link.ask('aim', { orbit: this.panel.orbit, x, y });
      this.#target = { position: [position[0], position[1], position[2] + ABOVE], orientation: this.tool.orientation };
      this.fail(null);
    } catch (error) {
      this.fail(error);
    }
    this.draw();
  }

  // Shows the handle, and what can be done.
  draw() {
    const { on } = this;
    this.handle.show(on && !this.panel.camera ? this.panel.orbit : null, this.tool, this.#target);
    document.body.classList.toggle('driving', on);
    byId('drive').textContent = on ? 'Let go' : 'Drive';
    byId('drive').setAttribute('aria-pressed', String(on));
    byId('drive-hand').textContent = this.#isClosed ? 'Open hand' : 'Close hand';
    for (const id of ['drive-hand', 'drive-time']) byId(id).disabled = !on || this.#busy;
    byId('drive-go').disabled = !on || this.#busy || !this.#target;
    byId('operator').disabled = on;
    const { position, orientation } = this.tool ?? { position: [], orientation: [] };
    byId('drive-tool').textContent = position.length ? `Tool: ${position.map((part) => part.toFixed(3)).join(', ')} m` : '';
    Object.assign(byId('drive-tool').dataset, { position, orientation });
  }
}
