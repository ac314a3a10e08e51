// The list of episodes: search, filters, failures by cause, and only those rows that are in sight.

import { SIGNS, byId, element, options } from './dom.js';

const HEIGHT = 58; // px of a row, as in style.css
const VERDICTS = ['success', 'failure', 'unobservable'];

export class Episodes {
  all = [];
  #shown = [];
  #chosen = { open: -1, beside: -1 };
  #cursor = -1;
  #verdict = '';
  #cause = null;

  // `open` receives the number of a row that was chosen.
  constructor(open) {
    this.open = open;
    this.box = byId('rows');
    this.box.append(element('div', { class: 'height' }));
    for (const id of ['search', 'task']) byId(id).addEventListener('input', () => this.#filter());
    this.box.addEventListener('scroll', () => this.#draw());
    this.box.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => this.#draw()).observe(this.box);
  }

  add(rows) {
    for (const row of rows) this.all.push({ ...row, number: this.all.length, words: `${row.instruction} ${row.task} ${row.axis} ${row.split} ${row.seed} ${row.name}`.toLowerCase() });
    const task = byId('task').value;
    const tasks = [...new Set(this.all.map((row) => row.task).filter(Boolean))].sort();
    options(byId('task'), [['', 'All tasks'], ...tasks.map((name) => [name, name])], task);
    this.#filter();
  }

  mark(open, beside) {
    this.#chosen = { open, beside };
    this.#reveal(open);
    this.#draw();
  }

  // The row after or before the one that is open, among those shown; undefined at the end.
  after(step) {
    const at = this.#shown.findIndex((row) => row.number === this.#chosen.open);
    return this.#shown[at < 0 ? 0 : at + step]?.number;
  }

  // While the second episode of a comparison is looked for, arrows lead over the rows and Enter chooses.
  pick(on) {
    this.#cursor = on ? this.#chosen.open : -1;
    this.#draw();
  }

  // Rows of the same task, axis, split and seed as another one.
  same(number) {
    const key = (row) => [row.task, row.axis, row.split, row.seed].join('\n');
    return this.all.filter((row) => row.bag && row.number !== number && key(row) === key(this.all[number]));
  }

  #filter() {
    const words = byId('search').value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const task = byId('task').value;
    const found = this.all.filter((row) => (!task || row.task === task) && words.every((word) => row.words.includes(word)));
    this.#chips(found);
    this.#causes(found);
    this.#shown = found.filter((row) => (!this.#verdict || row.verdict === this.#verdict) && (!this.#cause || this.#of(row) === this.#cause));
    byId('count').textContent = this.#shown.length === this.all.length ? `${this.all.length} episode${this.all.length === 1 ? '' : 's'}` : `${this.#shown.length} of ${this.all.length} episodes`;
    this.box.firstElementChild.style.height = `${this.#shown.length * HEIGHT}px`;
    this.#draw();
  }

  #of = (row) => `${row.task}\n${row.cause || row.verdict}`;

  #chips(rows) {
    const chip = (verdict) => {
      const count = rows.filter((row) => row.verdict === verdict).length;
      const pick = () => {
        this.#verdict = this.#verdict === verdict ? '' : verdict;
        this.#filter();
      };
      return element('button', { type: 'button', 'aria-pressed': String(this.#verdict === verdict), click: pick }, `${SIGNS[verdict]} ${count} ${verdict}`);
    };
    byId('verdicts').replaceChildren(...VERDICTS.filter((verdict) => this.all.some((row) => row.verdict === verdict)).map(chip));
  }

  #causes(rows) {
    const groups = new Map();
    for (const row of rows) if (row.verdict && row.verdict !== 'success') groups.set(this.#of(row), (groups.get(this.#of(row)) ?? 0) + 1);
    if (this.#cause && !groups.has(this.#cause)) this.#cause = null;
    const sorted = [...groups].sort((a, b) => b[1] - a[1]);
    byId('causes-box').hidden = !sorted.length;
    byId('causes').replaceChildren(...sorted.map(([key, count]) => {
      const [task, cause] = key.split('\n');
      const pick = () => {
        this.#cause = this.#cause === key ? null : key;
        this.#filter();
      };
      return element('button', { type: 'button', title: task, 'aria-pressed': String(this.#cause === key), click: pick },
        element('span', {}, `${cause} · ${task.split('/').pop()}`), element('span', {}, String(count)));
    }));
  }

  #draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / HEIGHT) - 2);
    const last = Math.min(this.#shown.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / HEIGHT) + 2);
    this.box.firstElementChild.replaceChildren(...this.#shown.slice(first, last).map((row, i) => this.#row(row, first + i)));
    this.box.setAttribute('aria-activedescendant', `row-${this.#chosen.open}`);
  }

  #row(row, at) {
    const state = row.fault ? 'fault' : row.verdict;
    const facts = [row.task.split('/').pop(), row.axis, row.split, row.seed && `seed ${row.seed}`, row.cause].filter(Boolean).join(' · ');
    const made = element('div', {
      class: `row${row.number === this.#chosen.beside ? ' beside' : ''}${row.number === this.#cursor ? ' cursor' : ''}`, id: `row-${row.number}`, role: 'option', title: row.fault || [row.instruction, row.task, row.name, row.detail].filter(Boolean).join('\n'),
      'aria-selected': String(row.number === this.#chosen.open), click: () => this.open(row.number),
    }, element('span', { class: `mark ${state}`, 'aria-label': state }, SIGNS[state] ?? '·'), element('span', { class: 'words' }, row.instruction || row.name || 'episode'),
    element('span', { class: 'facts' }, row.fault ? 'cannot be read' : facts));
    made.style.top = `${at * HEIGHT}px`;
    return made;
  }

  #reveal(number) {
    const at = this.#shown.findIndex((row) => row.number === number);
    if (at < 0) return;
    const top = at * HEIGHT;
    if (top < this.box.scrollTop || top + HEIGHT > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top - this.box.clientHeight / 2;
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = event.key === 'Enter' && this.#cursor >= 0 && this.#cursor !== this.#chosen.open;
    if (!step && !chosen) return;
    event.preventDefault();
    event.stopPropagation();
    if (chosen) {
      this.open(this.#cursor);
    } else if (this.#cursor >= 0) {
      const at = this.#shown.findIndex((row) => row.number === this.#cursor);
      this.#cursor = this.#shown[at + step]?.number ?? this.#cursor;
      this.#reveal(this.#cursor);
      this.#draw();
    } else {
      const number = this.after(step);
      if (number !== undefined) this.open(number);
    }
  }
}
