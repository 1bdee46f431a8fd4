// A little help with making elements. Text goes in as text nodes only.

export type Child = Node | string | null | undefined | false;
type Props = Readonly<Record<string, unknown>>;

/** Makes an element; `on...` properties are listeners, the rest attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), props, children);
}

const SVG = 'http://www.w3.org/2000/svg';

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill<E extends Element>(el: E, props: Props, children: Child[]): E {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith('on')) el.addEventListener(name.slice(2), value as EventListener);
    else set(el, name, value);
  }
  for (const c of children) if (c) el.append(c);
  return el;
}

/** Sets or removes an attribute, and touches nothing where it is so already. */
export function set(el: Element, name: string, value: unknown): void {
  const text = value === false || value === null || value === undefined ? null : value === true ? '' : String(value);
  if (el.getAttribute(name) === text) return;
  if (text === null) el.removeAttribute(name);
  else el.setAttribute(name, text);
}

/** Sets an element's text, and touches nothing where it is so already. */
export function say(el: Element, text: string): void {
  if (el.textContent !== text) el.textContent = text;
}

/** Replaces an element's children where `stamp` says that they are others now. */
export function redo(el: HTMLElement, stamp: string, children: () => Child[]): void {
  if (el.dataset['stamp'] === stamp) return;
  el.dataset['stamp'] = stamp;
  el.replaceChildren(...children().filter((c): c is Node | string => !!c));
}

/** A name as it must always stand: apart from the direction of what surrounds it. */
export function bdi(name: string): HTMLElement {
  return h('bdi', {}, name);
}
