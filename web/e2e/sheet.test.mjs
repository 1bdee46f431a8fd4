// The board without borders: by mouse, by keyboard, by fingers, and how it looks.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DESKTOP, launch, Person, PHONE, seated, SIDEWAYS } from './lib/people.mjs';
import { Server } from './lib/server.mjs';
import { until } from './lib/until.mjs';

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

async function onSheet(how, options) {
  const ann = await Person.arrive(browser, server.url, { reducedMotion: 'reduce', ...options });
  await ann.chooses('inf/5');
  await how(ann);
  await ann.page.locator('.game-playing').waitFor();
  await ann.page.locator('.sheet-window').waitFor();
  return ann;
}
const onOneScreen = (ann) => ann.onOneScreen('inf/5');
async function againstHunter(ann) {
  await ann.button('Play against the computer').click();
  await ann.page.getByRole('radio', { name: /^Hunter/ }).check();
  await ann.page.getByRole('group', { name: 'Your mark' }).getByLabel('X', { exact: true }).check();
  await ann.page.getByRole('group', { name: 'Who starts' }).getByLabel('You', { exact: true }).check();
  await ann.button('Start').click();
}

const cell = (p, x, y) => p.page.getByRole('button', { name: new RegExp(`^Row ${y}, column ${x},`) });
const name = async (p, x, y) => (await cell(p, x, y).getAttribute('aria-label')).replace(/^Row -?\d+, column -?\d+, /, '');
/** Where a cell is on the screen, and how large. */
async function spot(p, x, y) {
  const b = await cell(p, x, y).boundingBox();
  return { x: b.x + b.width / 2, y: b.y + b.height / 2, size: b.width };
}
async function click(p, x, y) {
  const at = await spot(p, x, y);
  await p.page.mouse.click(at.x, at.y);
}
const near = (a, b, what, by = 1.5) => assert.ok(Math.hypot(a.x - b.x, a.y - b.y) <= by, `${what}: ${JSON.stringify([a, b])}`);
const stage = async (p) => p.page.locator('.sheet-canvas').boundingBox();
/** What is drawn once the frame is over. */
const drawn = (p) => p.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
const focused = (p) => p.page.evaluate(() => document.activeElement.getAttribute('aria-label'));

test('by mouse: a whole game against the Hunter, and nothing moves', async () => {
  const ann = await onSheet(againstHunter);
  const box = await stage(ann);
  await ann.page.evaluate(() => (globalThis.shifts.length = 0));
  await ann.reads('Your turn');
  const mine = [[0, 0], [-5, -4], [5, 3], [-3, 5], [4, -5], [-6, 0], [6, 0], [0, 6], [0, -6], [-6, 6], [6, 6], [2, 6], [-2, -6]];
  for (const [x, y] of mine) {
    await ann.page.waitForFunction(() => document.querySelector('.game-finished') || document.querySelector('.headline').textContent === 'Your turn');
    if (await ann.page.locator('.game-finished').count()) break;
    if ((await name(ann, x, y)) !== 'empty') continue;
    const before = (await ann.moves()).length;
    await click(ann, x, y);
    await ann.page.waitForFunction((m) => document.querySelectorAll('.move').length > m, before);
    assert.match(await name(ann, x, y), /^X/);
  }
  await ann.reads('You lose');
  assert.equal(await ann.page.locator('.sheet-window .cell[aria-label*="in the line"]').count(), 5);
  assert.deepEqual(await stage(ann), box);
  assert.deepEqual((await ann.shifts()).filter((s) => !s.recent), []);
  await ann.button('Rematch').click();
  await ann.page.locator('.game-playing').waitFor();
  await ann.leave();
});

