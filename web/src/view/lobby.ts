// The lobby: choose a board, choose an opponent, or look at what others play.

import { bdi, h, redo, say, set } from '../dom.ts';
import { errorText } from '../errors.ts';
import { parts, t } from '../i18n.ts';
import { doodle, icon, ICONS, markOf } from '../marks.ts';
import * as api from '../net/api.ts';
import { boardName, levelName, rolesOf, seatName, sizeName, tell, variantName } from '../state/describe.ts';
import { drawable, parseVariant } from '../state/variant.ts';
import { announce } from '../board/a11y.ts';
import { twinWords } from './cards.ts';
import { picker } from './picker.ts';
import { againstComputer, onOneScreen, withFriend } from './setup.ts';
import { roomPath, type App, type View } from './view.ts';

/** How often the lists are asked for while somebody can see them. */
const POLL_MS = 4_000;

/** The list names a computer by its level. */
function liveName(name = ''): HTMLElement {
  return bdi(levelName(name));
}

export class Lobby implements View {
  readonly el: HTMLElement;
  readonly #app: App;
  readonly #stop = new AbortController();
  readonly #pinned = h('section', { class: 'pinned', 'aria-label': t('lobby.yours') });
  readonly #seek: HTMLButtonElement;
  readonly #seekAbout = h('span', { class: 'play-about' });
  readonly #seeking: HTMLElement;
  readonly #seekingAbout = h('span', { class: 'play-about' });
  readonly #twin = twinWords(h('span', { class: 'seeking-what' }, h('span', { class: 'seeking-marks', 'aria-hidden': 'true' }, markOf('x'), markOf('o'), markOf('x', 2)), this.#seekingAbout), t('lobby.twin'));
  readonly #others: HTMLButtonElement[];
  readonly #error = h('p', { class: 'form-error', role: 'alert' });
  readonly #open = h('ul', { class: 'games' });
  readonly #live = h('ul', { class: 'games' });
  readonly #board = picker(() => this.update());
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(app: App) {
    this.#app = app;
    const { store } = app;
    this.#seek = h('button', { class: 'play-now', type: 'button', onclick: () => this.#with((v) => store.seek(v)) }, h('span', { class: 'play-title' }, t('lobby.play')), this.#seekAbout);
    const cancel = h('button', { class: 'button', type: 'button', onclick: () => store.cancel() }, t('act.cancel'));
    this.#seeking = h('div', { class: 'play-now play-seeking', hidden: true }, h('span', { class: 'play-title' }, t('lobby.seeking')), this.#twin.el, cancel);
    const other = (d: string, label: string, act: (variant: string) => unknown): HTMLButtonElement =>
      h('button', { class: 'button button-wide', type: 'button', onclick: () => this.#with(act) }, icon(d), h('span', {}, label));
    this.#others = [
      other(ICONS.link, t('lobby.friend'), (v) => withFriend(app, v)),
      other(ICONS.computer, t('lobby.computer'), (v) => againstComputer(app, v)),
      other(ICONS.screen, t('lobby.hotseat'), (v) => onOneScreen(app, v)),
    ];
    this.el = h(
      'main',
      { class: 'lobby' },
      h('hgroup', { class: 'intro' }, h('h1', { class: 'tagline' }, t('lobby.tagline')), h('p', {}, t('app.about'))),
      doodle(),
      this.#pinned,
      this.#board.el,
      h('section', { class: 'play', 'aria-label': t('lobby.opponent') }, this.#seek, this.#seeking, ...this.#others, this.#error),
      h('section', { class: 'lists' }, h('h2', {}, t('lobby.openGames')), this.#open, h('h2', {}, t('lobby.liveGames')), this.#live),
    );
    for (const room of store.games()) store.watch(room);
    this.update();
    void this.#poll();
    document.addEventListener('visibilitychange', () => void this.#poll(), { signal: this.#stop.signal });
  }

  title(): string {
    return t('app.title');
  }

  update(): void {
    const { store } = this.#app;
    const variant = this.#board.value();
    const seeking = store.seeking;
    if (this.#seeking.hidden !== (seeking === null)) {
      const held = this.el.contains(document.activeElement) && document.activeElement?.closest('.play-now');
      this.#seeking.hidden = seeking === null;
      this.#seek.hidden = seeking !== null;
      if (held) (seeking === null ? this.#seek : this.#seeking.querySelector('button'))?.focus();
      if (seeking !== null) announce(t('lobby.seeking'));
    }
    say(this.#seekAbout, variant === null ? '' : variantName(variant));
    store.waitFor(seeking === null ? null : 'anybody');
    this.#twin.show(store.twin);
    if (seeking !== null) say(this.#seekingAbout, variantName(seeking));
    for (const b of [this.#seek, ...this.#others]) set(b, 'disabled', variant === null || (b !== this.#seek && seeking !== null));
    this.#updatePinned();
  }

  destroy(): void {
    if (this.#app.store.seeking !== null) this.#app.store.cancel();
    this.#app.store.waitFor(null);
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  refused(text: string): void {
    this.#error.textContent = text;
  }

  #with(act: (variant: string) => unknown): void {
    const variant = this.#board.value();
    this.#error.textContent = '';
    if (variant === null) return;
    Promise.resolve(act(variant)).catch((e: unknown) => this.refused(errorText(e)));
  }

  /** The games that one may want to go back to. */
  #updatePinned(): void {
    const { store } = this.#app;
    const rooms = store.games().map((r) => store.rooms.get(r)).filter((v) => v !== undefined);
    const stamp = rooms.map((v) => `${v.room} ${v.cursor.seq}`).join();
    redo(this.#pinned, stamp, () =>
      rooms.map((v) => {
        const roles = rolesOf(v, store.player);
        const { headline, tone } = tell(v, roles);
        const with_ = v.state.opponent === 'screen' ? t('lobby.hotseat') : v.state.phase === 'waiting' ? sizeName(v.state.variant) : seatName(v, roles.far, roles);
        return h('a', { class: `pin pin-${tone}`, href: roomPath(v.room) }, h('strong', {}, ...headline), h('span', {}, with_, ' · ', sizeName(v.state.variant)), h('span', { class: 'pin-go' }, t('lobby.back')));
      }),
    );
  }

  async #poll(): Promise<void> {
    clearTimeout(this.#timer);
    if (document.visibilityState !== 'visible' || this.#stop.signal.aborted) return;
    try {
      this.#show(await api.rooms(this.#stop.signal));
    } catch {
      // No lists for now; the banner tells about the connection.
    }
    if (!this.#stop.signal.aborted) this.#timer = setTimeout(() => void this.#poll(), POLL_MS);
  }

  #show(rooms: api.Rooms): void {
    const { store } = this.#app;
    const mine = store.games();
    const shown = (g: { variant: string }): boolean => drawable(parseVariant(g.variant)?.size);
    const [open, live] = [rooms.open.filter(shown), rooms.live.filter(shown)];
    redo(this.#open, JSON.stringify([open, mine]), () =>
      open.length === 0
        ? [h('li', { class: 'games-none' }, t('lobby.noOpen'))]
        : open.map((g) =>
            h(
              'li',
              {},
              h('span', { class: 'games-who' }, bdi(g.host)),
              h('span', { class: 'games-what' }, boardName(g)),
              mine.includes(g.room)
                ? h('a', { class: 'button button-small', href: roomPath(g.room) }, t('lobby.back'))
                : h('button', { class: 'button button-small', type: 'button', onclick: () => this.#join(g.room) }, t('lobby.join')),
            ),
          ),
    );
    redo(this.#live, JSON.stringify(live), () =>
      live.length === 0
        ? [h('li', { class: 'games-none' }, t('lobby.noLive'))]
        : live.map((g) =>
            h(
              'li',
              {},
              h('span', { class: 'games-who' }, ...parts('lobby.versus', { a: liveName(g.seats[0]), b: liveName(g.seats[1]) })),
              h('span', { class: 'games-what' }, boardName(g), ' · ', t('move.count', { n: g.moves })),
              h('a', { class: 'button button-small', href: roomPath(g.room) }, t('lobby.watch')),
            ),
          ),
    );
  }

  #join(room: string): void {
    this.#app.store
      .do({ type: 'join', room })
      .then(() => this.#app.go(roomPath(room)))
      .catch((e: unknown) => this.refused(errorText(e)));
  }
}
