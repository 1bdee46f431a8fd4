// The state of the connection, in a place that is kept for it.

import { h, set } from '../dom.ts';
import { t } from '../i18n.ts';
import { announce } from '../board/a11y.ts';
import type { Store } from '../state/store.ts';

/** A connection that takes no longer than this to make is not worth a word. */
const PATIENCE_MS = 700;
/** A server that restarts said when to come back, and has most probably one beside it. */
const RESTART_MS = 3_500;
/** How long "back online" stays. */
const RELIEF_MS = 2_500;

export class Banner {
  readonly el = h('p', { class: 'net' });
  readonly #store: Store;
  #troubled = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = '';

  constructor(store: Store) {
    this.#store = store;
  }

  update(): void {
    const { status, waiting } = this.#store;
    const stamp = `${status.kind} ${status.kind === 'lost' ? status.why : ''} ${waiting}`;
    if (stamp === this.#last) return;
    this.#last = stamp;
    clearTimeout(this.#timer);
    switch (status.kind) {
      case 'connecting':
        this.#timer = setTimeout(() => this.#show(t('net.connecting'), 'trouble'), PATIENCE_MS);
        return;
      case 'lost': {
        const text = t(status.why === 'restart' ? 'net.restart' : status.why === 'limited' ? 'net.limited' : navigator.onLine ? 'net.reconnecting' : 'net.offline');
        this.#timer = setTimeout(() => this.#show(text, 'trouble'), this.#troubled ? 0 : status.why === 'restart' ? RESTART_MS : PATIENCE_MS);
        return;
      }
      case 'refused':
        return this.#show(t('net.refused', { reason: status.reason }), 'refused');
      case 'open':
        if (waiting) return this.#show(t('net.waiting'), 'trouble');
        if (!this.#troubled) return this.#hide();
        this.#show(t('net.restored'), 'good');
        this.#troubled = false;
        this.#timer = setTimeout(() => this.#hide(), RELIEF_MS);
    }
  }

  #show(text: string, kind: string): void {
    this.#troubled = true;
    set(this.el, 'data-kind', kind);
    if (this.el.textContent === text) return;
    announce(text);
    this.el.replaceChildren(h('span', { class: 'net-words' }, text));
  }

  #hide(): void {
    set(this.el, 'data-kind', null);
    this.el.replaceChildren();
  }
}
