// The sheets in which a game against somebody is set up.

import { h } from '../dom.ts';
import { t } from '../i18n.ts';
import * as api from '../net/api.ts';
import * as tabs from '../net/tabs.ts';
import type { Command, First, Side } from '../net/wire.ts';
import { levelName, variantName } from '../state/describe.ts';
import { opens } from '../state/opening.ts';
import { parseVariant } from '../state/variant.ts';
import { ask } from './dialog.ts';
import { choice, type Choice } from './form.ts';
import { roomPath, type App } from './view.ts';

/** What every bounded board has; `perfect` only where the server lists it. */
const LEVELS = ['random', 'sequential', 'three-step', 'centre-win-block', 'open-lines'];

const ABOUT = {
  random: 'level.random.about',
  sequential: 'level.sequential.about',
  'three-step': 'level.threeStep.about',
  'centre-win-block': 'level.centreWinBlock.about',
  'open-lines': 'level.openLines.about',
  'attack-weights': 'level.attackWeights.about',
  perfect: 'level.perfect.about',
  ladder: 'level.ladder.about',
} as const;

/** The levels that have steps, and how many. The server calls a rung of the ladder by its number alone. */
const STEPS: Readonly<Record<string, { readonly label: 'level.depthLabel' | 'level.rungLabel'; readonly most: number }>> = {
  'open-lines': { label: 'level.depthLabel', most: 9 },
  ladder: { label: 'level.rungLabel', most: 8 },
};

const MARK = 'oxo.mark';
const FIRST = 'oxo.first';
const SWAP = 'oxo.swap2';
const LEVEL = 'oxo.level';
const DEPTH = 'oxo.depth';

let presets: Promise<api.Preset[]> | null = null;

/** The levels of a board, weakest first. */
async function levelsOf(variant: string): Promise<string[]> {
  presets ??= api.presets().catch(() => {
    presets = null; // ask again next time
    return [];
  });
  const listed = (await presets).find((p) => p.variant === variant)?.levels;
  // A level that this page has no words for is no choice for a person.
  const known = listed?.map((l) => (/^\d$/.test(l) ? 'ladder' : l.split(':')[0]!)).filter((l) => l in ABOUT);
  if (known?.length) return [...new Set(known)];
  return parseVariant(variant)?.size ? LEVELS : ['attack-weights'];
}

export async function againstComputer(app: App, variant: string): Promise<void> {
  const levels = await levelsOf(variant);
  const depth = h('input', { type: 'range', min: 1, max: 9, step: 1, value: tabs.read(DEPTH) ?? '3', oninput: () => show() });
  const depthText = h('output', {});
  const depthLabel = h('span', { 'aria-hidden': 'true' });
  const depthRow = h('div', { class: 'depth' }, depthLabel, depth, depthText);
  const show = (): void => {
    const steps = STEPS[level.value()];
    depthRow.hidden = !steps;
    if (steps) {
      depth.max = String(steps.most);
      depth.setAttribute('aria-label', t(steps.label));
      depthLabel.textContent = t(steps.label);
    }
    depthText.textContent = depth.value;
  };
  const level = choice(
    t('level'),
    'rows',
    levels.map((l) => ({ value: l, label: levelName(l), about: t(ABOUT[l as keyof typeof ABOUT]) })),
    tabs.read(LEVEL) ?? levels.at(-1)!,
    show,
  );
  const sides = chooseSides(variant, t('first.computer'));
  show();
  ask(t('lobby.computer'), [h('p', { class: 'sheet-about' }, variantName(variant)), level.el, depthRow, ...sides.els], t('act.start'), async () => {
    tabs.write(LEVEL, level.value());
    tabs.write(DEPTH, depth.value);
    const kind = level.value();
    const chosen = kind === 'ladder' ? depth.value : kind === 'open-lines' ? `${kind}:${depth.value}` : kind;
    app.go(roomPath(await app.store.create({ type: 'create', variant, opponent: 'computer', level: chosen, ...sides.values() })));
  });
}

export function withFriend(app: App, variant: string): void {
  const sides = chooseSides(variant, t('first.friend'));
  const open = h('input', { type: 'checkbox' });
  ask(
    t('lobby.friend'),
    [h('p', { class: 'sheet-about' }, variantName(variant)), ...sides.els, h('label', { class: 'check' }, open, h('span', {}, t('lobby.listed')))],
    t('invite.make'),
    async () => {
      app.go(roomPath(await app.store.create({ type: 'create', variant, opponent: open.checked ? 'anyone' : 'invite', ...sides.values() })));
    },
  );
}

export async function onOneScreen(app: App, variant: string): Promise<void> {
  const begin = async (opening: Sides): Promise<void> => {
    app.go(roomPath(await app.store.create({ type: 'create', variant, opponent: 'screen', mark: 'x', first: 'me', ...opening })));
  };
  if (!opens(variant)) return begin({});
  const swap = swapSwitch();
  ask(t('lobby.hotseat'), [h('p', { class: 'sheet-about' }, variantName(variant)), swap.el], t('act.start'), () => begin(swap.value() ? { opening: 'swap2', mark: 'lot' } : {}));
}

type Sides = Pick<Command & { type: 'create' }, 'opening' | 'mark' | 'first'>;

/** Who has which mark and who starts; remembered for the next time. */
function chooseSides(variant: string, them: string): { els: HTMLElement[]; values(): Sides } {
  const mark: Choice<Side> = choice<Side>(t('side.title'), 'segments', [
    { value: 'x', label: t('mark.x') },
    { value: 'o', label: t('mark.o') },
    { value: 'lot', label: t('side.lot') },
  ], (tabs.read(MARK) ?? 'lot') as Side);
  const first: Choice<First> = choice<First>(t('first.title'), 'segments', [
    { value: 'me', label: t('first.me') },
    { value: 'them', label: them },
    { value: 'lot', label: t('side.lot') },
  ], (tabs.read(FIRST) ?? 'lot') as First);
  const swap = opens(variant) ? swapSwitch((on) => (mark.el.hidden = on)) : null;
  return {
    els: [...(swap ? [swap.el] : []), mark.el, first.el],
    values: () => {
      tabs.write(FIRST, first.value());
      if (swap?.value()) return { opening: 'swap2', first: first.value() };
      tabs.write(MARK, mark.value());
      return { mark: mark.value(), first: first.value() };
    },
  };
}

/** Whether the marks are chosen at the board. */
function swapSwitch(changed: (on: boolean) => void = () => undefined): { el: HTMLElement; value(): boolean } {
  const input = h('input', { type: 'checkbox', role: 'switch', checked: tabs.read(SWAP) !== null, onchange: () => changed(input.checked) });
  changed(input.checked);
  return {
    el: h('label', { class: 'check' }, input, h('span', {}, t('swap.about'))),
    value: () => {
      tabs.write(SWAP, input.checked ? 'on' : null);
      return input.checked;
    },
  };
}
