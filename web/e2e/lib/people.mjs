// People with browsers.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chromium } from 'playwright-core';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export const DESKTOP = { width: 1280, height: 800 };
export const SIDEWAYS = { width: 844, height: 390 };
export const PHONE = { width: 390, height: 844 };

function executable() {
  return process.env.CHROMIUM || execFileSync('sh', ['-c', 'command -v chromium || command -v chromium-browser || command -v google-chrome'], { encoding: 'utf8' }).trim();
}

export function launch() {
  return chromium.launch({ executablePath: executable(), args: FLAGS });
}

/** What a page may complain about when its server is gone or far away. */
const EXPECTED = /WebSocket connection to|net::ERR_|Failed to load resource/;

/** The boards of the lobby on which an opening can be chosen. */
const OPENS = /^(1[3-9]x.*|inf)\/5/;

/** One person: a browser profile of their own, and what they do and see. */
export class Person {
  static async arrive(browser, url, { viewport = DESKTOP, touch = false, path = '/', ...rest } = {}) {
    const p = new Person();
    p.url = url;
    p.complaints = [];
    p.context = await browser.newContext({ viewport, hasTouch: touch, isMobile: touch, ...rest });
    await p.context.addInitScript(() => {
      globalThis.shifts = [];
      new PerformanceObserver((list) => {
        for (const e of list.getEntries()) globalThis.shifts.push({ value: e.value, recent: e.hadRecentInput, of: e.sources.map((s) => s.node?.className ?? s.node?.nodeName) });
      }).observe({ type: 'layout-shift', buffered: true });
    });
    p.page = await p.open(path);
    return p;
  }

  /** Opens a tab. */
  async open(path = '/') {
    const page = await this.context.newPage();
    page.setDefaultTimeout(10_000);
    page.on('pageerror', (e) => this.complaints.push(e.message));
    page.on('console', (m) => m.type() === 'error' && !EXPECTED.test(m.text()) && this.complaints.push(m.text()));
    await page.goto(this.url + path);
    await page.locator('.you:not([hidden])').waitFor();
    return page;
  }

  async leave() {
    await this.context.close();
    assert.deepEqual(this.complaints, [], 'the page complained');
  }

  button(name, exact = true) {
    return this.page.getByRole('button', { name, exact });
  }

  /** Chooses a board in the lobby. */
  async chooses(variant) {
    await this.page.locator(`.pick input[value="${variant}"]`).check();
  }

  /** Sits down at a board for both sides; where there is a choice of openings, without one or with Swap2. */
  async onOneScreen(variant, { swap2 = false, tap = false } = {}) {
    await this.chooses(variant);
    const press = (b) => (tap ? b.tap() : b.click());
    await press(this.button('Two players, one screen'));
    if (OPENS.test(variant)) {
      await this.page.getByRole('switch', { name: /^Swap2/ }).setChecked(swap2);
      await press(this.button('Start'));
    }
    await this.page.locator('.game-playing').waitFor();
  }

  /** The cell of a row and a column counted from 1, from the top and the left. */
  cell(row, column, page = this.page) {
    return page.getByRole('button', { name: new RegExp(`^Row ${row}, column ${column},`) });
  }

  async play(row, column) {
    await this.cell(row, column).click();
  }

  headline(page = this.page) {
    return page.locator('.headline').textContent();
  }

  /** Waits until the words above the board are these, or like these. */
  async reads(words, page = this.page) {
    const wanted = words instanceof RegExp ? { pattern: words.source } : { text: words };
    const there = ({ text, pattern }) => {
      const now = document.querySelector('.headline')?.textContent ?? '';
      return text === undefined ? new RegExp(pattern).test(now) : now === text;
    };
    await page.waitForFunction(there, wanted).catch(async () => {
      assert.fail(`“${words}” did not appear; there is “${await this.headline(page).catch(() => '')}”`);
    });
  }

  /** Waits until the line below the headline has these words. */
  async remarks(text, page = this.page) {
    await page.waitForFunction((t) => document.querySelector('.detail')?.textContent === t, text).catch(async () => {
      assert.fail(`“${text}” was not said; there is “${await page.locator('.detail').textContent()}”`);
    });
  }

  /** Waits until n moves have been made, all confirmed. */
  async sees(n, page = this.page) {
    await page.waitForFunction((m) => document.querySelectorAll('.move').length === m && !document.querySelector('.is-pending'), n).catch(async () => {
      assert.fail(`${n} moves awaited, ${await page.locator('.move').count()} seen`);
    });
  }

  /** The moves as the list has them: ["Xb2", "Oa1"]. */
  async moves(page = this.page) {
    return (await page.locator('.move').allTextContents()).map((s) => s.replace(/\s/g, ''));
  }

  get room() {
    return new URL(this.page.url()).pathname;
  }

  /** Every shift of the layout so far that counts, and the ones that followed a click. */
  shifts(page = this.page) {
    return page.evaluate(() => globalThis.shifts);
  }
}

/** Two people get to a board by "play now"; the one who begins comes first. */
export async function pair(a, b) {
  for (const p of [a, b]) {
    if (new URL(p.page.url()).pathname !== '/') await p.page.goto(p.url);
    await p.chooses('3x3/3');
    await p.page.getByRole('button', { name: /^Play now/ }).click();
  }
  return seated(a, b);
}

/** Waits until both sit at a running game; the one who begins comes first. */
export async function seated(a, b) {
  await Promise.all([a, b].map((p) => p.page.locator('.game-playing').waitFor()));
  return (await a.headline()) === 'Your turn' ? [a, b] : [b, a];
}

/** Plays cells in turn, each seen by everybody before the next. */
export async function playOut(cells, [first, second], others = [], from = 0) {
  for (const [i, [row, column]] of cells.entries()) {
    await ((i + from) % 2 === 0 ? first : second).play(row, column);
    await Promise.all([first, second, ...others].map((p) => p.sees(from + i + 1)));
  }
}

/** The one who begins wins on the falling diagonal with the last of these. */
export const WIN = [[1, 1], [1, 2], [2, 2], [1, 3], [3, 3]];
