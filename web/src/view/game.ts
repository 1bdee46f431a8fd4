// A room: waiting, playing, watching, finished. One screen in which things have
// fixed places, so that nothing that happens ever moves the board.

import { announce, describePlace } from '../board/a11y.ts';
import { boardFor, type Board } from '../board/board.ts';
import { NO_ADVICE } from '../board/weights.ts';
import { h, redo, set } from '../dom.ts';
import { errorText } from '../errors.ts';
import { t } from '../i18n.ts';
import { later } from '../net/later.ts';
import type { Cell, Seat } from '../net/wire.ts';
import { mayAsk } from '../state/advice.ts';
import { boardName, markName, rolesOf, seatText, seatToChoose, seatToMove, tell, type Roles, type Words } from '../state/describe.ts';
import { choosing, markAt, moverOf } from '../state/opening.ts';
import type { RoomView } from '../state/room.ts';
import { cellName, sameCell } from '../state/variant.ts';
import { Actions } from './actions.ts';
import type { Advice } from './advice.ts';
import { inviteCard, joinCard, sorryCard, twinWords } from './cards.ts';
import { Moves } from './moves.ts';
import { PlayerCard } from './player.ts';
import type { App, View } from './view.ts';

/** A headline of more characters than this is written smaller. */
const LONG = 24;
/** When a board that could not be loaded is asked for again. */
const AGAIN_MS = 2_000;
/** How long a remark stays below the headline. */
const REMARK_MS = 4_000;

export class Game implements View {
  readonly el: HTMLElement;
  readonly #app: App;
  readonly #room: string;
  readonly #headline = h('h1', { class: 'headline' });
  readonly #detail = h('p', { class: 'detail' });
  readonly #stage = h('div', { class: 'stage' });
  readonly #card = h('div', { class: 'stage-card' });
  readonly #twin = twinWords(h('p', { class: 'card-text' }, t('invite.send')), t('invite.twin'));
  readonly #far = new PlayerCard('far');
  readonly #near = new PlayerCard('near');
  readonly #moves = new Moves();
  readonly #actions: Actions;
  readonly #clock: ReturnType<typeof setInterval>;
  #board: Board | null = null;
  #advice: Advice | null = null;
  #loading = false;
  #boardFor = '';
  #remark = '';
  #remarkTimer: ReturnType<typeof setTimeout> | undefined;
  #seen: RoomView | null = null;

