// Boards by their names: "WxH/K", "XxYxZ/K" or "inf/K", then "=" for exactly K
// and "m" for misere.

import type { Cell } from '../net/wire.ts';

export interface Variant {
  readonly name: string;
  /** null on the unbounded board. */
  readonly size: readonly number[] | null;
  readonly k: number;
  readonly exact: boolean;
  readonly misere: boolean;
}

/** The largest board the page can show as a grid of buttons. */
export const LARGEST = 19;
export const SMALLEST = 3;
export const SHORTEST_LINE = 3;
export const LONGEST_LINE = 8;
/** Columns have one letter each. */
const LETTERS = 26;

export function parseVariant(name: string): Variant | null {
  const m = /^(inf|\d+(?:x\d+){1,2})\/(\d+)(=?)(m?)$/.exec(name);
  if (!m) return null;
  return {
    name,
    size: m[1] === 'inf' ? null : m[1]!.split('x').map(Number),
    k: Number(m[2]),
    exact: m[3] !== '',
    misere: m[4] !== '',
  };
}

/** Whether the page has a drawing for a board of this size. */
export function drawable(size: readonly number[] | null | undefined): size is readonly number[] | null {
  return size === null || !!size && (size.length === 2 || size.length === 3) && size.every((n) => n <= LETTERS);
}

/** The name of a flat board, or null where there is no such board. */
export function flatVariant(w: number, h: number, k: number): string | null {
  const whole = [w, h, k].every(Number.isInteger);
  const fits = w >= SMALLEST && h >= SMALLEST && w <= LARGEST && h <= LARGEST;
  if (!whole || !fits || k < SHORTEST_LINE || k > LONGEST_LINE || k > Math.max(w, h)) return null;
  return `${w}x${h}/${k}`;
}

/**
 * A cell as people write it: the letter is the column from the left, the
 * number the row from the bottom; on a 3-D board the layer stands before, as
 * in 2:b3. Always in Latin letters and digits.
 */
export function cellName(cell: Cell, size: readonly number[] | null): string {
  const [x = 0, y = 0, z] = cell;
  if (!size) return `${x},${y}`;
  const flat = columnName(x) + String((size[1] ?? 0) - y);
  return z === undefined ? flat : `${z + 1}:${flat}`;
}

export function columnName(x: number): string {
  return String.fromCharCode(97 + x);
}

export function sameCell(a: Cell | null | undefined, b: Cell | null | undefined): boolean {
  return !!a && !!b && a.length === b.length && a.every((v, i) => v === b[i]);
}