test('by keyboard only: the cursor, the window that follows it, a game to its end', async () => {
  const ann = await onSheet(onOneScreen);
  const { keyboard } = ann.page;
  await ann.page.locator('h1').focus();
  for (let n = 0; n < 5 && !/^Row/.test((await focused(ann)) ?? ''); n++) await keyboard.press('Tab');
  assert.equal(await focused(ann), 'Row 0, column 0, empty');
  for (let n = 0; n < 30; n++) await keyboard.press('ArrowRight');
  for (let n = 0; n < 9; n++) await keyboard.press('ArrowUp');
  assert.equal(await focused(ann), 'Row -9, column 30, empty');
  await drawn(ann);
  const [at, box] = [await spot(ann, 30, -9), await stage(ann)];
  assert.ok(at.x > box.x && at.x < box.x + box.width && at.y > box.y && at.y < box.y + box.height, 'the board came along');
  await keyboard.press('Enter');
  await ann.sees(1);
  assert.deepEqual(await ann.moves(), ['X30,-9']);
  assert.equal(await focused(ann), 'Row -9, column 30, X, Last move');
  await keyboard.press('Enter');
  await ann.remarks('This cell is taken');
  let n = 1;
  for (const key of ['ArrowDown', 'ArrowUp', 'ArrowDown', 'ArrowUp', 'ArrowDown', 'ArrowUp', 'ArrowDown', 'ArrowUp']) {
    if (key === 'ArrowUp') await keyboard.press('ArrowRight');
    await keyboard.press(key);
    await keyboard.press('Space');
    await ann.sees(++n);
  }
  await ann.reads('X wins!');
  assert.equal(await ann.page.locator('.sheet-window .cell[aria-label*="in the line"]').count(), 5);
  await keyboard.press('PageDown');
  await keyboard.press('Home');
  assert.match(await focused(ann), /^Row -9, column 34, X, in the line/);
  await ann.leave();
});

test('D plays, T and H weigh', async () => {
  const ann = await onSheet(againstHunter);
  await ann.reads('Your turn');
  await ann.button('Hint').waitFor();
  await ann.page.keyboard.press('d');
  await ann.sees(2);
  assert.equal((await ann.moves())[0], 'X0,0');
  const at = await spot(ann, 0, 5);
  await ann.page.mouse.move(at.x, at.y);
  await ann.page.keyboard.press('t');
  await until('it is said', async () => /^0,5: weight \d/.test(await ann.page.locator('.detail').textContent()));
  assert.match(await name(ann, 0, 5), /^empty, weight \d/);
  await ann.page.keyboard.press('h');
  await until('all are weighed', async () => (await ann.page.locator('.sheet-window .cell[aria-label*="weight"]').count()) === 223);
  assert.equal(await name(ann, 7, -7), 'empty, weight 2', 'also those that are far from everything');
  await ann.page.keyboard.press('h');
  await until('and none', async () => (await ann.page.locator('.sheet-window .cell[aria-label*="weight"]').count()) === 0);
  await ann.leave();
});

test('drag, wheel, the buttons, and the arrow to a move out of sight', async () => {
  const ann = await onSheet(onOneScreen);
  await click(ann, 2, 1);
  await ann.sees(1);
  const arrow = ann.button('To the last move');
  assert.equal(await arrow.count(), 0);
  const from = await spot(ann, 2, 1);
  await ann.page.mouse.move(from.x, from.y);
  await ann.page.mouse.down();
  await ann.page.mouse.move(from.x + 40, from.y - 70, { steps: 3 });
  await ann.page.mouse.up();
  await drawn(ann);
  near(await spot(ann, 2, 1), { x: from.x + 40, y: from.y - 70 }, 'the board follows the hand', 9);
  assert.deepEqual(await ann.moves(), ['X2,1'], 'a drag plays nothing');

  const at = await spot(ann, 2, 1);
  await ann.page.mouse.move(at.x, at.y);
  await ann.page.mouse.wheel(0, -120);
  await drawn(ann);
  const larger = await spot(ann, 2, 1);
  near(larger, at, 'what is under the pointer stays there');
  assert.ok(larger.size > at.size * 1.2);
  for (let n = 0; n < 30; n++) await ann.page.mouse.wheel(0, 120);
  await drawn(ann);
  assert.ok((await spot(ann, 2, 1)).size >= 13.9, 'there is an end to it');
  await ann.button('Zoom in').click();
  await ann.button('Zoom out').click();

  await ann.button('Centre').click();
  const box = await stage(ann);
  for (let n = 0; n < 3; n++) {
    await ann.page.mouse.move(box.x + 60, box.y + 60);
    await ann.page.mouse.down();
    await ann.page.mouse.move(box.x + box.width - 80, box.y + 90, { steps: 2 });
    await ann.page.mouse.up();
  }
  await arrow.waitFor();
  const there = await arrow.boundingBox();
  assert.ok(there.x > box.x + box.width - 80 && there.x + there.width <= box.x + box.width, 'at the edge, on its side');
  await arrow.click();
  await arrow.waitFor({ state: 'hidden' });
  const middle = await spot(ann, 2, 1);
  near(middle, { x: box.x + (box.width + 27) / 2, y: box.y + (box.height - 23) / 2 }, 'it is in the middle of what the numbers leave free', 8);
  await ann.leave();
});

