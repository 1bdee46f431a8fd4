import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { launch, pair, Person, playOut, WIN } from './lib/people.mjs';
import { Wire } from './lib/proxy.mjs';
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

/** Two people in the middle of a game: two moves made, the first one to move. */
async function midGame(urlOfBob = server.url) {
  const ann = await Person.arrive(browser, server.url);
  const bob = await Person.arrive(browser, urlOfBob);
  const [first, second] = await pair(ann, bob);
  await playOut(WIN.slice(0, 2), [first, second]);
  return { ann, bob, first, second };
}

async function finish(first, second) {
  await playOut(WIN.slice(2), [first, second], [], 2);
  await first.reads('You win!');
  await second.reads('You lose');
  assert.deepEqual(await first.moves(), await second.moves());
}

describe('a game goes on', () => {
  test('after a reload in its middle', async () => {
    const { ann, bob, first, second } = await midGame();
    await first.page.reload();
    await first.sees(2);
    await first.reads('Your turn');
    await second.page.reload();
    await second.sees(2);
    await finish(first, second);
    for (const p of [ann, bob]) await p.leave();
  });

  test('after several reloads in quick succession', async () => {
    const { ann, bob, first, second } = await midGame();
    for (let i = 0; i < 4; i++) await first.page.goto(first.url + first.room, { waitUntil: 'commit' });
    await first.sees(2);
    await finish(first, second);
    for (const p of [ann, bob]) await p.leave();
  });

  test('after the opponent closed the tab and opened it again', async () => {
    const { ann, bob, first, second } = await midGame();
    const { room } = second;
    await second.page.close();
    await first.page.locator('.player-far[data-away]').waitFor();
    await first.page.getByText('Opponent disconnected', { exact: true }).waitFor();
    await first.page.getByText(/^You can claim the win in \d+ seconds\.$/).waitFor();
    assert.equal(await first.button('Claim the win').count(), 0, 'not before its time');
    await first.play(...WIN[2]);
    await first.sees(3);
    second.page = await second.open(room);
    await second.sees(3);
    await first.page.locator('.player-far:not([data-away])').waitFor();
    await playOut(WIN.slice(3), [first, second], [], 3);
    await first.reads('You win!');
    await second.reads('You lose');
    for (const p of [ann, bob]) await p.leave();
  });

  test('from the lobby, which leads back to it', async () => {
    const { ann, bob, first, second } = await midGame();
    await first.button('Back to lobby', true).or(first.page.getByRole('link', { name: 'Back to lobby' })).last().click();
    await first.page.locator('.pin').filter({ hasText: 'Your turn' }).click();
    await first.sees(2);
    await finish(first, second);
    for (const p of [ann, bob]) await p.leave();
  });

  for (const signal of ['SIGTERM', 'SIGKILL']) {
    test(`after the server was ended by ${signal} and started again, in the same tabs by itself`, async () => {
      const { ann, bob, first, second } = await midGame();
      await server.end(signal);
      for (const p of [first, second]) await p.page.locator('.net[data-kind="trouble"]').waitFor();
      // A move made while nobody is there waits, visibly, and is made once.
      await first.play(...WIN[2]);
      await first.page.locator('.is-pending').waitFor();
      await server.run();
      for (const p of [first, second]) await p.sees(3);
      await playOut(WIN.slice(3), [first, second], [], 3);
      await first.reads('You win!');
      await second.reads('You lose');
      assert.deepEqual(await first.moves(), await second.moves());
      assert.equal((await first.moves()).length, 5);
      for (const p of [ann, bob]) await p.leave();
    });
  }

  test('after 5 s without a network, and nothing moved', async () => {
    const { ann, bob, first, second } = await midGame();
    const box = await first.page.locator('.grid').boundingBox();
    await first.page.evaluate(() => (globalThis.shifts.length = 0));
    const start = Date.now();
    await first.context.setOffline(true);
    await first.page.getByText('You are offline', { exact: true }).first().waitFor();
    assert.ok(Date.now() - start < 4_000, 'noticed soon');
    await first.play(...WIN[2]);
    await first.page.locator('.is-pending').waitFor();
    await until('5 s are over', () => Date.now() - start > 5_000);
    await second.sees(2);
    await first.context.setOffline(false);
    for (const p of [first, second]) await p.sees(3);
    await first.page.locator('.net').filter({ hasText: 'Back online' }).waitFor();
    await playOut(WIN.slice(3), [first, second], [], 3);
    await first.reads('You win!');
    assert.deepEqual(await first.page.locator('.grid').boundingBox(), box, 'the board moved');
    assert.deepEqual((await first.shifts()).filter((s) => !s.recent), [], 'the layout shifted');
    for (const p of [ann, bob]) await p.leave();
  });

  test('after a connection died without a word', async (t) => {
    const wire = await Wire.to(server.port);
    t.after(() => wire.close());
    const { ann, bob, first, second } = await midGame(wire.url);
    const [near, far] = first === bob ? [first, second] : [second, first]; // near: at the end of the wire
    wire.hold();
    if (near === second) {
      await far.play(...WIN[2]);
      await far.sees(3);
      // The tab comes to the front and asks whether anybody is there.
      await near.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    } else {
      await near.play(...WIN[2]);
    }
    await near.page.locator('.net[data-kind="trouble"]').waitFor();
    wire.release();
    for (const p of [first, second]) await p.sees(3);
    await playOut(WIN.slice(3), [first, second], [], 3);
    await first.reads('You win!');
    await second.reads('You lose');
    for (const p of [ann, bob]) await p.leave();
  });
});

