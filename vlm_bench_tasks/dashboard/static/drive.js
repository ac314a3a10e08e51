// Driving: held keys, a gamepad, the handle at the tool, and places that are pointed at. Nothing moves unless something is held.

import { byId, write } from './dom.js';
import { Handle } from './handle.js';
import { MOVES, Pad } from './inputs.js';

const ALIVE_MS = 100; // between two signs that a person is there
const REST_MS = 15; // between two looks at the inputs while nothing is held
const ABOVE = 0.12; // m above the place that was pointed at
const WIDE = 0.95; // share of its farthest from which a gripper counts as open
const BEHIND = Math.PI; // the view of one who stands behind the robot, for cameras of the policy
const OTHERS = ['Meta', 'Control', 'Alt'];
const AGAIN_MS = 500; // after an error
const TURNS = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08] };

export class Drive {
  on = false;
  #keys = new Set();
  #shift = false;
  #target = null; // where the handle was pulled to, or what was pointed at
  #arrived = null; // the last of them that was reached
  #closed = null; // what the hand was told last in this episode
  #opening = 1;
  #planned = false; // whether it waits for a planned motion
  #busy = false; // with a planned motion or the hand
  #stops = 0;
  #taken = 0; // how often the arm was taken: loops of an earlier time end
  #running = false;
  #by = 'keyboard'; // what was used last
  #moves = false; // for held inputs
  #wished = false;
  #token = '';

