import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, Person, playOut, seated, WIN } from './lib/people.mjs';
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

/** Fills in the sheet for a friend. */
async function invite(p, { mark, first, listed = false }) {
  await p.button('Play with a friend').click();
  await p.page.getByRole('group', { name: 'Your mark' }).getByLabel(mark, { exact: true }).check();
  await p.page.getByRole('group', { name: 'Who starts' }).getByLabel(first, { exact: true }).check();
  if (listed) await p.page.getByLabel(/^Anybody may join/).check();
  await p.button('Make the link').click();
  await p.reads('Waiting for an opponent…');
}

test('a friend comes by the link, and mark and start are as chosen', async () => {
  const ann = await arrive({ permissions: ['clipboard-read', 'clipboard-write'] });
  await invite(ann, { mark: 'O', first: 'Friend' });
  const link = await ann.page.getByLabel('Link to this game').inputValue();
  assert.equal(link, server.url + ann.room);
  await ann.button('Copy link').click();
  await ann.button('Link copied').waitFor();
  assert.equal(await ann.page.evaluate(() => navigator.clipboard.readText()), link);
  const box = await ann.page.locator('.grid').boundingBox();

  const bob = await arrive({ path: ann.room });
  await bob.reads(/^Guest \d+ invites you$/);
  await bob.button('Join').click();
  const [first, second] = await seated(ann, bob);
  assert.equal(first, bob, 'the friend begins');
  assert.deepEqual(await ann.page.locator('.grid').boundingBox(), box, 'the board stays where it was');
  await playOut(WIN, [first, second]);
  assert.equal((await ann.moves())[0], 'Xa3');
  const eve = await arrive({ path: ann.room });
  await eve.reads(/wins$/);
  assert.equal(await eve.button('Join').count(), 0);
  for (const p of [ann, bob, eve]) await p.leave();
});

test('a listed game is found in the lobby; a running one can be watched from there', async () => {
  const [ann, bob, eve] = [await arrive(), await arrive(), await arrive()];
  await invite(ann, { mark: 'X', first: 'You', listed: true });
  await bob.page.locator('.games').first().getByRole('button', { name: 'Join' }).click();
  await seated(ann, bob);
  await eve.page.getByRole('link', { name: 'Watch' }).first().click();
  await eve.page.getByText('You are watching this game.').waitFor();
  await eve.play(1, 1);
  await eve.remarks('You are watching this game.');
  assert.equal(await eve.button('Resign').count(), 0);
  await playOut(WIN, [ann, bob], [eve]);
  for (const p of [ann, bob, eve]) await p.leave();
});

test('the one who waits can give up, and the link then says so', async () => {
  const ann = await arrive();
  await invite(ann, { mark: 'X', first: 'You' });
  const { room } = ann;
  await ann.button('Cancel').click();
  await ann.page.getByRole('button', { name: /^Play now/ }).waitFor();
  const bob = await arrive({ path: room });
  await bob.reads('This game was closed');
  for (const p of [ann, bob]) await p.leave();
});

test('two tabs that wait for each other are told that they are one player', async () => {
  const ann = await arrive();
  const words = (page, text) => page.getByRole('main').getByText(text).filter({ visible: true });
  const told = 'Your two tabs are one player. A private window or another browser plays the other side.';
  const search = (page) => page.getByRole('button', { name: /^Play now/ }).click();
  await search(ann.page);
  await ann.page.getByText('Looking for an opponent…').first().waitFor();
  assert.equal(await words(ann.page, told).count(), 0);
  const tab = await ann.open();
  await search(tab);
  for (const page of [ann.page, tab]) await words(page, told).waitFor();
  assert.deepEqual((await ann.shifts()).filter((s) => !s.recent), [], 'the layout shifted');
  // Cancelled in one tab, it is cancelled in the other, and may be asked for again at once.
  await tab.getByRole('button', { name: 'Cancel' }).click();
  await ann.page.getByRole('button', { name: /^Play now/ }).waitFor();
  await words(ann.page, told).waitFor({ state: 'detached' });
  for (const page of [tab, ann.page]) await search(page);
  await words(ann.page, told).waitFor();
  await tab.close({ runBeforeUnload: true });
  await words(ann.page, told).waitFor({ state: 'detached' });
  await ann.button('Cancel').click();

  await invite(ann, { mark: 'X', first: 'You' });
  await words(ann.page, /^Send this link/).waitFor();
  const own = 'This is your own invitation. A private window or another browser plays the other side.';
  const again = await ann.open(ann.room);
  for (const page of [ann.page, again]) await words(page, own).waitFor();
  await again.getByRole('link', { name: 'Tic-tac-toe' }).click();
  await words(ann.page, /^Send this link/).waitFor();
  // Somebody else's search and invitation are no concern of ours.
  const bob = await arrive({ path: ann.room });
  await bob.button('Join').waitFor();
  assert.equal(await words(ann.page, own).count(), 0);
  for (const p of [ann, bob]) await p.leave();
});

test('a link to this computer says that it works nowhere else', async () => {
  const ann = await arrive();
  await invite(ann, { mark: 'X', first: 'You' });
  await ann.page.getByText('This link works on this computer only.').waitFor();
  await ann.leave();
});

