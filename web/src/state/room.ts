// A room as one player knows it: a pure fold of what the server sends.
//
// Nothing here decides rules; an event is true because it is stored. The one
// thing of our own is `pending`, a mark that was asked for and not confirmed.

import type { Cell, Cursor, Events, Mark, Presence, RoomEvent, RoomState, Seat, SeatState, SnapshotBody } from '../net/wire.ts';
import { afterChoice, afterMove, endOpening } from './opening.ts';
import { parseVariant } from './variant.ts';

export interface Pending {
  readonly id: string;
  readonly seat: Seat;
  readonly cell: Cell;
}

export interface RoomView {
  readonly room: string;
  readonly cursor: Cursor;
  readonly state: RoomState;
  readonly presence: Presence | null;
  /** When the presence came, by our clock: `away_ms` counts from there. */
  readonly presenceAt: number;
  readonly pending: Pending | null;
  /** The server has lost what we knew, and nothing has happened since. */
  readonly reset: boolean;
}

/** What came of a message: the new view, or the need to ask for what is missing. */
export interface Folded {
  readonly view: RoomView | null;
  /** The message does not join on to what we know: watch again with our cursor. */
  readonly gap: boolean;
}

/** Takes over a snapshot. `now` is our clock. */
export function foldSnapshot(view: RoomView | null, s: SnapshotBody, now: number): Folded {
  if (view && !s.reset) {
    const behind = s.cursor.seq < view.cursor.seq;
    const forked = s.cursor.seq === view.cursor.seq && s.cursor.tag !== view.cursor.tag;
    // Without `reset` history only grows. Where it seems not to have, the
    // server compares cursors and says which history is the real one.
    if (behind || forked) return { view, gap: true };
  }
  const keepsPending = view?.pending && view.state.at === s.state.at && view.state.game === s.state.game;
  return {
    view: {
      room: s.room,
      cursor: s.cursor,
      state: s.state,
      presence: s.presence ?? view?.presence ?? null,
      presenceAt: s.presence ? now : (view?.presenceAt ?? now),
      pending: keepsPending ? view.pending : null,
      reset: view !== null && (s.reset ?? (view.reset && view.cursor.seq === s.cursor.seq)),
    },
    gap: false,
  };
}

/** Folds a batch of events; those we have already are skipped. */
export function foldEvents(view: RoomView | null, m: Events): Folded {
  if (!view) return { view, gap: true };
  if (m.after > view.cursor.seq) return { view, gap: true };
  if (m.cursor.seq < view.cursor.seq) return { view, gap: false };
  if (m.cursor.seq === view.cursor.seq) return { view, gap: m.cursor.tag !== view.cursor.tag };
  let { state, pending } = view;
  let seq = view.cursor.seq;
  for (const e of m.events) {
    if (e.seq <= seq) continue;
    if (e.seq !== seq + 1) return { view, gap: true };
    state = apply(state, e);
    seq = e.seq;
    if (pending && (e.id === pending.id || changesBoard(e))) pending = null;
  }
  if (seq !== m.cursor.seq) return { view, gap: true };
  return { view: { ...view, state, pending, cursor: m.cursor, reset: false }, gap: false };
}

export function foldPresence(view: RoomView, presence: Presence, now: number): RoomView {
  return { ...view, presence, presenceAt: now };
}

/** Shows a mark that was asked for. */
export function pend(view: RoomView, pending: Pending): RoomView {
  return { ...view, pending };
}

/** Takes it away again, if it is still that one. */
export function unpend(view: RoomView, id: string): RoomView {
  return view.pending?.id === id ? { ...view, pending: null } : view;
}

function changesBoard(e: RoomEvent): boolean {
  return e.type === 'moved' || e.type === 'chose' || e.type === 'started' || e.type === 'ended' || e.type === 'closed';
}

/** One event after another, as server/wire/README.md says how to fold them. */
export function apply(s: RoomState, e: RoomEvent): RoomState {
  const t = { ...s, updated: e.at };
  switch (e.type) {
    case 'created': {
      const v = parseVariant(e.variant);
      return {
        ...t,
        variant: e.variant,
        size: v?.size ?? null,
        k: v?.k ?? 0,
        phase: 'waiting',
        opponent: e.opponent,
        ...(e.opening && { opening: e.opening }),
        seats: [{ kind: 'person', player: e.player, name: e.name }, { kind: 'open' }],
        created: e.at,
      };
    }
    case 'seated': {
      const { kind, player, name, level } = e;
      const seat = { kind, ...(player !== undefined && { player }), ...(name !== undefined && { name }), ...(level !== undefined && { level }) };
      return { ...t, seats: put(s.seats, e.seat, seat) };
    }
    case 'started':
      return {
        ...t,
        ...(s.opening && { stage: 'place' }),
        phase: 'playing',
        game: e.game,
        first: e.first,
        turn: e.first,
        at: e.seq,
        moves: [],
        result: null,
        rematch: [false, false],
        seats: [marked(s.seats[0], e.marks?.[0]), marked(s.seats[1], e.marks?.[1])],
      };
    case 'moved':
      return afterMove({ ...t, moves: [...s.moves, e.cell], at: e.seq }, e.seat);
    case 'chose':
      return afterChoice({ ...t, at: e.seq }, e.seat, e.take);
    case 'ended': {
      const { winner, reason, line } = e;
      const { wins, draws } = s.score;
      return {
        ...endOpening(t),
        phase: 'finished',
        turn: null,
        result: { winner, reason, ...(line !== undefined && { line }) },
        score: winner === null ? { wins, draws: draws + 1 } : { wins: put(wins, winner, wins[winner] + 1), draws },
      };
    }
    case 'rematch_offered':
      return { ...t, rematch: put(s.rematch, e.seat, true) };
    case 'vacated':
      return {
        ...t,
        seats: put(s.seats, e.seat, { ...s.seats[e.seat], gone: true }),
        rematch: put(s.rematch, e.seat, false),
      };
    case 'closed':
      return { ...endOpening(t), phase: 'closed', turn: null };
    case 'archived': // what can be read back elsewhere looks the same here
    default: // of a newer server: whatever it is, it does not touch the board
      return t;
  }
}

function put<T>(pair: readonly [T, T], seat: Seat, value: T): readonly [T, T] {
  return seat === 0 ? [value, pair[1]] : [pair[0], value];
}

/** A seat with a mark, or without one while marks are still to be chosen. */
function marked({ mark: before, ...seat }: SeatState, mark: Mark | undefined): SeatState {
  return mark ? { ...seat, mark } : seat;
}

/** The seats that this player holds: none, one, or both on one screen. */
export function seatsOf(s: RoomState, player: string | null): Seat[] {
  if (player === null) return [];
  return ([0, 1] as const).filter((i) => s.seats[i].kind === 'person' && s.seats[i].player === player);
}

/** Whoever comes back within this time has only changed to another node, or walked past a lift. */
const BLINK_MS = 3_000;

/** How long the person of a seat has been away by now, or null while there or hardly gone. */
export function awayFor(view: RoomView, seat: Seat, now: number): number | null {
  const p = view.presence?.seats[seat];
  if (!p || p.here || view.state.seats[seat].kind !== 'person') return null;
  const away = (p.away_ms ?? 0) + Math.max(0, now - view.presenceAt);
  return away < BLINK_MS ? null : away;
}
