// What the boards reckon with: the part of the unbounded one that is on the
// screen, and what the engine says about cells.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sources } from './lib/sources.mjs';

let viewport, weights, advice;
before(async () => {
  [viewport, weights, advice] = await sources('board/viewport', 'board/weights', 'state/advice');
});

describe('the part of the board on the screen', () => {
  const v = { x: 0, y: 0, cell: 40, w: 600, h: 400 };
  const near = (a, b) => assert.ok(Math.abs(a.x - b.x) < 1e-6 && Math.abs(a.y - b.y) < 1e-6, JSON.stringify([a, b]));

  test('cells and points, also a million cells away', () => {
    for (const at of [[0, 0], [-7, 3], [1_000_000, -1_000_000]]) {
      const there = { ...v, x: at[0] + 0.3, y: at[1] - 0.4 };
      assert.deepEqual(viewport.cellAt(there, viewport.toScreen(there, at)), at);
    }
    assert.deepEqual(viewport.cellAt(v, { x: 319, y: 181 }), [0, 0]);
    assert.deepEqual(viewport.cellAt(v, { x: 321, y: 179 }), [1, -1]);
    assert.ok(Object.is(viewport.cellAt(v, { x: 299, y: 199 })[0], 0), 'never -0');
  });

  test('zooming keeps what is at the point, within bounds', () => {
    for (const [p, factor] of [[{ x: 10, y: 390 }, 1.3], [{ x: 555, y: 20 }, 0.7], [{ x: 300, y: 200 }, 100], [{ x: 1, y: 1 }, 0.001]]) {
      const z = viewport.zoomAt(v, p, factor);
      const world = (view) => ({ x: view.x + (p.x - view.w / 2) / view.cell, y: view.y + (p.y - view.h / 2) / view.cell });
      near(world(z), world(v));
      assert.ok(z.cell >= viewport.SMALLEST_CELL && z.cell <= viewport.LARGEST_CELL);
    }
  });

  test('panning, and its end', () => {
    near(viewport.toScreen(viewport.pan(v, 30, -12), [2, 2]), { x: 410, y: 268 });
    assert.equal(viewport.pan({ ...v, x: 999_999 }, -1e9, 0).x, 1_000_000);
  });

  test('following moves no more than it must', () => {
    assert.deepEqual(viewport.follow(v, [3, 2], 40), v);
    const f = viewport.follow(v, [20, 0], 40);
    assert.equal(viewport.toScreen(f, [20, 0]).x, 560);
    assert.equal(f.y, 0);
    assert.ok(viewport.sees(f, [20, 0], 40) && !viewport.sees(v, [20, 0]));
    for (const cell of [[-40, 3], [5, 40], [30, -30], [-7, 5], [123456, 7]]) {
      assert.ok(viewport.sees(viewport.follow(v, cell, 40), cell, 20), `${cell} is whole, also beside longer numbers`);
    }
  });

  test('numbers lie along its edges, as wide as the longest of them, and no cell is seen there', () => {
    assert.deepEqual(viewport.insetsOf(v), { left: 6.5 * 2 + 14, bottom: 23 });
    assert.deepEqual(viewport.insetsOf({ ...v, y: -123456 }), { left: 6.5 * 7 + 14, bottom: 23 });
    near(viewport.middleOf(v), { x: (600 + 27) / 2, y: (400 - 23) / 2 });
    /** The view in which the middle of [0, 0] is there. */
    const at = (x, y) => viewport.pan(v, x - 300, y - 200);
    for (const [x, y, margin, seen] of [
      [28, 200, 0, true], [26, 200, 0, false], [46, 200, 20, false], [48, 200, 20, true], [-12, 200, -40, true],
      [300, 376, 0, true], [300, 378, 0, false], [300, 358, 20, false], [300, 356, 20, true],
      [300, 1, 0, true], [300, -1, 0, false], [599, 200, 0, true], [601, 200, 0, false],
    ]) assert.equal(viewport.sees(at(x, y), [0, 0], margin), seen, `${x}, ${y} by ${margin}`);
  });

  test('framing shows all that fits, else the last', () => {
    const empty = viewport.frame({ ...v, x: 9 }, [], 40);
    near(viewport.toScreen(empty, [0, 0]), viewport.middleOf(empty));
    const some = [[0, 0], [10, 4], [-10, 2]];
    const f = viewport.frame(v, some, 40);
    for (const c of some) assert.ok(viewport.sees(f, c, f.cell));
    assert.ok(f.cell < 40);
    near(viewport.toScreen(f, [0, 2]), viewport.middleOf(f));
    const far = viewport.frame(v, [[0, 0], [5000, 9]], 40);
    assert.ok(viewport.sees(far, [5000, 9], 40));
    assert.equal(viewport.frame(v, [[3, 3]], 40).cell, 40, 'never larger than usual');
  });

  test('an arrow stands at the edge, beside the numbers, and points there', () => {
    const m = viewport.middleOf(v);
    for (const [dx, dy, x, y, angle] of [[100, 0, 570, m.y, 0], [0, -90, m.x, 30, -Math.PI / 2], [-100, 0, 57, m.y, Math.PI], [0, 90, m.x, 347, Math.PI / 2]]) {
      // A cell straight away from the middle of what is free.
      const a = viewport.arrowTo(v, [dx + (m.x - 300) / 40, dy + (m.y - 200) / 40], 30);
      near(a, { x, y });
      assert.ok(Math.cos(a.angle - angle) > 1 - 1e-9);
    }
    const a = viewport.arrowTo(v, [60, 50], 30);
    assert.ok(a.x <= 570 && a.y <= 347 && a.x > m.x && a.y > m.y);
  });
});

