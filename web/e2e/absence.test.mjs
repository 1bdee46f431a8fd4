// Somebody goes away for good: this takes the minute that the rules give.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, pair, Person, playOut, WIN } from './lib/people.mjs';
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

test('after 60 s the one who stayed may claim the win', async () => {
  const [ann, bob] = [await Person.arrive(browser, server.url), await Person.arrive(browser, server.url)];
  const [first, second] = await pair(ann, bob);
  await playOut(WIN.slice(0, 2), [first, second]);
  const { room } = second;
  const gone = Date.now();
  await second.page.close();
  const claim = first.button('Claim the win');
  await claim.waitFor({ timeout: 75_000 });
  assert.ok(Date.now() - gone > 55_000, 'not before its time');
  await claim.click();
  await first.reads('You win!');
  assert.match(await first.page.locator('.detail').textContent(), /^Guest \d+ was away for too long\.$/);
  second.page = await second.open(room);
  await second.reads('You lose');
  await second.remarks('You were away for too long.');
  for (const p of [ann, bob]) await p.leave();
});
