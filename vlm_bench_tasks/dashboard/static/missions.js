// Missions: what is to be demonstrated, and how far it has come. Whoever begins one drives.

import { byId, element } from './dom.js';

const AGAIN_MS = 3000; // between two looks at what others have done
const SURE = 'Discard a success?';
const SURE_MS = 4000; // in which it can be pressed again
const SIGNS = { done: '✓', failed: '✕', open: '…', waiting: '○' };

export class Missions {
  #rows = [];

  // `drive` takes the arm; `fail` shows an error, or null when it is over; `verdict` and `token` return those of the episode.
  constructor(link, about, drive, fail, { verdict, token }) {
    Object.assign(this, { link, drive, fail, verdict, token, gone: '' });
    document.body.classList.toggle('with-missions', Boolean(about.missions));
    byId('missions').hidden = !about.missions;
    byId('missions-name').textContent = about.missions;
    byId('discard').addEventListener('click', () => this.discard());
    byId('mission-next').addEventListener('click', () => this.begin(''));
    if (about.missions && ['all', 'drive'].includes(about.role)) this.#watch();
  }

  async begin(name) {
    try {
      if (!this.drive.on) await this.drive.toggle();
      if (!this.drive.on) return;
      const { mission, attempt } = await this.link.ask('mission', { name });
      this.fail(null);
      this.gone = ''; // the episode may be told after this answer, and would wipe it
      byId('mission-says').textContent = `${mission}, attempt ${attempt}`;
      byId('stage').focus();
    } catch (error) {
      this.fail(error);
    }
    await this.#look();
  }

  // Another episode has begun.
  episode(token) {
    if (!this.gone || token === this.gone) return;
    this.gone = '';
    byId('mission-says').textContent = '';
  }

  // A success is discarded by a second press.
  async discard() {
    const button = byId('discard');
    if (this.verdict() === 'success' && button.textContent !== SURE) {
      button.textContent = SURE;
      setTimeout(() => { button.textContent = 'Discard'; }, SURE_MS);
      return;
    }
    button.textContent = 'Discard';
    button.disabled = true;
    try {
      const { bag } = await this.link.ask('discard');
      this.fail(null);
      this.gone = this.token();
      byId('mission-says').textContent = bag ? `Moved to .discarded: ${bag.split('/').pop()}` : 'Discarded';
    } catch (error) {
      this.fail(error);
    }
    await this.#look();
  }

  async #watch() {
    for (;;) {
      await this.#look();
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  async #look() {
    if (this.link.lost || byId('missions').hidden) return;
    try {
      const { rows, now } = await this.link.ask('missions');
      this.#show(rows, now);
    } catch (error) {
      byId('missions-count').textContent = error.message;
    }
  }

  #show(rows, now) {
    const said = JSON.stringify([rows, now]);
    if (said === this.#rows) return;
    this.#rows = said;
    const count = (state) => rows.filter((row) => row.state === state).length;
    byId('missions-count').textContent = `${count('done')} of ${rows.length} done, ${count('failed')} failed, ${count('open')} begun`;
    byId('mission-next').disabled = !count('waiting');
    byId('mission-rows').replaceChildren(...rows.map((row) => {
      const facts = [row.axis, row.split, row.prompt === 'words' ? '' : row.prompt, `seed ${row.seed}`, row.operator, row.failed && `${row.failed} of ${row.attempts} failed`].filter(Boolean).join(' · ');
      const begin = row.state === 'waiting' && (() => this.begin(row.name));
      return element('li', {}, element('button', { type: 'button', class: row.state, disabled: !begin, 'aria-current': row.name === now && 'true', title: row.name, ...(begin && { click: begin }) },
        element('span', { class: 'mark', 'aria-label': row.state }, SIGNS[row.state]), element('span', {}, row.task.split('/').pop()), element('span', { class: 'quiet' }, facts)));
    }));
  }
}
