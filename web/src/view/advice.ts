// Help from the engine: a hint, and what the cells weigh. Loaded where somebody
// may have it.
//
// D plays the computer's move, T weighs the cell under the pointer or with the
// focus, H weighs them all; the buttons do the same for fingers.

import { describePlace } from '../board/a11y.ts';
import type { Board } from '../board/board.ts';
import { PLAIN_WEIGHT, type Advised } from '../board/weights.ts';
import { h, set } from '../dom.ts';
import { errorText } from '../errors.ts';
import { t } from '../i18n.ts';
import { icon, ICONS } from '../marks.ts';
import { Refused } from '../net/socket.ts';
import type { Cell, Hint } from '../net/wire.ts';
import { mayAsk, weighs } from '../state/advice.ts';
import { seatToMove, type Roles } from '../state/describe.ts';
import type { RoomView } from '../state/room.ts';
import type { Store } from '../state/store.ts';
import { cellName } from '../state/variant.ts';
import { keyOf } from './keys.ts';

/** Advice that takes longer than this is not waited for. */
const PATIENCE_MS = 5_000;

/** The game that is helped. */
export interface Helped {
  readonly store: Store;
  readonly room: string;
  board(): Board | null;
  /** Shows a remark; what is read aloud may have other words. */
  say(text: string, aloud?: string): void;
  play(cell: Cell): void;
  /** There is other advice to show. */
  changed(): void;
}

export class Advice {
  readonly el = h('div', { class: 'advice' });
  readonly #game: Helped;
  readonly #hint: HTMLButtonElement;
  readonly #weights: HTMLButtonElement;
  readonly #stop = new AbortController();
  #view: RoomView | null = null;
  #roles: Roles | null = null;
  /** What the advice is about; advice about anything else is not shown. */
  #about = '';
  #cell: Cell | null = null;
  #known: ReadonlyMap<string, number> | null = null;
  #heaviest = 0;
  #all = false;
  #one: Cell | null = null;
  #hinting = false;
  #weighing: Promise<void> | null = null;