test('weights have as many digits as fit', () => {
  const w = (n, tight) => weights.weightText(n, tight);
  assert.deepEqual([0, 0.25, 2, 2.083333, 7.25, 21.53, 214.4].map((n) => w(n, false)), ['0', '0.25', '2', '2.08', '7.25', '21.5', '214']);
  assert.deepEqual([0.25, 2.083333, 7.25, 9.96, 21.53, 214.4].map((n) => w(n, true)), ['0.3', '2.1', '7.3', '10', '22', '214']);
  assert.equal(weights.heat(2, 100), 0);
  assert.equal(weights.heat(1, 2), 0);
  assert.equal(weights.heat(100, 100), 1);
  assert.ok(weights.heat(8, 100) > 0.2 && weights.heat(8, 100) < weights.heat(50, 100));
});

test('what is said about a cell', () => {
  const none = { hint: null, weights: null, heaviest: 0, plain: null };
  assert.equal(weights.adviceFor([1, 1], none), undefined);
  assert.deepEqual(weights.adviceFor([1, 1, 1], { ...none, hint: [1, 1, 1] }), { hint: true, weight: undefined, heat: 0, most: false });
  const some = { ...none, weights: new Map([['1,1', 7], ['2,2', 20]]), heaviest: 20 };
  assert.equal(weights.adviceFor([2, 2], some).most, true);
  assert.equal(weights.adviceFor([1, 1], some).weight, 7);
  assert.equal(weights.adviceFor([9, 9], some), undefined);
  assert.equal(weights.adviceFor([9, 9], { ...some, plain: 2 }).weight, 2);
});

test('who may be helped', () => {
  const may = (phase, opponent, mine) => advice.mayAsk({ state: { phase, opponent } }, { mine });
  for (const opponent of ['anyone', 'invite']) {
    for (const mine of [[], [0], [1]]) assert.equal(may('playing', opponent, mine), false, opponent);
    assert.equal(may('finished', opponent, [0]), true);
  }
  for (const opponent of ['computer', 'screen']) {
    assert.equal(may('playing', opponent, [0]), true);
    assert.equal(may('playing', opponent, []), false, 'a spectator');
    assert.equal(may('finished', opponent, []), true);
  }
  assert.equal(may('waiting', 'invite', [0]), false);
  assert.equal(may('closed', 'computer', [0]), false);
  for (const v of ['15x15/5', '5x7/5', 'inf/5', '15x15/5=']) assert.ok(advice.weighs(v), v);
  for (const v of ['3x3/3', '15x15/6', '15x15/5m', '5x5x5/5', 'inf/4', 'of tomorrow']) assert.ok(!advice.weighs(v), v);
});
