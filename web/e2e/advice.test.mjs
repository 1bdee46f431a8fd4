// Help from the engine: who is offered it, by keys, by buttons, and how it looks.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DESKTOP, launch, pair, Person, PHONE, playOut, WIN } from './lib/people.mjs';
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

const arrive = (options) => Person.arrive(browser, server.url, options);

/** One person at a board for both sides. */
async function onOneScreen(variant, options) {
  const ann = await arrive(options);
  await ann.onOneScreen(variant);
  await ann.button('Hint').waitFor();
  return ann;
}

const weights = (p) => p.page.locator('.weight');
/** What is read aloud just now. */
const aloud = (p) => p.page.locator('#app > [aria-live]').textContent();

describe('by keyboard', () => {
  test('D plays the computer’s move, against the computer too', async () => {
    const ann = await arrive();
    await ann.chooses('15x15/5');
    await ann.button('Play against the computer').click();
    await ann.page.getByRole('radio', { name: /^Line by line/ }).check();
    await ann.page.getByRole('group', { name: 'Who starts' }).getByLabel('You', { exact: true }).check();
    await ann.button('Start').click();
    await ann.reads('Your turn');
    await ann.button('Hint').waitFor();
    for (let n = 0; n < 12; n++) {
      await ann.page.waitForFunction(() => document.querySelector('.game-finished') || document.querySelector('.headline').textContent === 'Your turn');
      if (await ann.page.locator('.game-finished').count()) break;
      const before = await ann.page.locator('.move').count();
      await ann.page.keyboard.press('d');
      await ann.page.waitForFunction((m) => document.querySelectorAll('.move').length > m, before);
    }
    await ann.reads('You win!');
    await ann.page.keyboard.press('d');
    await ann.remarks('This game is over.');
    await ann.leave();
  });

  test('T weighs the cell under the pointer or with the focus, H all of them', async () => {
    const ann = await onOneScreen('15x15/5');
    await ann.play(8, 8);
    await ann.sees(1);
    await ann.cell(7, 9).hover();
    await ann.page.keyboard.press('t');
    await weights(ann).waitFor();
    assert.equal(await weights(ann).count(), 1);
    assert.equal(await ann.page.locator('.detail').textContent(), 'i9: weight 6.6');
    assert.match(await aloud(ann), /^Row 7, column 9: weight 6\.6/);
    assert.match(await ann.cell(7, 9).getAttribute('aria-label'), /, empty, weight 6\.6$/);
    await ann.cell(8, 8).hover();
    await ann.page.keyboard.press('t');
    await ann.remarks('This cell is taken');
    await ann.page.mouse.move(1, 1);
    await ann.cell(8, 9).focus();
    await ann.page.keyboard.press('T');
    await ann.remarks('i8: weight 6.6');

    await ann.page.keyboard.press('h');
    await ann.page.waitForFunction(() => document.querySelectorAll('.weight').length === 224);
    assert.equal(await ann.button('Weights').getAttribute('aria-pressed'), 'true');
    assert.equal(await ann.page.locator('.weight-most').count(), 8);
    await ann.play(7, 9);
    await ann.page.waitForFunction(() => document.querySelectorAll('.weight').length === 223);
    await ann.page.keyboard.press('h');
    assert.equal(await weights(ann).count(), 0);
    await ann.leave();
  });

  test('letters that are typed somewhere are letters', async () => {
    const ann = await onOneScreen('3x3/3');
    await ann.page.locator('.you').click();
    await ann.page.getByLabel('Name', { exact: true }).fill('');
    await ann.page.keyboard.type('dth');
    assert.equal(await ann.page.getByLabel('Name', { exact: true }).inputValue(), 'dth');
    await ann.page.keyboard.press('Escape');
    await ann.page.keyboard.press('Control+d');
    await ann.page.keyboard.press('h');
    await ann.remarks('Weights are for flat boards with five in a row.');
    assert.deepEqual(await ann.moves(), []);
    assert.equal(await ann.button('Weights').count(), 0);
    await ann.leave();
  });
});

describe('by hand', () => {
  test('the first tap shows the move, the second plays it; nothing shifts', async () => {
    const ann = await onOneScreen('3x3/3', { viewport: PHONE, touch: true });
    await ann.page.evaluate(() => (globalThis.shifts.length = 0));
    const box = await ann.page.locator('.grid').boundingBox();
    for (let n = 1; n <= 4; n++) {
      await ann.button('Hint').tap();
      await ann.button('Play it').waitFor();
      assert.equal(await ann.page.locator('[data-hint]').count(), 1);
      assert.match(await ann.page.locator('[data-hint]').getAttribute('aria-label'), /, Hint$/);
      assert.match(await aloud(ann), /^Hint: Row \d, column \d/);
      await ann.button('Play it').tap();
      await ann.sees(n);
      assert.equal(await ann.page.locator('[data-hint]').count(), 0);
    }
    assert.deepEqual(await ann.page.locator('.grid').boundingBox(), box);
    assert.deepEqual((await ann.shifts()).filter((s) => !s.recent), []);
    await ann.leave();
  });

  test('a hint for a board that has changed is not shown on the next', async () => {
    const ann = await onOneScreen('15x15/5');
    await ann.button('Hint').click();
    await ann.play(1, 1);
    await ann.sees(1);
    await ann.button('Hint').waitFor();
    assert.equal(await ann.page.locator('[data-hint]').count(), 0);
    await ann.button('Hint').click();
    await ann.button('Play it').waitFor();
    await ann.leave();
  });
});

