// What a room amounts to for the person who looks at it: in words.

import { bdi } from '../dom.ts';
import { parts, t, type Key } from '../i18n.ts';
import type { Mark, RoomState, Seat } from '../net/wire.ts';
import { ALL_PLACED, choosing, markAt, other } from './opening.ts';
import { seatsOf, type RoomView } from './room.ts';
import { parseVariant } from './variant.ts';

export type Words = (string | Node)[];

/** How the person fares: decides colours, never alone. */
export type Tone = 'mine' | 'theirs' | 'won' | 'lost' | 'drawn' | 'plain';

export interface Told {
  readonly tone: Tone;
  readonly headline: Words;
  readonly detail: Words;
}

/** Who is who for the person at this screen. */
export interface Roles {
  /** The seats the person holds: none for a spectator, both on one screen. */
  readonly mine: readonly Seat[];
  readonly screen: boolean;
  /** The seat drawn at the near side, and the one across. */
  readonly near: Seat;
  readonly far: Seat;
}

export function rolesOf(view: RoomView, player: string | null): Roles {
  const mine = seatsOf(view.state, player);
  const screen = mine.length === 2;
  const near = mine[0] ?? 0;
  return { mine, screen, near, far: other(near) };
}

/** The seat that the person may put a mark for now, or null. */
export function seatToMove(view: RoomView, roles: Roles): Seat | null {
  return choosing(view.state) ? null : seatToAct(view, roles);
}

/** The seat that the person has to choose a mark for now, or null. */
export function seatToChoose(view: RoomView, roles: Roles): Seat | null {
  return choosing(view.state) ? seatToAct(view, roles) : null;
}

function seatToAct(view: RoomView, roles: Roles): Seat | null {
  const { phase, turn } = view.state;
  return phase === 'playing' && turn !== null && roles.mine.includes(turn) && !view.pending ? turn : null;
}

/** A seat's name, apart from the direction of the sentence it stands in. */
export function seatName(view: RoomView, seat: Seat, roles: Roles): Node {
  return bdi(seatText(view, seat, roles));
}

export function seatText(view: RoomView, seat: Seat, roles: Roles): string {
  const s = view.state.seats[seat];
  if (roles.screen) return s.mark ? t(s.mark === 'x' ? 'side.x' : 'side.o') : t('seat.nth', { n: seat + 1 });
  if (s.kind === 'computer') return t('seat.computer');
  if (s.kind === 'open') return t('seat.open');
  return s.name ?? '';
}

const LEVELS: Readonly<Record<string, Key>> = {
  random: 'level.random',
  sequential: 'level.sequential',
  'three-step': 'level.threeStep',
  'centre-win-block': 'level.centreWinBlock',
  'open-lines': 'level.openLines',
  'attack-weights': 'level.attackWeights',
  perfect: 'level.perfect',
  ladder: 'level.ladder',
};

/** A level as people call it; one that this page does not know keeps its own name. */
export function levelName(level: string): string {
  if (/^\d$/.test(level)) return t('level.rung', { n: Number(level) });
  const [kind = '', depth] = level.split(':');
  const key = LEVELS[kind];
  if (!key) return level;
  return depth === undefined ? t(key) : t('level.depth', { name: t(key), n: Number(depth) });
}

/** "3×3, 3 in a row" */
export function variantName(name: string): string {
  const v = parseVariant(name);
  if (!v) return name;
  const line = v.misere ? t('variant.misere', { k: v.k }) : t(v.exact ? 'variant.exact' : 'variant.line', { k: v.k });
  return sizeName(name) + t('list.comma') + line;
}

/** The board of a room, with its opening. */
export function boardName({ variant, opening }: Pick<RoomState, 'variant' | 'opening'>): string {
  return variantName(variant) + (opening ? t('list.comma') + t('swap.title') : '');
}

export function sizeName(name: string): string {
  const v = parseVariant(name);
  if (!v) return name;
  return v.size ? v.size.join('\u2009×\u2009') : t('game.infinite');
}

export function tell(view: RoomView, roles: Roles): Told {
  const told = tellPhase(view, roles);
  return view.reset ? { ...told, detail: [t('room.reset')] } : told;
}

