// A player beside the board: mark, name, whether there, games won.

import { h, redo, say, set } from '../dom.ts';
import { number, t } from '../i18n.ts';
import { icon, ICONS, markOf } from '../marks.ts';
import type { Seat } from '../net/wire.ts';
import { levelName, seatName, type Roles } from '../state/describe.ts';
import { awayFor, type RoomView } from '../state/room.ts';

export class PlayerCard {
  readonly el: HTMLElement;
  readonly #mark = h('span', { class: 'player-mark' });
  readonly #name = h('span', { class: 'player-name' });
  readonly #state = h('span', { class: 'player-state' });
  readonly #score = h('span', { class: 'player-score' });

  constructor(place: 'far' | 'near') {
    this.el = h('section', { class: `player player-${place}` }, this.#mark, h('span', { class: 'player-who' }, this.#name, this.#state), this.#score);
  }

  update(view: RoomView, seat: Seat, roles: Roles, now: number): void {
    const { seats, turn, score, game } = view.state;
    const s = seats[seat];
    const away = awayFor(view, seat, now);
    const mine = roles.mine.includes(seat) && !roles.screen;
    set(this.el, 'data-turn', turn === seat ? 'yes' : null);
    set(this.el, 'data-open', s.kind === 'open');
    set(this.el, 'data-away', away !== null ? 'yes' : null);
    redo(this.#mark, s.mark ?? s.kind, () => [s.mark ? markOf(s.mark) : icon(s.kind === 'computer' ? ICONS.computer : ICONS.person)]);
    redo(this.#name, `${s.kind} ${s.name} ${s.mark} ${roles.screen}`, () => [seatName(view, seat, roles)]);
    say(this.#state, this.#words(view, seat, mine, away));
    // Wins are of interest from the second game on; the place is kept anyway.
    say(this.#score, game > 1 || view.state.phase === 'finished' ? number(score.wins[seat]) : '');
    set(this.#score, 'aria-label', this.#score.textContent ? t('player.wins', { n: score.wins[seat] }) : null);
    set(this.#score, 'role', this.#score.textContent ? 'img' : null);
  }

  #words(view: RoomView, seat: Seat, mine: boolean, away: number | null): string {
    const s = view.state.seats[seat];
    if (s.gone) return t('player.gone');
    if (s.kind === 'computer') return s.level === undefined ? '' : levelName(s.level);
    if (s.kind === 'open' || view.state.opponent === 'screen') return '';
    if (mine) return t('player.you');
    if (away !== null) return t('net.opponentAway');
    return view.presence ? t('player.here') : '';
  }
}
