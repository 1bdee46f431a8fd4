// Everything the page knows, and the one place where it changes.

import { Link, Refused, type Status } from '../net/socket.ts';
import * as tabs from '../net/tabs.ts';
import type { Cell, Command, Hint, Refusal, Seat, ServerMessage, Ticket } from '../net/wire.ts';
import { foldEvents, foldPresence, foldSnapshot, pend, seatsOf, unpend, type Folded, type RoomView } from './room.ts';

/** Where the rooms in which we have a seat are noted, so that the lobby can lead back. */
const GAMES = 'oxo.games';
const MOST_GAMES = 8;

export class Store {
  status: Status = { kind: 'connecting' };
  player: string | null = null;
  name = '';
  /** The server can't store a command at present; it will be tried again. */
  waiting = false;
  /** The variant that "play now" looks for, and the room once there is one. */
  seeking: string | null = null;
  readonly rooms = new Map<string, RoomView>();
  /** Rooms that the server does not know, or lets us not have, by the code it gave. */
  readonly missing = new Map<string, string>();

  /** Called after every change. */
  changed: () => void = () => undefined;
  /** Called when "play now" has found somebody. */
  paired: (room: string) => void = () => undefined;
  /** A refusal that belongs to nothing on the screen. */
  refused: (r: Refusal) => void = () => undefined;

  readonly #link: Link;
  readonly #twins = new tabs.Twins(() => this.changed());
  readonly #catchingUp = new Set<string>();
  /** When the person asked for an opponent, by the server's clock. */
  #asked: number | undefined;
  /** Ends the asking for an opponent. */
  #wish: AbortController | null = null;
  /** Whether the server has taken the wish: what it says of one is of no other then. */
  #answered = false;
  /** The room on the screen. */
  #viewed: string | null = null;

