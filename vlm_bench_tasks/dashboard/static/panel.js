// One episode on the page: its picture at a moment, its instruction, and which clauses hold.

import { element, write } from './dom.js';

const FREE = { azimuth: 0.6, elevation: 0.5, distance: 1.95, target: [0.4, 0, 0.2] };
const STEEPEST = 1.5; // rad
const SERVO = { // as MoveIt Servo numbers it
  1: 'slower: near a singularity', 2: 'stopped: a singularity', 3: 'slower: leaving a singularity', 4: 'slower: something is near', 5: 'stopped: the robot or the table is in the way', 6: 'a joint is at its limit',
};
const SAID_MS = 2500; // for which something stands on the picture
const STILL_MS = 220; // after which a picture is drawn again with smooth edges

export class Panel {
  #wanted = null;
  #busy = false;
  #fine = 0;
  #said = 0;
  #wake = () => {};

  // `place`: 0 or 1. `turned` is called when the free view was moved. `what`: draw for an episode, see for a running bench.
  constructor(link, place, turned, { what = 'draw' } = {}) {
    this.what = what;
    this.link = link;
    this.place = place;
    this.turned = turned;
    this.orbit = structuredClone(FREE);
    this.canvas = element('canvas', { width: 640, height: 480, role: 'img' });
    this.note = element('span', { class: 'note' });
    this.warning = element('span', { class: 'warning', role: 'status' });
    this.picture = element('div', { class: 'picture' }, this.canvas, this.note, this.warning);
    this.words = element('p', { class: 'instruction' });
    this.prompts = element('div', { class: 'prompts' });
    this.facts = element('p', { class: 'facts' });
    this.badge = element('span', { class: 'badge' });
    this.why = element('p', { class: 'facts' });
    this.clauses = element('ul', { class: 'clauses', 'aria-label': 'Clauses of the goal' });
    this.now = element('div', { class: 'now' });
    this.box = element('section', { class: 'panel', 'aria-label': 'Episode' }, this.picture,
      element('div', { class: 'side' }, this.words, this.prompts, this.facts, element('div', {}, this.badge), this.why, this.clauses, this.now));
    this.#listen();
  }

  show(number, told) {
    this.number = number;
    this.told = told;
    this.#name(told);
    this.#verdict(told);
    this.prompts.replaceChildren();
    for (let image = 1; image <= told.pictures; image += 1) this.#prompt(image);
  }

