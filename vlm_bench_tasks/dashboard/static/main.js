// The page: its state is the episode that is open, one beside it, the moment, and the camera.

import { byId, element, options } from './dom.js';
import { Episodes } from './episodes.js';
import { Link } from './link.js';
import { Live } from './live.js';
import { Panel } from './panel.js';
import { share } from './share.js';
import { Timeline, moments } from './timeline.js';

const MOST_MS = 200; // that playing goes on at once: a hidden page gets no time
const THEME = 'vlm_bench theme';
const token = location.hash.slice(1);
addEventListener('hashchange', () => location.reload()); // another address of the same window was opened in this tab
history.replaceState(null, '', location.pathname); // so that it is not read over a shoulder; this tab keeps it for a reload
sessionStorage.setItem('token', token || (sessionStorage.getItem('token') ?? ''));

const state = { wanted: -1, seq: 0, periods: 0, camera: '', playing: false, pick: false };
const shown = []; // of each place: { panel, timeline, told, number }
const link = new Link(sessionStorage.getItem('token'), connected);
const episodes = new Episodes((number) => (state.pick ? beside(number) : open(number)));
let began = false;

async function connected(what) {
  byId('link').textContent = { open: '', lost: 'Connection lost. Trying again…', refused: 'Not connected. Does the bench (or vlm-bench dash) run, and is this the address that it printed?' }[what];
  document.body.dataset.link = what;
  if (what !== 'open') return;
  try {
    if (state.live) return;
    if (began) {
      await fill();
      return;
    }
    const about = await link.ask('hello');
    byId('source').textContent = about.source;
    document.title = `${about.source} · vlm_bench`;
    options(byId('camera'), [['', 'free view'], ...about.cameras.map((name) => [name, name])], '');
    began = true;
    document.body.classList.toggle('live', about.live);
    document.body.dataset.role = about.role ?? 'all';
    if (about.live) watch(about);
    else await fill();
  } catch (error) {
    fail(error);
  }
}

function watch(about) {
  const live = new Live(link, about, () => byId('camera').value, (error) => (error ? fail(error) : byId('stage').querySelector('.alert')?.remove()));
  share(about.tokens);
  byId('empty').textContent = live.drives ? 'Begin an episode.' : 'No episode runs.';
  byId('transport').hidden = false;
  shown.push({ panel: live.panel, timeline: live.timeline, told: live.panel.told, number: -1, events: [] });
  state.live = live;
  live.run();
}

