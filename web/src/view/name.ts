// One's name.

import { h } from '../dom.ts';
import { t } from '../i18n.ts';
import type { Store } from '../state/store.ts';
import { ask } from './dialog.ts';

/** The protocol's bounds. */
const LONGEST = 24;

export function askName(store: Store): void {
  const input = h('input', { class: 'text', type: 'text', value: store.name, maxlength: LONGEST, required: true, autocomplete: 'nickname', dir: 'auto', autofocus: true });
  ask(t('name.title'), [h('label', { class: 'field-label' }, h('span', {}, t('name.label')), input), h('p', { class: 'sheet-about' }, t('name.about'))], t('act.save'), () => store.rename(input.value.trim()));
  input.select();
}
