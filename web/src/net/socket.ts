// One WebSocket that comes back by itself.
//
// Whoever uses it asks questions and gives commands and waits for answers; that
// the connection broke in between does not show. What has not been answered is
// sent again after each reconnect: a command with the id it had, so that it
// takes effect once; a question anew.

import type { Command, Cursor, Query, Refusal, ServerMessage, Welcome } from './wire.ts';
import { backoff, retryAfter, spread } from './backoff.ts';
import * as tabs from './tabs.ts';

/** A socket that was asked whether it lives has this long to say so. */
const PONG_MS = 2_000;
/** The way to `welcome` may take this long, opening included. */
const WELCOME_MS = 10_000;
/** An answer that takes longer than this makes us doubt the connection. */
const DOUBT_MS = 4_000;
/** So does silence of this length. */
const SILENCE_MS = 20_000;
/** A connection that held this long makes earlier failures forgotten. */
const STEADY_MS = 3_000;
/** A rate limit shorter than this is waited out without a word. */
const PATIENCE_MS = 3_000;

export type Status =
  | { kind: 'connecting' }
  | { kind: 'open' }
  | { kind: 'lost'; why: 'network' | 'restart' | 'limited' }
  | { kind: 'refused'; reason: string };

export interface Handlers {
  /** Everything the server says, answers included, in its order. */
  message(m: ServerMessage): void;
  /** The connection is made and known; unanswered requests go out right after. */
  welcome(m: Welcome): void;
  status(s: Status): void;
  /** A command has to wait because the server can't store it now. */
  waiting(yes: boolean): void;
  /** The rooms to resume, and where we stand in them. */
  resume(): { room: string; cursor: Cursor }[];
}

/** The server said no. */
export class Refused extends Error {
  readonly answer: Refusal;
  constructor(answer: Refusal) {
    super(answer.code);
    this.answer = answer;
  }
}

interface Pending {
  readonly body: Query | (Command & { id: string });
  re: number;
  resolve(m: ServerMessage): void;
  reject(e: Error): void;
}

export class Link {
  #ws: WebSocket | null = null;
  #status: Status = { kind: 'connecting' };
  #welcomed = false;
  #failures = 0;
  #re = 0;
  #helloRe = 0;
  #helloToken: string | null = null;
  #heard = 0;
  /** How far the server's clock is ahead of ours, in ms, at least; a message is late by the way it came. */
  #ahead = -Infinity;
  #limitedFor = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #probe: ReturnType<typeof setTimeout> | undefined;
  #steady: ReturnType<typeof setTimeout> | undefined;
  #released: (() => void) | undefined;
  /** What has not been answered, in the order in which it was asked. */
  readonly #pending = new Set<Pending>();

  readonly #url: string;
  readonly #on: Handlers;

  constructor(url: string, on: Handlers) {
    this.#url = url;
    this.#on = on;
  }

