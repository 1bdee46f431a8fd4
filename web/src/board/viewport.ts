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

/** Whether the middle of a cell is on the screen, so many pixels from its edge. */
export function sees(v: Viewport, cell: Cell, margin = 0): boolean {
  const p = toScreen(v, cell);
  return p.x >= margin && p.y >= margin && p.x <= v.w - margin && p.y <= v.h - margin;
}

/** Moves as little as needed for a cell to be that far from the edge. */
export function follow(v: Viewport, cell: Cell, margin: number): Viewport {
  const p = toScreen(v, cell);
  return pan(v, clamp(p.x, margin, v.w - margin) - p.x, clamp(p.y, margin, v.h - margin) - p.y);
}

/** Shows all the cells as large as they fit, the last one at least. */
export function frame(v: Viewport, cells: readonly Cell[], usual: number): Viewport {
  const last = cells.at(-1);
  if (!last) return { ...v, x: 0, y: 0, cell: usual };
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x = 0, y = 0] of cells) {
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  }
  const fitting = Math.min(v.w / (right - left + 4), v.h / (bottom - top + 4));
  const middle = { ...v, x: (left + right) / 2, y: (top + bottom) / 2, cell: clamp(fitting, SMALLEST_CELL, usual) };
  return fitting < SMALLEST_CELL ? { ...middle, x: last[0] ?? 0, y: last[1] ?? 0 } : middle;
}

/** Where at the edge of the screen an arrow to a cell stands, and which way it points, in radians from the right. */
export function arrowTo(v: Viewport, cell: Cell, inset: number): Point & { readonly angle: number } {
  const to = toScreen(v, cell);
  const [dx, dy] = [to.x - v.w / 2, to.y - v.h / 2];
  const reach = Math.min((v.w / 2 - inset) / Math.abs(dx), (v.h / 2 - inset) / Math.abs(dy));
  return { x: v.w / 2 + dx * reach, y: v.h / 2 + dy * reach, angle: Math.atan2(dy, dx) };
}
