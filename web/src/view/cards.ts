// The cards that lie on the board while there is no game on it.

import { h, set } from '../dom.ts';
import { t } from '../i18n.ts';
import { icon, ICONS } from '../marks.ts';
import { announce } from '../board/a11y.ts';
import { loopback } from '../router.ts';
import { roomPath } from './view.ts';

export interface TwinWords {
  readonly el: HTMLElement;
  show(twin: boolean): void;
}

/** Words that stand in for others while two tabs do the same; the place is the same. */
export function twinWords(usual: HTMLElement, words: string): TwinWords {
  const el = h('div', { class: 'twin' }, usual, h('p', { class: 'twin-words' }, words));
  return {
    el,
    show(twin) {
      if (twin && !el.hasAttribute('data-twin')) announce(words);
      set(el, 'data-twin', twin);
    },
  };
}

/** For the one who waits: the link, and ways to send it. */
export function inviteCard(room: string, twin: TwinWords, leave: () => void): HTMLElement {
  const url = new URL(roomPath(room), location.href).href;
  const input = h('input', { class: 'invite-link', type: 'text', readonly: true, dir: 'ltr', value: url, 'aria-label': t('invite.link'), onfocus: () => input.select() });
  const label = h('span', {}, t('invite.copy'));
  const copy = h('button', { class: 'button button-primary', type: 'button', onclick: () => void doCopy() }, icon(ICONS.copy), label);
  const doCopy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(url);
    } catch {
      // Without the clipboard's permission there is still the old way.
      input.select();
      document.execCommand('copy');
    }
    label.textContent = t('invite.copied');
    announce(t('invite.copied'));
    setTimeout(() => (label.textContent = t('invite.copy')), 2_500);
  };
  const share = 'share' in navigator && h('button', { class: 'button', type: 'button', onclick: () => void navigator.share({ title: t('app.title'), url }).catch(() => undefined) }, icon(ICONS.share), t('invite.share'));
  return h(
    'div',
    { class: 'card' },
    twin.el,
    input,
    loopback(location.hostname) && h('p', { class: 'card-note' }, t('invite.local')),
    h('div', { class: 'card-actions' }, copy, share),
    h('button', { class: 'button button-quiet', type: 'button', onclick: leave }, t('act.cancel')),
  );
}

/** For the one who has followed the link. */
export function joinCard(board: string, join: () => void): HTMLElement {
  return h('div', { class: 'card' }, h('p', { class: 'card-text' }, board), h('button', { class: 'button button-primary button-huge', type: 'button', onclick: join }, t('lobby.join')));
}

export function sorryCard(text: string): HTMLElement {
  return h('div', { class: 'card' }, h('p', { class: 'card-text' }, text), h('a', { class: 'button button-primary', href: '/' }, t('act.lobby')));
}