function tellPhase(view: RoomView, roles: Roles): Told {
  const s = view.state;
  switch (s.phase) {
    case 'waiting':
      return roles.mine.length
        ? { tone: 'plain', headline: [t('invite.waiting')], detail: [boardName(s)] }
        : { tone: 'plain', headline: parts('room.invites', { name: seatName(view, 0, roles) }), detail: [boardName(s)] };
    case 'closed':
      return { tone: 'plain', headline: [t('room.closed')], detail: [] };
    case 'playing':
      return tellTurn(view, roles);
    case 'finished':
      return tellResult(view, roles);
  }
}

function tellTurn(view: RoomView, roles: Roles): Told {
  const { turn, seats, stage } = view.state;
  const detail = tellGoal(view, roles);
  if (turn === null) return { tone: 'plain', headline: [], detail };
  if (stage) return tellOpening(view, roles, turn);
  if (roles.screen) return { tone: 'mine', headline: [t(markKey(seats[turn].mark, 'turn.x', 'turn.o'))], detail };
  if (roles.mine.includes(turn)) return { tone: 'mine', headline: [t('turn.yours')], detail };
  const headline = seats[turn].kind === 'computer' ? [t('turn.thinking')] : parts('turn.of', { name: seatName(view, turn, roles) });
  return { tone: roles.mine.length ? 'theirs' : 'plain', headline, detail };
}

/** What is good to know at the first move: what wins, or the mark that one got in the opening. */
function tellGoal({ state: { opening, moves, seats, k, variant } }: RoomView, roles: Roles): Words {
  if (opening) {
    const mark = seats[roles.near].mark;
    return mark && roles.mine.length === 1 && moves.length <= ALL_PLACED ? [t('swap.yours', { mark: markName(mark) })] : [];
  }
  return moves.length === 0 ? [t(parseVariant(variant)?.misere ? 'why.misere' : 'goal.line', { k })] : [];
}

/** The opening: what is to be done, and whose mark comes next. */
function tellOpening(view: RoomView, roles: Roles, turn: Seat): Told {
  const { stage, moves } = view.state;
  const chooses = choosing(view.state);
  const task = t(chooses ? 'swap.choose' : stage === 'more' ? 'swap.more' : 'swap.place');
  const next = t('swap.next', { mark: markName(markAt(view.state, moves.length)) });
  const mine = roles.mine.includes(turn);
  if (mine && !roles.screen) return { tone: 'mine', headline: [task], detail: [next] };
  const headline = parts(chooses ? 'swap.chooses' : 'swap.places', { name: seatName(view, turn, roles) });
  return { tone: mine ? 'mine' : roles.mine.length ? 'theirs' : 'plain', headline, detail: mine && !chooses ? [task, ' · ', next] : [next] };
}

function tellResult(view: RoomView, roles: Roles): Told {
  const { result, seats } = view.state;
  const winner = result?.winner ?? null;
  const detail = tellReason(view, roles);
  if (winner === null) return { tone: 'drawn', headline: [t('result.draw')], detail };
  const { mark } = seats[winner];
  if (roles.screen && mark) return { tone: 'won', headline: [t(markKey(mark, 'result.x', 'result.o'))], detail };
  if (roles.screen || !roles.mine.length) return { tone: 'plain', headline: parts('result.wins', { name: seatName(view, winner, roles) }), detail };
  return roles.mine.includes(winner)
    ? { tone: 'won', headline: [t('result.win')], detail }
    : { tone: 'lost', headline: [t('result.lose')], detail };
}

function tellReason(view: RoomView, roles: Roles): Words {
  const { result, k, variant } = view.state;
  if (!result) return [];
  const loser = result.winner === null ? null : other(result.winner);
  const name = loser === null ? '' : seatName(view, loser, roles);
  const you = loser !== null && roles.mine.includes(loser) && !roles.screen;
  switch (result.reason) {
    case 'line':
      return [t(parseVariant(variant)?.misere ? 'why.misere' : 'why.line', { k })];
    case 'full':
      return [t('why.full')];
    case 'resigned':
      return you ? [t('why.youResigned')] : parts('result.resigned', { name });
    case 'left':
      return you ? [t('why.youLeft')] : parts('why.left', { name });
    case 'claimed':
      return you ? [t('why.youClaimed')] : parts('why.claimed', { name });
    case 'abandoned':
      return you ? [t('why.youAbandoned')] : parts('why.abandoned', { name });
  }
}

export function markName(mark: Mark): string {
  return t(markKey(mark, 'mark.x', 'mark.o'));
}

function markKey(mark: Mark | undefined, x: Key, o: Key): Key {
  return mark === 'o' ? o : x;
}
