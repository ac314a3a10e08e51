// Elements from names, attributes and children. Texts are texts: nothing here reads HTML.

const SVG = 'http://www.w3.org/2000/svg';

export const byId = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value !== false && value !== undefined) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.filter((child) => ![null, undefined, false, ''].includes(child)));
  return made;
}

// Writes a text where another one stands: even the same one would be laid out again.
export function write(where, text) {
  if (where.textContent !== text) where.textContent = text;
}

export function options(select, values, chosen) {
  select.replaceChildren(...values.map(([value, words]) => element('option', { value, selected: value === chosen }, words)));
}

export const SIGNS = { success: '✓', failure: '✕', unobservable: '?', fault: '!' };
