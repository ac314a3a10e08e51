// A running bench: its newest state and pictures, and what begins and ends episodes.

import { byId, element, options, write } from './dom.js';
import { Drive } from './drive.js';
import { Missions } from './missions.js';
import { Panel } from './panel.js';
import { Question } from './question.js';
import { Timeline } from './timeline.js';

const AGAIN_MS = 500; // after an error
const DRAWN_MS = 500; // between two drawings of the timeline while it grows

export class Live {
  wished = ''; // the camera that its reader has chosen
  #asking = false;
  #since = 0;
  #token = null;
  #halted = null; // the episode that somebody has called done
  #drawn = 0;
  #later = 0;
  #edited = false; // whether the form says what somebody wrote, and has not begun yet

  constructor(link, about, camera, fail) {
    this.link = link;
    this.fail = fail;
    this.tasks = new Map(about.tasks.map((task) => [task.name, task]));
    this.panel = new Panel(link, 0, () => this.drive.draw(), { what: 'see' });
    this.drive = new Drive(link, this.panel, (error) => this.question.open || fail(error), () => about.suction.includes(this.panel.told?.robot));
    this.drives = ['all', 'drive'].includes(about.role);
    this.question = new Question(link, about.role);
    this.missions = new Missions(link, about, this.drive, fail, { verdict: () => this.panel.told?.judged.verdict, token: () => this.#token });
    this.timeline = new Timeline(null);
    this.camera = camera;
    this.recorded = about.records;
    this.discards = about.records || Boolean(about.missions);
    this.outfit = about.outfit;
    this.changeable = about.changeable;
    this.#form();
    byId('panels').append(this.panel.box);
    byId('timelines').append(this.timeline.box);
  }

  // Shows what comes until the page is closed.
  run() {
    this.#watch();
    this.panel.follow(() => this.camera());
  }

  begin() {
    const asked = Object.fromEntries(['task', 'split', 'axis', 'prompt', 'perturb'].map((name) => [name, byId(`ask-${name}`).value.trim()]));
    const outfit = this.changeable ? { robot: byId('ask-robot-name').value, cameras: byId('ask-cameras').value.trim() } : {};
    this.#do('begin', { ...asked, ...outfit, seed: Number(byId('ask-seed').value) });
  }

  next() {
    if (this.#asking) return;
    byId('ask-seed').value = Number(byId('ask-seed').value) + 1;
    this.begin();
  }

  halt() {
    this.#halted = this.#token;
    this.#do('halt', {});
  }

  async #do(what, fields) {
    if (this.#asking) return;
    this.#asking = true;
    byId('live-form').inert = true;
    write(byId('ask-robot'), this.changeable && this.#others(fields) ? 'The bench starts again with them; this takes some seconds.' : this.#words());
    try {
      await this.link.ask(what, fields);
      this.fail(null);
      if (what === 'begin') this.#edited = false;
    } catch (error) {
      this.fail(error);
    }
    write(byId('ask-robot'), this.#words());
    byId('live-form').inert = this.question.open;
    this.#asking = false;
  }

  async #watch() {
    for (;;) {
      try {
        const told = await this.link.ask('watch', { since: this.#since });
        this.#since = told.version;
        this.#show(told);
      } catch (error) {
        if (!this.link.lost) this.fail(error);
        this.#since = 0;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  #show(told) {
    this.drive.newest(told);
    document.body.classList.toggle('driven', told.driven);
    this.outfit = { ...this.outfit, ...told.outfit };
    byId('ask-cameras').placeholder = this.outfit.cameras;
    this.question.show(told.question);
    this.#rest(told.question !== null);
    byId('empty').hidden = Boolean(told.token || told.question);
    byId('panels').dataset.token = told.token;
    if (!told.token) return;
    const whole = { task: '', instruction: '', pictures: 0, assistance: '', perturbations: '', ...told, judging: told.question?.kind === 'judge' };
    const changed = told.token !== this.#token || this.panel.told?.instruction !== whole.instruction;
    this.#token = told.token;
    this.missions.episode(told.token);
    if (changed) {
      this.panel.show(-1, whole);
      this.#fill(told);
    }
    this.panel.newest(whole);
    this.#draw(whole, changed || told.state !== 'running');
    byId('panels').hidden = byId('timelines').hidden = told.question?.kind === 'lay_table';
    const lag = told.lag > 0.1 ? `, ${told.lag.toFixed(1)} s behind` : '';
    const left = told.state === 'running' && !told.question ? `, ${told.left.toFixed(0)} s left` : '';
    const halted = this.#halted === told.token && told.state === 'running';
    const state = halted && !whole.judging ? 'done: it ends once things rest' : whole.judging ? 'over: a person judges it' : told.state;
    const gone = this.missions.gone === told.token;
    const recorded = this.recorded ? (told.state === 'running' ? ' ● recording' : gone ? ' · discarded' : ' · recorded') : '';
    const clock = `${(whole.periods / whole.hertz).toFixed(2)} s, ${state}${left}${lag}${recorded}`;
    write(byId('clock'), told.state === 'loading' ? 'the next episode is being set up' : clock);
    byId('discard').disabled = gone || told.state === 'loading';
    byId('ask-halt').disabled = told.state !== 'running' || whole.judging;
    byId('discard').hidden = !this.discards;
    this.#cameras(told);
  }

  // Draws the timeline at once, or soon: it is most of what the page draws.
  #draw(whole, now) {
    clearTimeout(this.#later);
    const since = performance.now() - this.#drawn;
    if (now || since > DRAWN_MS) {
      this.#drawn = performance.now();
      this.timeline.show(whole, Math.max(whole.periods, 1));
      this.timeline.move(Math.max(whole.periods - 1, 0));
    } else this.#later = setTimeout(() => this.#draw(whole, true), DRAWN_MS - since);
  }

  #cameras(told) {
    const names = [...(told.free ? [''] : []), ...told.cameras];
    const select = byId('camera');
    if (names.join() !== [...select.options].map((option) => option.value).join()) {
      options(select, names.map((name) => [name, name || 'free view']), names.includes(this.wished) ? this.wished : names[0]);
    }
  }

  #form() {
    const families = [...new Set([...this.tasks.keys()].map((name) => name.split('/')[0]))];
    const groups = families.map((family) => element('optgroup', { label: family }, ...[...this.tasks.keys()].filter((name) => name.startsWith(`${family}/`)).map((name) => element('option', { value: name }, name.split('/')[1]))));
    byId('ask-task').replaceChildren(...groups);
    byId('ask-task').addEventListener('change', () => this.#choices());
    byId('episode-part').addEventListener('input', () => { this.#edited = true; });
    byId('ask-begin').addEventListener('click', () => this.begin());
    byId('ask-next').addEventListener('click', () => this.next());
    byId('ask-halt').addEventListener('click', () => this.halt());
    for (const label of document.querySelectorAll('.outfit')) label.hidden = !this.changeable;
    if (this.changeable) {
      const { robots, sets, follows } = this.outfit;
      options(byId('ask-robot-name'), [['', follows ? 'that of the task' : 'as it is'], ...robots.map((name) => [name, name])], '');
      byId('camera-sets').replaceChildren(...sets.map((value) => element('option', { value })));
    }
    if (this.tasks.has(this.outfit.task)) byId('ask-task').value = this.outfit.task;
    this.#choices();
  }

  #choices() {
    const task = this.tasks.get(byId('ask-task').value);
    const fill = (name, values) => options(byId(`ask-${name}`), values.map((value) => [value, value]), values[0]);
    fill('split', task.splits);
    fill('axis', task.axes);
    fill('prompt', task.prompts);
    write(byId('ask-robot'), this.#words());
  }

  #words() {
    const task = this.tasks.get(byId('ask-task').value);
    return `The task is made for ${task.robot}. ${this.changeable ? '' : 'Robot and cameras are those of the bench.'}`;
  }

  // While the bench asks a person something, it begins nothing.
  #rest(asked) {
    if (asked) this.fail(null); // what was said before it is over
    document.body.classList.toggle('asked', asked);
    if (!this.#asking) byId('live-form').inert = asked;
  }

  // The form says what runs, until somebody writes something else there.
  #fill({ task, split, axis, prompt, seed }) {
    if (this.#edited || !this.tasks.has(task)) return;
    byId('ask-task').value = task;
    this.#choices();
    const said = { split, axis, prompt, seed };
    for (const name of Object.keys(said)) if (said[name]) byId(`ask-${name}`).value = said[name];
  }

  // Whether the bench has another robot, or other cameras.
  #others({ task, robot, cameras }) {
    const wanted = robot || (this.outfit.follows ? this.tasks.get(task)?.robot : this.outfit.robot);
    return task !== undefined && (wanted !== this.outfit.robot || (cameras && cameras !== this.outfit.cameras));
  }
}