  #name(told) {
    write(this.words, told.instruction);
    write(this.facts, [told.task, told.axis, told.split, told.seed && `seed ${told.seed}`, told.robot, told.policy, told.perturbations, told.assistance && `aids: ${told.assistance}`].filter(Boolean).join(' · '));
  }

  #verdict(told) {
    const { judged } = told;
    this.badge.className = `badge ${judged.verdict}`;
    write(this.badge, told.judging ? 'a person judges' : judged.score >= 0 ? `${judged.verdict}, score ${Math.round(judged.score)}` : judged.verdict);
    const reasons = [...judged.causes];
    if (!judged.agrees) reasons.push('the recorded verdict is another one');
    for (const mark of told.marks.filter((one) => one.kind === 'answer')) reasons.push(mark.text.replace('\n', ', as '));
    if (judged.violations) reasons.push(`${judged.violations} commands outside the episode`);
    if (told.labels_fault) reasons.push(told.labels_fault);
    if (told.marks_left_out) reasons.push(`${told.marks_left_out} more events are not shown`);
    write(this.why, reasons.join('\n'));
    const words = told.clauses.map((clause) => clause.words);
    if (words.join('\n') !== [...this.clauses.children].map((item) => item.textContent).join('\n')) {
      this.clauses.replaceChildren(...words.map((text) => element('li', {}, element('span', {}, text))));
    }
  }

  // Shows the newest state of a running bench.
  newest(told) {
    this.told = told;
    this.#name(told);
    this.#verdict(told);
    this.#at(Math.max(told.periods - 1, 0));
  }

  // Draws the newest picture of a running bench, over and over; `camera` returns which. What stands still is drawn once more, with smooth edges.
  async follow(camera) {
    let drawn = { view: '', number: 0, samples: 1 };
    let still = false;
    for (;;) {
      const asked = { camera: camera(), orbit: this.orbit };
      const view = JSON.stringify(asked);
      const samples = still ? 3 : 1;
      const since = view === drawn.view && !still ? drawn.number : 0;
      try {
        const awaited = this.link.ask(this.what, { ...asked, since, samples, ...this.#size(samples) });
        const answer = await (since ? Promise.race([awaited, new Promise((resolve) => { this.#wake = resolve; })]) : awaited);
        if (answer === undefined) continue; // another view is wanted meanwhile
        if (answer instanceof Blob) {
          drawn = { view, number: new DataView(await answer.slice(0, 4).arrayBuffer()).getUint32(0, true), samples };
          const bitmap = await createImageBitmap(answer.slice(4));
          this.picture.classList.toggle('free', !asked.camera);
          this.#paint(bitmap, { ...asked, seq: drawn.number, samples });
          if (this.camera !== asked.camera) {
            this.camera = asked.camera;
            this.turned(this);
          }
          bitmap.close();
        }
        still = !(answer instanceof Blob) && drawn.samples === 1 && !asked.camera;
      } catch (error) {
        this.note.textContent = error.message;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  // Shows a control period. While it plays, pictures are coarse and those that come too late are left out.
  move(seq, camera) {
    const at = Math.min(seq, this.told.periods - 1);
    this.#at(at);
    this.seq = at;
    this.camera = camera;
    this.picture.classList.toggle('free', !camera);
    this.canvas.setAttribute('aria-label', `${camera || 'Free view'} at ${(at / this.told.hertz).toFixed(2)} seconds`);
    this.#want(1);
    clearTimeout(this.#fine);
    this.#fine = setTimeout(() => this.#want(3), STILL_MS);
  }

  #at(seq) {
    this.told.clauses.forEach((clause, i) => this.clauses.children[i].classList.toggle('true', clause.holds.some(([first, last]) => first <= seq && seq <= last)));
    const step = this.told.steps.filter((one) => one.seq <= seq).pop();
    write(this.now, step ? `Step: ${step.text}` : '');
  }

  // Says how the last command of the hand was followed.
  warn(servo) {
    if (SERVO[servo]) this.say(SERVO[servo]);
  }

  // Says something on the picture, for a while; '' ends it.
  say(words) {
    write(this.warning, words);
    clearTimeout(this.#said);
    if (words) this.#said = setTimeout(() => this.say(''), SAID_MS);
  }

  close() {
    clearTimeout(this.#fine);
    this.#wanted = null;
    this.box.remove();
  }

  // Another view is wanted.
  look() {
    this.#wake();
    this.turned(this);
  }

  turn(azimuth, elevation) {
    this.orbit.azimuth = (this.orbit.azimuth + azimuth) % (2 * Math.PI);
    this.orbit.elevation = Math.max(-STEEPEST, Math.min(STEEPEST, this.orbit.elevation + elevation));
    this.look();
  }

  zoom(factor) {
    this.orbit.distance = Math.max(0.2, Math.min(5, this.orbit.distance * factor));
    this.look();
  }

  reset() {
    this.orbit = structuredClone(FREE);
    this.look();
  }

  #want(samples) {
    this.#wanted = { episode: this.number, seq: this.seq, camera: this.camera, orbit: this.orbit, panel: this.place, ...this.#size(samples), samples };
    this.#next();
  }

  // Coarse while something moves; else as large as it is shown.
  #size(samples) {
    const shown = this.picture.clientWidth * Math.min(devicePixelRatio, 2);
    const width = samples === 1 ? 480 : Math.max(320, Math.min(800, 16 * Math.round(shown / 16)));
    return { width, height: (width * 3) / 4 };
  }

  async #next() {
    if (this.#busy || !this.#wanted) return;
    this.#busy = true;
    const wanted = this.#wanted;
    this.#wanted = null;
    try {
      const bitmap = await createImageBitmap(await this.link.ask('draw', wanted));
      if (wanted.episode === this.number) this.#paint(bitmap, wanted);
      bitmap.close();
    } catch (error) {
      this.note.textContent = error.message;
      this.canvas.width = this.canvas.width; // which clears it: what it shows is of another moment
    }
    this.#busy = false;
    this.#next();
  }

  #paint(bitmap, wanted) {
    if (this.canvas.width !== bitmap.width) this.canvas.width = bitmap.width;
    if (this.canvas.height !== bitmap.height) this.canvas.height = bitmap.height;
    this.canvas.getContext('2d').drawImage(bitmap, 0, 0);
    write(this.note, wanted.camera || 'Free view: drag to turn');
    this.canvas.dataset.seq = wanted.seq;
    this.canvas.dataset.samples = wanted.samples;
    this.canvas.dataset.count = Number(this.canvas.dataset.count ?? 0) + 1;
  }

  async #prompt(image) {
    const picture = element('img', { alt: `picture ${image} of the instruction` });
    this.prompts.append(element('figure', {}, picture, element('figcaption', {}, `image ${image}`)));
    try {
      const wanted = this.what === 'see' ? ['image', { number: image }] : ['prompt', { episode: this.number, number: image }];
      picture.src = URL.createObjectURL(await this.link.ask(...wanted));
      picture.addEventListener('load', () => URL.revokeObjectURL(picture.src), { once: true });
    } catch (error) {
      picture.alt = error.message;
    }
  }

  #listen() {
    const { picture } = this;
    picture.addEventListener('pointerdown', (event) => !this.camera && picture.setPointerCapture(event.pointerId));
    picture.addEventListener('pointermove', (event) => {
      if (this.camera || !(event.buttons & 1)) return;
      if (event.shiftKey) this.#pan(event.movementX, event.movementY);
      else this.turn(-0.008 * event.movementX, 0.008 * event.movementY);
    });
    picture.addEventListener('dblclick', () => !this.camera && this.reset());
    picture.addEventListener('wheel', (event) => {
      if (this.camera) return;
      event.preventDefault();
      this.zoom(Math.exp(0.0012 * event.deltaY));
    }, { passive: false });
  }

  // Moves the target in the plane of the picture.
  #pan(right, down) {
    const { azimuth, elevation, distance, target } = this.orbit;
    const scale = (distance * 0.73) / Math.max(this.picture.clientHeight, 1);
    const [side, up] = [-right * scale, down * scale];
    const [sin, cos] = [Math.sin(azimuth), Math.cos(azimuth)];
    const rise = [-Math.sin(elevation) * cos, -Math.sin(elevation) * sin, Math.cos(elevation)];
    const moved = [target[0] - side * sin + up * rise[0], target[1] + side * cos + up * rise[1], target[2] + up * rise[2]];
    this.orbit.target = moved.map((part) => Math.max(-3, Math.min(3, part)));
    this.look();
  }
}
