import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DESKTOP, launch, pair, Person, PHONE, playOut, seated, WIN } from './lib/people.mjs';
import { Server } from './lib/server.mjs';
import { until } from './lib/until.mjs';

let server, browser;
before(async () => {
  server = await Server.start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const arrive = (options) => Person.arrive(browser, server.url, options);

/** Nothing but what the player did himself may have moved anything, and the board nothing at all. */
async function isStill(p, box) {
  const counted = (await p.shifts()).filter((s) => !s.recent);
  assert.deepEqual(counted, [], 'the layout shifted');
  assert.deepEqual(await p.page.locator('.grid').boundingBox(), box, 'the board moved');
}

describe('two people', () => {
  test('play a whole game by mouse while a third watches, and nothing moves', async () => {
    const [ann, bob] = [await arrive(), await arrive()];
    const [first, second] = await pair(ann, bob);
    const eve = await arrive({ path: first.room });
    await eve.page.locator('.game-playing').waitFor();
    for (const p of [first, second]) await p.page.getByText('1 spectator', { exact: true }).waitFor();
    const people = [first, second, eve];
    const boxes = await Promise.all(people.map((p) => p.page.locator('.grid').boundingBox()));
    const actions = await first.page.locator('.actions').boundingBox();
    for (const p of [first, second]) await p.page.evaluate(() => (globalThis.shifts.length = 0)); // those of the lobby

    await first.reads('Your turn');
    await second.reads(/^Guest \d+ to move$/);
    await playOut(WIN.slice(0, 4), [first, second], [eve]);
    assert.equal(await first.page.locator('.is-last').count(), 1, 'the last move is marked');
    await playOut(WIN.slice(4), [first, second], [eve], 4);

    await first.reads('You win!');
    await second.reads('You lose');
    await eve.reads(/^Guest \d+ wins$/);
    assert.deepEqual(await first.moves(), await second.moves());
    assert.deepEqual(await eve.moves(), await first.moves());
    assert.match((await eve.moves()).join(' '), /^(X|O)a3 (X|O)b3 \1b2 \2c3 \1c1$/);
    await Promise.all(people.map((p, i) => isStill(p, boxes[i])));
    for (const p of [first, second]) assert.deepEqual(await p.page.locator('.actions').boundingBox(), actions, 'the actions keep their place');
    for (const p of [ann, bob, eve]) await p.leave();
  });

  test('the line is green and solid for the winner, red and dashed for the loser, and only it is coloured', async () => {
    const [ann, bob] = [await arrive(), await arrive()];
    const [first, second] = await pair(ann, bob);
    await playOut(WIN, [first, second]);
    const look = (p) =>
      p.page.evaluate(() => {
        const style = (el, name) => getComputedStyle(el)[name];
        const [path] = document.querySelectorAll('.strike path');
        return {
          line: [style(path, 'stroke'), style(path, 'strokeDasharray')],
          marks: [...document.querySelectorAll('.is-won .mark')].map((m) => style(m, 'stroke')),
          others: [...document.querySelectorAll('.cell.has:not(.is-won) .mark')].map((m) => style(m, 'stroke')),
          words: style(document.querySelector('.headline'), 'color'),
        };
      });
    const [won, lost] = [await look(first), await look(second)];
    const [green, red] = ['rgb(20, 113, 58)', 'rgb(179, 38, 30)'];
    assert.deepEqual(won.line, [green, 'none']);
    assert.equal(lost.line[0], red);
    assert.match(lost.line[1], /\d+px, \d+px/);
    assert.deepEqual([won.marks, lost.marks], [Array(3).fill(green), Array(3).fill(red)]);
    for (const colour of [...won.others, ...lost.others]) assert.ok(![green, red].includes(colour), 'only the winning cells are coloured');
    assert.equal(won.others.length, 2);
    assert.deepEqual([won.words, lost.words], [green, red]);
    for (const p of [ann, bob]) await p.leave();
  });

  test('a rematch moves both and the one who watches; the score stays', async () => {
    const [ann, bob] = [await arrive(), await arrive()];
    const [first, second] = await pair(ann, bob);
    const eve = await arrive({ path: first.room });
    await playOut(WIN, [first, second], [eve]);
    await first.button('Rematch').click();
    await second.page.getByText('Your opponent wants a rematch').first().waitFor();
    assert.ok(await first.button('Rematch').isDisabled());
    await second.button('Rematch').click();
    for (const p of [first, second, eve]) {
      await p.page.locator('.game-playing').waitFor();
      await p.sees(0);
    }
    assert.deepEqual(await first.page.locator('.player-score').allTextContents(), ['0', '1']);
    const again = await seated(first, second);
    await playOut([[2, 2]], again, [eve]);
    for (const p of [ann, bob, eve]) await p.leave();
  });

  test('resign in two steps, then look for a new opponent', async () => {
    const [ann, bob] = [await arrive(), await arrive()];
    const [first, second] = await pair(ann, bob);
    await playOut(WIN.slice(0, 1), [first, second]);
    await second.button('Resign').click();
    await second.page.locator('.actions-note').filter({ hasText: 'Resign this game?' }).waitFor();
    await second.button('Play on').click();
    await playOut(WIN.slice(1, 2), [first, second], [], 1);
    await second.button('Resign').click();
    await second.button('Yes, resign').click();
    await second.reads('You lose');
    await first.reads('You win!');
    assert.match(await first.page.locator('.detail').textContent(), /^Guest \d+ resigned$/);
    await first.button('New opponent').click();
    await second.page.getByText('Your opponent has left.').waitFor();
    assert.ok(await second.button('Rematch').isDisabled());
    await first.page.getByText('Looking for an opponent…').first().waitFor();
    await first.button('Cancel').click();
    await first.page.getByRole('button', { name: /^Play now/ }).waitFor();
    for (const p of [ann, bob]) await p.leave();
  });

  test('a cancelled search pairs nobody', async () => {
    const [ann, bob] = [await arrive(), await arrive()];
    await ann.page.getByRole('button', { name: /^Play now/ }).click();
    await ann.button('Cancel').click();
    await ann.page.getByRole('button', { name: /^Play now/ }).waitFor();
    await bob.page.getByRole('button', { name: /^Play now/ }).click();
    const eve = await arrive();
    await eve.page.getByRole('button', { name: /^Play now/ }).click();
    await seated(bob, eve);
    assert.equal(ann.room, '/');
    for (const p of [ann, bob, eve]) await p.leave();
  });

  test('a taken cell is refused in words, and so is a move out of turn', async () => {
    const [ann, bob] = [await arrive(), await arrive()];
    const [first, second] = await pair(ann, bob);
    await playOut([[2, 2]], [first, second]);
    await second.play(2, 2);
    await second.remarks('This cell is taken');
    await first.play(1, 1);
    await first.remarks('It is not your turn.');
    await until('it is read aloud', async () => /not your turn/.test(await first.page.locator('[aria-live]').textContent()));
    for (const p of [first, second]) await p.sees(1);
    await playOut([[1, 1]], [first, second], [], 1);
    for (const p of [ann, bob]) await p.leave();
  });
});

describe('by keyboard', () => {
  test('a whole game, from the lobby to the result', async () => {
    const ann = await arrive();
    const { page } = ann;
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');
    const tabTo = async (what) => {
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab');
        if (what.test(await focused())) return;
      }
      assert.fail(`Tab never came to ${what}`);
    };
    await tabTo(/^Two players, one screen$/);
    await page.keyboard.press('Enter');
    await page.locator('.game-playing').waitFor();
    await tabTo(/^Row 2, column 2, empty$/);
    const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(ring, 'none', 'the focus can be seen');
    const go = async (...keys) => {
      for (const k of keys) await page.keyboard.press(k);
    };
    await go('Enter'); // X b2
    await ann.sees(1);
    await go('ArrowUp', 'Space'); // O b3
    await ann.sees(2);
    await go('ArrowLeft', 'Space'); // X a3
    await ann.sees(3);
    await go('ArrowLeft', 'ArrowUp'); // already in the corner
    assert.match(await focused(), /^Row 1, column 1, X/);
    await go('End', 'Enter'); // O c3
    await ann.sees(4);
    await go('ArrowDown', 'ArrowDown', 'ArrowDown');
    assert.match(await focused(), /^Row 3, column 3, empty$/);
    assert.equal(await page.locator('.cell[tabindex="0"]').count(), 1, 'one cell is in the order of Tab');
    await go('NumpadEnter'); // X c1
    await ann.reads('X wins!');
    await until('the result is read aloud', async () => /X wins!/.test(await page.locator('[aria-live]').textContent()));
    assert.deepEqual(await ann.moves(), ['Xb2', 'Ob3', 'Xa3', 'Oc3', 'Xc1']);
    await ann.leave();
  });

  test('the arrows are known by their place on a keyboard of another script', async () => {
    const ann = await arrive();
    await ann.button('Two players, one screen').click();
    await ann.page.locator('.game-playing').waitFor();
    await ann.cell(2, 2).focus();
    await ann.page.evaluate(() => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { code: 'ArrowLeft', key: 'ф', bubbles: true })));
    assert.match(await ann.page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Row 2, column 1/);
    await ann.leave();
  });
});

