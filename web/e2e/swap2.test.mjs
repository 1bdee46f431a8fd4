// The opening in which the marks are chosen at the board: between two people,
// against the computer, on one screen, and how it looks.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DESKTOP, launch, Person, PHONE, SIDEWAYS } from './lib/people.mjs';
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
const swap = (p) => p.page.getByRole('switch', { name: /^Swap2/ });
const sides = (p) => p.page.getByRole('group', { name: 'Your mark' });
const first = (p, who) => p.page.getByRole('group', { name: 'Who starts' }).getByLabel(who, { exact: true }).check();
const panel = (p) => p.page.getByRole('group', { name: 'Choose a side' });
const choices = (p) => panel(p).getByRole('button').allTextContents();
const detail = (p) => p.page.locator('.detail').textContent();
/** The marks of the players beside the board, the one across first; '-' for none yet. */
const marks = (p) => p.page.locator('.player-mark').evaluateAll((all) => all.map((m) => /mark-([xo])/.exec(m.firstElementChild.getAttribute('class'))?.[1] ?? '-').join(''));
/** The mark that shows under the mouse. */
async function ghost(p, row, column) {
  await p.page.mouse.move(1, 1);
  await p.cell(row, column).hover();
  const all = await p.page.locator('.ghost').evaluateAll((g) => g.map((m) => m.classList.contains('mark-o') ? 'o' : 'x'));
  return all.join('');
}
async function places(p, others, from, ...cells) {
  for (const [i, [r, c]] of cells.entries()) {
    await p.play(r, c);
    await Promise.all([p, ...others].map((q) => q.sees(from + i + 1)));
  }
}

const wordsFit = (p) => p.page.evaluate(() => [...document.querySelectorAll('.actions-row .button')].every((b) => b.scrollWidth <= b.clientWidth && b.scrollHeight <= b.clientHeight));

/** Ann invites Bob to the opening, and begins. */
async function invited(options) {
  const [ann, bob] = [await arrive(options), await arrive(options)];
  await ann.chooses('15x15/5');
  await ann.button('Play with a friend').click();
  await swap(ann).check();
  await first(ann, 'You');
  await ann.button('Make the link').click();
  await ann.reads('Waiting for an opponent…');
  await bob.page.goto(server.url + ann.room);
  await bob.page.getByText('15 × 15, 5 in a row, Swap2').first().waitFor();
  await bob.button('Join').click();
  await Promise.all([ann, bob].map((p) => p.page.locator('.game-playing').waitFor()));
  return [ann, bob];
}

test('the list of games says it', async () => {
  const [ann, bob] = [await arrive(), await arrive()];
  await ann.chooses('15x15/5');
  await ann.button('Play with a friend').click();
  await swap(ann).check();
  await ann.page.getByLabel(/^Anybody may join/).check();
  await ann.button('Make the link').click();
  await ann.reads('Waiting for an opponent…');
  await bob.page.locator('.games').first().getByText('15 × 15, 5 in a row, Swap2').waitFor();
  await ann.leave();
  await bob.leave();
});

test('it is offered where the board allows it, and marks are not chosen before', async () => {
  const ann = await arrive();
  for (const [button, has] of [['Play with a friend', true], ['Play against the computer', true], ['Two players, one screen', false]]) {
    await ann.chooses('15x15/5');
    await ann.button(button).click();
    await swap(ann).check();
    assert.equal(await sides(ann).isVisible(), false);
    await swap(ann).uncheck();
    assert.equal(await sides(ann).isVisible(), has);
    await ann.page.keyboard.press('Escape');
    if (!has) continue;
    await ann.chooses('10x10/5');
    await ann.button(button).click();
    await sides(ann).waitFor();
    assert.equal(await swap(ann).count(), 0);
    await ann.page.keyboard.press('Escape');
  }
  await ann.leave();
});

