// The server's refusals in the player's language.

import { t, type Key } from './i18n.ts';
import type { Refusal } from './net/wire.ts';
import { Refused } from './net/socket.ts';

const TEXTS: Readonly<Record<string, Key>> = {
  bad_name: 'err.badName',
  bad_variant: 'err.badVariant',
  bad_level: 'err.badLevel',
  room_unknown: 'err.roomUnknown',
  room_full: 'err.roomFull',
  room_closed: 'room.closed',
  not_seated: 'err.notSeated',
  not_playing: 'err.notPlaying',
  game_over: 'err.gameOver',
  not_your_turn: 'err.notYourTurn',
  choose_first: 'err.chooseFirst',
  no_choice: 'err.stale',
  stale: 'err.stale',
  occupied: 'cell.taken',
  out_of_bounds: 'err.outOfBounds',
  opponent_present: 'err.opponentPresent',
  opponent_left: 'err.opponentLeft',
  not_finished: 'err.notFinished',
  hint_forbidden: 'err.noHints',
  no_weights: 'err.noWeights',
  too_many_rooms: 'err.tooManyRooms',
  rate_limited: 'err.rateLimited',
  internal: 'err.internal',
};

export function refusalText(r: Refusal): string {
  const key = TEXTS[r.code];
  if (!key) return t('err.other', { code: r.code });
  if (r.retry_after_ms !== undefined && r.retry_after_ms >= 1_000) {
    return t('err.retryIn', { text: t(key), n: Math.ceil(r.retry_after_ms / 1_000) });
  }
  return t(key);
}

export function errorText(e: unknown): string {
  return e instanceof Refused ? refusalText(e.answer) : t('err.internal');
}