describe('by touch', () => {
  test('a whole game on a phone, and nothing moves', async () => {
    const options = { viewport: PHONE, touch: true };
    const [ann, bob] = [await arrive(options), await arrive(options)];
    const [first, second] = await pair(ann, bob);
    const box = await first.page.locator('.grid').boundingBox();
    for (const p of [first, second]) await p.page.evaluate(() => (globalThis.shifts.length = 0));
    assert.ok(box.x >= 0 && box.x + box.width <= PHONE.width, 'the board fits');
    const small = await first.page.locator('.cell').evaluateAll((cells) => cells.filter((c) => c.offsetWidth < 44 || c.offsetHeight < 44).length);
    assert.equal(small, 0, 'every cell is large enough for a finger');
    for (const [i, [row, column]] of WIN.entries()) {
      await (i % 2 ? second : first).cell(row, column).tap();
      for (const p of [first, second]) await p.sees(i + 1);
    }
    await first.reads('You win!');
    await second.reads('You lose');
    await isStill(first, box);
    await isStill(second, box);
    for (const p of [ann, bob]) await p.leave();
  });

  test('a gesture of two fingers never plays', async () => {
    const ann = await arrive({ viewport: PHONE, touch: true });
    await ann.button('Two players, one screen').tap();
    await ann.page.locator('.game-playing').waitFor();
    const cdp = await ann.context.newCDPSession(ann.page);
    const middle = async (row, column) => {
      const b = await ann.cell(row, column).boundingBox();
      return { x: b.x + b.width / 2, y: b.y + b.height / 2 };
    };
    const touch = (type, ...touchPoints) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints });
    const [a, b] = [{ ...(await middle(1, 1)), id: 1 }, { ...(await middle(3, 3)), id: 2 }];
    const outside = { x: 200, y: 20, id: 3 };
    // Chromium makes no click of such a gesture, others do for the finger that
    // is lifted first or last: so each gesture here is followed by theirs.
    const click = () => ann.cell(1, 1).evaluate((el) => el.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 })));
    // both at once; one after the other; the second beside the board; a pinch
    await touch('touchStart', a, b);
    await touch('touchEnd');
    await click();
    await touch('touchStart', a);
    await touch('touchStart', a, b);
    await touch('touchEnd', a);
    await click();
    await touch('touchEnd');
    await click();
    await touch('touchStart', a);
    await touch('touchStart', a, outside);
    await touch('touchEnd', a);
    await touch('touchEnd');
    await click();
    await touch('touchStart', a, b);
    await touch('touchMove', { ...a, x: a.x + 3 }, { ...b, x: b.x - 3 });
    await touch('touchEnd');
    await click();
    // A tap after all that plays, and is the only move.
    await ann.cell(2, 2).tap();
    await ann.sees(1);
    assert.deepEqual(await ann.moves(), ['Xb2']);
    await ann.leave();
  });

  test('a small cell is aimed at first', async () => {
    const ann = await arrive({ viewport: PHONE, touch: true });
    await ann.onOneScreen('15x15/5', { tap: true });
    await ann.cell(8, 8).tap();
    await ann.remarks('Tap h8 again to play there.');
    await ann.cell(8, 9).tap();
    await ann.remarks('Tap i8 again to play there.');
    await ann.cell(8, 9).tap();
    await ann.sees(1);
    assert.deepEqual(await ann.moves(), ['Xi8']);
    await ann.leave();
  });
});

