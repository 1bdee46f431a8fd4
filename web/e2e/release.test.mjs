// Two releases side by side, and a node that goes: a page that meets either
// gets on.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { launch, Person, playOut, seated, WIN } from './lib/people.mjs';
import { Server } from './lib/server.mjs';
import { until } from './lib/until.mjs';

const shots = process.env.E2E_SHOTS ? path.resolve(process.env.E2E_SHOTS) : mkdtempSync(path.join(tmpdir(), 'oxo-shots-'));

let server, browser, context, page, loads, refused;
before(async () => {
  mkdirSync(shots, { recursive: true });
  server = await Server.start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** A visitor to whom the first `times` requests for assets like this are answered by a node of another release. */
async function visit(asset, times) {
  context = await browser.newContext();
  page = await context.newPage();
  loads = 0;
  refused = 0;
  await page.route(/\/assets\//, (route) => {
    if (!asset.test(route.request().url()) || refused === times) return route.continue();
    refused++;
    return route.fulfill({ status: 404, contentType: 'text/plain', body: 'Not found' });
  });
  page.on('request', (r) => r.isNavigationRequest() && loads++);
  await page.goto(server.url);
}

describe('an asset that the node does not have', () => {
  beforeEach(() => context?.close());
  after(() => context?.close());

  for (const [what, asset] of [['the script', /\/main-\w+\.js/], ['a part of the script', /\/chunk-\w+\.js/], ['the styles', /\.css/], ['the words', /\/en-\w+\.json/]]) {
    test(`${what}: the page is loaded again, and is there`, async () => {
      await visit(asset, 1);
      await page.locator('.you:not([hidden])').waitFor();
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).getPropertyValue('--ink') !== ''), true);
      assert.deepEqual([loads, refused], [2, 1]);
    });

    test(`${what}, however often: it is loaded again once, then says so and leaves it to the person`, async () => {
      await visit(asset, Infinity);
      await until('the second load has failed too', () => loads === 2 && refused >= 2);
      await page.getByText('This page could not be loaded completely.').waitFor();
      await page.screenshot({ path: path.join(shots, `stuck-${what.replaceAll(' ', '-')}.png`) });
      await page.waitForLoadState('networkidle');
      await page.evaluate(() => new Promise((done) => setTimeout(done, 500))); // a loop would be at its tenth load
      assert.equal(loads, 2);
      await page.unroute(/\/assets\//);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.locator('.you:not([hidden])').waitFor();
      assert.deepEqual([loads, await page.locator('.stuck').count()], [3, 0]);
    });
  }

  test('words that are cut short, and nobody to ask again: it says so at once', async () => {
    context = await browser.newContext();
    page = await context.newPage();
    let away = true;
    loads = 0;
    await page.route(/\/en-\w+\.json/, (route) => (away ? route.fulfill({ contentType: 'application/json', body: '{' }) : route.continue()));
    await page.route(server.url + '/', (route) => (away && route.request().method() === 'HEAD' ? route.abort() : route.continue()));
    page.on('request', (r) => r.isNavigationRequest() && loads++);
    await page.goto(server.url);
    await page.getByText('This page could not be loaded completely.').waitFor();
    assert.equal(loads, 1);
    away = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.you:not([hidden])').waitFor();
  });

  test('a part that is loaded later: the game is there again, with the part', async () => {
    await visit(/\/advice-\w+\.js/, 1);
    await page.getByRole('button', { name: 'Two players, one screen' }).click();
    await page.getByRole('button', { name: 'Hint' }).waitFor();
    assert.match(page.url(), /\/r\//);
    assert.deepEqual([loads, refused], [2, 1]);
  });

  test('a part that nobody has: the game goes on without it', async () => {
    await visit(/\/advice-\w+\.js/, Infinity);
    await page.getByRole('button', { name: 'Two players, one screen' }).click();
    await until('the second load has failed too', () => loads === 2 && refused >= 2);
    await page.locator('.game-playing').waitFor();
    await page.getByRole('button', { name: /^Row 1, column 1,/ }).click();
    await page.waitForFunction(() => document.querySelectorAll('.move').length === 1);
    assert.deepEqual([loads, await page.locator('.stuck').count()], [2, 0]);
  });

  test('without a network nothing is loaded again, and the part comes when the network does', async () => {
    await visit(/nothing/, 0);
    await page.getByRole('button', { name: 'Two players, one screen' }).waitFor();
    let away = true;
    let asked = 0;
    await page.route(/\/advice-\w+\.js/, (route) => (away ? route.abort() : route.continue()));
    await page.route(server.url + '/', (route) => (asked++, route.abort())); // whether the server is there
    await page.getByRole('button', { name: 'Two players, one screen' }).click();
    await page.locator('.game-playing').waitFor();
    await until('it was asked whether the server is there', () => asked > 0);
    away = false;
    await page.getByRole('button', { name: /^Row 1, column 1,/ }).click();
    await page.getByRole('button', { name: 'Hint' }).waitFor();
    assert.equal(loads, 1);
  });
});

test('a node that is drained is a blink: nobody reads a word of it, nothing moves, the game goes on', async () => {
  const sockets = new Map(); // the latest of each person
  const [ann, bob] = [await Person.arrive(browser, server.url), await Person.arrive(browser, server.url)];
  for (const p of [ann, bob]) {
    await p.page.routeWebSocket(/\/ws$/, (ws) => {
      ws.connectToServer();
      sockets.set(p, ws);
    });
    await p.page.reload();
    await p.page.locator('.you:not([hidden])').waitFor();
  }
  await ann.button('Play with a friend').click();
  await ann.button('Make the link').click();
  await ann.reads('Waiting for an opponent…');
  await bob.page.goto(server.url + ann.room);
  await bob.button('Join').click();
  const [first, second] = await seated(ann, bob);
  await playOut(WIN.slice(0, 2), [first, second]);
  for (const p of [ann, bob]) {
    await p.page.evaluate(() => {
      globalThis.shifts.length = 0;
      globalThis.words = [];
      const look = () => globalThis.words.push(...[...document.querySelectorAll('.net, .player-state')].map((el) => el.textContent));
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  }
  const drained = [...sockets.values()];
  sockets.clear();
  for (const ws of drained) await ws.close({ code: 1012, reason: '{"retry_after_ms":500}' });
  await until('both are back', () => sockets.size === 2);
  await playOut(WIN.slice(2), [first, second], [], 2);
  await first.reads('You win!');
  for (const p of [ann, bob]) {
    assert.deepEqual([...new Set(await p.page.evaluate(() => globalThis.words))].filter((w) => !['', 'You', 'Here'].includes(w)), []);
    assert.deepEqual((await p.shifts()).filter((s) => !s.recent), []);
    await p.leave();
  }
});
