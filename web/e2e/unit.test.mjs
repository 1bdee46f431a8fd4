// The parts of the page that need no browser.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sources } from './lib/sources.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
let room, opening, variant, lines, i18n, backoff, tabs, router;
before(async () => {
  [room, opening, variant, lines, i18n, backoff, tabs, router] = await sources('state/room', 'state/opening', 'state/variant', 'board/lines', 'i18n', 'net/backoff', 'net/tabs', 'router');
});

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
const tag = (n) => String(n).padStart(16, '0');

/** A snapshot of a game that has just begun. */
function snapshot(changes = {}) {
  return {
    room: 'k3v9qf2m7x4d',
    cursor: { seq: 3, tag: tag(3) },
    state: {
      variant: '3x3/3', size: [3, 3], k: 3, phase: 'playing', opponent: 'invite', game: 1,
      seats: [{ kind: 'person', player: ANN, name: 'Ann', mark: 'x' }, { kind: 'person', player: BOB, name: 'Bob', mark: 'o' }],
      first: 0, turn: 0, moves: [], at: 3, result: null, rematch: [false, false], score: { wins: [0, 0], draws: 0 }, created: 1, updated: 1,
    },
    presence: { seats: [{ here: true }, { here: true }], watchers: 0 },
    ...changes,
  };
}
const view = () => room.foldSnapshot(null, snapshot(), 1000).view;
/** Events that follow `after`. */
function events(after, ...list) {
  const seq = after + list.length;
  return { type: 'events', room: 'k3v9qf2m7x4d', after, cursor: { seq, tag: tag(seq) }, events: list.map((e, i) => ({ seq: after + 1 + i, at: 10 + i, ...e })) };
}
const move = (seat, ...cell) => ({ type: 'moved', seat, cell });