describe('advice that does not come', () => {
  /** A game on whose wire questions for advice are lost, or held until they are let go. */
  async function unheard() {
    const ann = await arrive();
    const held = [];
    let deaf = true;
    await ann.page.routeWebSocket(/\/ws$/, (ws) => {
      const up = ws.connectToServer();
      ws.onMessage((m) => (deaf && JSON.parse(m).type === 'hint' ? held.push(() => up.send(m)) : up.send(m)));
    });
    await ann.page.reload();
    await ann.onOneScreen('15x15/5');
    await ann.button('Hint').waitFor();
    return { ann, held, listen: () => (deaf = false) };
  }
  const busy = (p) => p.page.locator('.button-advice[aria-busy="true"]').allInnerTexts();

  test('is shown as waited for, and comes late', async () => {
    const { ann, held } = await unheard();
    assert.deepEqual(await busy(ann), []);
    await ann.button('Hint').click();
    await until('the button waits', async () => /Hint/.test(String(await busy(ann))));
    await until('it is asked', () => held.length === 1);
    held[0]();
    await ann.button('Play it').waitFor();
    assert.deepEqual(await busy(ann), []);
    await ann.leave();
  });

  test('is given up in words, and may be asked for again', async () => {
    const { ann, held, listen } = await unheard();
    for (const name of ['Hint', 'Weights']) {
      await ann.button(name).click();
      await until('the button waits', async () => (await busy(ann)).length === 1);
      await until('it gives up', async () => (await busy(ann)).length === 0);
      await ann.remarks('No advice came. Please try again.');
      assert.equal((await aloud(ann)).trim(), 'No advice came. Please try again.');
    }
    assert.equal(await ann.button('Weights').getAttribute('aria-pressed'), 'false');
    await ann.play(8, 8);
    await ann.sees(1);
    listen();
    held.length = 0;
    await ann.button('Hint').click();
    await ann.button('Play it').waitFor();
    await ann.leave();
  });
});

test('between two people there is no help, and nothing is loaded for it', async () => {
  const [ann, bob] = [await arrive(), await arrive()];
  const loaded = [];
  ann.page.on('request', (r) => loaded.push(new URL(r.url()).pathname));
  const [first, second] = await pair(ann, bob);
  await playOut(WIN.slice(0, 4), [first, second]);
  for (const p of [first, second]) {
    assert.equal(await p.page.locator('.advice').count(), 0);
    for (const key of ['d', 't', 'h']) await p.page.keyboard.press(key);
    assert.equal(await p.page.locator('.weight, [data-hint]').count(), 0);
  }
  assert.deepEqual(loaded.filter((f) => /advice/.test(f)), []);
  assert.equal((await first.moves()).length, 4);
  await playOut(WIN.slice(4), [first, second], [], 4);
  for (const p of [ann, bob]) await p.leave();
});

test('after the end everybody may look at the weights, and nothing shifts', async () => {
  const [ann, bob] = [await arrive({ viewport: PHONE }), await arrive()];
  await ann.chooses('15x15/5');
  await ann.button('Play with a friend').click();
  await ann.button('Make the link').click();
  await ann.reads('Waiting for an opponent…');
  bob.page = await bob.open(ann.room);
  await bob.button('Join').click();
  await Promise.all([ann, bob].map((p) => p.page.locator('.game-playing').waitFor()));
  await ann.page.evaluate(() => (globalThis.shifts.length = 0));
  await bob.button('Resign').click();
  await bob.button('Yes, resign').click();
  for (const p of [ann, bob]) {
    await p.button('Weights').click();
    await weights(p).first().waitFor();
    assert.equal(await p.button('Hint').count(), 0);
  }
  assert.deepEqual((await ann.shifts()).filter((s) => !s.recent), []);
  await ann.button('Rematch').click();
  await bob.button('Rematch').click();
  await ann.page.locator('.game-playing').waitFor();
  for (const p of [ann, bob]) {
    assert.equal(await weights(p).count(), 0);
    assert.equal(await p.button('Weights').count(), 0);
    await p.page.keyboard.press('h');
    await p.remarks('No hints while two people play.');
  }
  for (const p of [ann, bob]) await p.leave();
});

describe('axe finds nothing, and pictures of', () => {
  for (const [name, viewport, variant] of [['desktop', DESKTOP, '15x15/5'], ['phone', PHONE, '19x19/5']]) {
    for (const [colorScheme, contrast] of [['light', name === 'phone' ? 'more' : 'no-preference'], ['dark', 'no-preference']]) {
      test(`${name}, ${colorScheme}, contrast ${contrast}`, async () => {
        const ann = await onOneScreen(variant, { viewport, colorScheme, contrast, bypassCSP: true });
        for (const [n, [r, c]] of [[10, 10], [9, 10], [9, 9], [11, 9], [10, 9], [11, 11]].entries()) {
          await ann.play(r, c);
          await ann.sees(n + 1);
        }
        await ann.button('Weights').click();
        await weights(ann).first().waitFor();
        await ann.button('Hint').click();
        await ann.button('Play it').waitFor();
        await ann.page.mouse.move(1, 1);
        await ann.page.screenshot({ path: path.join(shots, `weights-${viewport.width}-${colorScheme}-${contrast}.png`) });
        await ann.page.evaluate(axe);
        const { violations } = await ann.page.evaluate(() => globalThis.axe.run(document));
        assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((x) => x.html).slice(0, 3).join(' | ')}`), []);
        assert.ok(await ann.page.evaluate(() => [...document.querySelectorAll('.weight')].every((w) => w.scrollWidth <= w.clientWidth + 2)), 'numbers fit');
        await ann.leave();
      });
    }
  }
});
