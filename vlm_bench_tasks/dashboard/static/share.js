// Addresses of this window for others, who may do less.

import { byId, element } from './dom.js';

const WORDS = { watch: 'Watch: nothing else', drive: 'Drive: begin and stop episodes, and move the arm', judge: 'Judge: answer what the bench asks a person' };

export function share(tokens) {
  byId('share-button').hidden = !Object.keys(tokens).length;
  byId('shares').replaceChildren(...Object.entries(tokens).map(([role, token]) => row(WORDS[role], `${location.origin}/#${token}`)));
  byId('tunnel').textContent = `ssh -L ${location.port}:localhost:${location.port} THERE`;
  byId('share-button').addEventListener('click', () => byId('share').showModal());
}

function row(words, address) {
  const shown = element('input', { type: 'text', readonly: true, value: address, focus: () => shown.select() });
  const copy = element('button', { type: 'button', async click() {
    shown.select();
    try {
      await navigator.clipboard.writeText(address);
      copy.textContent = 'Copied';
    } catch {
      copy.textContent = 'Ctrl-C';
    }
  } }, 'Copy');
  return element('div', {}, element('label', {}, words, shown), copy);
}