describe('two tabs of one seat', () => {
  test('live side by side, and either may move', async () => {
    const { ann, bob, first, second } = await midGame();
    const tab = await first.open(first.room);
    await first.sees(2, tab);
    assert.equal(await second.page.locator('.watchers').textContent(), '', 'a second tab is no spectator');
    await first.cell(...WIN[2], tab).click();
    for (const page of [tab, first.page]) await first.sees(3, page);
    await second.play(...WIN[3]);
    for (const page of [tab, first.page]) await first.sees(4, page);
    await tab.close();
    await first.sees(4);
    assert.equal(await second.page.locator('.player-far[data-away]').count(), 0, 'one tab is left');
    await first.play(...WIN[4]);
    await first.reads('You win!');
    for (const p of [ann, bob]) await p.leave();
  });

  test('a move that another tab has overtaken is refused, and the board is the true one', async (t) => {
    const wire = await Wire.to(server.port);
    t.after(() => wire.close());
    const { ann, bob, first, second } = await midGame();
    // The same player behind a slow wire: another origin, so the token is taken along.
    const token = await first.page.evaluate(() => localStorage.getItem('oxo.token'));
    const slow = await Person.arrive(browser, wire.url);
    await slow.page.evaluate((t) => localStorage.setItem('oxo.token', t), token);
    await slow.page.goto(wire.url + first.room);
    await slow.reads('Your turn');
    wire.hold();
    await slow.play(3, 1);
    await slow.page.locator('.is-pending').waitFor();
    await first.play(...WIN[2]);
    await second.sees(3);
    wire.release();
    await slow.sees(3);
    assert.deepEqual(await slow.moves(), await first.moves());
    await slow.page.waitForFunction(() => document.querySelectorAll('.cell.has').length === 3);
    for (const p of [ann, bob, slow]) await p.leave();
  });

  test('opened at once on a first visit are one person', async () => {
    const p = new Person();
    p.url = server.url;
    p.complaints = [];
    p.context = await browser.newContext();
    const [one, two] = await Promise.all([p.open(), p.open()]);
    assert.equal(await one.locator('.you').textContent(), await two.locator('.you').textContent());
    await p.leave();
  });
});