  constructor(app: App, room: string) {
    this.#app = app;
    this.#room = room;
    this.#actions = new Actions(app, room, {
      say: (text) => this.#say(text),
      toBoard: () => this.#board?.el.querySelector<HTMLElement>('[role=grid] [tabindex="0"]')?.focus({ preventScroll: true }),
    });
    const status = h('header', { class: 'status' }, this.#headline, this.#detail);
    const side = h('aside', { class: 'side', 'aria-label': t('game.side') }, this.#far.el, this.#moves.el, this.#actions.el, this.#near.el);
    this.el = h('main', { class: 'game' }, status, this.#stage, side);
    app.store.look(room);
    this.#clock = setInterval(() => this.#tick(), 1_000);
    this.update();
  }

  title(): string {
    const view = this.#app.store.rooms.get(this.#room);
    if (!view) return t('app.title');
    return tell(view, rolesOf(view, this.#app.store.player)).headline.map(textOf).join('') || t('app.title');
  }

  update(): void {
    const { store } = this.#app;
    const view = store.rooms.get(this.#room);
    if (!view) return this.#updateMissing();
    const roles = rolesOf(view, store.player);
    const told = tell(view, roles);
    set(this.el, 'class', `game game-${view.state.phase} tone-${told.tone}`);
    set(this.el, 'data-screen', roles.screen);
    words(this.#headline, told.headline);
    set(this.#headline, 'data-long', (this.#headline.textContent?.length ?? 0) > LONG);
    words(this.#detail, this.#remark ? [this.#remark] : told.detail);
    set(this.#detail, 'class', this.#remark ? 'detail detail-remark' : view.reset ? 'detail detail-reset' : 'detail');
    this.#updateAdvice(view, roles);
    this.#updateBoard(view, roles, told.tone);
    this.#updateCard(view, roles);
    this.#moves.update(view);
    this.#actions.update(view, roles);
    this.#tick();
    this.#announce(view, roles, told.headline, told.detail);
    this.#seen = view;
  }

  destroy(): void {
    clearInterval(this.#clock);
    clearTimeout(this.#remarkTimer);
    this.#board?.destroy();
    this.#advice?.destroy();
    this.#app.store.waitFor(null);
    void this.#app.store.away(this.#room);
  }

  #updateMissing(): void {
    const code = this.#app.store.missing.get(this.#room);
    const lost = this.#seen !== null; // before our eyes
    const headline = code === undefined ? t('game.loading') : t(lost ? 'room.lost' : 'room.missing');
    set(this.el, 'class', code === undefined ? 'game game-loading' : 'game game-missing');
    words(this.#headline, [headline]);
    redo(this.#card, `missing ${code}`, () => {
      if (code === undefined) return [];
      const why = t(code === 'too_many_rooms' ? 'err.tooManyRooms' : lost ? 'room.lostAbout' : 'err.roomUnknown');
      if (lost) announce(`${headline}. ${why}`);
      return [sorryCard(why)];
    });
    if (code === undefined || this.#stage.firstChild === this.#card) return;
    // What is left of the game would be a board that answers nobody.
    const held = this.el.contains(document.activeElement);
    words(this.#detail, []);
    this.#board?.destroy();
    this.#board = null;
    this.#boardFor = '';
    this.#stage.replaceChildren(this.#card);
    if (held) this.#card.querySelector('a')?.focus();
  }

  #updateBoard(view: RoomView, roles: Roles, tone: string): void {
    const { size } = view.state;
    this.#setUpBoard(view);
    if (!this.#board) return;
    const { state, pending } = view;
    const next = markAt(state, state.moves.length);
    this.#board.update({
      size,
      k: state.k,
      marks: state.moves.map((cell, n) => ({ cell, mark: markAt(state, n) })),
      pending: pending && { cell: pending.cell, mark: next },
      line: state.result?.line ?? null,
      outcome: tone === 'won' ? 'won' : tone === 'lost' ? 'lost' : 'plain',
      mine: seatToMove(view, roles) === null ? null : next,
      game: state.game,
      ...(this.#advice?.picture ?? NO_ADVICE),
    });
  }

  #setUpBoard({ state: { size, variant } }: RoomView): void {
    if (this.#boardFor === variant) return;
    this.#boardFor = variant;
    this.#board?.destroy();
    this.#board = null;
    const board = boardFor(size, {
      play: (cell) => this.#play(cell),
      aim: (cell) => this.#say(t('move.again', { cell: cellName(cell, size) })),
    });
    if (!(board instanceof Promise)) {
      this.#board = board;
      this.#stage.replaceChildren(board?.el ?? sorryCard(t('game.noBoard', { variant })), this.#card);
      return;
    }
    this.#stage.replaceChildren(this.#card);
    board.then(
      (b) => {
        if (!this.el.isConnected || this.#boardFor !== variant) return b.destroy();
        this.#board = b;
        this.#stage.prepend(b.el);
        this.update();
      },
      () => {
        // No network, most likely.
        setTimeout(() => {
          if (this.#boardFor !== variant) return;
          this.#boardFor = '';
          if (this.el.isConnected) this.update();
        }, AGAIN_MS);
      },
    );
  }

  #updateAdvice(view: RoomView, roles: Roles): void {
    this.#advice?.update(view, roles);
    if (this.#advice || this.#loading || !mayAsk(view, roles)) return;
    this.#loading = true;
    later(() => import('./advice.ts'))
      .then(({ Advice }) => {
        if (!this.el.isConnected) return;
        this.#advice = new Advice({
          store: this.#app.store,
          room: this.#room,
          board: () => this.#board,
          say: (text, aloud) => this.#say(text, aloud),
          play: (cell) => this.#play(cell),
          changed: () => this.update(),
        });
        this.#moves.tools(this.#advice.el);
        this.update();
      })
      .finally(() => (this.#loading = false))
      .catch(() => undefined); // the game goes on without
  }

  /** What lies on the board before there is a game on it. */
  #updateCard(view: RoomView, roles: Roles): void {
    const { phase, seats } = view.state;
    const waiting = phase === 'waiting';
    const kind = !waiting ? 'none' : roles.mine.length ? 'invite' : seats.some((s) => s.kind === 'open') ? 'join' : 'none';
    const { store } = this.#app;
    store.waitFor(kind === 'invite' ? this.#room : null);
    this.#twin.show(store.twin);
    redo(this.#card, `${kind} ${this.#room}`, () => {
      if (kind === 'invite') return [inviteCard(this.#room, this.#twin, () => this.#actions.leave())];
      if (kind === 'join') return [joinCard(boardName(view.state), () => this.#actions.join())];
      return [];
    });
  }

  /** What changes by the clock alone. */
  #tick(): void {
    const { store } = this.#app;
    const view = store.rooms.get(this.#room);
    if (!view) return;
    const roles = rolesOf(view, store.player);
    const now = Date.now();
    this.#far.update(view, roles.far, roles, now);
    this.#near.update(view, roles.near, roles, now);
    this.#actions.tick(view, roles, now);
  }

  #play(cell: Cell): void {
    const { store } = this.#app;
    const view = store.rooms.get(this.#room);
    if (!view) return;
    const roles = rolesOf(view, store.player);
    const { phase, moves } = view.state;
    if (roles.mine.length === 0) return this.#say(t('watch.you'));
    if (phase === 'finished' || phase === 'closed') return this.#say(t('err.gameOver'));
    if (phase === 'waiting') return this.#say(t('err.notPlaying'));
    if (view.pending) return sameCell(view.pending.cell, cell) ? undefined : this.#say(t('game.sending'));
    if (moves.some((m) => sameCell(m, cell))) return this.#say(t('cell.taken'));
    if (seatToChoose(view, roles) !== null) return this.#say(t('err.chooseFirst'));
    const seat = seatToMove(view, roles);
    if (seat === null) return this.#say(t('err.notYourTurn'));
    store.play(this.#room, seat, cell).catch((e: unknown) => this.#say(errorText(e)));
  }

  /** A remark in the place kept for it; it is read aloud as well. */
  #say(text: string, aloud = text): void {
    this.#remark = text;
    clearTimeout(this.#remarkTimer);
    this.#remarkTimer = setTimeout(() => {
      this.#remark = '';
      this.update();
    }, REMARK_MS);
    announce(aloud);
    words(this.#detail, [text]);
    set(this.#detail, 'class', 'detail detail-remark');
  }

  /** Says what somebody who does not see the screen would miss. */
  #announce(view: RoomView, roles: Roles, headline: Words, detail: Words): void {
    const before = this.#seen;
    const { state } = view;
    if (before && before.cursor.seq === view.cursor.seq && before.cursor.tag === view.cursor.tag) return;
    const said: string[] = [];
    const n = state.moves.length - 1;
    const fresh = before?.state.game === state.game && before.state.moves.length < state.moves.length;
    if (fresh && (roles.screen || !roles.mine.includes(moverOf(state, n)))) {
      said.push(t('say.move', { name: seatText(view, moverOf(state, n), roles), place: describePlace(state.moves[n]!, state.size) }));
    }
    if (before && choosing(before.state) && before.state.turn !== null && state.phase === 'playing' && !state.stage) said.push(this.#choice(view, roles, before.state.turn));
    if (state.rematch.some((r, seat) => r && !roles.mine.includes(seat as 0 | 1)) && state.phase === 'finished') said.push(t('act.rematch.got'));
    else said.push([...headline, state.stage ? '. ' : ' ', ...(state.phase === 'finished' || state.stage || view.reset ? detail : [])].map(textOf).join('').trim());
    if (said.join('')) announce(said.join('. '));
  }

  /** Who has got which mark. */
  #choice(view: RoomView, roles: Roles, chooser: Seat): string {
    const mine = roles.mine.length === 1;
    const mark = markName(view.state.seats[mine ? roles.near : chooser].mark ?? 'x');
    if (mine) return t('swap.yours', { mark });
    return t('say.move', { name: roles.screen ? t('seat.nth', { n: chooser + 1 }) : seatText(view, chooser, roles), place: mark });
  }
}

function textOf(part: string | Node): string {
  return typeof part === 'string' ? part : (part.textContent ?? '');
}

/** Puts words into an element where they are not in it already. */
function words(el: HTMLElement, w: Words): void {
  if (el.textContent !== w.map(textOf).join('')) el.replaceChildren(...w);
}
