// What one can do in a game besides playing: always in the same place.

import { announce } from '../board/a11y.ts';
import { h, redo, say, set } from '../dom.ts';
import { errorText } from '../errors.ts';
import { t } from '../i18n.ts';
import { markOf } from '../marks.ts';
import type { Command, Mark, Take } from '../net/wire.ts';
import { markName, seatToChoose, type Roles } from '../state/describe.ts';
import { awayFor, type RoomView } from '../state/room.ts';
import type { App } from './view.ts';

/** After this long the one who stayed may claim the win. */
const CLAIM_MS = 60_000;

interface Callbacks {
  /** Shows a remark. */
  say(text: string): void;
  /** Takes the focus to the board. */
  toBoard(): void;
}

export class Actions {
  readonly el = h('div', { class: 'actions' });
  readonly #app: App;
  readonly #room: string;
  readonly #on: Callbacks;
  readonly #buttons = h('div', { class: 'actions-row' });
  readonly #note = h('p', { class: 'actions-note' });
  #asking = false;
  #busy = false;
  #view: RoomView | null = null;
  #roles: Roles | null = null;

  constructor(app: App, room: string, on: Callbacks) {
    this.#app = app;
    this.#room = room;
    this.#on = on;
    this.el.append(this.#note, this.#buttons);
  }

  update(view: RoomView, roles: Roles): void {
    if (this.#view && (this.#view.state.game !== view.state.game || view.state.phase !== 'playing')) this.#asking = false;
    this.#view = view;
    this.#roles = roles;
    this.#draw();
  }

  /** The opponent's absence: how long still, or that the win may be claimed. */
  tick(view: RoomView, roles: Roles, now: number): void {
    const { phase, seats, rematch } = view.state;
    const away = phase === 'playing' && roles.mine.length === 1 ? awayFor(view, roles.far, now) : null;
    const left = away === null ? null : Math.ceil((CLAIM_MS - away) / 1_000);
    set(this.el, 'data-claim', left === null ? null : left > 0 ? 'soon' : 'now');
    let note = '';
    if (this.#asking) note = t('act.resign.ask');
    else if (left !== null && left > 0) note = t('claim.soon', { n: left });
    else if (left !== null) note = t('claim.now');
    else if (phase === 'finished' && roles.mine.length === 1) {
      if (seats[roles.far].gone) note = t('err.opponentLeft');
      else if (rematch[roles.far]) note = t('act.rematch.got');
      else if (rematch[roles.near]) note = t('rematch.waiting');
    } else if (phase !== 'waiting' && roles.mine.length === 0) note = t('watch.you');
    say(this.#note, note);
    this.#draw();
  }

  join(): void {
    void this.#do('join');
  }

  leave(): void {
    void this.#do('leave').then((ok) => ok && this.#app.go('/'));
  }

  #draw(): void {
    const view = this.#view;
    const roles = this.#roles;
    if (!view || !roles) return;
    const { phase, opponent, rematch, seats } = view.state;
    const claim = this.el.dataset['claim'] === 'now';
    const asked = roles.mine.every((s) => rematch[s]);
    const gone = seats.some((s) => s.gone);
    const choice = seatToChoose(view, roles) === null ? null : view.state.stage;
    set(this.#buttons, 'data-choice', !this.#asking && choice);
    const stamp = [phase, this.#asking, choice, claim, asked, rematch[roles.far], gone, roles.mine.join(), this.#busy].join();
    const held = this.#buttons.contains(document.activeElement) ? document.activeElement?.getAttribute('data-act') : null;
    redo(this.#buttons, stamp, () => {
      if (roles.mine.length === 0 || phase === 'waiting' || phase === 'closed') return [phase === 'waiting' && roles.mine.length ? null : this.#lobby()];
      if (phase === 'playing') {
        if (this.#asking) {
          return [
            this.#button('yes', 'button-danger', t('act.resign.yes'), () => void this.#do('resign')),
            this.#button('no', '', t('act.resign.no'), () => this.#ask(false)),
          ];
        }
        const claimButton = claim && this.#button('claim', 'button-primary', t('act.claim'), () => void this.#do('claim'));
        const resignButton = this.#button('resign', '', t('act.resign'), () => this.#ask(true));
        if (choice) return [this.#choice(choice === 'choose'), claimButton || resignButton]; // there is room for one
        return [claimButton, resignButton, this.#lobby()];
      }
      const rematchButton = this.#button('rematch', 'button-primary', t('act.rematch'), () => void this.#do('rematch'));
      rematchButton.disabled = asked || gone;
      return [
        rematchButton,
        (opponent === 'anyone' || opponent === 'invite') && this.#button('new', '', t('act.newOpponent'), () => this.#newOpponent()),
        this.#lobby(),
      ];
    });
    if (held !== null && held !== undefined && !this.#buttons.contains(document.activeElement)) {
      // The focus stays in its place when the buttons under it change.
      const next = this.#buttons.querySelector<HTMLElement>(this.#asking ? '[data-act=no]' : `[data-act=${held}]`) ?? this.#buttons.querySelector<HTMLElement>('button:not(:disabled), a');
      next?.focus({ preventScroll: true });
    }
  }

  /** While a command is under way the buttons keep the focus, and do nothing. */
  #button(act: string, kind: string, label: string, onclick: () => void): HTMLButtonElement {
    return h('button', { class: `button ${kind}`, type: 'button', 'data-act': act, 'aria-disabled': String(this.#busy), onclick }, h('span', {}, label));
  }

  /** The marks to choose from, in the place of what is of less use just now. */
  #choice(more: boolean): HTMLElement {
    const take = (what: Take, ...label: (Node | string)[]): HTMLButtonElement =>
      h('button', { class: 'button button-primary', type: 'button', 'data-act': what, 'aria-disabled': String(this.#busy), onclick: () => void this.#take(what) }, ...label);
    const side = (mark: Mark): HTMLButtonElement => take(mark, markOf(mark), h('span', {}, t('act.take', { mark: markName(mark) })));
    return h('div', { class: 'actions-choice', role: 'group', 'aria-label': t('swap.choose') }, side('x'), side('o'), more && take('more', t('act.takeMore')));
  }

  #lobby(): HTMLElement {
    return h('a', { class: 'button', href: '/', 'data-act': 'lobby' }, h('span', {}, t('act.lobby')));
  }

  #newOpponent(): void {
    const variant = this.#view?.state.variant;
    this.#app.go('/');
    if (variant !== undefined) this.#app.store.seek(variant);
  }

  #ask(yes: boolean): void {
    this.#asking = yes;
    if (yes) announce(t('act.resign.ask'));
    this.#again();
  }

  #again(): void {
    if (this.#view && this.#roles) this.tick(this.#view, this.#roles, Date.now());
  }

  async #take(what: Take): Promise<void> {
    const at = this.#view?.state.at;
    const held = this.#buttons.contains(document.activeElement);
    if (at === undefined || !(await this.#send({ type: 'choose', room: this.#room, at, take: what }))) return;
    if (held) this.#on.toBoard(); // the game goes on there
  }

  async #do(type: 'join' | 'leave' | 'resign' | 'rematch' | 'claim'): Promise<boolean> {
    return this.#send({ type, room: this.#room });
  }

  /** Gives one command at a time. Tells whether it was taken. */
  async #send(c: Command): Promise<boolean> {
    if (this.#busy) return false;
    this.#busy = true;
    this.#draw();
    try {
      await this.#app.store.do(c);
      return true;
    } catch (e) {
      this.#on.say(errorText(e));
      return false;
    } finally {
      this.#busy = false;
      this.#asking = false;
      this.#again();
    }
  }
}
