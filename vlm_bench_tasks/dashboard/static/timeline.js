// The timeline of an episode as a drawing that is also a slider: progress, clauses, things, skills and events over time.

import { drawn, element } from './dom.js';

const LABEL = 240; // px of the names at the left
const SHORT = 40; // px at the right end where no time is written: it would be cut off
const LANE = 18;
const CURVE = 44;
const DEEPEST = 2; // calls of a skill by another that are shown

export class Timeline {
  #at = 0;

  // `seek` receives the control period that was chosen; null: it only shows how far an episode has come.
  constructor(seek) {
    this.seek = seek;
    this.box = element('div', seek ? { class: 'timeline chosen', role: 'slider', tabindex: 0, 'aria-label': 'Time', 'aria-valuemin': 0 } : { class: 'timeline' });
    new ResizeObserver(() => this.draw()).observe(this.box);
    if (!seek) return;
    const choose = (event) => {
      if (event.buttons & 1) this.seek(this.#period(event));
    };
    this.box.addEventListener('pointerdown', (event) => {
      this.box.setPointerCapture(event.pointerId);
      choose(event);
    });
    this.box.addEventListener('pointermove', choose);
  }

  show(told, periods) {
    this.told = told;
    this.periods = periods;
    this.draw();
  }

  move(seq) {
    this.#at = seq;
    if (!this.told) return;
    const x = this.#x(Math.min(seq, this.told.periods - 1) + 0.5);
    this.head?.setAttribute('transform', `translate(${x} 0)`);
    if (!this.seek) return;
    this.box.setAttribute('aria-valuenow', seq);
    this.box.setAttribute('aria-valuetext', `${(seq / this.told.hertz).toFixed(2)} seconds`);
  }

  draw() {
    if (!this.told || !this.box.clientWidth) return;
    const { told } = this;
    this.width = this.box.clientWidth - 20;
    const parts = [];
    let y = this.#ruler(parts);
    y = this.#curves(parts, y);
    for (const clause of told.clauses) y = this.#lane(parts, y, clause.words, [[clause.holds, 'holds', 4]]);
    for (const thing of told.things) y = this.#lane(parts, y, thing.words, [[thing.touched, 'touched', 7], [thing.held, 'held', 4]]);
    y = this.#skills(parts, y);
    y = this.#events(parts, y);
    const decided = this.#x(told.judged.seq + 1);
    parts.push(drawn('line', { class: `verdict ${told.judged.verdict}`, x1: decided, x2: decided, y1: 18, y2: y }, drawn('title', {}, told.judged.verdict)));
    this.head = this.seek && drawn('g', {}, drawn('line', { class: 'head', y1: 8, y2: y }), drawn('circle', { class: 'knob', cy: 8, r: 5 }));
    if (this.seek) this.box.setAttribute('aria-valuemax', this.periods - 1);
    this.box.replaceChildren(drawn('svg', { height: y + 4, viewBox: `0 0 ${this.width} ${y + 4}`, 'aria-hidden': 'true' }, ...parts, this.head));
    this.move(this.#at);
  }

  #x = (seq) => LABEL + ((this.width - LABEL - 8) * seq) / this.periods;

  #period(event) {
    const left = this.box.getBoundingClientRect().left + 10;
    const share = (event.clientX - left - LABEL) / (this.width - LABEL - 8);
    return Math.max(0, Math.min(this.periods - 1, Math.floor(share * this.periods)));
  }

  #ruler(parts) {
    const seconds = this.periods / this.told.hertz;
    const step = [0.5, 1, 2, 5, 10, 20, 30, 60, 120].find((one) => seconds / one <= 12) ?? 300;
    for (let second = 0; second <= seconds; second += step) {
      const x = this.#x(second * this.told.hertz);
      parts.push(drawn('line', { class: 'grid', x1: x, x2: x, y1: 18, y2: 22 }), x < this.width - SHORT && drawn('text', { x: x + 2, y: 13 }, `${second} s`));
    }
    return 24;
  }