describe('what the server has lost', () => {
  test('a game of which the last moments are gone stands where it stands, and says so', async (t) => {
    const { ann, bob, first, second } = await midGame();
    await server.end();
    const copy = mkdtempSync(path.join(tmpdir(), 'oxo-copy-'));
    t.after(() => rmSync(copy, { recursive: true, force: true }));
    cpSync(server.data, copy, { recursive: true });
    await server.run();
    for (const p of [first, second]) await p.page.locator('.net:not([data-kind="trouble"])').waitFor();
    await playOut(WIN.slice(2, 4), [first, second], [], 2);
    for (const p of [first, second]) await p.page.locator('.net:not([data-kind])').waitFor();
    const box = await first.page.locator('.grid').boundingBox();
    await first.page.evaluate(() => (globalThis.shifts.length = 0));
    await server.end('SIGKILL');
    rmSync(server.data, { recursive: true });
    cpSync(copy, server.data, { recursive: true });
    await server.run();
    const words = 'The server lost the last moments of this game; this is where it stands.';
    for (const p of [first, second]) {
      await p.sees(2);
      await p.remarks(words);
    }
    assert.equal(await first.page.locator('.cell.has').count(), 2);
    assert.deepEqual(await first.page.locator('.grid').boundingBox(), box, 'the board moved');
    assert.deepEqual((await first.shifts()).filter((s) => !s.recent), [], 'the layout shifted');
    await playOut(WIN.slice(2, 3), [first, second], [], 2);
    await first.remarks('');
    await playOut(WIN.slice(3), [first, second], [], 3);
    await first.reads('You win!');
    for (const p of [ann, bob]) await p.leave();
  });

  test('a game that is gone leaves no dead board, and a way back', async () => {
    const { ann, bob, first, second } = await midGame();
    await server.end();
    rmSync(server.data, { recursive: true });
    mkdirSync(server.data);
    await server.run();
    for (const p of [first, second]) await p.reads('This game is gone');
    await first.page.getByText('It has expired, or the server has lost it.').first().waitFor();
    assert.deepEqual([await first.page.locator('.cell').count(), await first.button('Resign').count()], [0, 0]);
    await until('it is read aloud', async () => /This game is gone/.test(await first.page.locator('[aria-live]').textContent()));
    await first.page.getByRole('link', { name: 'Back to lobby' }).click();
    await first.page.getByRole('button', { name: /^Play now/ }).waitFor();
    assert.equal(await first.page.locator('.pin').count(), 0);
    for (const p of [ann, bob]) await p.leave();
  });
});

describe('what the server says', () => {
  /** A person whose server's words can be changed on their way, and added to. */
  async function overheard(change = (m) => m) {
    const p = await Person.arrive(browser, server.url);
    await p.page.routeWebSocket(/\/ws$/, (page) => {
      p.toldBy = page;
      page.connectToServer().onMessage((m) => page.send(change(m)));
    });
    await p.page.reload();
    await p.page.locator('.you:not([hidden])').waitFor();
    return p;
  }

  test('a game that vanished, without being asked', async () => {
    const ann = await overheard();
    await ann.button('Two players, one screen').click();
    await ann.page.locator('.game-playing').waitFor();
    await ann.play(2, 2);
    await ann.sees(1);
    ann.toldBy.send(JSON.stringify({ type: 'error', room: ann.room.slice(3), code: 'room_unknown', message: 'This room does not exist any more.' }));
    await ann.reads('This game is gone');
    assert.equal(await ann.page.locator('.cell').count(), 0);
    assert.equal(await ann.page.evaluate(() => document.activeElement.textContent), 'Back to lobby', 'the focus is where one can go on');
    await ann.page.keyboard.press('Enter');
    await ann.page.getByRole('button', { name: /^Play now/ }).waitFor();
    await ann.leave();
  });

  test('who has not moved for a day has lost', async () => {
    const abandoned = (m) => m.replace('"reason":"resigned"', '"reason":"abandoned"');
    const [ann, bob] = [await overheard(abandoned), await overheard(abandoned)];
    const [first, second] = await pair(ann, bob);
    await first.button('Resign').click();
    await first.button('Yes, resign').click();
    await first.reads('You lose');
    await first.remarks('You did not move for a day.');
    await second.reads('You win!');
    assert.match(await second.page.locator('.detail').textContent(), /^Guest \d+ did not move for a day\.$/);
    for (const p of [ann, bob]) await p.leave();
  });
});

test('a token that the server does not know is replaced by a new one', async () => {
  const ann = await Person.arrive(browser, server.url);
  for (const token of ['AAAAAAAAAAAAAAAAAAAAAA', 'not a token at all']) {
    await ann.page.evaluate((t) => localStorage.setItem('oxo.token', t), token);
    await ann.page.reload();
    await ann.page.locator('.you:not([hidden])').waitFor();
    assert.notEqual(await ann.page.evaluate(() => localStorage.getItem('oxo.token')), token);
  }
  await ann.button('Two players, one screen').click();
  await ann.page.locator('.game-playing').waitFor();
  await ann.leave();
});
