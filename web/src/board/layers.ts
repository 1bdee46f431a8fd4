// A board as flat layers of buttons: one for a board on paper, several for one
// in space, lying side by side.

import { h } from '../dom.ts';
import { number, t } from '../i18n.ts';
import type { Cell } from '../net/wire.ts';
import { sameCell } from '../state/variant.ts';
import type { Board, BoardCallbacks, Picture } from './board.ts';
import { describeCell } from './a11y.ts';
import { Gesture } from './gesture.ts';
import { Grid, type CellLook } from './grid.ts';
import { adviceFor } from './weights.ts';

export class Layers implements Board {
  readonly el: HTMLElement;
  readonly #grids: Grid[] = [];
  readonly #gesture = new Gesture();
  readonly #size: readonly number[];
  #game = -1;

  constructor(size: readonly number[], on: BoardCallbacks) {
    this.#size = size;
    const [w = 0, rows = 0, depth] = size;
    this.el = h('div', { class: depth === undefined ? 'board' : 'board board-deep', dir: 'ltr' });
    this.el.style.setProperty('--w', String(w));
    this.el.style.setProperty('--h', String(rows));
    for (let z = 0; z < (depth ?? 1); z++) {
      const at = (x: number, y: number): Cell => (depth === undefined ? [x, y] : [x, y, z]);
      const grid = new Grid(w, rows, {
        play: (x, y) => on.play(at(x, y)),
        aim: (x, y) => on.aim(at(x, y)),
        clean: () => this.#gesture.clean,
        touch: () => this.#gesture.touch,
        leave: (x, y, dz) => this.#grids[z + dz]?.focus(x, y),
      });
      this.#grids.push(grid);
      if (depth === undefined) this.el.append(grid.el);
      else this.el.append(h('section', { class: 'layer' }, h('h2', {}, t('cell.layer', { n: z + 1 })), grid.el));
      grid.label(depth === undefined ? t('board.label', { w: number(w), h: number(rows) }) : t('cell.layer', { n: z + 1 }));
    }
    this.#grids[0]?.enter(Math.floor((w - 1) / 2), Math.floor((rows - 1) / 2));
  }

  update(p: Picture): void {
    const fresh = p.game !== this.#game;
    this.#game = p.game;
    const last = p.marks.at(-1)?.cell ?? null;
    const looks = new Map<string, CellLook>();
    for (const { cell, mark } of p.marks) {
      const won = p.line?.some((c) => sameCell(c, cell)) ?? false;
      looks.set(cell.join(), { mark, pending: false, last: sameCell(cell, last), line: won });
    }
    if (p.pending) looks.set(p.pending.cell.join(), { mark: p.pending.mark, pending: true, last: false, line: false });
    const deep = this.#size.length > 2;
    this.#grids.forEach((grid, z) => {
      grid.begin(fresh, p.mine, p.outcome);
      for (let y = 0; y < grid.h; y++) {
        for (let x = 0; x < grid.w; x++) {
          const look = looks.get((deep ? [x, y, z] : [x, y]).join()) ?? null;
          const advice = look ? undefined : adviceFor(deep ? [x, y, z] : [x, y], p);
          grid.cell(x, y, look, describeCell([x, y], this.#size, look, advice));
          grid.advise(x, y, advice);
        }
      }
      // In space a line crosses layers: its cells alone tell it there.
      grid.strike(deep ? null : p.line, p.k);
    });
  }

  pointed(): Cell | null {
    for (const [z, grid] of this.#grids.entries()) {
      const at = grid.pointed();
      if (at) return this.#size.length > 2 ? [at.x, at.y, z] : [at.x, at.y];
    }
    return null;
  }

  destroy(): void {
    this.#gesture.stop();
  }
}

