// The list of moves, with the coordinates that stand at the board.

import { h, say } from '../dom.ts';
import { t } from '../i18n.ts';
import { markName } from '../state/describe.ts';
import { markAt } from '../state/opening.ts';
import type { RoomView } from '../state/room.ts';
import { cellName } from '../state/variant.ts';

export class Moves {
  readonly el: HTMLElement;
  readonly #list = h('ol', { class: 'moves-list', dir: 'ltr', tabindex: '0', 'aria-label': t('move.list') });
  readonly #head = h('header');
  readonly #watchers = h('p', { class: 'watchers' });
  #shown = '';

  constructor() {
    this.#head.append(h('h2', {}, t('move.list')), this.#watchers);
    this.el = h('section', { class: 'moves' }, this.#head, this.#list);
  }

  /** Tools beside the heading, where there is room kept for them. */
  tools(el: HTMLElement): void {
    this.#head.append(el);
  }

  update(view: RoomView): void {
    const { game, moves, size, phase } = view.state;
    const others = phase === 'waiting' ? 0 : (view.presence?.watchers ?? 0);
    say(this.#watchers, others > 0 ? t('watch.spectators', { n: others }) : '');
    const stamp = `${game}:${moves.length}`;
    if (stamp === this.#shown) return;
    const [shownGame, shown] = this.#shown.split(':').map(Number);
    this.#shown = stamp;
    const from = shownGame === game && (shown ?? 0) < moves.length ? (shown ?? 0) : 0;
    if (from === 0) this.#list.replaceChildren();
    for (let n = from; n < moves.length; n++) {
      const mark = markAt(view.state, n);
      this.#list.append(h('li', { class: `move move-${mark}` }, h('span', { class: 'move-mark' }, markName(mark)), ' ', cellName(moves[n]!, size)));
    }
    this.#list.scrollTop = this.#list.scrollHeight;
  }
}
