import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, Person } from './lib/people.mjs';
import { Server } from './lib/server.mjs';

let server, browser;
before(async () => {
  server = await Server.start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const GAMES = [
  { level: 'Scatterbrain', shown: 'Scatterbrain', mark: 'X', first: 'You' },
  { level: 'Line by line', shown: 'Line by line', mark: 'O', first: 'Computer', fills: ['Xa3', 'Xb3', 'Xc3'] },
  { level: 'Watchful', shown: 'Watchful', mark: 'X', first: 'Computer' },
  { level: 'Centred', shown: 'Centred', mark: 'O', first: 'You', opens: 'Ob2' },
  { level: 'Thinker', depth: 2, shown: 'Thinker, 2 ahead', mark: 'X', first: 'You' },
  { level: 'Climber', depth: 4, by: 'Step', shown: 'Climber, step 4', mark: 'X', first: 'Computer' },
  { level: 'Unbeatable', shown: 'Unbeatable', mark: 'By lot', first: 'By lot', unbeaten: true },
];

/** Plays the first free cell until the game is over; returns the last words. */
async function playAnyhow(p) {
  for (let n = 0; n < 12; n++) {
    await p.page.waitForFunction(() => document.querySelector('.game-finished') || document.querySelector('.headline').textContent === 'Your turn');
    if (await p.page.locator('.game-finished').count()) return p.headline();
    const before = await p.page.locator('.move').count();
    await p.page.locator('.cell:not(.has)').last().click();
    await p.page.waitForFunction((m) => document.querySelectorAll('.move').length > m && !document.querySelector('.is-pending'), before);
  }
  return assert.fail('the game does not end');
}

for (const { level, depth, by = 'Moves ahead', shown, mark, first, unbeaten, fills, opens } of GAMES) {
  test(`a game against ${shown}`, async () => {
    const ann = await Person.arrive(browser, server.url);
    await ann.button('Play against the computer').click();
    await ann.page.getByRole('radio', { name: new RegExp(`^${level} `) }).check();
    if (depth) await ann.page.getByLabel(by, { exact: true }).fill(String(depth));
    assert.equal(await ann.page.getByLabel(by, { exact: true }).isVisible(), !!depth);
    await ann.page.getByRole('group', { name: 'Your mark' }).getByLabel(mark, { exact: true }).check();
    await ann.page.getByRole('group', { name: 'Who starts' }).getByLabel(first, { exact: true }).check();
    await ann.button('Start').click();
    await ann.page.locator('.game-playing').waitFor();
    assert.equal(await ann.page.locator('.player-far .player-state').textContent(), shown);
    if (first === 'You') await ann.reads('Your turn');
    const words = await playAnyhow(ann);
    assert.match(words, /^(You win!|You lose|Draw)$/);
    if (unbeaten) assert.notEqual(words, 'You win!');
    const moves = await ann.moves();
    if (mark !== 'By lot' && first !== 'By lot') assert.equal(moves[0][0], (mark === 'X') === (first === 'You') ? 'X' : 'O', 'mark and start as chosen');
    const theirs = moves.filter((_, i) => i % 2 === (first === 'Computer' ? 0 : 1));
    if (fills) assert.deepEqual(theirs.slice(0, 3), fills.slice(0, theirs.length));
    if (opens) assert.equal(moves[1].slice(1), opens.slice(1));
    await ann.button('Rematch').click();
    await ann.page.locator('.game-playing').waitFor();
    await ann.leave();
  });
}

test('a larger board offers the levels that the server has for it', async () => {
  const ann = await Person.arrive(browser, server.url);
  await ann.chooses('15x15/5');
  await ann.button('Play against the computer').click();
  await ann.page.getByRole('radio', { name: /^Scatterbrain/ }).waitFor();
  assert.equal(await ann.page.getByRole('radio', { name: /^Unbeatable/ }).count(), 0);
  await ann.leave();
});
