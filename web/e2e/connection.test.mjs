// How the connection comes back: the page's socket against a socket of straw.

import assert from 'node:assert/strict';
import { afterEach, before, describe, mock, test } from 'node:test';
import { sources } from './lib/sources.mjs';

let socket;
before(async () => {
  [socket] = await sources('net/socket');
});

const ANN = 'a'.repeat(32);
const tag = (n) => String(n).padStart(16, '0');

describe('the connection', () => {
  let sockets, link, said, statuses;
  class FakeSocket {
    static OPEN = 1;
    readyState = 0;
    sent = [];
    constructor(url, protocol) {
      Object.assign(this, { url, protocol });
      sockets.push(this);
    }
    send(text) {
      this.sent.push(JSON.parse(text));
    }
    close() {
      this.readyState = 3;
    }
    open() {
      this.readyState = 1;
      this.onopen();
    }
    says(m) {
      this.onmessage({ data: JSON.stringify(m) });
    }
    ends(code, reason = '') {
      this.readyState = 3;
      this.onclose({ code, reason });
    }
    of(type) {
      return this.sent.filter((m) => m.type === type);
    }
    welcome(more = {}) {
      this.says({ type: 'welcome', re: this.of('hello').at(-1).re, player: ANN, name: 'Ann', now: 0, ...more });
    }
  }
  const start = (token = 'secret') => {
    sockets = [];
    said = [];
    statuses = [];
    const kept = new Map(token ? [['oxo.token', token]] : []);
    Object.assign(globalThis, {
      WebSocket: FakeSocket,
      document: { visibilityState: 'visible', addEventListener: () => undefined },
      addEventListener: () => undefined,
      localStorage: { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v), removeItem: (k) => kept.delete(k) },
    });
    Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true });
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
    link = new socket.Link('ws://test/ws', {
      message: (m) => said.push(m),
      welcome: () => undefined,
      status: (s) => statuses.push(s.kind === 'lost' ? s.why : s.kind),
      waiting: (yes) => statuses.push(yes ? 'waiting' : 'stored'),
      resume: () => [{ room: 'r', cursor: { seq: 5, tag: tag(5) } }],
    });
    link.start();
    return kept;
  };
  afterEach(() => mock.timers.reset());
  const connect = () => {
    sockets.at(-1).open();
    sockets.at(-1).welcome();
    return sockets.at(-1);
  };

  test('says hello with the token and the cursors, and the token nowhere else', () => {
    start();
    const s = sockets[0];
    assert.equal(s.protocol, 'oxo.v1');
    s.open();
    assert.deepEqual(s.sent, [{ type: 'hello', re: 1, token: 'secret', resume: [{ room: 'r', cursor: { seq: 5, tag: tag(5) } }] }]);
    s.welcome();
    void link.command({ type: 'resign', room: 'r' });
    assert.ok(!JSON.stringify(s.sent.slice(1)).includes('secret'));
    assert.ok(!s.url.includes('secret'));
  });

  test('asks for a new token where the old one is unknown', () => {
    const kept = start('old');
    const s = sockets[0];
    s.open();
    s.says({ type: 'error', re: 1, code: 'token_unknown', message: '' });
    assert.equal(kept.get('oxo.token'), undefined);
    const hello = s.of('hello').at(-1);
    assert.equal(hello.token, undefined);
    s.welcome({ token: 'new' });
    assert.equal(kept.get('oxo.token'), 'new');
  });

  test('sends a command again with the same id until it is answered', async () => {
    start();
    const one = connect();
    const { id, answer } = link.command({ type: 'play', room: 'r', at: 3, cell: [1, 1] });
    assert.match(id, /^[0-9a-f]{32}$/);
    one.ends(1006);
    assert.equal(statuses.at(-1), 'network');
    mock.timers.tick(300);
    const two = connect();
    const [first, second] = [one.of('play')[0], two.of('play')[0]];
    assert.equal(second.id, id);
    assert.deepEqual({ ...second, re: 0 }, { ...first, re: 0 });
    two.says({ type: 'events', room: 'r', after: 5, cursor: { seq: 6, tag: tag(6) }, events: [{ type: 'moved', seq: 6, at: 1, id, seat: 0, cell: [1, 1] }] });
    assert.equal((await answer).type, 'events');
    two.ends(1006);
    mock.timers.tick(10_000);
    assert.deepEqual(connect().of('play'), [], 'what is answered is not sent again');
  });

  test('a command is refused by its answer', async () => {
    start();
    const s = connect();
    const { answer } = link.command({ type: 'play', room: 'r', at: 3, cell: [1, 1] });
    s.says({ type: 'error', re: s.of('play')[0].re, code: 'occupied', message: '' });
    await assert.rejects(answer, (e) => e.answer.code === 'occupied');
  });

  test('waits out what can pass: a store that does not answer, a small rate limit', async () => {
    start();
    const s = connect();
    const { id, answer } = link.command({ type: 'resign', room: 'r' });
    s.says({ type: 'error', re: s.of('resign')[0].re, code: 'unavailable', message: '' });
    assert.equal(statuses.at(-1), 'waiting');
    mock.timers.tick(1_000);
    s.says({ type: 'error', re: s.of('resign')[1].re, code: 'rate_limited', message: '', retry_after_ms: 400 });
    mock.timers.tick(400);
    assert.deepEqual(s.of('resign').map((m) => m.id), [id, id, id]);
    s.says({ type: 'done', re: s.of('resign')[2].re, repeat: true });
    assert.equal((await answer).repeat, true);
    assert.equal(statuses.at(-1), 'stored');
    const long = link.command({ type: 'create', variant: '3x3/3', opponent: 'anyone' }).answer;
    s.says({ type: 'error', re: s.of('create')[0].re, code: 'rate_limited', message: '', retry_after_ms: 30_000 });
    await assert.rejects(long, (e) => e.answer.retry_after_ms === 30_000);
  });

  test('comes back after a restart when it was told to, not before', () => {
    start();
    connect().ends(1012, '{"retry_after_ms":2000}');
    assert.equal(statuses.at(-1), 'restart');
    link.wake(); // even if the tab comes to the front meanwhile
    mock.timers.tick(1_999);
    assert.equal(sockets.length, 1);
    mock.timers.tick(2_001);
    assert.equal(sockets.length, 2);
  });

  test('after a restart all clients spread over as long again as they were told to wait, at once', () => {
    for (const [random, wait] of [[0, 800], [0.25, 1_000], [0.999, 1_599]]) {
      start();
      const drawn = mock.method(Math, 'random', () => random);
      connect().ends(1012, '{"retry_after_ms":800}');
      mock.timers.tick(wait - 2);
      assert.equal(sockets.length, 1, `not before ${wait} ms`);
      mock.timers.tick(3);
      assert.equal(sockets.length, 2, `after ${wait} ms`);
      drawn.mock.restore();
      mock.timers.reset();
    }
  });

  test('a hint is asked for again after a reconnect, without an id', async () => {
    start();
    const one = connect();
    const answer = link.query({ type: 'hint', room: 'r', at: 3 });
    one.ends(1006);
    mock.timers.tick(300);
    const two = connect();
    assert.deepEqual(two.of('hint'), [{ type: 'hint', re: two.of('hint')[0].re, room: 'r', at: 3 }]);
    two.says({ type: 'error', re: two.of('hint')[0].re, code: 'rate_limited', message: '', retry_after_ms: 300 });
    mock.timers.tick(300);
    two.says({ type: 'hint', re: two.of('hint')[1].re, room: 'r', at: 3, move: [1, 1] });
    assert.deepEqual((await answer).move, [1, 1]);
  });

  test('does not come back after 4003, and says why', () => {
    start();
    connect().ends(4003, 'no more');
    assert.deepEqual(link.status, { kind: 'refused', reason: 'no more' });
    mock.timers.tick(3_600_000);
    link.wake();
    assert.equal(sockets.length, 1);
  });

  test('waits longer from failure to failure, and counts anew after a steady time', () => {
    start();
    const random = mock.method(Math, 'random', () => 0.999);
    for (const wait of [300, 600, 1200]) {
      sockets.at(-1).ends(1006);
      const n = sockets.length;
      mock.timers.tick(wait - 2);
      assert.equal(sockets.length, n, `not before ${wait} ms`);
      mock.timers.tick(2);
      assert.equal(sockets.length, n + 1);
    }
    const s = connect();
    mock.timers.tick(3_000);
    s.ends(1006);
    const n = sockets.length;
    mock.timers.tick(300);
    assert.equal(sockets.length, n + 1);
    random.mock.restore();
  });

  test('a dead socket is found out 2 s after waking', () => {
    start();
    const s = connect();
    link.wake();
    assert.equal(s.of('ping').length, 1);
    s.says({ type: 'pong', re: s.of('ping')[0].re, now: 0 });
    mock.timers.tick(2_000);
    assert.equal(link.status.kind, 'open', 'it lives');
    link.wake();
    mock.timers.tick(1_999);
    assert.equal(link.status.kind, 'open');
    mock.timers.tick(1);
    assert.equal(link.status.kind, 'lost');
    s.onmessage?.({ data: '{"type":"pong","now":0}' }); // too late: it is not listened to any more
    assert.equal(link.status.kind, 'lost');
  });

  test('a command without an answer, and silence, raise the same doubt', () => {
    start();
    const s = connect();
    void link.command({ type: 'resign', room: 'r' });
    mock.timers.tick(4_000);
    assert.equal(s.of('ping').length, 1);
    mock.timers.tick(2_000);
    assert.equal(link.status.kind, 'lost');
    mock.timers.tick(300);
    const t = connect();
    t.says({ type: 'done', re: t.of('resign')[0].re });
    mock.timers.tick(26_000);
    assert.ok(t.of('ping').length >= 1);
  });

  test('a handshake that hangs is given up', () => {
    start();
    sockets[0].open();
    mock.timers.tick(10_000);
    assert.equal(link.status.kind, 'lost');
  });
});
