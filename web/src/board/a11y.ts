// The board in words.

import { t } from '../i18n.ts';
import type { Cell } from '../net/wire.ts';
import type { CellLook } from './grid.ts';
import type { CellAdvice } from './weights.ts';

/** "Row 1, column 2, X": rows from the top, as a table is read. */
export function describeCell(cell: Cell, size: readonly number[] | null, look: CellLook | null, advice?: CellAdvice): string {
  const parts = [describePlace(cell, size)];
  parts.push(!look ? t('cell.empty') : look.mark === 'x' ? t('mark.x') : t('mark.o'));
  if (look?.pending) parts.push(t('cell.pending'));
  if (look?.line) parts.push(t('cell.line'));
  else if (look?.last) parts.push(t('move.last'));
  if (advice?.hint) parts.push(t('act.hint'));
  if (advice?.weight !== undefined) parts.push(t('cell.weight', { n: advice.weight }));
  return parts.join(t('list.comma'));
}

/** A place in words; on the unbounded board rows and columns have the numbers they have in the list of moves. */
export function describePlace(cell: Cell, size: readonly number[] | null): string {
  const [x = 0, y = 0, z] = cell;
  if (!size) return t('cell.at', { r: y, c: x });
  const flat = t('cell.at', { r: y + 1, c: x + 1 });
  return z === undefined ? flat : t('cell.layer', { n: z + 1 }) + t('list.comma') + flat;
}

let region: HTMLElement | null = null;

/** Makes an element the one whose changes are read aloud. */
export function announceIn(el: HTMLElement): void {
  region = el;
}

/** Has a sentence read aloud, also one that was the last already. */
export function announce(text: string): void {
  if (!region) return;
  region.textContent = region.textContent === text ? text + '\u00a0' : text;
}
