// Choices: radio buttons in the shapes that the page uses.

import { h, type Child } from '../dom.ts';

export interface Option<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly about?: string;
  readonly picture?: Element;
}

export interface Choice<T extends string> {
  readonly el: HTMLFieldSetElement;
  value(): T;
}

let names = 0;

/** A group of which exactly one is chosen; the platform gives it its keys. */
export function choice<T extends string>(
  legend: string,
  kind: 'segments' | 'rows' | 'cards',
  options: readonly Option<T>[],
  chosen: T,
  changed: (value: T) => void = () => undefined,
): Choice<T> {
  const name = `choice-${names++}`;
  let value = options.some((o) => o.value === chosen) ? chosen : options[0]!.value;
  const items = options.map((o) => {
    const input = h('input', {
      type: 'radio',
      name,
      value: o.value,
      checked: o.value === value,
      onchange: () => {
        value = o.value;
        changed(value);
      },
    });
    const text: Child[] = [h('span', { class: 'choice-label' }, o.label)];
    if (o.about !== undefined) text.push(h('span', { class: 'choice-about' }, o.about));
    return h('label', { class: 'choice' }, input, h('span', { class: 'choice-body' }, o.picture, ...text));
  });
  const el = h('fieldset', { class: `choices choices-${kind}` }, h('legend', {}, legend), h('div', { class: 'choices-list' }, ...items));
  return { el, value: () => value };
}

/** A whole number between two bounds, with buttons for those without a keyboard. */
export function stepper(label: string, min: number, max: number, start: number, changed: () => void): { el: HTMLElement; input: HTMLInputElement; value(): number } {
  const input = h('input', { type: 'number', min, max, step: 1, value: start, inputmode: 'numeric', oninput: changed });
  const el = h('label', { class: 'stepper' }, h('span', {}, label), input);
  return { el, input, value: () => (input.value === '' ? NaN : Number(input.value)) };
}