async function fill() {
  let whole = false;
  while (!whole) {
    const told = await link.ask('list', { since: episodes.all.length });
    if (told.since !== episodes.all.length) return; // another call has gone on
    if (told.rows.length) episodes.add(told.rows);
    whole = told.whole;
    if (!whole && !told.rows.length) await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function fail(error) {
  const old = byId('stage').querySelector('.alert');
  if (old?.textContent === error.message) return;
  old?.remove();
  byId('stage').prepend(element('p', { class: 'alert', role: 'alert' }, error.message));
}

async function told(number) {
  byId('stage').querySelector('.alert')?.remove();
  const row = episodes.all[number];
  if (row.fault) throw new Error(row.fault);
  return link.ask('open', { episode: number });
}

async function open(number) {
  pause();
  state.wanted = number;
  episodes.mark(number, -1);
  try {
    const found = await told(number);
    if (state.wanted !== number) return; // another one was chosen meanwhile
    if (shown.length > 1) close(1);
    place(0, number, found);
    state.seq = 0;
    settle();
  } catch (error) {
    if (state.wanted !== number) return;
    fail(error);
    episodes.mark(shown[0]?.number ?? -1, shown[1]?.number ?? -1);
  }
}

async function beside(number) {
  choose(false);
  const { wanted } = state;
  try {
    const found = await told(number);
    if (state.wanted !== wanted) return; // another episode was opened meanwhile
    place(1, number, found);
    settle();
  } catch (error) {
    fail(error);
  }
}

function place(at, number, found) {
  if (!shown[at]) {
    const panel = new Panel(link, at, turned);
    const timeline = new Timeline(seek);
    byId('panels').append(panel.box);
    byId('timelines').append(timeline.box);
    shown[at] = { panel, timeline };
  }
  Object.assign(shown[at], { number, told: found, events: moments(found) });
  shown[at].panel.show(number, found);
}

function close(at) {
  shown[at].panel.close();
  shown[at].timeline.box.remove();
  shown.length = at;
}

function settle() {
  state.periods = Math.max(...shown.map((one) => one.told.periods));
  byId('empty').hidden = true;
  for (const id of ['panels', 'transport', 'timelines']) byId(id).hidden = false;
  byId('panels').classList.toggle('two', shown.length > 1);
  for (const one of shown) one.timeline.show(one.told, state.periods);
  byId('compare').textContent = shown.length > 1 ? 'Close comparison' : 'Compare';
  episodes.mark(shown[0].number, shown[1]?.number ?? -1);
  seek(state.seq);
}

function seek(seq) {
  state.seq = Math.max(0, Math.min(state.periods - 1, seq));
  const { hertz } = shown[0].told;
  byId('clock').textContent = `${(state.seq / hertz).toFixed(2)} of ${(state.periods / hertz).toFixed(2)} s`;
  for (const { panel, timeline } of shown) {
    panel.move(state.seq, state.camera);
    timeline.move(state.seq);
  }
}

function turned(by) {
  for (const { panel } of shown) {
    panel.orbit = structuredClone(by.orbit);
    panel.move(state.seq, state.camera);
  }
}

function play() {
  if (state.playing) {
    pause();
    return;
  }
  if (state.seq >= state.periods - 1) seek(0);
  state.playing = true;
  sign('Pause', 'M7 5v14M17 5v14');
  let [before, at, last] = [performance.now(), state.seq, state.seq];
  const step = (now) => {
    if (!state.playing) return;
    if (state.seq !== last) at = state.seq; // somebody went elsewhere
    at += (Math.min(now - before, MOST_MS) / 1000) * shown[0].told.hertz * Number(byId('speed').value);
    before = now;
    if (Math.floor(at) !== state.seq) seek(Math.floor(at));
    last = state.seq;
    if (state.seq >= state.periods - 1) pause();
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function pause() {
  state.playing = false;
  sign('Play', 'M6 4l14 8-14 8z');
}

function sign(words, path) {
  byId('play').setAttribute('aria-label', words);
  byId('play').querySelector('path').setAttribute('d', path);
}

function jump(direction) {
  const all = shown.flatMap((one) => one.events);
  const found = direction > 0 ? Math.min(...all.filter((seq) => seq > state.seq)) : Math.max(...all.filter((seq) => seq < state.seq));
  if (Number.isFinite(found)) seek(found);
}

function choose(on) {
  state.pick = on;
  byId('compare').setAttribute('aria-pressed', String(on));
  byId('rows').classList.toggle('picking', on);
  episodes.pick(on);
  if (on) byId('rows').focus();
}

// The episode of the same seed is set beside at once; otherwise the next one that is chosen.
function compare() {
  if (shown.length > 1) {
    close(1);
    settle();
    return;
  }
  const [same] = episodes.same(shown[0].number);
  if (same && !state.pick) beside(same.number);
  else if (episodes.all.length < 2) fail(new Error('There is no other episode to set beside this one.'));
  else choose(!state.pick);
}

function go(step) {
  choose(false);
  const number = episodes.after(step);
  if (number !== undefined) open(number);
}

function nextCamera() {
  const select = byId('camera');
  select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
  look();
}

function look() {
  state.camera = byId('camera').value;
  if (state.live) {
    state.live.wished = state.camera;
    state.live.panel.look();
  }
  if (shown.length && !state.live) seek(state.seq);
}

const KEYS = {
  ' ': play,
  '[': () => jump(-1),
  ']': () => jump(1),
  Home: () => seek(0),
  End: () => seek(state.periods - 1),
  v: nextCamera,
  c: compare,
  j: () => go(1),
  k: () => go(-1),
  a: () => shown[0].panel.turn(-0.12, 0),
  d: () => shown[0].panel.turn(0.12, 0),
  w: () => shown[0].panel.turn(0, 0.1),
  s: () => shown[0].panel.turn(0, -0.1),
  '+': () => shown[0].panel.zoom(0.88),
  '-': () => shown[0].panel.zoom(1.14),
};

const LIVE_KEYS = Object.fromEntries(['a', 'd', 'w', 's', '+', '-', 'v'].map((key) => [key, KEYS[key]]));
Object.assign(LIVE_KEYS, { b: () => state.live.begin(), n: () => state.live.next(), x: () => state.live.halt() });

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && state.live?.drives) state.live.drive.stop(); // also under the list of keys
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (event.target.closest('input:not([type=checkbox], [type=radio]), select') && event.key !== 'Escape') return;
  const asked = state.live?.question.open;
  if (state.live?.question.key(event) || (state.live?.drives && !asked && state.live.drive.key(event))) {
    event.preventDefault();
    return;
  }
  if (event.key === '?') byId('help').showModal();
  else if (event.key === '/') byId('search').focus();
  else if (event.key === 'Escape') choose(false);
  else if (state.live) {
    if (!LIVE_KEYS[event.key] || ('bnx'.includes(event.key) && (event.repeat || asked || !state.live.drives))) return;
    LIVE_KEYS[event.key]();
  } else if (!shown.length && event.key !== 'j') return;
  else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
    pause();
    seek(state.seq + (event.key === 'ArrowLeft' ? -1 : 1) * (event.shiftKey ? shown[0].told.hertz : 1));
  } else if (KEYS[event.key] && !(event.key === ' ' && event.target.closest('button, summary'))) KEYS[event.key]();
  else return;
  event.preventDefault();
});

for (const [id, act] of Object.entries({
  play, compare, first: KEYS.Home, last: KEYS.End, previous: () => jump(-1), next: () => jump(1), 'help-button': () => byId('help').showModal(), theme,
})) byId(id).addEventListener('click', act);
byId('camera').addEventListener('change', look);

function theme() {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const now = document.documentElement.dataset.theme ?? (dark ? 'dark' : 'light');
  document.documentElement.dataset.theme = now === 'dark' ? 'light' : 'dark';
  localStorage.setItem(THEME, document.documentElement.dataset.theme);
}

const kept = localStorage.getItem(THEME);
if (kept) document.documentElement.dataset.theme = kept;