  constructor(game: Helped) {
    this.#game = game;
    this.#hint = h('button', { class: 'button button-advice', type: 'button', 'aria-keyshortcuts': 'D', title: t('act.key', { name: t('act.playIt'), key: 'D' }), onclick: () => void this.#help(this.#cell !== null) }, icon(ICONS.bulb), h('span', { class: 'either' }, h('span', {}, t('act.hint')), h('span', {}, t('act.playIt'))));
    this.#weights = h('button', { class: 'button button-advice', type: 'button', 'aria-keyshortcuts': 'H', title: t('act.key', { name: t('act.weights'), key: 'H' }), 'aria-pressed': 'false', onclick: () => this.#toggle() }, icon(ICONS.weights), h('span', {}, t('act.weights')));
    this.el.append(this.#hint, this.#weights);
    document.addEventListener('keydown', (e) => this.#key(e), { signal: this.#stop.signal });
  }

  /** What of a picture is advice. */
  get picture(): Advised {
    const at = this.#one?.join();
    const one = at === undefined ? null : new Map([[at, this.#weightOf(at)]]);
    const everywhere = this.#all && this.#known && this.#view?.state.size === null;
    return { hint: this.#cell, weights: this.#all ? this.#known : one, heaviest: this.#heaviest, plain: everywhere ? PLAIN_WEIGHT : null };
  }

  update(view: RoomView, roles: Roles): void {
    this.#view = view;
    this.#roles = roles;
    const { state } = view;
    const about = `${state.game} ${state.at} ${state.phase}`;
    if (about !== this.#about) {
      this.#about = about;
      this.#cell = this.#one = this.#known = this.#weighing = null;
    }
    const may = mayAsk(view, roles);
    this.#hint.hidden = !may || state.phase !== 'playing';
    this.#weights.hidden = !may || !weighs(state.variant);
    set(this.#hint, 'aria-disabled', String(seatToMove(view, roles) === null));
    set(this.#hint, 'data-second', this.#cell !== null);
    set(this.#weights, 'aria-pressed', String(this.#all));
    this.#busy();
    if (this.#all && !this.#weights.hidden) void this.#weigh();
  }

  /** Shows what is being waited for. */
  #busy(): void {
    set(this.#hint, 'aria-busy', this.#hinting && 'true');
    set(this.#weights, 'aria-busy', this.#weighing !== null && 'true');
  }

  destroy(): void {
    this.#stop.abort();
  }

  #key(e: KeyboardEvent): void {
    const key = keyOf(e);
    if (key === null || !this.#view || !this.#roles) return;
    if (key === 'd') void this.#help(true);
    else if (key === 'h') this.#toggle();
    else if (key === 't') void this.#weighOne();
    else return;
    e.preventDefault();
  }

  /** Shows a good move, or plays it. */
  async #help(play: boolean): Promise<void> {
    const [view, roles] = [this.#view, this.#roles];
    if (!view || !roles || view.pending || this.#hinting) return;
    if (view.state.phase === 'finished') return this.#game.say(t('err.gameOver'));
    if (!mayAsk(view, roles)) return this.#refuse(roles);
    if (seatToMove(view, roles) === null) return this.#game.say(t('err.notYourTurn'));
    const about = this.#about;
    if (!this.#cell) {
      this.#hinting = true;
      this.#busy();
      const m = await this.#ask(false);
      this.#hinting = false;
      this.#busy();
      if (!m?.move || about !== this.#about) return;
      this.#cell = m.move;
    }
    const cell = this.#cell;
    if (play) return this.#game.play(cell);
    const { size } = view.state;
    this.#game.say(t('hint.at', { place: cellName(cell, size) }), t('hint.at', { place: describePlace(cell, size) }));
    this.#game.changed();
  }

  #toggle(): void {
    if (!this.#mayWeigh()) return;
    this.#all = !this.#all;
    this.#one = null;
    this.#game.changed();
  }

  /** Says what the cell under the pointer weighs, and writes it there. */
  async #weighOne(): Promise<void> {
    const cell = this.#game.board()?.pointed();
    const state = this.#view?.state;
    if (!cell || !state || !this.#mayWeigh()) return;
    const at = cell.join();
    if (state.moves.some((m) => m.join() === at)) return this.#game.say(t('cell.taken'));
    const about = this.#about;
    await this.#weigh();
    if (about !== this.#about || !this.#known) return;
    this.#one = cell;
    const n = this.#weightOf(at);
    this.#game.say(t('weight.of', { place: cellName(cell, state.size), n }), t('weight.of', { place: describePlace(cell, state.size), n }));
    this.#game.changed();
  }

  #weightOf(at: string): number {
    return this.#known?.get(at) ?? PLAIN_WEIGHT;
  }

  #mayWeigh(): boolean {
    const [view, roles] = [this.#view, this.#roles];
    if (!view || !roles) return false;
    const [may, has] = [mayAsk(view, roles), weighs(view.state.variant)];
    if (!may) this.#refuse(roles);
    else if (!has) this.#game.say(t('err.noWeights'));
    return may && has;
  }

  #refuse(roles: Roles): void {
    this.#game.say(t(!roles.mine.length ? 'watch.you' : this.#view?.state.stage ? 'err.chooseFirst' : 'err.noHints'));
  }

  /** Gets to know the weights of the board that stands; asked for twice, the server is asked once. */
  async #weigh(): Promise<void> {
    if (this.#known) return;
    this.#weighing ??= this.#fetchWeights();
    this.#busy();
    await this.#weighing;
  }

  async #fetchWeights(): Promise<void> {
    const about = this.#about;
    const m = await this.#ask(true);
    if (about !== this.#about) return;
    this.#weighing = null;
    this.#busy();
    if (!m?.weights) return;
    this.#known = new Map(m.weights.map(([x = 0, y = 0, w = 0]) => [`${x},${y}`, w]));
    this.#heaviest = Math.max(0, ...this.#known.values());
    this.#game.changed();
  }

  async #ask(weights: boolean): Promise<Hint | null> {
    const [about, late] = [this.#about, AbortSignal.timeout(PATIENCE_MS)];
    try {
      return await this.#game.store.advice(this.#game.room, this.#view?.state.at ?? 0, weights, late);
    } catch (e) {
      // Where the board has moved on, so do we.
      if (about !== this.#about || (e instanceof Refused && e.answer.code === 'stale')) return null;
      if (weights) {
        this.#all = false; // or it would be asked again with every change
        set(this.#weights, 'aria-pressed', 'false');
      }
      this.#game.say(late.aborted ? t('hint.late') : errorText(e));
      return null;
    }
  }
}
