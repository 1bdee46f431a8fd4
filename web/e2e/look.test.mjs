// What the page looks like: to axe, to a camera, and turned round.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DESKTOP, launch, pair, Person, PHONE, playOut, WIN } from './lib/people.mjs';
import { Server } from './lib/server.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shots = process.env.OXO_SHOTS ? path.resolve(process.env.OXO_SHOTS) : mkdtempSync(path.join(tmpdir(), 'oxo-shots-'));

let server, browser;
before(async () => {
  mkdirSync(shots, { recursive: true });
  server = await Server.start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** No violation of axe's rules, the best practices included. */
async function isAccessible(p, what) {
  await settled(p.page);
  await p.page.evaluate(axe);
  const { violations } = await p.page.evaluate(() => globalThis.axe.run(document));
  assert.deepEqual(
    violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).slice(0, 3).join(' | ')}`),
    [],
    what,
  );
}

/** Everything that draws itself in is drawn. */
async function settled(page) {
  await page.waitForFunction(() => document.getAnimations().every((a) => a.playState === 'finished' || a.effect?.getComputedTiming().iterations === Infinity));
}

async function photograph(p, name) {
  await settled(p.page);
  await p.page.mouse.move(0, 0);
  await p.page.screenshot({ path: path.join(shots, `${name}.png`) });
}

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing, ${colorScheme}`, async () => {
    // axe is injected, which the page's own policy rightly forbids.
    const options = { colorScheme, bypassCSP: true };
    const ann = await Person.arrive(browser, server.url, options);
    await isAccessible(ann, 'lobby');
    await ann.page.getByLabel(/^Your own/).check();
    await ann.page.getByLabel('Rows').fill('99');
    await isAccessible(ann, 'a board of one’s own, with a mistake');
    await ann.chooses('3x3/3');
    await ann.page.locator('.you').click();
    await isAccessible(ann, 'name');
    await ann.page.keyboard.press('Escape');
    await ann.button('Play against the computer').click();
    await ann.page.getByRole('dialog').waitFor();
    await isAccessible(ann, 'computer');
    await ann.page.keyboard.press('Escape');
    await ann.button('Play with a friend').click();
    await ann.page.getByRole('dialog').waitFor();
    await isAccessible(ann, 'friend');
    await ann.button('Make the link').click();
    await ann.reads('Waiting for an opponent…');
    await isAccessible(ann, 'waiting');
    const guest = await Person.arrive(browser, server.url, { ...options, path: ann.room });
    await guest.button('Join').waitFor();
    await isAccessible(guest, 'join');
    await ann.button('Cancel').click();
    await ann.page.getByRole('button', { name: /^Play now/ }).click();
    await ann.page.getByText('Looking for an opponent…').first().waitFor();
    await isAccessible(ann, 'seeking');
    await ann.button('Cancel').click();
    const [first, second] = await pair(ann, guest);
    await playOut(WIN.slice(0, 3), [first, second]);
    await isAccessible(first, 'game');
    await second.play(1, 1);
    await isAccessible(second, 'a remark');
    await first.button('Resign').click();
    await isAccessible(first, 'resign?');
    await first.button('Play on').click();
    await playOut(WIN.slice(3), [first, second], [], 3);
    await isAccessible(first, 'won');
    await isAccessible(second, 'lost');
    for (const p of [ann, guest]) await p.leave();
  });
}

describe('screenshots', () => {
  for (const [name, viewport] of [['desktop', DESKTOP], ['phone', PHONE]]) {
    for (const colorScheme of ['light', 'dark']) {
      test(`${name}, ${colorScheme}`, async () => {
        const options = { viewport, colorScheme, touch: name === 'phone' };
        const [ann, bob] = [await Person.arrive(browser, server.url, options), await Person.arrive(browser, server.url, options)];
        const shot = (p, what) => photograph(p, `${what}-${viewport.width}-${colorScheme}`);
        await shot(ann, 'lobby');
        await ann.button('Play against the computer').click();
        await ann.page.getByRole('dialog').waitFor();
        await shot(ann, 'computer');
        await ann.page.keyboard.press('Escape');
        await ann.button('Play with a friend').click();
        await ann.button('Make the link').click();
        await ann.reads('Waiting for an opponent…');
        await shot(ann, 'waiting');
        await ann.button('Cancel').click();
        const [first, second] = await pair(ann, bob);
        await playOut(WIN.slice(0, 4), [first, second]);
        await shot(first, 'game');
        await playOut(WIN.slice(4), [first, second], [], 4);
        await shot(first, 'won');
        await shot(second, 'lost');
        for (const p of [ann, bob]) await p.leave();
      });
    }
  }
});

test('right to left the page is mirrored, and the board is not', async () => {
  const ann = await Person.arrive(browser, server.url);
  await ann.button('Two players, one screen').click();
  await ann.page.locator('.game-playing').waitFor();
  const centre = async (selector) => {
    const b = await ann.page.locator(selector).first().boundingBox();
    return b.x + b.width / 2;
  };
  const left = async (a, b) => (await centre(a)) < (await centre(b));
  assert.ok(await left('.home', '.you'));
  assert.ok(await left('.stage', '.side'));
  await ann.page.evaluate(() => (document.documentElement.dir = 'rtl'));
  assert.ok(await left('.you', '.home'));
  assert.ok(await left('.side', '.stage'));
  assert.ok(await left('.letters :first-child', '.letters :last-child'), 'a is at the left');
  assert.ok(await left('.numbers', '.cells'), 'the numbers are at the left');
  assert.ok(await left('[data-n="0"]', '[data-n="2"]'));
  await ann.play(3, 1);
  await ann.sees(1);
  assert.deepEqual(await ann.moves(), ['Xa1']);
  await ann.page.keyboard.press('ArrowRight');
  assert.equal(await ann.page.evaluate(() => document.activeElement.dataset.n), '7');
  await photograph(ann, 'rtl-1280');
  await ann.leave();
});

test('without animations where those are not wanted', async () => {
  const ann = await Person.arrive(browser, server.url, { reducedMotion: 'reduce' });
  await ann.button('Two players, one screen').click();
  await ann.page.locator('.game-playing').waitFor();
  await ann.play(2, 2);
  await ann.sees(1);
  assert.equal(await ann.page.evaluate(() => document.getAnimations().length), 0);
  await ann.leave();
});

test('nothing sticks out at 320 px', async () => {
  const ann = await Person.arrive(browser, server.url, { viewport: { width: 320, height: 640 }, touch: true });
  const fits = async (what) => assert.ok(await ann.page.evaluate(() => document.documentElement.scrollWidth <= 320), what);
  await fits('lobby');
  await ann.button('Two players, one screen').tap();
  await ann.page.locator('.game-playing').waitFor();
  await fits('game');
  await ann.leave();
});