  constructor(url: string) {
    this.#link = new Link(url, {
      message: (m) => this.#message(m),
      welcome: (m) => {
        this.player = m.player;
        this.name = m.name;
        if (this.seeking !== null) this.#seek(this.seeking, this.#asked); // the ticket was the old connection's
      },
      status: (s) => {
        this.status = s;
        this.changed();
      },
      waiting: (yes) => {
        if (this.waiting === yes) return;
        this.waiting = yes;
        this.changed();
      },
      resume: () => [...this.rooms.values()].map(({ room, cursor }) => ({ room, cursor })),
    });
  }

  start(): void {
    this.#link.start();
  }

  /** Watches a room from here on; the answer goes into `rooms` or `missing`. */
  watch(room: string): void {
    if (this.rooms.has(room) || this.#catchingUp.has(room)) return;
    this.#catchUp(room);
  }

  /** A screen shows the room; see `away`. */
  look(room: string): void {
    this.#viewed = room;
    this.watch(room);
  }

  /**
   * The screen is another one now. A game of ours is followed further; a
   * finished one is left for good, so that the other side does not wait for a
   * rematch; and what does not concern us is not watched any more.
   */
  async away(room: string): Promise<void> {
    this.#viewed = null;
    const view = this.rooms.get(room);
    if (!view) return;
    const { state } = view;
    const seat = seatsOf(state, this.player)[0];
    if (state.phase === 'finished' && seat !== undefined && !state.seats[seat].gone) await this.do({ type: 'leave', room }).catch(ignore);
    if (this.#viewed === room || this.games().includes(room) || !this.rooms.delete(room)) return;
    await this.#link.query({ type: 'unwatch', room }).catch(ignore);
  }

  /** Gives a command. Rejects with Refused where the server says no. */
  async do(c: Command): Promise<ServerMessage> {
    return await this.#link.command(c).answer;
  }

  /** A new room; resolves to its id. */
  async create(c: Command & { type: 'create' }): Promise<string> {
    const m = await this.do(c);
    if (m.type === 'snapshot') return m.room;
    // The connection broke after the room was made, and asking again was
    // answered "done already"; that answer names the room.
    if (m.type === 'done' && m.room !== undefined) return m.room;
    throw new Error('no room');
  }

  /** Plays a cell; the mark shows as pending until the server confirms or refuses it. */
  async play(room: string, seat: Seat, cell: Cell): Promise<void> {
    const view = this.rooms.get(room);
    if (!view) return;
    const { id, answer } = this.#link.command({ type: 'play', room, at: view.state.at, cell });
    this.#put(pend(view, { id, seat, cell }));
    try {
      await answer;
    } finally {
      const after = this.rooms.get(room);
      if (after) this.#put(unpend(after, id));
    }
  }

  /** Asks for a good move on the board that stands at `at`, or for the weights of its cells. */
  async advice(room: string, at: number, weights: boolean, signal: AbortSignal): Promise<Hint> {
    const m = await this.#link.query({ type: 'hint', room, at, ...(weights && { weights }) }, signal);
    if (m.type !== 'hint') throw new Error(m.type);
    return m;
  }

  async rename(name: string): Promise<void> {
    await this.#link.query({ type: 'rename', name });
  }

  /** What this tab waits for, that no other tab of the same player should: a room, or anybody. */
  waitFor(what: string | null): void {
    this.#twins.do(what === null || this.player === null ? null : `${this.player} ${what}`);
  }

  /** Whether another tab waits for it nevertheless. */
  get twin(): boolean {
    return this.#twins.found;
  }

  seek(variant: string): void {
    this.#unseek();
    this.seeking = variant;
    this.#asked = this.#link.now();
    if (this.status.kind === 'open') this.#seek(variant, this.#asked);
    this.changed();
  }

  cancel(): void {
    this.#unseek();
    void this.#link.query({ type: 'cancel' }).catch(ignore);
    this.changed();
  }

  #seek(variant: string, asked: number | undefined): void {
    this.#wish?.abort();
    const wish = (this.#wish = new AbortController());
    const over = (): void => {
      this.#unseek();
      this.changed();
    };
    this.#answered = false;
    this.#link.query({ type: 'seek', variant, ...(asked === undefined ? {} : { asked }) }, wish.signal).then(
      (m) => {
        if (wish.signal.aborted) return;
        this.#answered = true;
        if (m.type === 'ticket' && m.state === 'cancelled') over();
      },
      (e: unknown) => {
        if (wish.signal.aborted) return;
        over();
        if (e instanceof Refused) this.refused(e.answer);
      },
    );
  }

  /** Wants nobody any more, and does not ask again for who has not been found. */
  #unseek(): void {
    this.seeking = null;
    this.#wish?.abort();
  }

  #message(m: ServerMessage): void {
    switch (m.type) {
      case 'welcome':
        this.name = m.name;
        break;
      case 'snapshot':
        this.#fold(m.room, foldSnapshot(this.rooms.get(m.room) ?? null, m, Date.now()));
        break;
      case 'events':
        if (this.rooms.has(m.room)) this.#fold(m.room, foldEvents(this.rooms.get(m.room) ?? null, m));
        break;
      case 'presence': {
        const view = this.rooms.get(m.room);
        if (view) this.#put(foldPresence(view, m.presence, Date.now()));
        return;
      }
      case 'ticket':
        this.#ticket(m);
        break;
      case 'error':
        this.#error(m);
        break;
      case 'hint':
      case 'done':
      case 'pong':
        return;
    }
    this.changed();
  }

  #ticket({ state, room, re }: Ticket): void {
    if (state === 'paired' && room !== undefined) {
      // Also when the cancel came too late: we are seated, somebody waits there.
      this.#unseek();
      this.paired(room);
    } else if (state === 'cancelled' && re === undefined && this.#answered) {
      this.#unseek(); // in another tab
    }
  }

  #error(m: Refusal): void {
    if (m.snapshot) this.#fold(m.snapshot.room, foldSnapshot(this.rooms.get(m.snapshot.room) ?? null, m.snapshot, Date.now()));
    if (m.room !== undefined && (m.code === 'room_unknown' || m.code === 'too_many_rooms')) {
      this.rooms.delete(m.room);
      this.missing.set(m.room, m.code);
      this.#note(m.room, false);
    }
    if (m.re === undefined && m.room === undefined) this.refused(m);
  }

  #fold(room: string, f: Folded): void {
    if (f.view) this.#put(f.view);
    if (f.gap) this.#catchUp(room);
  }

  #put(view: RoomView): void {
    const before = this.rooms.get(view.room);
    this.rooms.set(view.room, view);
    this.missing.delete(view.room);
    if (before?.state !== view.state) {
      const alive = view.state.phase === 'waiting' || view.state.phase === 'playing';
      const seated = seatsOf(view.state, this.player).some((s) => !view.state.seats[s].gone);
      this.#note(view.room, alive && seated);
    }
    this.changed();
  }

  /** Asks for what follows our cursor, or for everything where we know nothing. */
  #catchUp(room: string): void {
    if (this.#catchingUp.has(room)) return;
    this.#catchingUp.add(room);
    const cursor = this.rooms.get(room)?.cursor;
    this.#link
      .query({ type: 'watch', room, ...(cursor && { cursor }) })
      .catch((e: unknown) => {
        if (!(e instanceof Refused)) return;
        this.missing.set(room, e.answer.code);
        this.#note(room, false);
      })
      .finally(() => {
        this.#catchingUp.delete(room);
        this.changed();
      });
  }

  /** Rooms with a seat of ours, newest first. */
  games(): string[] {
    try {
      const list: unknown = JSON.parse(tabs.read(GAMES) ?? '[]');
      return Array.isArray(list) ? list.filter((r): r is string => typeof r === 'string') : [];
    } catch {
      return [];
    }
  }

  #note(room: string, seated: boolean): void {
    const list = this.games();
    if (list.includes(room) === seated) return;
    const rest = list.filter((r) => r !== room);
    tabs.write(GAMES, JSON.stringify(seated ? [room, ...rest].slice(0, MOST_GAMES) : rest));
  }
}

function ignore(): void {
  // The answer makes no difference.
}