/** Drags the paper by so many pixels. */
async function drag(p, dx, dy) {
  const box = await stage(p);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await p.page.mouse.move(x, y);
  await p.page.mouse.down();
  await p.page.mouse.move(x + dx / 2, y + dy / 2);
  await p.page.mouse.move(x + dx, y + dy);
  await p.page.mouse.up();
  await drawn(p);
}

test('a move under the numbers has its arrow, and one’s own mark is never half under them', async () => {
  const ann = await onSheet(onOneScreen);
  const box = await stage(ann);
  const arrow = ann.button('To the last move');
  await click(ann, 0, 0);
  await ann.sees(1);
  let at = await spot(ann, 0, 0);
  for (const [dx, dy] of [[box.x + 12 - at.x, 0], [0, box.y + box.height - 12 - at.y]]) {
    await drag(ann, dx, dy);
    const under = await spot(ann, 0, 0);
    assert.ok(under.x > box.x && under.y < box.y + box.height, 'it is on the screen');
    await arrow.waitFor();
    const a = await arrow.boundingBox();
    assert.ok(a.x > box.x + 20 && a.y + a.height < box.y + box.height - 22, 'the arrow is beside the numbers');
    await arrow.click();
    await arrow.waitFor({ state: 'hidden' });
    at = await spot(ann, 0, 0);
  }
  // The right half of a cell sticks out of the strip: a tap on it plays there.
  const strip = 6.5 * 3 + 14;
  await drag(ann, box.x + strip - 4 - at.x, 0);
  at = await spot(ann, 0, 1);
  await ann.page.mouse.click(box.x + strip + 4, at.y);
  await ann.sees(2);
  assert.deepEqual((await ann.moves())[1], 'O0,1');
  await drawn(ann);
  at = await spot(ann, 0, 1);
  assert.ok(at.x - at.size / 2 >= box.x + strip, `its left edge is at ${at.x - at.size / 2 - box.x}`);
  await ann.leave();
});

for (const reducedMotion of ['no-preference', 'reduce']) {
  test(`the arrow ${reducedMotion === 'reduce' ? 'jumps' : 'glides'} to the move, motion: ${reducedMotion}`, async () => {
    const ann = await onSheet(onOneScreen, { reducedMotion });
    await click(ann, 0, 0);
    await ann.sees(1);
    for (let n = 0; n < 2; n++) await drag(ann, 250, 0);
    await drag(ann, 200, 0);
    const arrow = ann.button('To the last move');
    await arrow.waitFor();
    await ann.page.evaluate(() => {
      globalThis.places = [];
      const look = () => {
        globalThis.places.push(document.querySelector('.sheet-window').style.left);
        requestAnimationFrame(look);
      };
      look();
    });
    await arrow.click();
    await arrow.waitFor({ state: 'hidden' });
    const box = await stage(ann);
    await until('it is there', async () => Math.abs((await spot(ann, 0, 0)).x - box.x - (box.width + 27) / 2) < 8);
    const stops = new Set(await ann.page.evaluate(() => globalThis.places)).size;
    assert.ok(reducedMotion === 'reduce' ? stops === 2 : stops > 3, `${stops} places`);
    await ann.leave();
  });
}

test('by fingers: a pinch zooms where it is and plays nothing; a tap plays; small cells are aimed at', async () => {
  const ann = await onSheet((p) => p.onOneScreen('inf/5', { tap: true }), { viewport: PHONE, touch: true });
  const cdp = await ann.context.newCDPSession(ann.page);
  const touch = (type, ...points) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const at = await spot(ann, 1, -2);
  const fingers = (d) => [[at.x - d, at.y], [at.x + d, at.y + d / 2]];
  /** Moves two fingers from one distance to another round a cell. */
  const pinch = async (from, to) => {
    await touch('touchStart', ...fingers(from).slice(0, 1));
    await touch('touchStart', ...fingers(from));
    for (let n = 1; n <= 8; n++) await touch('touchMove', ...fingers(from + ((to - from) * n) / 8));
    await touch('touchEnd', fingers(to)[0]);
    await touch('touchEnd');
    await drawn(ann);
  };
  await pinch(30, 55);
  const larger = await spot(ann, 1, -2);
  assert.ok(Math.abs(larger.size / at.size - 55 / 30) < 0.1, `${at.size} became ${larger.size}`);
  near(larger, at, 'what is between the fingers stays between them');
  assert.deepEqual(await ann.moves(), []);
  assert.equal(await ann.page.evaluate(() => globalThis.visualViewport.scale), 1, 'the page is not zoomed');

  const tap = async (x, y) => {
    const p = await spot(ann, x, y);
    await touch('touchStart', [p.x, p.y]);
    await touch('touchEnd');
  };
  await tap(1, -2);
  await ann.sees(1);
  await pinch(80, 20);
  assert.ok((await spot(ann, 1, -2)).size < 30);
  await tap(0, 0);
  await ann.remarks('Tap 0,0 again to play there.');
  assert.equal((await ann.moves()).length, 1);
  await tap(0, 0);
  await ann.sees(2);
  await ann.leave();
});

