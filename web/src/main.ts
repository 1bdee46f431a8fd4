// The page starts here.

import { announceIn } from './board/a11y.ts';
import { h, redo, set } from './dom.ts';
import { refusalText } from './errors.ts';
import { load, t } from './i18n.ts';
import { icon, ICONS, wordmark } from './marks.ts';
import { later } from './net/later.ts';
import { route, type Route } from './router.ts';
import { Store } from './state/store.ts';
import { Banner } from './view/banner.ts';
import { Game } from './view/game.ts';
import { Lobby } from './view/lobby.ts';
import { askName } from './view/name.ts';
import { sorryCard } from './view/cards.ts';
import { roomPath, type App, type View } from './view/view.ts';

class Page implements App {
  readonly store = new Store(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`);
  readonly #banner = new Banner(this.store);
  readonly #name = h('button', { class: 'you', type: 'button', onclick: () => askName(this.store) });
  readonly #screen = h('div', { class: 'screen' });
  #view: View | null = null;
  #drawing = false;

  start(root: HTMLElement): void {
    const live = h('div', { class: 'unseen', 'aria-live': 'polite' });
    announceIn(live);
    const home = h('a', { class: 'home', href: '/', 'aria-label': t('app.title') }, wordmark());
    root.replaceChildren(h('header', { class: 'masthead' }, home, this.#banner.el, this.#name), this.#screen, live);
    this.store.changed = () => this.#draw();
    this.store.paired = (room) => this.go(roomPath(room));
    this.store.refused = (r) => this.#view instanceof Lobby && this.#view.refused(refusalText(r));
    document.addEventListener('click', (e) => this.#follow(e));
    addEventListener('popstate', () => this.#show(route(location.pathname)));
    this.store.start();
    this.#show(route(location.pathname));
  }

  go(path: string): void {
    if (path !== location.pathname) history.pushState(null, '', path);
    this.#show(route(path));
    scrollTo(0, 0);
    // Whoever does not see the screen change hears where they are now.
    const heading = this.#screen.querySelector('h1');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
  }

  #show(to: Route): void {
    this.#view?.destroy();
    set(document.body, 'data-route', to.screen);
    switch (to.screen) {
      case 'lobby':
        this.#view = new Lobby(this);
        break;
      case 'room':
        this.#view = new Game(this, to.room);
        break;
      case 'nowhere':
        this.#view = nowhere();
    }
    this.#screen.replaceChildren(this.#view.el);
    this.#draw();
  }

  /** Brings everything up to date, once for all the changes of a moment. */
  #draw(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    queueMicrotask(() => {
      this.#drawing = false;
      this.#banner.update();
      const { name } = this.store;
      redo(this.#name, name, () => (name ? [icon(ICONS.pen), h('bdi', {}, name)] : []));
      this.#name.setAttribute('aria-label', t('name.change', { name }));
      this.#name.hidden = !name;
      this.#view?.update();
      if (this.#view) document.title = `${this.#view.title()} · oxo`;
    });
  }

  /** Links to our own screens are followed without loading the page again. */
  #follow(e: MouseEvent): void {
    const a = e.target instanceof Element ? e.target.closest('a') : null;
    if (!a || e.defaultPrevented || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    if (a.origin !== location.origin || a.target) return;
    e.preventDefault();
    this.go(a.pathname);
  }
}

function nowhere(): View {
  const el = h('main', { class: 'nowhere' }, h('h1', {}, t('page.missing')), sorryCard(t('page.missingAbout')));
  return { el, title: () => t('page.missing'), update: () => undefined, destroy: () => undefined };
}

await later(load).catch((e: unknown) => {
  dispatchEvent(new Event('oxo:stuck')); // start.ts has words of its own
  throw e;
});
new Page().start(document.getElementById('app')!);

export {};