describe('a room is folded', () => {
  test('every kind of event, as the protocol says', () => {
    let { view: v } = room.foldEvents({ ...view(), cursor: { seq: 0, tag: tag(0) } }, events(0,
      { type: 'created', variant: '4x3/3', opponent: 'anyone', player: ANN, name: 'Ann' },
      { type: 'seated', seat: 1, kind: 'person', player: BOB, name: 'Bob' },
      { type: 'started', game: 1, first: 1, marks: ['o', 'x'] },
      move(1, 1, 1),
    ));
    assert.deepEqual(v.state.size, [4, 3]);
    assert.deepEqual([v.state.phase, v.state.turn, v.state.at, v.state.first, v.state.moves], ['playing', 0, 4, 1, [[1, 1]]]);
    assert.deepEqual(v.state.seats, [{ kind: 'person', player: ANN, name: 'Ann', mark: 'o' }, { kind: 'person', player: BOB, name: 'Bob', mark: 'x' }]);
    ({ view: v } = room.foldEvents(v, events(4, { type: 'ended', winner: 1, reason: 'line', line: [[1, 1]] })));
    assert.deepEqual([v.state.phase, v.state.turn, v.state.result, v.state.score, v.state.at], ['finished', null, { winner: 1, reason: 'line', line: [[1, 1]] }, { wins: [0, 1], draws: 0 }, 4]);
    ({ view: v } = room.foldEvents(v, events(5, { type: 'rematch_offered', seat: 0 })));
    assert.deepEqual(v.state.rematch, [true, false]);
    ({ view: v } = room.foldEvents(v, events(6, { type: 'rematch_offered', seat: 1 }, { type: 'started', game: 2, first: 0, marks: ['x', 'o'] })));
    assert.deepEqual([v.state.game, v.state.moves, v.state.result, v.state.rematch, v.state.phase, v.state.at], [2, [], null, [false, false], 'playing', 8]);
    ({ view: v } = room.foldEvents(v, events(8, { type: 'ended', winner: null, reason: 'full' }, { type: 'vacated', seat: 1 }, { type: 'closed', reason: 'left' })));
    assert.deepEqual([v.state.score.draws, v.state.seats[1].gone, v.state.phase], [1, true, 'closed']);
    assert.deepEqual(v.cursor, { seq: 11, tag: tag(11) });
  });

  test('who leaves withdraws the wish for a rematch', () => {
    let { view: v } = room.foldEvents(view(), events(3, { type: 'ended', winner: 0, reason: 'resigned' }, { type: 'rematch_offered', seat: 0 }, { type: 'rematch_offered', seat: 1 }));
    assert.deepEqual(v.state.rematch, [true, true]);
    ({ view: v } = room.foldEvents(v, events(6, { type: 'vacated', seat: 1 })));
    assert.deepEqual([v.state.rematch, v.state.seats[1].gone, v.state.seats[0].gone], [[true, false], true, undefined]);
  });

  test('what is archived, or of a kind that nobody here knows, changes nothing but the cursor', () => {
    const before = room.pend(room.foldEvents(view(), events(3, move(0, 1, 1))).view, { id: '1', seat: 1, cell: [0, 0] });
    for (const e of [{ type: 'archived', game: 1 }, { type: 'of_tomorrow', seat: 1, cell: [2, 2] }]) {
      const { view: v, gap } = room.foldEvents(before, events(4, e));
      assert.equal(gap, false);
      assert.deepEqual(v.cursor, { seq: 5, tag: tag(5) });
      assert.deepEqual({ ...v.state, updated: 0 }, { ...before.state, updated: 0 });
      assert.deepEqual(v.pending, before.pending);
      assert.deepEqual(room.foldEvents(v, events(5, move(1, 0, 0))).view.state.moves, [[1, 1], [0, 0]], 'and the game goes on');
    }
  });

  test('a reset is remembered until something happens', () => {
    const { view: v } = room.foldEvents(view(), events(3, move(0, 1, 1)));
    assert.equal(v.reset, false);
    const reset = room.foldSnapshot(v, snapshot({ reset: true }), 0).view;
    assert.equal(reset.reset, true);
    assert.equal(room.foldPresence(reset, { seats: [], watchers: 0 }, 0).reset, true);
    assert.equal(room.foldSnapshot(reset, snapshot(), 0).view.reset, true, 'the same once more');
    assert.equal(room.foldEvents(reset, events(3, move(0, 0, 0))).view.reset, false);
    assert.equal(room.foldSnapshot(null, snapshot({ reset: true }), 0).view.reset, false, 'nothing was known, nothing is lost');
  });

  test('leaves what it was given as it was', () => {
    const before = view();
    const text = JSON.stringify(before);
    room.foldEvents(before, events(3, move(0, 1, 1), { type: 'ended', winner: 0, reason: 'resigned' }));
    assert.equal(JSON.stringify(before), text);
  });

  test('the README’s own examples', () => {
    const readme = readFileSync(path.join(here, '../../server/wire/README.md'), 'utf8');
    const messages = [...readme.matchAll(/```json server\n(.*)\n```/g)].map((m) => JSON.parse(m[1]));
    const s = messages.find((m) => m.type === 'snapshot');
    const [one, every, swap2] = messages.filter((m) => m.type === 'events');
    const { view: v } = room.foldSnapshot(null, s, 0);
    const folded = room.foldEvents(v, one);
    assert.equal(folded.gap, false);
    assert.deepEqual([folded.view.state.moves, folded.view.state.turn, folded.view.state.at], [[[1, 1], [0, 0]], 0, 5]);
    const all = room.foldEvents({ ...v, cursor: { seq: 0, tag: tag(0) } }, every);
    assert.equal(all.gap, false);
    assert.equal(all.view.state.phase, 'closed');
    const opened = room.foldEvents({ ...v, cursor: { seq: 0, tag: tag(0) } }, swap2).view.state;
    assert.deepEqual([opened.opening, opened.stage, opened.turn, opened.at, opened.seats.map((x) => x.mark)], ['swap2', undefined, 1, 7, ['x', 'o']]);
  });

  test('a gap is noticed, and nothing is folded over it', () => {
    const v = view();
    const f = room.foldEvents(v, events(4, move(1, 0, 0)));
    assert.deepEqual([f.gap, f.view], [true, v]);
    assert.equal(room.foldEvents(null, events(3, move(0, 0, 0))).gap, true);
    const broken = events(3, move(0, 0, 0), move(1, 1, 1));
    broken.events[1].seq = 9;
    assert.deepEqual([room.foldEvents(v, broken).gap, room.foldEvents(v, broken).view], [true, v]);
  });

  test('what is known already is skipped, what overlaps is joined', () => {
    const { view: v } = room.foldEvents(view(), events(3, move(0, 1, 1)));
    assert.deepEqual(room.foldEvents(v, events(3, move(0, 1, 1))), { view: v, gap: false });
    const { view: w, gap } = room.foldEvents(v, events(3, move(0, 1, 1), move(1, 0, 0)));
    assert.deepEqual([gap, w.state.moves], [false, [[1, 1], [0, 0]]]);
    const other = events(3, move(0, 2, 2));
    other.cursor.tag = 'f'.repeat(16);
    assert.equal(room.foldEvents(v, other).gap, true, 'the same length with another tag is another history');
  });

  test('a snapshot from the past changes nothing, unless it is a reset', () => {
    const { view: v } = room.foldEvents(view(), events(3, move(0, 1, 1)));
    assert.deepEqual(room.foldSnapshot(v, snapshot(), 0), { view: v, gap: true });
    const f = room.foldSnapshot(v, snapshot({ reset: true }), 0);
    assert.deepEqual([f.gap, f.view.state.moves], [false, []]);
    const fork = snapshot({ cursor: { seq: 4, tag: 'f'.repeat(16) } });
    assert.equal(room.foldSnapshot(v, fork, 0).gap, true);
  });

  test('a pending mark goes when it is confirmed, overtaken or refused, and not before', () => {
    const p = room.pend(view(), { id: '1', seat: 0, cell: [1, 1] });
    assert.equal(room.foldEvents(p, events(3, { type: 'rematch_offered', seat: 1 })).view.pending.id, '1');
    assert.equal(room.foldEvents(p, events(3, { ...move(0, 1, 1), id: '1' })).view.pending, null);
    assert.equal(room.foldEvents(p, events(3, { ...move(0, 2, 2), id: '2' })).view.pending, null, 'from another tab');
    assert.equal(room.foldEvents(p, events(3, { type: 'ended', winner: 1, reason: 'claimed' })).view.pending, null);
    assert.equal(room.unpend(p, '2').pending.id, '1');
    assert.equal(room.unpend(p, '1').pending, null);
    assert.equal(room.foldSnapshot(p, snapshot(), 0).view.pending.id, '1', 'the same board');
    const later = snapshot({ cursor: { seq: 4, tag: tag(4) } });
    later.state = { ...later.state, at: 4 };
    assert.equal(room.foldSnapshot(p, later, 0).view.pending, null);
  });

  test('seats, turns and absence', () => {
    const v = view();
    assert.deepEqual([room.seatsOf(v.state, ANN), room.seatsOf(v.state, BOB), room.seatsOf(v.state, 'c'), room.seatsOf(v.state, null)], [[0], [1], [], []]);
    assert.deepEqual([0, 1, 2, 3].map((n) => opening.moverOf({ first: 1 }, n)), [1, 0, 1, 0]);
    const away = room.foldPresence(v, { seats: [{ here: true }, { here: false, away_ms: 4000 }], watchers: 0 }, 10_000);
    assert.deepEqual([room.awayFor(away, 0, 12_000), room.awayFor(away, 1, 12_000)], [null, 6000]);
    const blinks = room.foldPresence(v, { seats: [{ here: true }, { here: false, away_ms: 0 }], watchers: 0 }, 10_000);
    assert.deepEqual([room.awayFor(blinks, 1, 12_999), room.awayFor(blinks, 1, 13_000)], [null, 3000]);
  });
});

