// Which board to play on.

import { h, say, svg } from '../dom.ts';
import { t } from '../i18n.ts';
import * as tabs from '../net/tabs.ts';
import { sizeName } from '../state/describe.ts';
import { flatVariant, LARGEST, LONGEST_LINE, parseVariant, SHORTEST_LINE, SMALLEST } from '../state/variant.ts';
import { choice, stepper, type Option } from './form.ts';

const BOARDS = ['3x3/3', '4x4/3', '5x5/4', '6x6/4', '10x10/5', '15x15/5', '19x19/5', 'inf/5', '3x3x3/3', '4x4x4/4'];
const OWN = 'own';
const CHOSEN = 'oxo.variant';

export interface Picker {
  readonly el: HTMLElement;
  /** The chosen variant, or null while the own size is not a possible one. */
  value(): string | null;
}

export function picker(changed: () => void): Picker {
  const saved = tabs.read(CHOSEN) ?? BOARDS[0]!;
  const v = parseVariant(saved);
  const [w = 7, rows = 7] = v?.size ?? [];
  const update = (): void => {
    const value = read();
    own.hidden = boards.value() !== OWN;
    say(hint, value === null ? t('pick.bad', { min: SMALLEST, max: LARGEST }) : '');
    if (value !== null) tabs.write(CHOSEN, value);
    changed();
  };
  const boards = choice<string>(t('pick.title'), 'cards', [...BOARDS.map(card), { value: OWN, label: t('pick.own'), about: t('pick.ownAbout'), picture: ownPicture() }], v?.size?.length === 2 && !BOARDS.includes(saved) ? OWN : saved, update);
  const width = stepper(t('pick.width'), SMALLEST, LARGEST, w, update);
  const height = stepper(t('pick.height'), SMALLEST, LARGEST, rows, update);
  const line = stepper(t('pick.line'), SHORTEST_LINE, LONGEST_LINE, v?.k ?? 4, update);
  const hint = h('p', { class: 'form-error', role: 'status' });
  const own = h('div', { class: 'own-size', hidden: boards.value() !== OWN }, width.el, height.el, line.el, hint);
  const read = (): string | null => (boards.value() === OWN ? flatVariant(width.value(), height.value(), line.value()) : boards.value());
  return { el: h('section', { class: 'pick' }, boards.el, own), value: read };
}

function card(variant: string): Option<string> {
  const v = parseVariant(variant)!;
  const [label, about] = v.size ? [sizeName(variant), t('variant.line', { k: v.k })] : ['∞', sizeName(variant)];
  return { value: variant, label, about, picture: !v.size ? sheet(v.k) : v.size.length > 2 ? cube(v.size[0]!) : picture(v.size[0]!, v.k) };
}

/** A small drawing of an n x n board with a line of k on it. */
function picture(n: number, k: number): SVGSVGElement {
  const step = 60 / n;
  let d = '';
  for (let i = 1; i < n; i++) d += `M${i * step} 1V59M1 ${i * step}H59`;
  const start = Math.floor((n - k) / 2);
  const dots = Array.from({ length: k }, (_, i) => {
    const at = (start + i + 0.5) * step;
    return svg('circle', { cx: at, cy: 60 - at, r: step * 0.27, class: 'dot' });
  });
  return svg('svg', { viewBox: '0 0 60 60', class: n > 8 ? 'mini mini-fine' : 'mini', 'aria-hidden': 'true' }, svg('path', { d }), ...dots);
}

/** Paper that goes on beyond the picture. */
function sheet(k: number): SVGSVGElement {
  const el = picture(8, k);
  el.classList.add('mini-sheet');
  return el;
}

/** The layers of a board in space, one over the other. */
function cube(n: number): SVGSVGElement {
  const gap = 42 / (n - 1);
  const layers = Array.from({ length: n }, (_, i) => svg('path', { d: `M14 ${4 + i * gap}H58L46 ${14 + i * gap}H2Z` }));
  const dots = Array.from({ length: n }, (_, i) => svg('circle', { cx: 18 + (24 * i) / (n - 1), cy: 9 + i * gap, r: 3, class: 'dot' }));
  return svg('svg', { viewBox: '0 0 60 60', class: 'mini', 'aria-hidden': 'true' }, ...layers, ...dots);
}

function ownPicture(): SVGSVGElement {
  return svg('svg', { viewBox: '0 0 60 60', class: 'mini mini-own', 'aria-hidden': 'true' }, svg('path', { d: 'M4 4H56V56H4Z', class: 'dashed' }), svg('path', { d: 'M30 20V40M20 30H40' }));
}
