// Crosses and noughts as strokes of a pen, a little uneven as a hand makes them.

import { svg } from './dom.ts';
import type { Mark } from './net/wire.ts';

// Four ways to write each mark; a cell has always the same one.
const CROSSES = [
  ['M23 21C38 36 60 59 78 80', 'M79 22C62 37 38 60 21 78'],
  ['M20 24C41 40 61 57 80 77', 'M76 20C61 40 40 61 23 80'],
  ['M24 20C36 39 59 62 77 79', 'M80 25C59 38 41 57 22 76'],
  ['M21 22C40 38 57 60 79 78', 'M77 21C64 36 39 63 24 79'],
] as const;
const NOUGHTS = [
  'M57 20C34 16 19 34 20 53C21 72 37 82 54 80C72 78 82 63 80 46C78 30 67 20 50 21',
  'M46 20C28 23 18 40 20 56C23 73 39 82 56 79C73 76 82 60 79 44C76 28 62 18 44 22',
  'M60 22C40 14 22 28 20 48C18 68 33 81 51 80C70 80 82 65 80 48C78 32 66 20 52 20',
  'M50 19C31 20 19 36 21 54C22 71 37 81 53 80C70 79 81 64 79 47C78 31 67 19 48 20',
] as const;

/** The strokes of a mark in a box of 100 by 100. */
export function strokesOf(mark: Mark, n: number): readonly string[] {
  return mark === 'x' ? CROSSES[n % 4]! : [NOUGHTS[n % 4]!];
}

/** A mark for a cell; `n` chooses among the ways of writing it. */
export function markOf(mark: Mark, n = 0): SVGSVGElement {
  const strokes = strokesOf(mark, n);
  return svg(
    'svg',
    { viewBox: '0 0 100 100', class: `mark mark-${mark}`, 'aria-hidden': 'true', focusable: 'false' },
    // pathLength makes the drawing-in the same for every stroke
    ...strokes.map((d, i) => svg('path', { d, pathLength: '1', class: `stroke-${i}` })),
  );
}

/** The name of the game, as it is written on the cover. */
export function wordmark(): SVGSVGElement {
  const o = (x: number, n: number): SVGElement => svg('path', { d: NOUGHTS[n]!, class: 'wm-o', transform: `translate(${x} 0)` });
  const x = svg('g', { class: 'wm-x', transform: 'translate(86 0)' }, ...CROSSES[0].map((d) => svg('path', { d })));
  return svg('svg', { viewBox: '4 8 264 84', class: 'wordmark', 'aria-hidden': 'true', focusable: 'false' }, o(0, 1), x, o(172, 3));
}

/** A line of an icon in a 24 x 24 box. */
export function icon(d: string): SVGSVGElement {
  return svg('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true', focusable: 'false' }, svg('path', { d }));
}

export const ICONS = {
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.5 1.5M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.5-1.5',
  computer: 'M4 5h16v11H4zM9 20h6M12 16v4',
  screen: 'M7 4a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM17 4a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM2 20c0-4 2-6 5-6s5 2 5 6M12 20c0-4 2-6 5-6s5 2 5 6',
  pen: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  person: 'M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4 21c0-5 3-7 8-7s8 2 8 7',
  share: 'M12 15V4M8 7l4-4 4 4M5 12v8h14v-8',
  bulb: 'M9 17a6 6 0 1 1 6 0v1H9zM10 21h4',
  weights: 'M4 4h16v16H4zM12 4v16M4 12h16M7 9l2-2M15 17l2-2',
  copy: 'M8 8h12v12H8zM16 8V4H4v12h4',
} as const;

/** A finished game, as one finds it on the margin of a page. */
export function doodle(): SVGSVGElement {
  const at = (mark: Mark, x: number, y: number): SVGElement => {
    const el = markOf(mark, x + 2 * y);
    for (const [name, value] of Object.entries({ x: x * 100, y: y * 100, width: 100, height: 100 })) el.setAttribute(name, String(value));
    return el;
  };
  return svg(
    'svg',
    { viewBox: '-10 -10 320 320', class: 'doodle', 'aria-hidden': 'true' },
    svg('path', { d: 'M98 6C102 100 96 200 101 294M203 3C198 90 204 210 199 296M4 103C100 97 200 102 297 98M7 198C90 203 210 197 294 202', class: 'doodle-rules' }),
    at('o', 0, 0), at('x', 1, 0), at('x', 1, 1), at('o', 2, 1), at('o', 0, 2), at('x', 1, 2),
    svg('path', { d: 'M152 -4C147 100 155 200 149 304', class: 'doodle-strike' }),
  );
}
