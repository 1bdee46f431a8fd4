// What the page looks like: to axe, to a camera, and turned round.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DESKTOP, launch, pair, Person, PHONE, playOut, SIDEWAYS, WIN } from './lib/people.mjs';
import { Server } from './lib/server.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shots = process.env.E2E_SHOTS ? path.resolve(process.env.E2E_SHOTS) : mkdtempSync(path.join(tmpdir(), 'oxo-shots-'));

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
    const twin = await ann.open(ann.room);
    await ann.page.locator('.twin[data-twin]').waitFor();
    await isAccessible(ann, 'waiting in two tabs');
    await twin.close();
    await ann.page.setViewportSize(SIDEWAYS);
    await isAccessible(ann, 'waiting, held sideways');
    await ann.page.setViewportSize(DESKTOP);
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
    await second.page.goto(`${server.url}/r/aaaaaaaaaaaa`);
    await second.reads('No such game');
    await isAccessible(second, 'no such game');
    for (const p of [ann, guest]) await p.leave();
  });
}

describe('screenshots', () => {
  for (const [name, viewport] of [['desktop', DESKTOP], ['phone', PHONE], ['phone held sideways', SIDEWAYS]]) {
    for (const colorScheme of ['light', 'dark']) {
      test(`${name}, ${colorScheme}`, async () => {
        const options = { viewport, colorScheme, touch: name !== 'desktop' };
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

for (const viewport of [SIDEWAYS, { width: 667, height: 375 }]) {
  test(`a phone held sideways, ${viewport.width} x ${viewport.height}: all is on the screen, and nothing moves`, async () => {
    const options = { viewport, touch: true };
    const [ann, bob] = [await Person.arrive(browser, server.url, options), await Person.arrive(browser, server.url, options)];
    /** None of these sticks out of the screen or lies on another. */
    const fits = async (p, ...selectors) => {
      const size = await p.page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
      assert.deepEqual(size, [viewport.width, viewport.height], 'nothing to scroll to');
      const boxes = [];
      for (const s of selectors) {
        for (const el of await p.page.locator(s).filter({ visible: true }).all()) boxes.push({ s, ...(await el.boundingBox()) });
        assert.ok(boxes.some((b) => b.s === s), s);
      }
      for (const [i, a] of boxes.entries()) {
        assert.ok(a.x >= 0 && a.y >= 0 && a.x + a.width <= viewport.width && a.y + a.height <= viewport.height, `${a.s} is on the screen`);
        for (const b of boxes.slice(i + 1)) {
          const apart = a.x + a.width <= b.x + 0.5 || b.x + b.width <= a.x + 0.5 || a.y + a.height <= b.y + 0.5 || b.y + b.height <= a.y + 0.5;
          assert.ok(apart, `${a.s} and ${b.s} lie on each other`);
        }
      }
    };
    const beside = ['.masthead', '.headline', '.detail', '.player-far', '.player-near', '.moves'];
    assert.equal(await ann.page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
    assert.ok((await ann.page.locator('.play-now').first().boundingBox()).y < viewport.height / 2, 'Play now is seen at once');

    await ann.button('Play with a friend').tap();
    await ann.button('Make the link').tap();
    await ann.reads('Waiting for an opponent…');
    await fits(ann, '.stage', ...beside);
    await fits(ann, '.invite-link', '.card-note', '.card .button', ...beside);
    await ann.button('Cancel').tap();

    const [first, second] = await pair(ann, bob);
    const box = await first.page.locator('.grid').boundingBox();
    assert.ok(box.height > viewport.height * 0.9, `the board is as high as the screen: ${box.height}`);
    for (const p of [first, second]) await p.page.evaluate(() => (globalThis.shifts.length = 0));
    await playOut(WIN.slice(0, 4), [first, second]);
    await fits(first, '.stage', '.actions', ...beside);
    await first.button('Resign').tap();
    await fits(first, '.stage', '.actions-note', '.actions-row .button', ...beside);
    await first.button('Play on').tap();
    await playOut(WIN.slice(4), [first, second], [], 4);
    await fits(first, '.stage', '.actions-note', '.actions-row .button', ...beside);
    for (const p of [first, second]) {
      assert.deepEqual(await p.page.locator('.grid').boundingBox(), box, 'the board moved');
      assert.deepEqual((await p.shifts()).filter((s) => !s.recent), [], 'the layout shifted');
    }
    for (const p of [ann, bob]) await p.leave();
  });
}

test('nothing sticks out at 320 px', async () => {
  const ann = await Person.arrive(browser, server.url, { viewport: { width: 320, height: 640 }, touch: true });
  const fits = async (what) => assert.ok(await ann.page.evaluate(() => document.documentElement.scrollWidth <= 320), what);
  await fits('lobby');
  await ann.button('Two players, one screen').tap();
  await ann.page.locator('.game-playing').waitFor();
  await fits('game');
  await ann.leave();
});