  start(): void {
    const wake = (): void => {
      if (document.visibilityState === 'visible') this.wake();
    };
    document.addEventListener('visibilitychange', wake);
    addEventListener('pageshow', wake);
    addEventListener('online', () => this.wake());
    addEventListener('offline', () => this.#ask());
    setInterval(() => {
      if (this.#welcomed && Date.now() - this.#heard > SILENCE_MS) this.#ask();
    }, SILENCE_MS / 4);
    this.#connect();
  }

  get status(): Status {
    return this.#status;
  }

  /** The time in ms by the server's clock, if it is known; rather too early than too late. */
  now(): number | undefined {
    return Number.isFinite(this.#ahead) ? Math.floor(Date.now() + this.#ahead) : undefined;
  }

  /** Something happened after which the socket may be dead, or the way free again. */
  wake(): void {
    if (this.#status.kind === 'refused') return;
    if (this.#ws) this.#ask();
    else if (this.#status.kind === 'lost' && this.#status.why !== 'network') return; // it said when to come
    else this.#connect();
  }

  /** Asks, and keeps asking over reconnects, until there is an answer or the signal to give up. */
  query(body: Query, signal?: AbortSignal): Promise<ServerMessage> {
    return this.#request(body, signal);
  }

  /** Gives a command under an id, which is returned beside the answer. */
  command(body: Command): { id: string; answer: Promise<ServerMessage> } {
    const id = randomId();
    return { id, answer: this.#request({ ...body, id }) };
  }

  #request(body: Pending['body'], signal?: AbortSignal): Promise<ServerMessage> {
    return new Promise((resolve, reject) => {
      const p: Pending = { body, re: 0, resolve, reject };
      this.#pending.add(p);
      signal?.addEventListener('abort', () => {
        if (this.#pending.has(p)) this.#forget(p);
        reject(signal.reason as Error);
      });
      if (this.#welcomed) this.#sendPending(p);
    });
  }

  #sendPending(p: Pending): void {
    p.re = this.#nextRe();
    this.#send({ ...p.body, re: p.re });
    const ws = this.#ws;
    setTimeout(() => {
      if (ws === this.#ws && this.#pending.has(p)) this.#ask();
    }, DOUBT_MS);
  }

  #nextRe(): number {
    this.#re = (this.#re % 0x7fff_ffff) + 1;
    return this.#re;
  }

  #send(m: object): void {
    if (this.#ws?.readyState === WebSocket.OPEN) this.#ws.send(JSON.stringify(m));
  }

  #set(s: Status): void {
    this.#status = s;
    this.#on.status(s);
  }

  #connect(): void {
    clearTimeout(this.#retry);
    const ws = new WebSocket(this.#url, 'oxo.v1');
    this.#ws = ws;
    this.#deadline = setTimeout(() => this.#lost('network'), WELCOME_MS);
    ws.onopen = () => this.#hello();
    ws.onmessage = (e: MessageEvent<unknown>) => {
      if (ws === this.#ws && typeof e.data === 'string') this.#receive(JSON.parse(e.data) as ServerMessage);
    };
    ws.onclose = (e) => {
      if (ws === this.#ws) this.#closed(e);
    };
  }

  #hello(): void {
    if (tabs.token() !== null) return this.#sendHello();
    const ws = this.#ws;
    tabs.alone(async () => {
      if (ws !== this.#ws) return;
      this.#sendHello();
      if (this.#helloToken === null) await new Promise<void>((done) => (this.#released = done));
    });
  }

  #sendHello(withName = true): void {
    const token = tabs.token();
    const name = withName ? tabs.name() : null;
    this.#helloToken = token;
    this.#helloRe = this.#nextRe();
    this.#send({
      type: 'hello',
      re: this.#helloRe,
      ...(token !== null ? { token } : name !== null ? { name } : {}),
      resume: this.#on.resume(),
    });
  }

  #receive(m: ServerMessage): void {
    this.#heard = Date.now();
    clearTimeout(this.#probe);
    this.#probe = undefined;
    if (m.type === 'error' && !this.#welcomed && (m.re === this.#helloRe || m.re === undefined)) return this.#notWelcome(m);
    if (m.type === 'welcome' || m.type === 'pong') this.#ahead = Math.max(this.#ahead, m.now - this.#heard);
    if (m.type === 'welcome') {
      if (m.token !== undefined) tabs.keep(m.token);
      tabs.keepName(m.name);
      if (!this.#welcomed) return this.#begin(m);
    }
    if (m.type === 'error' && this.#again(m)) return;
    this.#on.message(m);
    this.#answer(m);
  }

  #notWelcome(m: Refusal): void {
    switch (m.code) {
      case 'token_unknown':
      case 'token_invalid':
        if (this.#helloToken !== null) tabs.forget(this.#helloToken);
        return this.#hello();
      case 'bad_name':
        return this.#sendHello(false);
      case 'rate_limited':
        this.#limitedFor = m.retry_after_ms ?? 1_000;
        return this.#lost('limited');
    }
    this.#on.message(m); // the close that follows says whether to come back
  }

  #begin(m: Welcome): void {
    clearTimeout(this.#deadline);
    this.#released?.();
    this.#welcomed = true;
    this.#steady = setTimeout(() => (this.#failures = 0), STEADY_MS);
    this.#on.welcome(m);
    this.#set({ kind: 'open' });
    for (const p of [...this.#pending]) this.#sendPending(p);
  }

  /** Sends again what was refused only for now. Tells whether it will. */
  #again(m: Refusal): boolean {
    const p = this.#find(m.re);
    if (!p) return false;
    let wait: number;
    if (m.code === 'unavailable') {
      wait = m.retry_after_ms ?? 1_000;
      this.#on.waiting(true);
    } else if (m.code === 'rate_limited' && (m.retry_after_ms ?? 0) <= PATIENCE_MS) wait = m.retry_after_ms ?? 500;
    else return false;
    p.re = 0;
    setTimeout(() => {
      if (this.#welcomed && p.re === 0 && this.#pending.has(p)) this.#sendPending(p);
    }, wait);
    return true;
  }

  #find(re: number | undefined): Pending | undefined {
    if (re === undefined || re === 0) return undefined;
    for (const p of this.#pending) if (p.re === re) return p;
    return undefined;
  }

  /** A request is answered by its `re`; a command also by the event that carries its id. */
  #answer(m: ServerMessage): void {
    const p = this.#find(m.re);
    if (p) this.#settle(p, m);
    if (m.type !== 'events') return;
    for (const e of m.events) {
      if (e.id === undefined) continue;
      for (const q of this.#pending) if ('id' in q.body && q.body.id === e.id) this.#settle(q, m);
    }
  }

  #forget(p: Pending): void {
    this.#pending.delete(p);
    if (this.#pending.size === 0) this.#on.waiting(false);
  }

  #settle(p: Pending, m: ServerMessage): void {
    this.#forget(p);
    if (m.type === 'error') p.reject(new Refused(m));
    else p.resolve(m);
  }

  /** Is anybody there? Without an answer in time the socket counts as lost. */
  #ask(): void {
    if (!this.#welcomed || this.#probe !== undefined) return;
    this.#send({ type: 'ping', re: this.#nextRe() });
    this.#probe = setTimeout(() => this.#lost('network'), PONG_MS);
  }

  #closed(e: CloseEvent): void {
    switch (e.code) {
      case 4003:
        this.#drop();
        return this.#set({ kind: 'refused', reason: e.reason });
      case 1009: // coming back with the same frame would end the same way
        for (const p of this.#pending) p.reject(new Refused({ type: 'error', code: 'bad_message', message: e.reason }));
        this.#pending.clear();
        return this.#lost('network');
      case 1012: {
        return this.#lost('restart', retryAfter(e.reason) ?? 0);
      }
    }
    this.#lost('network');
  }

  #drop(): void {
    const ws = this.#ws;
    this.#ws = null;
    this.#welcomed = false;
    clearTimeout(this.#deadline);
    clearTimeout(this.#steady);
    clearTimeout(this.#probe);
    this.#probe = undefined;
    this.#released?.();
    this.#released = undefined;
    if (ws) {
      ws.onopen = ws.onmessage = ws.onclose = null;
      ws.close();
    }
  }

  #lost(why: 'network' | 'restart' | 'limited', after = 0): void {
    this.#drop();
    if (why === 'limited') after = this.#limitedFor;
    // Everybody who was at the server that went comes back: the longer it said
    // to stay away, the wider they spread.
    const wait = after + (why === 'restart' ? spread(after, this.#failures++) : backoff(this.#failures++));
    this.#set({ kind: 'lost', why });
    this.#retry = setTimeout(() => this.#connect(), wait);
  }
}

/** 128 random bits as the protocol wants them. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');
}
