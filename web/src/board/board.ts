// What a drawing of a board has to do, whatever it is drawn with.

import type { Cell, Mark } from '../net/wire.ts';
import { later } from '../net/later.ts';
import { drawable } from '../state/variant.ts';
import { Layers } from './layers.ts';

/** What is to be seen on a board. */
export interface Picture {
  /** null: the unbounded board. */
  readonly size: readonly number[] | null;
  readonly k: number;
  /** The moves of the game in their order, each with its mark. */
  readonly marks: readonly { readonly cell: Cell; readonly mark: Mark }[];
  readonly pending: { readonly cell: Cell; readonly mark: Mark } | null;
  readonly line: readonly Cell[] | null;
  /** Whose line it is: decides its colour and whether it is solid or dashed. */
  readonly outcome: 'won' | 'lost' | 'plain';
  /** The mark that the person here would make now; null when it is not their turn. */
  readonly mine: Mark | null;
  /** A move that is advised, and the weights of the empty cells by their `join()`. */
  readonly hint: Cell | null;
  readonly weights: ReadonlyMap<string, number> | null;
  readonly heaviest: number;
  /** What the cells weigh that `weights` does not list; null where that is not shown. */
  readonly plain: number | null;
  /** Changes where the marks are to be written anew rather than continued. */
  readonly game: number;
}

export interface BoardCallbacks {
  play(cell: Cell): void;
  /** A finger has pointed at a cell too small to be sure of; again plays it. */
  aim(cell: Cell): void;
}

export interface Board {
  readonly el: HTMLElement;
  update(p: Picture): void;
  /** The cell under the mouse, else the one that the keyboard is on. */
  pointed(): Cell | null;
  destroy(): void;
}

/** The board for a size: at once where it can be; null where the page has no drawing for it. */
export function boardFor(size: readonly number[] | null, on: BoardCallbacks): Board | Promise<Board> | null {
  if (!drawable(size)) return null;
  return size ? new Layers(size, on) : later(() => import('./sheet.ts')).then(({ Sheet }) => new Sheet(on));
}