test('a game on the largest board', async () => {
  const ann = await arrive({ viewport: DESKTOP });
  await ann.onOneScreen('19x19/5');
  assert.equal(await ann.page.locator('.cell').count(), 361);
  for (const [i, cell] of [[10, 8], [1, 1], [10, 9], [1, 3], [10, 10], [1, 5], [10, 11], [19, 19], [10, 12]].entries()) {
    await ann.play(...cell);
    await ann.sees(i + 1);
  }
  await ann.reads('X wins!');
  assert.equal(await ann.page.locator('.is-won').count(), 5);
  await ann.leave();
});

test('a game in space, layer by layer', async () => {
  const ann = await arrive();
  await ann.chooses('3x3x3/3');
  await ann.button('Two players, one screen').click();
  await ann.page.locator('.game-playing').waitFor();
  const cell = (layer, row, column) => ann.page.getByRole('grid', { name: `Layer ${layer}` }).getByRole('button', { name: new RegExp(`^Row ${row}, column ${column},`) });
  for (const [i, c] of [[1, 1, 1], [1, 1, 2], [2, 2, 2], [1, 1, 3]].entries()) {
    await cell(...c).click();
    await ann.sees(i + 1);
  }
  await ann.page.keyboard.press('PageDown');
  await ann.page.keyboard.press('PageDown');
  await ann.page.keyboard.press('ArrowDown');
  await ann.page.keyboard.press('ArrowDown');
  await ann.page.keyboard.press('Enter');
  await ann.reads('X wins!');
  assert.equal(await ann.page.locator('.is-won').count(), 3);
  assert.equal((await ann.moves()).at(-1), 'X3:c1');
  await ann.leave();
});
