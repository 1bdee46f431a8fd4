// Every sentence of the page, from the locale file.
//
// The format is a small part of ICU's: {name}, {n} and {n, plural, one {# move}
// other {# moves}}, where "#" is the number as the language writes it.

import type en from '../locales/en.json';

export type Key = keyof typeof en;
export type Values = Readonly<Record<string, string | number>>;
type Strings = Readonly<Record<string, string>>;

let strings: Strings = {};
let language = 'en';

/** Loads the strings that the index page names. */
export async function load(): Promise<void> {
  const html = document.documentElement;
  const response = await fetch(html.dataset['locale'] ?? '');
  if (!response.ok) throw new Error(response.statusText);
  use((await response.json()) as Strings, html.lang);
}

export function use(these: Strings, lang: string): void {
  strings = these;
  language = lang;
}

/** The sentence of a key with its values filled in. */
export function t(key: Key, values: Values = {}): string {
  return format(strings[key] ?? key, values, language);
}

/**
 * The sentence as text and elements: where a value is an element (a name in
 * its <bdi>), it stands in the sentence's own place for it.
 */
export function parts(key: Key, values: Readonly<Record<string, string | number | Node>>): (string | Node)[] {
  const nodes = new Map<string, Node>();
  const texts: Record<string, string | number> = {};
  let n = 0;
  for (const [name, value] of Object.entries(values)) {
    if (value instanceof Node) {
      const mark = `\u0001${n++}\u0001`; // no text of ours or of a player has control characters
      nodes.set(mark, value);
      texts[name] = mark;
    } else texts[name] = value;
  }
  return t(key, texts)
    .split(/(\u0001\d+\u0001)/)
    .filter((s) => s !== '')
    .map((s) => nodes.get(s) ?? s);
}

export function number(n: number): string {
  return new Intl.NumberFormat(language).format(n);
}

/** Fills in a message. What is not closed or not known stays as it is written. */
export function format(message: string, values: Values, lang: string): string {
  let out = '';
  let i = 0;
  while (i < message.length) {
    if (message[i] !== '{') {
      out += message[i++];
      continue;
    }
    const end = closing(message, i);
    if (end < 0) return out + message.slice(i);
    out += argument(message.slice(i + 1, end), values, lang) ?? message.slice(i, end + 1);
    i = end + 1;
  }
  return out;
}

function argument(text: string, values: Values, lang: string): string | null {
  const comma = text.indexOf(',');
  const value = values[(comma < 0 ? text : text.slice(0, comma)).trim()];
  if (value === undefined) return null;
  if (comma < 0) return typeof value === 'number' ? new Intl.NumberFormat(lang).format(value) : value;
  const m = /^\s*plural\s*,/.exec(text.slice(comma + 1));
  if (!m || typeof value !== 'number') return null;
  const forms = branches(text.slice(comma + 1 + m[0].length));
  const form = forms.get(`=${value}`) ?? forms.get(new Intl.PluralRules(lang).select(value)) ?? forms.get('other');
  if (form === undefined) return null;
  return format(form, values, lang).replaceAll('#', new Intl.NumberFormat(lang).format(value));
}

/** "one {a} other {b}" as a map. */
function branches(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let i = 0;
  for (;;) {
    const open = text.indexOf('{', i);
    if (open < 0) return found;
    const end = closing(text, open);
    if (end < 0) return found;
    found.set(text.slice(i, open).trim(), text.slice(open + 1, end));
    i = end + 1;
  }
}

/** The index of the brace that closes the one at `open`, or -1. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}' && --depth === 0) return i;
  }
  return -1;
}
