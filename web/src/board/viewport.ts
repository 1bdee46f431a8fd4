// The part of the unbounded board that is on the screen, as a value.

import type { Cell } from '../net/wire.ts';

export interface Viewport {
  /** The place in the middle of the screen, in cells; cell [0, 0] reaches from -0.5 to 0.5. */
  readonly x: number;
  readonly y: number;
  /** The side of a cell, and of the screen, in CSS pixels. */
  readonly cell: number;
  readonly w: number;
  readonly h: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Cells are never smaller or larger than this. */
export const SMALLEST_CELL = 14;
export const LARGEST_CELL = 72;
/** How far the board goes. */
export const LIMIT = 1_000_000;

/** What lies on the paper: the numbers of the rows along the left edge, and those of the columns along the lower one. */
export interface Insets {
  readonly left: number;
  readonly bottom: number;
}

/** How wide a digit is in them, what is kept free beside the numbers of rows, and the height of the lower strip. */
export const DIGIT = 6.5;
const BESIDE = 14;
const BELOW = 23;

const clamp = (v: number, lo: number, hi: number): number => Math.max(lo, Math.min(hi, v));

/** Where the middle of a cell is on the screen. */
export function toScreen(v: Viewport, [x = 0, y = 0]: Cell): Point {
  return { x: (x - v.x) * v.cell + v.w / 2, y: (y - v.y) * v.cell + v.h / 2 };
}

/** The cell at a point of the screen. */
export function cellAt(v: Viewport, p: Point): [number, number] {
  // + 0 turns -0 into 0: it is written into names of cells.
  return [Math.round((p.x - v.w / 2) / v.cell + v.x) + 0, Math.round((p.y - v.h / 2) / v.cell + v.y) + 0];
}

/** The characters of the longest number among those of the rows and columns on the screen. */
export function widest(v: Viewport): number {
  const numbers = [...cellAt(v, { x: 0, y: 0 }), ...cellAt(v, { x: v.w, y: v.h })];
  return Math.max(...numbers.map((n) => String(n).length));
}

/** The pixels at the edges that numbers lie on: no cell is seen there. */
export function insetsOf(v: Viewport): Insets {
  return { left: DIGIT * widest(v) + BESIDE, bottom: BELOW };
}

/** The middle of what is left of the screen. */
export function middleOf(v: Viewport): Point {
  const { left, bottom } = insetsOf(v);
  return { x: (v.w + left) / 2, y: (v.h - bottom) / 2 };
}

/** Shows a place, in cells, in the middle of the free part of the screen. */
export function centreOn(v: Viewport, [x = 0, y = 0]: readonly number[]): Viewport {
  const there = { ...v, x, y };
  const m = middleOf(there);
  return pan(there, m.x - v.w / 2, m.y - v.h / 2);
}

/** Moves the board by pixels. */
export function pan(v: Viewport, dx: number, dy: number): Viewport {
  return { ...v, x: clamp(v.x - dx / v.cell, -LIMIT, LIMIT), y: clamp(v.y - dy / v.cell, -LIMIT, LIMIT) };
}

/** Zooms so that what is at the point stays there. */
export function zoomAt(v: Viewport, p: Point, factor: number): Viewport {
  const cell = clamp(v.cell * factor, SMALLEST_CELL, LARGEST_CELL);
  const x = v.x + (p.x - v.w / 2) * (1 / v.cell - 1 / cell);
  const y = v.y + (p.y - v.h / 2) * (1 / v.cell - 1 / cell);
  return { ...v, cell, x: clamp(x, -LIMIT, LIMIT), y: clamp(y, -LIMIT, LIMIT) };
}

/** Whether the middle of a cell is on the screen and not under the numbers, so many pixels from the edge. */
export function sees(v: Viewport, cell: Cell, margin = 0): boolean {
  const [p, { left, bottom }] = [toScreen(v, cell), insetsOf(v)];
  return p.x >= left + margin && p.y >= margin && p.x <= v.w - margin && p.y <= v.h - bottom - margin;
}

/** Moves as little as needed for a cell to be that far from the edge. */
export function follow(v: Viewport, cell: Cell, margin: number): Viewport {
  const [p, { left, bottom }] = [toScreen(v, cell), insetsOf(v)];
  return pan(v, clamp(p.x, left + margin, v.w - margin) - p.x, clamp(p.y, margin, v.h - bottom - margin) - p.y);
}

/** Shows all the cells as large as they fit, the last one at least. */
export function frame(v: Viewport, cells: readonly Cell[], usual: number): Viewport {
  const last = cells.at(-1);
  if (!last) return centreOn({ ...v, cell: usual }, [0, 0]);
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x = 0, y = 0] of cells) {
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  }
  const middle = [(left + right) / 2, (top + bottom) / 2];
  const taken = insetsOf({ ...v, x: middle[0]!, y: middle[1]!, cell: SMALLEST_CELL });
  const fitting = Math.min((v.w - taken.left) / (right - left + 4), (v.h - taken.bottom) / (bottom - top + 4));
  return centreOn({ ...v, cell: clamp(fitting, SMALLEST_CELL, usual) }, fitting < SMALLEST_CELL ? last : middle);
}

/** Where at the edge of the free part of the screen an arrow to a cell stands, and which way it points, in radians from the right. */
export function arrowTo(v: Viewport, cell: Cell, inset: number): Point & { readonly angle: number } {
  const [to, from, { left, bottom }] = [toScreen(v, cell), middleOf(v), insetsOf(v)];
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const reach = Math.min(((v.w - left) / 2 - inset) / Math.abs(dx), ((v.h - bottom) / 2 - inset) / Math.abs(dy));
  return { x: from.x + dx * reach, y: from.y + dy * reach, angle: Math.atan2(dy, dx) };
}