test('two people: three, two more, a choice, a reload in between, and nothing moves', async () => {
  const [ann, bob] = await invited();
  const eve = await arrive({ path: ann.room });
  await eve.page.locator('.game-playing').waitFor();
  const boxes = await Promise.all([ann, bob, eve].map((p) => p.page.locator('.grid').boundingBox()));
  for (const p of [ann, bob, eve]) await p.page.evaluate(() => (globalThis.shifts.length = 0));

  await ann.reads('Place three: X, O, X');
  await bob.reads(/ places marks$/);
  assert.deepEqual([await marks(ann), await marks(bob), await detail(ann), await detail(bob)], ['--', '--', 'X is next.', 'X is next.']);
  assert.equal(await ghost(ann, 8, 8), 'x');
  await places(ann, [bob, eve], 0, [8, 8]);
  assert.deepEqual([await ghost(ann, 9, 9), await ghost(bob, 9, 9), await detail(ann)], ['o', '', 'O is next.']);
  await bob.play(9, 9);
  await bob.remarks('It is not your turn.');
  await places(ann, [bob, eve], 1, [9, 9], [7, 10]);

  await bob.reads('Choose a side');
  await ann.reads(/ chooses a side$/);
  await eve.reads(/ chooses a side$/);
  assert.deepEqual([await choices(bob), await panel(ann).count(), await panel(eve).count()], [['Play X', 'Play O', 'Place two more'], 0, 0]);
  assert.match(await bob.page.locator('#app > [aria-live]').textContent(), /Choose a side\. O is next\.$/);
  await bob.play(1, 1);
  await bob.remarks('Choose a side first.');
  assert.equal(await ghost(bob, 2, 2), '');
  await bob.page.mouse.move(1, 1);
  assert.deepEqual((await bob.shifts()).filter((s) => !s.recent), []);

  await bob.page.reload();
  await bob.reads('Choose a side');
  await bob.sees(3);
  await bob.page.evaluate(() => (globalThis.shifts.length = 0));
  // By keyboard: the focus goes on to the board.
  await bob.button('Place two more').focus();
  await bob.page.keyboard.press('Enter');
  await bob.reads('Place two more: O, X');
  await until('the focus is on the board', () => bob.page.evaluate(() => document.activeElement.matches('.cell')));
  await places(bob, [ann, eve], 3, [6, 6], [10, 6]);
  await ann.reads('Choose a side');
  assert.deepEqual(await choices(ann), ['Play X', 'Play O']);
  await ann.page.reload();
  await ann.reads('Choose a side');
  await ann.page.evaluate(() => (globalThis.shifts.length = 0));
  await ann.button('Play X').click();

  await bob.reads('Your turn');
  await ann.reads(/ to move$/);
  assert.deepEqual([await marks(ann), await marks(bob), await detail(ann), await detail(bob)], ['ox', 'xo', 'You play X.', 'You play O.']);
  assert.equal(await panel(ann).count(), 0);
  assert.equal(await ghost(bob, 1, 1), 'o');
  await places(bob, [ann, eve], 5, [1, 1]);
  await places(ann, [bob, eve], 6, [1, 15]);
  for (const p of [ann, bob, eve]) assert.deepEqual(await p.moves(), ['Xh8', 'Oi7', 'Xj9', 'Of10', 'Xf6', 'Oa15', 'Xo15']);
  for (const [i, p] of [ann, bob, eve].entries()) {
    assert.deepEqual(await p.page.locator('.grid').boundingBox(), boxes[i], 'the board moved');
    assert.deepEqual((await p.shifts()).filter((s) => !s.recent), [], 'the layout shifted');
  }

  // The marks are open again in the next game, which the other one begins.
  await bob.button('Resign').click();
  await bob.button('Yes, resign').click();
  for (const p of [ann, bob]) await p.button('Rematch').click();
  await bob.reads('Place three: X, O, X');
  assert.equal(await marks(ann), '--');
  for (const p of [ann, bob, eve]) await p.leave();
});

for (const [who, level] of [['You', 'Climber'], ['Computer', 'Scatterbrain']]) {
  test(`against the computer, ${level}: ${who} first, to the end of the opening`, async () => {
    const ann = await arrive();
    await ann.chooses('15x15/5');
    await ann.button('Play against the computer').click();
    await ann.page.getByRole('radio', { name: new RegExp(`^${level}`) }).check();
    await swap(ann).check();
    await first(ann, who);
    await ann.button('Start').click();
    await ann.page.locator('.game-playing').waitFor();
    if (who === 'You') await places(ann, [], 0, [8, 8], [8, 10], [12, 4]);
    await until('the opening is over', async () => {
      const now = await ann.headline();
      if (/^Choose a side$/.test(now)) await ann.button('Play O').click();
      if (now === 'Your turn' && (await ann.moves()).length < 5) await ann.play(1, 1);
      return (await marks(ann)) !== '--' && (await ann.moves()).length >= 5 && now === 'Your turn';
    }, 30_000);
    assert.equal(await ann.page.getByRole('button', { name: 'Hint' }).isVisible(), true);
    await ann.leave();
  });
}