describe('the opening swap2', () => {
  const [F, S] = [1, 0];
  const begun = (changes = {}) => {
    const s = snapshot();
    const seats = s.state.seats.map(({ mark, ...seat }) => seat);
    return room.foldSnapshot(null, { ...s, state: { ...s.state, variant: '15x15/5', size: [15, 15], k: 5, opening: 'swap2', stage: 'place', first: F, turn: F, seats, ...changes } }, 0).view;
  };
  const chose = (seat, take) => ({ type: 'chose', seat, take });
  /** Folds events one after another and tells what each made of the state: [stage, turn, at, marks]. */
  const story = (v, ...list) => list.map((e) => {
    const f = room.foldEvents(v, events(v.cursor.seq, e));
    assert.equal(f.gap, false);
    v = f.view;
    return [v.state.stage, v.state.turn, v.state.at, v.state.seats.map((s) => s.mark ?? '-').join('')];
  });
  const placed = [move(F, 7, 7), move(F, 8, 8), move(F, 6, 9)];

  test('one places three, the other takes a mark, O is to move', () => {
    for (const [take, marks, turn] of [['o', 'ox', S], ['x', 'xo', F]]) {
      assert.deepEqual(story(begun(), ...placed, chose(S, take), move(turn, 1, 1)), [
        ['place', F, 4, '--'],
        ['place', F, 5, '--'],
        ['choose', S, 6, '--'],
        [undefined, turn, 7, marks],
        [undefined, 1 - turn, 8, marks],
      ]);
    }
  });

  test('or places two more, and the first takes a mark', () => {
    const list = [...placed, chose(S, 'more'), move(S, 1, 1), move(S, 2, 2), chose(F, 'x'), move(S, 3, 3), move(F, 4, 4)];
    assert.deepEqual(story(begun(), ...list).slice(3), [
      ['more', S, 7, '--'],
      ['more', S, 8, '--'],
      ['choose_last', F, 9, '--'],
      [undefined, S, 10, 'ox'],
      [undefined, F, 11, 'ox'],
      [undefined, S, 12, 'ox'],
    ]);
  });

  test('marks alternate whoever places them, and who moved is known', () => {
    const fold = (...list) => room.foldEvents(begun(), events(3, ...list)).view.state;
    const all = (s, f) => s.moves.map((_, n) => f(s, n)).join('');
    const open = fold(...placed, chose(S, 'more'), move(S, 1, 1), move(S, 2, 2));
    assert.deepEqual([all(open, opening.markAt), all(open, opening.moverOf)], ['xoxox', '11100']);
    const short = fold(...placed, chose(S, 'o'), move(S, 1, 1), move(F, 2, 2), move(S, 3, 3));
    assert.deepEqual([all(short, opening.markAt), all(short, opening.moverOf)], ['xoxoxo', '111010']);
    assert.deepEqual([opening.choosing(open), opening.choosing(short)], [true, false]);
  });

  test('it begins again with every game, and is over with the game', () => {
    const all = { ...begun(), cursor: { seq: 0, tag: tag(0) } };
    const { view: v } = room.foldEvents(all, events(0,
      { type: 'created', variant: '15x15/5', opening: 'swap2', opponent: 'invite', player: ANN, name: 'Ann' },
      { type: 'seated', seat: 1, kind: 'person', player: BOB, name: 'Bob' },
      { type: 'started', game: 1, first: F },
      ...placed,
      chose(S, 'o'),
      { type: 'ended', winner: F, reason: 'resigned' },
    ));
    assert.deepEqual([v.state.opening, v.state.turn, v.state.seats.map((s) => s.mark)], ['swap2', null, ['o', 'x']]);
    const again = story(v, { type: 'started', game: 2, first: S }, move(S, 1, 1), { type: 'ended', winner: S, reason: 'left' });
    assert.deepEqual(again, [['place', S, 9, '--'], ['place', S, 10, '--'], [undefined, null, 10, '--']]);
    assert.deepEqual(story(begun(), { type: 'closed', reason: 'left' }), [[undefined, null, 3, '--']]);
  });

  test('a snapshot in the middle of it goes on from there', () => {
    const moves = [[7, 7], [8, 8], [6, 9], [1, 1]];
    const half = begun({ stage: 'more', turn: S, moves });
    assert.deepEqual([opening.markAt(half.state, 4), opening.moverOf(half.state, 3)], ['x', S]);
    assert.deepEqual(story(half, move(S, 2, 2), chose(F, 'o')), [['choose_last', F, 4, '--'], [undefined, F, 5, 'xo']]);
  });

  test('a choice confirms or overtakes a pending mark', () => {
    const p = room.pend(begun(), { id: '1', seat: F, cell: [1, 1] });
    assert.equal(room.foldEvents(p, events(3, chose(S, 'more'))).view.pending, null);
  });

  test('the boards for it', () => {
    for (const name of ['13x13/5', '15x15/5=', '19x13/6', 'inf/5', 'inf/6=']) assert.ok(opening.opens(name), name);
    for (const name of ['12x15/5', '15x15/4', '15x15/5m', '3x3/3', '13x13x13/5', 'inf/5m', 'inf/4', '']) assert.ok(!opening.opens(name), name);
  });
});

