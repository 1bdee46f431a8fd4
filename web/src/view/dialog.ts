// A sheet over the screen, on the platform's own <dialog>.

import { h, type Child } from '../dom.ts';
import { t } from '../i18n.ts';
import { errorText } from '../errors.ts';

/**
 * Asks for something. `send` is called when the form is sent; while it runs
 * the button waits, and where it fails the sheet stays and says why.
 */
export function ask(title: string, children: Child[], action: string, send: () => Promise<void>): void {
  const error = h('p', { class: 'form-error', role: 'alert' });
  const button = h('button', { class: 'button button-primary', type: 'submit' }, action);
  const form = h(
    'form',
    {
      class: 'sheet-form',
      method: 'dialog',
      onsubmit: (e: Event) => {
        e.preventDefault();
        button.disabled = true;
        error.textContent = '';
        send()
          .then(() => dialog.close())
          .catch((reason: unknown) => {
            error.textContent = errorText(reason);
          })
          .finally(() => {
            button.disabled = false;
          });
      },
    },
    h('h2', { id: 'sheet-title' }, title),
    ...children,
    error,
    h('div', { class: 'sheet-actions' }, h('button', { class: 'button', type: 'button', onclick: () => dialog.close() }, t('act.cancel')), button),
  );
  const dialog = h('dialog', { class: 'sheet', 'aria-labelledby': 'sheet-title', onclose: () => dialog.remove() }, form);
  dialog.addEventListener('pointerdown', (e) => {
    if (e.target === dialog) dialog.close(); // the backdrop
  });
  document.body.append(dialog);
  dialog.showModal();
}
