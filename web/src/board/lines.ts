// Where to draw the stroke through a winning line.

import type { Cell } from '../net/wire.ts';

export interface Segment {
  readonly from: Cell;
  readonly to: Cell;
}

const DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]] as const;

/**
 * The straight runs of at least k cells among the winning cells of a flat
 * board. One move can finish two lines, and then the cells are those of both.
 */
export function segments(cells: readonly Cell[], k: number): Segment[] {
  const has = new Set(cells.map((c) => `${c[0]},${c[1]}`));
  const found: Segment[] = [];
  for (const [dx, dy] of DIRECTIONS) {
    for (const c of cells) {
      const [x = 0, y = 0] = c;
      if (has.has(`${x - dx},${y - dy}`)) continue; // not the first of its run
      let n = 1;
      while (has.has(`${x + n * dx},${y + n * dy}`)) n++;
      if (n >= k) found.push({ from: c, to: [x + (n - 1) * dx, y + (n - 1) * dy] });
    }
  }
  return found;
}