test('boards have names, and cells too', () => {
  assert.deepEqual(variant.parseVariant('15x15/5=m'), { name: '15x15/5=m', size: [15, 15], k: 5, exact: true, misere: true });
  assert.deepEqual(variant.parseVariant('inf/5').size, null);
  assert.deepEqual(variant.parseVariant('3x3x3/3').size, [3, 3, 3]);
  for (const bad of ['', '3x3', '3/3', 'x3/3', '3x3/3x', '3x3/3m=', ' 3x3/3']) assert.equal(variant.parseVariant(bad), null, bad);
  assert.equal(variant.flatVariant(7, 4, 4), '7x4/4');
  for (const [w, h, k] of [[2, 3, 3], [20, 3, 3], [3, 3, 4], [9, 9, 9], [3, 3, 2], [3.5, 3, 3], [NaN, 3, 3]]) assert.equal(variant.flatVariant(w, h, k), null);
  assert.equal(variant.cellName([0, 2], [3, 3]), 'a1');
  assert.equal(variant.cellName([18, 0], [19, 19]), 's19');
  assert.equal(variant.cellName([1, 0, 1], [3, 3, 3]), '2:b3');
  assert.equal(variant.cellName([-5, 7], null), '-5,7');
});

test('what the page can draw', () => {
  const can = (name) => variant.drawable(variant.parseVariant(name)?.size);
  for (const name of ['3x3/3', '19x19/5', '26x3/3=m', '4x4x4/4', 'inf/5']) assert.ok(can(name), name);
  for (const name of ['27x3/3', '3x100/3', 'of tomorrow']) assert.ok(!can(name), name);
});