  #curves(parts, top) {
    const { told } = this;
    const y = (share) => top + CURVE - 3 - share * (CURVE - 6);
    parts.push(this.#name(top + CURVE / 2 + 4, 'progress and reward'), drawn('rect', { class: 'lane', x: LABEL, y: top, width: this.width - LABEL - 8, height: CURVE }));
    const steps = told.progress.map((share, seq) => `H${this.#x(seq)}V${y(share)}`).join('');
    const end = this.#x(told.periods);
    parts.push(drawn('path', { class: 'progress', d: `M${LABEL} ${y(0)}${steps}H${end}V${y(0)}Z` }), drawn('path', { class: 'progress-line', d: `M${LABEL} ${y(told.progress[0] ?? 0)}${steps}H${end}` }));
    parts.push(drawn('polyline', { class: 'reward', points: told.reward.map((share, seq) => `${this.#x(seq + 0.5)},${y(share)}`).join(' ') }));
    return top + CURVE + 4;
  }

  #lane(parts, y, words, bars) {
    parts.push(this.#name(y + 13, words), drawn('rect', { class: 'lane', x: LABEL, y: y + 2, width: this.width - LABEL - 8, height: LANE - 4 }));
    for (const [spans, name, inset] of bars) {
      for (const [first, last] of spans) {
        parts.push(drawn('rect', { class: name, x: this.#x(first), width: Math.max(1.5, this.#x(last + 1) - this.#x(first)), y: y + inset, height: LANE - 2 * inset, rx: 2 },
          drawn('title', {}, `${words}: ${name} from ${this.#time(first)} to ${this.#time(last + 1)}`)));
      }
    }
    return y + LANE;
  }

  #skills(parts, y) {
    const shown = this.told.skills.filter((skill) => skill.depth <= DEEPEST);
    if (!shown.length) return y;
    const rows = 1 + Math.max(...shown.map((skill) => skill.depth));
    parts.push(this.#name(y + 13, 'skills of the expert'));
    for (const skill of shown) {
      const x = this.#x(skill.begin);
      const width = Math.max(1.5, this.#x(skill.end) - x);
      const top = y + skill.depth * LANE;
      parts.push(drawn('rect', { class: `skill ${skill.outcome}`, x, y: top + 1, width, height: LANE - 2, rx: 3 }, drawn('title', {}, `${skill.name}: ${skill.words} (${skill.outcome})`)));
      if (width > 7 * skill.name.length) parts.push(drawn('text', { class: 'skill-name', x: x + 4, y: top + 13 }, skill.name));
    }
    return y + rows * LANE;
  }

  #events(parts, y) {
    parts.push(this.#name(y + 13, 'events and steps'), drawn('rect', { class: 'lane', x: LABEL, y: y + 2, width: this.width - LABEL - 8, height: LANE - 4 }));
    const tick = (seq, words, name) => {
      const x = this.#x(seq);
      parts.push(drawn('line', { class: name, x1: x, x2: x, y1: y + 3, y2: y + LANE - 3 }, drawn('title', {}, `${this.#time(seq)}: ${words}`)));
    };
    for (const step of this.told.steps) tick(step.seq, step.text, 'step');
    for (const mark of this.told.marks) tick(mark.seq, mark.text, 'event');
    return y + LANE;
  }

  #name(y, words) {
    const short = words.length > 38 ? `${words.slice(0, 37)}…` : words;
    const text = drawn('text', { class: 'title', x: 0, y: 13 }, short, drawn('title', {}, words));
    return drawn('svg', { x: 0, y: y - 13, width: LABEL - 8, height: LANE }, text); // which cuts it off
  }

  #time = (seq) => `${(seq / this.told.hertz).toFixed(2)} s`;
}

// The periods at which something happens, in order: what `[` and `]` jump to.
export function moments(told) {
  const found = [0, told.judged.seq, ...told.marks.map((mark) => mark.seq), ...told.steps.map((step) => step.seq)];
  for (const spans of [...told.clauses.map((clause) => clause.holds), ...told.things.map((thing) => thing.held)]) for (const [first, last] of spans) found.push(first, last + 1);
  return [...new Set(found.filter((seq) => seq < told.periods))].sort((a, b) => a - b);
}
