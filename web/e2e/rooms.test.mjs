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
