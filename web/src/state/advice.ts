// Who may be helped by the engine, as the server decides it too.

import type { Roles } from './describe.ts';
import type { RoomView } from './room.ts';
import { parseVariant } from './variant.ts';

/** The row that the weights are made for. */
const ROW = 5;

/**
 * At a running game only who plays a computer, or both sides on one screen,
 * and not while marks are still to be chosen; after the end everybody.
 */
export function mayAsk({ state }: RoomView, roles: Roles): boolean {
  if (state.phase === 'finished') return true;
  return state.phase === 'playing' && !state.stage && (state.opponent === 'computer' || state.opponent === 'screen') && roles.mine.length > 0;
}

/** Whether the cells of a board have weights. */
export function weighs(variant: string): boolean {
  const v = parseVariant(variant);
  return !!v && v.size?.length !== 3 && v.k === ROW && !v.misere;
}