test('a board that there is no more is not chosen; the unbounded one is a board like all others', async () => {
  const [ann, bob] = [await arrive(), await arrive()];
  for (const [saved, chosen] of [['of tomorrow', '3x3/3'], ['inf/5', 'inf/5']]) {
    await ann.page.evaluate((v) => localStorage.setItem('oxo.variant', v), saved);
    await ann.page.reload();
    assert.equal(await ann.page.locator('.pick input[type="radio"]:checked').inputValue(), chosen);
  }
  // A program opens a game on the unbounded board, and a person one on paper.
  const made = await ann.page.evaluate(
    () =>
      new Promise((resolve) => {
        const ws = new WebSocket(`ws://${location.host}/ws`, 'oxo.v1');
        globalThis.program = ws;
        ws.onopen = () => ws.send(JSON.stringify({ type: 'hello', re: 1 }));
        ws.onmessage = (e) => {
          const m = JSON.parse(e.data);
          if (m.type === 'welcome') ws.send(JSON.stringify({ type: 'create', re: 2, id: 'a'.repeat(32), variant: 'inf/5', opponent: 'anyone' }));
          else resolve(m);
        };
      }),
  );
  assert.deepEqual([made.type, made.state?.size], ['snapshot', null]);
  await invite(bob, { mark: 'X', first: 'You', listed: true });
  const open = await (await fetch(`${server.url}/api/rooms`)).json();
  assert.ok(open.open.some((g) => g.variant === 'inf/5'));
  await until('both are listed', async () => (await ann.page.locator('.games').first().getByRole('button', { name: 'Join' }).count()) === 2);
  assert.equal(await ann.page.locator('.games').getByText('Unbounded board, 5 in a row').count(), 1);
  await bob.button('Cancel').click();
  for (const p of [ann, bob]) await p.leave();
});

test('two on one screen play a draw and again', async () => {
  const ann = await arrive();
  await ann.button('Two players, one screen').click();
  await ann.page.locator('.game-playing').waitFor();
  await ann.reads('X to move');
  const cells = [[2, 2], [1, 1], [1, 3], [3, 1], [2, 1], [2, 3], [1, 2], [3, 2], [3, 3]];
  for (const [i, c] of cells.entries()) {
    await ann.play(...c);
    await ann.sees(i + 1);
    if (i === 0) await ann.reads('O to move');
  }
  await ann.reads('Draw');
  await ann.remarks('The board is full.');
  await ann.button('Rematch').click();
  await ann.page.locator('.game-playing').waitFor();
  await ann.sees(0);
  await ann.leave();
});

test('addresses that lead nowhere say so', async () => {
  const ann = await arrive({ path: '/r/aaaaaaaaaaaa' });
  await ann.reads('No such game');
  await ann.page.getByText('This game does not exist, or it has expired.').waitFor();
  await ann.page.goto(server.url + '/what/is/this');
  await ann.page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  await ann.page.getByRole('link', { name: 'Back to lobby' }).last().click();
  await ann.page.getByRole('button', { name: /^Play now/ }).waitFor();
  await ann.leave();
});

test('a board of one’s own size', async () => {
  const ann = await arrive();
  await ann.page.getByLabel(/^Your own/).check();
  await ann.page.getByLabel('Columns').fill('7');
  await ann.page.getByLabel('Rows').fill('2');
  assert.ok(await ann.button('Two players, one screen').isDisabled());
  await ann.page.getByText(/^Sides from 3 to 19/).waitFor();
  await ann.page.getByLabel('Rows').fill('4');
  await ann.page.getByRole('spinbutton', { name: 'In a row' }).fill('4');
  await ann.button('Two players, one screen').click();
  await ann.page.locator('.game-playing').waitFor();
  assert.deepEqual([await ann.page.locator('.row').count(), await ann.page.locator('.cell').count()], [4, 28]);
  await ann.play(4, 1);
  await ann.sees(1);
  assert.deepEqual(await ann.moves(), ['Xa1']);
  await ann.leave();
});

test('a name is changed and shown as text, whatever is in it', async () => {
  const ann = await arrive();
  const name = '<b>Ann</b> & co';
  await ann.page.locator('.you').click();
  await ann.page.getByRole('textbox', { name: 'Name' }).fill(name);
  await ann.button('Save').click();
  await until('the new name', async () => (await ann.page.locator('.you bdi').textContent()) === name);
  await invite(ann, { mark: 'X', first: 'You' });
  const bob = await arrive({ path: ann.room });
  await bob.reads(`${name} invites you`);
  await bob.button('Join').click();
  await ann.page.locator('.game-playing').waitFor();
  assert.equal(await bob.page.locator('.player-far bdi').textContent(), name);
  for (const p of [ann, bob]) await p.leave();
});

test('back and forth in the browser’s history', async () => {
  const ann = await arrive();
  await ann.button('Two players, one screen').click();
  await ann.page.locator('.game-playing').waitFor();
  await ann.play(2, 2);
  await ann.sees(1);
  await ann.page.goBack();
  await ann.page.getByRole('button', { name: /^Play now/ }).waitFor();
  await ann.page.goForward();
  await ann.sees(1);
  await ann.leave();
});