test('the strips with the numbers are not the paper', async () => {
  const ann = await onSheet(onOneScreen, { viewport: PHONE, hasTouch: true });
  const box = await stage(ann);
  await ann.page.touchscreen.tap(box.x + 5, box.y + box.height / 2);
  await ann.page.touchscreen.tap(box.x + box.width / 2, box.y + box.height - 5);
  await drawn(ann);
  assert.equal((await ann.moves()).length, 0);
  await ann.page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  await ann.sees(1);
  await ann.leave();
});

test('two people on it, and one who watches', async () => {
  const [ann, bob] = [await Person.arrive(browser, server.url), await Person.arrive(browser, server.url)];
  for (const p of [ann, bob]) {
    await p.chooses('inf/5');
    await p.page.getByRole('button', { name: /^Play now/ }).click();
  }
  const [first, second] = await seated(ann, bob);
  for (const p of [first, second]) await p.page.locator('.sheet-window').waitFor();
  const eve = await Person.arrive(browser, server.url);
  await eve.page.locator(`a[href="${first.room}"]`).filter({ hasText: 'Watch' }).click();
  await eve.page.locator('.sheet-window').waitFor();
  await click(first, 3, 3);
  await second.sees(1);
  await click(second, 3, 4);
  await Promise.all([first, eve].map((p) => p.sees(2)));
  assert.match(await name(eve, 3, 4), /^[XO], Last move$/);
  await click(eve, 0, 0);
  await eve.remarks('You are watching this game.');
  assert.equal(await first.page.locator('.advice').count(), 0);
  for (const p of [ann, bob, eve]) await p.leave();
});

describe('axe finds nothing, and pictures of', () => {
  for (const [what, viewport] of [['desktop', DESKTOP], ['phone', PHONE], ['phone held sideways', SIDEWAYS]]) {
    for (const colorScheme of viewport === SIDEWAYS ? ['dark'] : ['light', 'dark']) {
      test(`${what}, ${colorScheme}`, async () => {
        const ann = await onSheet(onOneScreen, { viewport, colorScheme, bypassCSP: true });
        await ann.button('Hint').waitFor();
        for (let n = 1; n <= 8; n++) {
          await ann.page.keyboard.press('d');
          await ann.sees(n);
        }
        const shot = async (of) => {
          await ann.page.mouse.move(1, 1);
          await drawn(ann);
          await ann.page.screenshot({ path: path.join(shots, `sheet-${of}-${viewport.width}-${colorScheme}.png`) });
          if (of === 'weights') return;
          await ann.page.evaluate(axe);
          const { violations } = await ann.page.evaluate(() => globalThis.axe.run(document));
          assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((x) => x.html).slice(0, 3).join(' | ')}`), [], of);
        };
        await ann.button('Weights').click();
        await ann.page.locator('.cell[aria-label*="weight"]').first().waitFor({ state: 'attached' });
        await shot('weights');
        const box = await stage(ann);
        for (let n = 0; n < 3; n++) {
          await ann.page.mouse.move(box.x + 60, box.y + 60);
          await ann.page.mouse.down();
          await ann.page.mouse.move(box.x + box.width - 80, box.y + 90, { steps: 2 });
          await ann.page.mouse.up();
        }
        await ann.button('To the last move').waitFor();
        await shot('away');
        assert.deepEqual((await ann.shifts()).filter((s) => !s.recent), []);
        await ann.leave();
      });
    }
  }
});