test('on one screen the same person acts for both, on the sheet too', async () => {
  const ann = await arrive();
  await ann.onOneScreen('inf/5', { swap2: true });
  await ann.page.locator('.sheet-window').waitFor();
  const box = await ann.page.locator('.sheet-canvas').boundingBox();
  const at = async (x, y) => {
    const b = await ann.page.getByRole('button', { name: new RegExp(`^Row ${y}, column ${x},`) }).boundingBox();
    await ann.page.mouse.click(b.x + b.width / 2, b.y + b.height / 2);
  };
  await ann.reads('Player 1 places marks');
  assert.equal(await detail(ann), 'Place three: X, O, X · X is next.');
  assert.deepEqual(await ann.page.locator('.player-name').allTextContents(), ['Player 2', 'Player 1']);
  for (const [n, [x, y]] of [[0, 0], [1, 1], [2, -1]].entries()) {
    await at(x, y);
    await ann.sees(n + 1);
  }
  await ann.reads('Player 2 chooses a side');
  assert.deepEqual(await choices(ann), ['Play X', 'Play O', 'Place two more']);
  await ann.button('Play X').click();
  await ann.reads('O to move');
  await until('it is read aloud', async () => (await ann.page.locator('#app > [aria-live]').textContent()) === 'Player 2: X. O to move');
  assert.deepEqual(await ann.page.locator('.player-name').allTextContents(), ['Cross (X)', 'Nought (O)']);
  await at(-2, -2);
  await ann.sees(4);
  assert.equal((await ann.moves())[3], 'O-2,-2');
  assert.deepEqual(await ann.page.locator('.sheet-canvas').boundingBox(), box);
  await ann.button('Hint').waitFor();

  await ann.button('Resign').click();
  await ann.button('Yes, resign').click();
  await ann.button('Rematch').click();
  await ann.reads('Player 2 places marks');
  assert.equal(await ann.button('Hint').isVisible(), false);
  await ann.page.keyboard.press('d');
  await ann.remarks('Choose a side first.');
  await ann.leave();
});

test('whoever resigns before the marks are chosen has lost', async () => {
  const ann = await arrive();
  await ann.onOneScreen('15x15/5', { swap2: true });
  await places(ann, [], 0, [8, 8]);
  await ann.button('Resign').click();
  await ann.button('Yes, resign').click();
  await ann.reads(/^Player \d wins$/);
  assert.match(await detail(ann), /^Player \d resigned$/);
  assert.deepEqual(await ann.moves(), ['Xh8']);
  await ann.leave();
});

for (const [width, height] of [[320, 640], [667, 375]]) {
  test(`the choice fits on ${width} x ${height}`, async () => {
    const ann = await arrive({ viewport: { width, height }, touch: true });
    await ann.onOneScreen('15x15/5', { swap2: true, tap: true });
    for (const [n, [r, c]] of [[8, 8], [9, 9], [7, 10]].entries()) {
      await ann.cell(r, c).focus();
      await ann.page.keyboard.press('Enter');
      await ann.sees(n + 1);
    }
    await panel(ann).waitFor();
    assert.ok(await wordsFit(ann), 'the words fit');
    assert.ok(await ann.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing sticks out');
    for (const b of await panel(ann).getByRole('button').all()) {
      const { width: w, height: h } = await b.boundingBox();
      assert.ok(w >= 44 && h >= 44, `${w} x ${h} is room for a finger`);
    }
    await ann.button('Play O').tap();
    await ann.reads('O to move');
    await ann.leave();
  });
}

describe('axe finds nothing, and pictures of', () => {
  for (const [name, viewport] of [['desktop', DESKTOP], ['phone', PHONE], ['phone held sideways', SIDEWAYS]]) {
    for (const colorScheme of viewport === DESKTOP ? ['light', 'dark'] : ['light']) {
      test(`${name}, ${colorScheme}`, async () => {
        const [ann, bob] = await invited({ viewport, colorScheme, bypassCSP: true, touch: viewport !== DESKTOP });
        const shot = async (p, of) => {
          await p.page.mouse.move(1, 1);
          await p.page.waitForFunction(() => document.getAnimations().every((a) => a.playState === 'finished'));
          await p.page.screenshot({ path: path.join(shots, `swap2-${of}-${viewport.width}-${colorScheme}.png`) });
          await p.page.evaluate(axe);
          const { violations } = await p.page.evaluate(() => globalThis.axe.run(document));
          assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).slice(0, 3).join(' | ')}`), [], of);
          assert.ok(await wordsFit(p), 'the words fit');
        };
        const tap = async (b) => {
          await b.waitFor();
          await (viewport === DESKTOP ? b.click() : b.tap());
        };
        await shot(ann, 'place');
        const place = async (p, n, r, c) => {
          await p.cell(r, c).focus();
          await p.page.keyboard.press('Enter');
          await Promise.all([ann, bob].map((q) => q.sees(n)));
        };
        await place(ann, 1, 8, 8);
        await place(ann, 2, 9, 9);
        await place(ann, 3, 7, 10);
        await bob.reads('Choose a side');
        await shot(bob, 'choose');
        await tap(bob.button('Place two more'));
        await bob.reads('Place two more: O, X');
        await place(bob, 4, 6, 6);
        await place(bob, 5, 10, 6);
        await ann.reads('Choose a side');
        await shot(ann, 'last');
        await tap(ann.button('Play O'));
        await ann.reads('Your turn');
        if (colorScheme === 'light') {
          await ann.page.goto(server.url);
          await ann.page.locator('.you:not([hidden])').waitFor();
          await tap(ann.button('Play against the computer'));
          await ann.page.getByRole('dialog').waitFor();
          await ann.page.screenshot({ path: path.join(shots, `swap2-computer-${viewport.width}.png`) });
        }
        for (const p of [ann, bob]) await p.leave();
      });
    }
  }
});
