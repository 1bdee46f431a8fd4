// What the engine says about a cell, as a board shows it.

import type { Cell } from '../net/wire.ts';
import { sameCell } from '../state/variant.ts';
import type { Picture } from './board.ts';

/** What is said about an empty cell. */
export interface CellAdvice {
  readonly hint: boolean;
  readonly weight: number | undefined;
  /** How far the weight is from that of a cell where nothing happens to the greatest one: 0 to 1. */
  readonly heat: number;
  readonly most: boolean;
}

/** The weight of a cell with no mark about: that of every cell of the unbounded board which no message lists. */
export const PLAIN_WEIGHT = 2;

/** What of a picture is advice. */
export type Advised = Pick<Picture, 'hint' | 'weights' | 'heaviest' | 'plain'>;

export const NO_ADVICE: Advised = { hint: null, weights: null, heaviest: 0, plain: null };

/** What there is to say about an empty cell; undefined where it is nothing. */
export function adviceFor(cell: Cell, { hint, weights, heaviest, plain }: Advised): CellAdvice | undefined {
  const weight = weights?.get(cell.join()) ?? plain ?? undefined;
  const hinted = sameCell(hint, cell);
  if (weight === undefined && !hinted) return undefined;
  return { hint: hinted, weight, heat: heat(weight ?? 0, heaviest), most: weight === heaviest };
}

/** Weights differ a thousandfold; the eye tells the smaller ones apart on a log scale. */
export function heat(weight: number, heaviest: number): number {
  return weight > PLAIN_WEIGHT ? Math.log(weight / PLAIN_WEIGHT) / Math.log(heaviest / PLAIN_WEIGHT) : 0;
}

/** A weight in the room that a cell has for it: 214, 21.5, 7.25; or 7.3 where there is little. */
export function weightText(w: number, tight: boolean): string {
  const digits = w >= 100 ? 0 : w >= 10 ? (tight ? 0 : 1) : tight ? 1 : 2;
  return String(Number(w.toFixed(digits)));
}