  // `sucks` returns whether the robot that is there has suction cups.
  constructor(link, panel, fail, sucks) {
    Object.assign(this, { link, panel, fail, sucks, tool: null });
    this.pad = new Pad(() => {
      this.#by = 'gamepad';
      this.hand();
    });
    this.handle = new Handle(panel.picture, (pose, held) => this.#pulled(pose, held));
    for (const [id, act] of Object.entries({ drive: () => this.toggle(), 'drive-hand': () => this.hand(), 'drive-go': () => this.go(), 'stop-arm': () => this.stop() })) byId(id).addEventListener('click', act);
    byId('drive-time').addEventListener('pointerdown', (event) => this.on && event.button === 0 && this.#keys.add('KeyT'));
    for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => this.#keys.delete('KeyT'));
    addEventListener('keyup', (event) => {
      if (OTHERS.includes(event.key)) this.#keys.clear(); // with them held, browsers do not say which keys were let go
      this.#keys.delete(event.code);
      this.#shift = event.shiftKey;
    });
    addEventListener('keydown', (event) => OTHERS.includes(event.key) && this.#keys.clear());
    for (const lost of ['blur', 'contextmenu']) addEventListener(lost, () => this.#release());
    document.addEventListener('visibilitychange', () => this.#release());
    for (const id of ['live-form', 'transport']) byId(id).addEventListener('click', (event) => this.on && event.detail && !event.target.closest('label') && byId('stage').focus()); // so that keys drive again
    byId('camera').addEventListener('change', () => this.on && byId('stage').focus());
    panel.picture.addEventListener('dblclick', (event) => this.on && !panel.camera && this.#point(event), { capture: true });
    this.draw();
  }

  // What the bench said last.
  newest(told) {
    if (told.token !== this.#token) {
      this.#token = told.token;
      this.#closed = null;
    }
    const running = told.state === 'running' && told.token;
    if (running !== this.#running) this.#forget(); // what is held was meant for another episode
    this.#running = running;
    if (!this.#moves) this.tool = told.tool ?? this.tool; // else answers say it sooner
    this.#opening = told.opening;
    this.draw();
  }

  async toggle() {
    if (this.on) {
      this.#end();
      this.link.ask('leave').catch(() => {});
      return;
    }
    const taken = (this.#taken += 1);
    try {
      await this.link.ask('take', { operator: byId('operator').value.trim() });
    } catch (error) {
      this.fail(error);
      return;
    }
    if (taken !== this.#taken) return;
    this.fail(null);
    this.on = true;
    this.pad.forget();
    byId('stage').focus();
    this.draw();
    this.#alive(taken);
    this.#loop(taken);
  }

  // Returns whether a key that was pressed is one for driving.
  key(event) {
    this.#shift = event.shiftKey;
    if (event.code === 'KeyR') return !event.repeat && (this.toggle(), true);
    if (!this.on) return false;
    if (['Space', 'Enter'].includes(event.code) && event.target.closest('button, input, summary')) return false; // which it presses
    if (TURNS[event.code]) this.panel.turn(...TURNS[event.code]);
    else if (event.code in MOVES) event.repeat || this.#hold(event.code);
    else if (event.code === 'Space') event.repeat || this.hand();
    else if (event.code === 'Enter') event.repeat || this.go();
    else if (event.code === 'KeyP') byId('drive-plan').checked = !byId('drive-plan').checked;
    else if (['KeyB', 'KeyN'].includes(event.code)) return this.#running; // an episode is not given up by a slip
    else return ['ShiftLeft', 'ShiftRight', 'Escape'].includes(event.code); // the page stops by Escape wherever it is pressed
    return true;
  }

  #hold(code) {
    this.#by = 'keyboard';
    this.#keys.add(code);
  }

  // Stops whatever goes on, and forgets where to go.
  stop() {
    this.#forget();
    this.#stops += 1;
    const driven = this.on || document.body.classList.contains('driven'); // who started the window stops whoever drives; no policy is stopped
    this.link.ask('hold').then(() => driven && this.panel.say('The arm is stopped.'), (error) => driven && this.fail(error));
    this.draw();
  }

  get #isClosed() {
    return this.#closed ?? this.#opening < WIDE;
  }

  async hand() {
    const closed = !this.#isClosed;
    if (await this.#done('grasp', { closed, by: this.#by })) this.#closed = closed;
    this.draw();
  }

  async go() {
    if (!this.#target) {
      this.fail(new Error('Go where? Double-click a place in the free view, or choose "Plan first" and pull the handle.'));
      return;
    }
    const target = this.#target;
    if (await this.#done('go', { ...target, by: this.#planned ? 'pointer' : 'handle' }) && this.#target === target) this.#target = null;
    this.draw();
  }

  #forget() {
    this.#keys.clear();
    this.handle.release();
    this.#target = null;
    this.pad.forget();
  }

  #release() {
    this.#keys.clear();
    this.handle.release();
    this.pad.forget();
    this.#stops += 1;
    if (this.on) this.link.ask('hold').catch(() => {});
  }

  #end() {
    this.on = false;
    this.#taken += 1;
    this.#moves = false;
    this.panel.say('');
    this.#forget();
    this.draw();
  }

  async #done(what, fields) {
    if (!this.on || this.#busy) return false;
    this.#busy = true;
    this.draw();
    let done = true;
    const stops = this.#stops;
    while (this.#moves) await new Promise((resolve) => setTimeout(resolve, REST_MS)); // a twist would break it off
    try {
      if (!this.on || stops !== this.#stops) throw new Error('It was stopped.');
      this.tool = (await this.link.ask(what, fields)).tool ?? this.tool;
      this.fail(null);
    } catch (error) {
      stops === this.#stops ? this.fail(error) : this.panel.say('The arm is stopped.'); // by the person, or because they look elsewhere
      done = false;
    }
    this.#busy = false;
    this.draw();
    return done;
  }

  // Says that a person is there, as long as the page is seen.
  async #alive(taken) {
    while (taken === this.#taken) {
      const wait = new Promise((resolve) => setTimeout(resolve, ALIVE_MS));
      if (!document.hidden) await this.link.ask('alive').catch((error) => taken === this.#taken && this.#lost(error));
      await wait;
    }
  }

  #lost(error) {
    this.#end();
    this.fail(error);
  }

  async #loop(taken) {
    while (taken === this.#taken) {
      const wish = this.#wish() ?? (this.#moves ? ['move', { by: this.#by }] : null); // one period more, in which it slows down
      const held = this.#wished;
      if (wish) await this.#send(...wish);
      if (taken === this.#taken) this.#moves = wish !== null && held;
      if (!wish) await new Promise((resolve) => setTimeout(resolve, REST_MS));
    }
  }

  async #send(what, fields) {
    const target = this.#target;
    try {
      const answer = await this.link.ask(what, { ...fields, ...(what === 'move' ? {} : target) });
      this.tool = answer.tool ?? this.tool;
      this.panel.warn(answer.servo);
      if (answer.there) this.#arrived = target;
      this.draw();
    } catch (error) {
      this.#forget();
      this.fail(error);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  // Returns what is asked for by what is held, and notes whether anything is.
  #wish() {
    const wish = this.#busy || !this.#running ? null : this.#held();
    this.#wished = wish !== null;
    return wish;
  }

  #held() {
    const fine = this.#shift || byId('drive-fine').checked;
    if (this.handle.held && this.#target && !this.#planned && !byId('drive-plan').checked) {
      this.#by = 'handle';
      return this.#target === this.#arrived ? null : ['reach', { fine, by: 'handle' }];
    }
    const keys = [...this.#keys].map((code) => MOVES[code]);
    const pad = keys.length ? [] : this.pad.read();
    if (!keys.length && !pad.length) return null;
    this.#by = keys.length ? 'keyboard' : 'gamepad';
    const sum = [...keys, ...pad].reduce((whole, one) => whole.map((part, i) => part + one[i]), [0, 0, 0, 0, 0, 0]);
    return ['move', { linear: this.#world(sum.slice(0, 3)), angular: this.#world(sum.slice(3)), fine, by: this.#by }];
  }

  // From right, away and up in the picture to the axes of the world.
  #world([right, away, up]) {
    const azimuth = this.panel.camera ? BEHIND : this.panel.orbit.azimuth;
    const [sin, cos] = [Math.sin(azimuth), Math.cos(azimuth)];
    const long = Math.max(1, Math.hypot(right, away, up));
    return [-right * sin - away * cos, right * cos - away * sin, up].map((part) => part / long);
  }

  #pulled(pose, held) {
    if (held) this.#target = pose;
    else if (!this.#planned && !byId('drive-plan').checked) this.#target = null;
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
      this.#planned = true;
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
    if (!this.#target) this.#planned = false;
    this.handle.show(on && !this.panel.camera ? this.panel.orbit : null, this.tool, this.#target);
    document.body.classList.toggle('driving', on);
    write(byId('drive'), on ? 'Release control' : 'Take control');
    byId('drive').setAttribute('aria-pressed', String(on));
    write(byId('drive-hand'), (this.sucks() ? ['Suction on', 'Suction off'] : ['Close gripper', 'Open gripper'])[Number(this.#isClosed)]);
    byId('drive-hand').disabled = !on || this.#busy || !this.#running;
    byId('drive-time').disabled = !on || !this.#running;
    byId('drive-go').disabled = !on || this.#busy || !this.#target;
    byId('operator').disabled = on;
    const { position, orientation } = this.tool ?? { position: [], orientation: [] };
    write(byId('drive-tool'), position.length ? `Tool: ${position.map((part) => part.toFixed(3)).join(', ')} m${this.sucks() ? '' : `\nGripper: ${Math.round(100 * this.#opening)} % open`}` : '');
    Object.assign(byId('drive-tool').dataset, { position, orientation });
  }
}
