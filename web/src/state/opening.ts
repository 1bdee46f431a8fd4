// The opening swap2, in which the marks are chosen at the board. Its stages
// follow from what is on the board; server/wire/README.md says how.

import type { Mark, RoomState, Seat, Take } from '../net/wire.ts';
import { parseVariant } from './variant.ts';

/** Marks on the board when a side is to be chosen, and when it is after two more. */
const PLACED = 3;
export const ALL_PLACED = 5;
/** The smallest board and the shortest line for it. */
const SMALLEST = 13;
const SHORTEST_LINE = 5;

/** Whether a board may be opened so. */
export function opens(variant: string): boolean {
  const v = parseVariant(variant);
  if (!v || v.misere || v.k < SHORTEST_LINE) return false;
  return v.size === null || (v.size.length === 2 && v.size.every((n) => n >= SMALLEST));
}

/** Whether somebody has to choose before anything else happens. */
export function choosing({ stage }: RoomState): boolean {
  return stage === 'choose' || stage === 'choose_last';
}

function otherMark(mark: Mark): Mark {
  return mark === 'x' ? 'o' : 'x';
}

export function other(seat: Seat): Seat {
  return seat === 0 ? 1 : 0;
}

/** The mark of the nth move (from 0). */
export function markAt(s: RoomState, n: number): Mark {
  const seat = moverOf(s, n);
  return s.opening ? (n % 2 === 0 ? 'x' : 'o') : (s.seats[seat].mark ?? (seat === 0 ? 'x' : 'o'));
}

/**
 * Whose mark the nth move (from 0) made: the seats take turns, `first` begins.
 * In an opening it is whoever places; that the other side has placed two more
 * is not to be seen any more once the marks are chosen.
 */
export function moverOf(s: RoomState, n: number): Seat {
  const first = s.first ?? 0;
  if (!s.opening) return n % 2 === 0 ? first : other(first);
  if (n < PLACED) return first;
  const x: Seat = s.seats[0].mark === 'x' ? 0 : 1;
  if (s.seats[x].mark === undefined) return other(first);
  return n % 2 === 0 ? x : other(x);
}

/** The state after a move that lies on the board already: who acts next, and in which stage. */
export function afterMove(s: RoomState, seat: Seat): RoomState {
  const n = s.moves.length;
  const goesOn = (s.stage === 'place' && n < PLACED) || (s.stage === 'more' && n < ALL_PLACED);
  if (goesOn) return { ...s, turn: seat };
  const next = { ...s, turn: other(seat) };
  return s.stage ? { ...next, stage: s.stage === 'place' ? 'choose' : 'choose_last' } : next;
}

/** The state after a choice: each side has its mark and O is to move, or the chooser places two more. */
export function afterChoice(s: RoomState, seat: Seat, take: Take): RoomState {
  if (take === 'more') return { ...s, turn: seat, stage: 'more' };
  const [mine, theirs] = [take, otherMark(take)];
  const seats = [{ ...s.seats[0], mark: seat === 0 ? mine : theirs }, { ...s.seats[1], mark: seat === 1 ? mine : theirs }] as const;
  return { ...endOpening(s), turn: take === 'o' ? seat : other(seat), seats };
}

/** The state without a stage: the opening is over, or the game is. */
export function endOpening({ stage, ...s }: RoomState): RoomState {
  return s;
}