test('hosts that are this computer', () => {
  for (const host of ['localhost', 'oxo.localhost', '127.0.0.1', '127.1.2.3', '[::1]']) assert.ok(router.loopback(host), host);
  for (const host of ['example.org', '192.168.0.1', '127.example.org', 'localhost.example.org', '1127.0.0.1', '[::2]', '']) assert.ok(!router.loopback(host), host);
});

describe('what is kept', () => {
  const stored = new Map();
  const storage = (over) => {
    globalThis.localStorage = { getItem: (k) => stored.get(k) ?? null, setItem: (k, v) => stored.set(k, v), removeItem: (k) => stored.delete(k), ...over };
  };
  const no = () => {
    throw new Error('refused');
  };
  test('is what storage has, where it takes things', () => {
    storage();
    tabs.write('a', '1');
    assert.deepEqual([tabs.read('a'), stored.get('a'), tabs.read('b')], ['1', '1', null]);
    stored.set('a', '2'); // another tab
    assert.equal(tabs.read('a'), '2');
    tabs.write('a', null);
    assert.deepEqual([tabs.read('a'), stored.has('a')], [null, false]);
  });
  test('is in memory where storage gives and does not take', () => {
    storage();
    tabs.write('a', 'old');
    storage({ setItem: no, removeItem: no });
    tabs.write('a', 'new');
    tabs.write('c', 'first');
    assert.deepEqual([tabs.read('a'), tabs.read('c'), stored.get('a')], ['new', 'first', 'old']);
    tabs.write('a', null);
    assert.equal(tabs.read('a'), null, 'a removal too');
    storage();
    tabs.write('a', 'again');
    stored.set('a', 'another tab’s');
    assert.equal(tabs.read('a'), 'another tab’s', 'once it takes things again it has the last word');
  });
  test('is in memory where storage does neither', () => {
    storage({ getItem: no, setItem: no, removeItem: no });
    assert.equal(tabs.read('d'), null);
    tabs.write('d', '1');
    assert.equal(tabs.read('d'), '1');
  });
});

