// What the bench asks a person on a real arm: is the table laid, and is it true what was to be done.

import { byId, element } from './dom.js';

const TITLES = { lay_table: 'Lay the table', judge: 'Judge' };
const WORDS = { lay_table: ['It is done', 'It will not be done'], judge: ['Yes', 'No'] };
const THING = /^\d+\. /; // a line of the list of things
const KEYS = { y: 'yes', n: 'no', u: 'unsure' };
const UNSURE = 'judge'; // the kind of question that can be answered with: I cannot tell
const SEEN_MS = 600; // until then keys were meant for something else

export class Question {
  #asked = null;
  #picture = 0;
  #busy = false;
  #since = 0; // when the question came

  constructor(link, role) {
    this.link = link;
    this.may = ['all', 'judge'].includes(role);
    byId('question-answer').addEventListener('submit', (event) => this.#send(event));
    byId('question-code').addEventListener('submit', (event) => this.#prove(event));
    byId('question-said').addEventListener('change', () => this.#allow());
  }

  // Shows what is asked now; null: nothing.
  show(asked) {
    const { id, picture } = asked ?? {};
    const other = id !== this.#asked?.id;
    const proven = asked?.proven && !this.#asked?.proven;
    this.#asked = asked ?? null;
    byId('question').hidden = !asked;
    if (!asked) return;
    if (other) this.#begin();
    byId('question-code').hidden = asked.proven || !this.may;
    byId('question-answer').hidden = !asked.proven || !this.may;
    if (other || proven) this.#focus();
    if (picture !== this.#picture) this.#draw(picture);
  }

  // Whether something is asked. Until it is answered, no key begins an episode or moves the arm.
  get open() {
    return this.#asked !== null;
  }

  // Returns whether a key that was pressed is one for the question.
  key(event) {
    if (!this.#asked || event.repeat) return false;
    if (event.key === 'g') return this.enter();
    if (!KEYS[event.key] || (event.key === 'u' && this.#asked.kind !== UNSURE) || !this.#asked.proven || !this.may) return false;
    if (performance.now() - this.#since < SEEN_MS) return true;
    const said = byId('question-said').querySelector(`[value=${KEYS[event.key]}]`);
    said.checked = true;
    said.focus(); // Enter sends, Tab leads to the reason, and another key chooses anew
    this.#allow();
    return true;
  }

  enter() {
    if (!this.#asked) return false;
    byId('question').focus();
    byId('question').scrollIntoView({ block: 'nearest' });
    return true;
  }

  #begin() {
    const { kind, text } = this.#asked;
    byId('question-title').textContent = TITLES[kind];
    const lines = text.split('\n');
    byId('question-text').textContent = lines.filter((line) => !THING.test(line)).join('\n');
    byId('question-things').replaceChildren(...lines.filter((line) => THING.test(line)).map((line) => element('li', {}, line.replace(THING, ''))));
    byId('choice-unsure').hidden = kind !== UNSURE;
    [byId('word-yes').textContent, byId('word-no').textContent] = WORDS[kind];
    byId('question-answer').reset();
    byId('question-fault').textContent = '';
    byId('question').scrollIntoView({ block: 'nearest' });
    this.#since = performance.now();
    this.#allow();
  }

  // Nobody who writes something elsewhere is led away.
  #focus() {
    const elsewhere = document.activeElement?.closest('input, select, dialog');
    if (elsewhere && !byId('question').contains(elsewhere)) return;
    (this.#asked.proven ? byId('question') : byId('code')).focus();
  }

  get #said() {
    return byId('question-said').querySelector(':checked')?.value;
  }

  #allow() {
    byId('question-send').disabled = this.#busy || !this.#said;
  }

  async #draw(picture) {
    this.#picture = picture;
    const shown = byId('question-picture');
    if (!picture) {
      shown.hidden = true;
      return;
    }
    try {
      const found = await this.link.ask('show');
      if (picture !== this.#picture) return;
      URL.revokeObjectURL(shown.src);
      shown.src = URL.createObjectURL(found);
      shown.hidden = false;
    } catch {
      shown.hidden = true;
      this.#picture = 0; // it is asked for again
    }
  }

  #send(event) {
    event.preventDefault();
    const said = this.#said;
    if (said) this.#ask('answer', { question: this.#asked.id, said, reason: byId('reason').value.trim() });
  }

  #prove(event) {
    event.preventDefault();
    this.#ask('prove', { code: byId('code').value.trim() }, () => {
      byId('code').value = '';
    });
  }

  async #ask(what, fields, then = () => {}) {
    if (this.#busy) return;
    this.#busy = true;
    this.#allow();
    byId('question-fault').textContent = '';
    const { id } = this.#asked;
    try {
      await this.link.ask(what, fields);
      then();
    } catch (error) {
      if (id === this.#asked?.id) byId('question-fault').textContent = error.message;
    }
    this.#busy = false;
    this.#allow();
  }
}