test('strokes through winning cells', () => {
  const row = [[2, 1], [0, 1], [1, 1]];
  assert.deepEqual(lines.segments(row, 3), [{ from: [0, 1], to: [2, 1] }]);
  const cross = [[0, 0], [1, 1], [2, 2], [0, 2], [2, 0]];
  assert.deepEqual(lines.segments(cross, 3).length, 2);
  assert.deepEqual(lines.segments([[0, 2], [1, 1], [2, 0]], 3), [{ from: [0, 2], to: [2, 0] }]);
  const six = Array.from({ length: 6 }, (_, i) => [i, 4]);
  assert.deepEqual(lines.segments(six, 5), [{ from: [0, 4], to: [5, 4] }]);
  assert.deepEqual(lines.segments([], 3), []);
});

describe('messages', () => {
  const f = (m, v, l = 'en') => i18n.format(m, v, l);
  test('names and numbers', () => {
    assert.equal(f('{name} to move', { name: 'Ann' }), 'Ann to move');
    assert.equal(f('{n} of {m}', { n: 1234, m: 2 }), '1,234 of 2');
    assert.equal(f('{name}', { name: '{n, plural, other {#}}' }), '{n, plural, other {#}}', 'a value is never read as a message');
    assert.equal(f('{unknown} and {', {}), '{unknown} and {');
  });
  test('plural forms, English, Russian and Arabic', () => {
    const en = '{n, plural, one {# move} other {# moves}}';
    assert.deepEqual([0, 1, 2, 1000].map((n) => f(en, { n })), ['0 moves', '1 move', '2 moves', '1,000 moves']);
    const ru = '{n, plural, one {осталась # секунда} few {остались # секунды} many {осталось # секунд} other {осталось # секунды}}';
    assert.deepEqual([1, 3, 5, 11, 21, 22].map((n) => f(ru, { n }, 'ru')), ['осталась 1 секунда', 'остались 3 секунды', 'осталось 5 секунд', 'осталось 11 секунд', 'осталась 21 секунда', 'остались 22 секунды']);
    const ar = '{n, plural, zero {لا مشاهدين} one {مشاهد واحد} two {مشاهدان} few {# مشاهدين} many {# مشاهدًا} other {# مشاهد}}';
    assert.deepEqual([0, 1, 2].map((n) => f(ar, { n }, 'ar')), ['لا مشاهدين', 'مشاهد واحد', 'مشاهدان']);
    assert.equal(f('{n, plural, =0 {none} other {#}}', { n: 0 }), 'none');
    assert.equal(f('Wait {n, plural, one {# second} other {# seconds}}, {name}.', { n: 2, name: 'Ann' }), 'Wait 2 seconds, Ann.');
    assert.equal(f('{n, plural, other {{name} has #}}', { n: 3, name: 'Ann' }), 'Ann has 3');
  });
});

test('waits between attempts', () => {
  assert.equal(backoff.backoff(0, () => 1), 300);
  assert.equal(backoff.backoff(3, () => 0.5), 1200);
  assert.equal(backoff.backoff(50, () => 1), 10_000);
  assert.equal(backoff.backoff(0, () => 0), 0);
  assert.equal(backoff.spread(800, 0, () => 0.5), 400);
  assert.equal(backoff.spread(0, 1, () => 0.5), 300, 'without a time it is as after any failure');
  assert.equal(backoff.spread(60_000, 0, () => 1), 10_000);
  assert.equal(backoff.retryAfter('{"retry_after_ms":1500}'), 1500);
  for (const bad of ['', 'null', '{}', '{"retry_after_ms":"1"}', '{"retry_after_ms":-1}', 'restart']) assert.equal(backoff.retryAfter(bad), null, bad);
});
