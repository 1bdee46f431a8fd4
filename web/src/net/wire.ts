// The messages of the protocol oxo.v1, as server/wire/README.md has them.

/** [x, y], or [x, y, z] on a 3-D board; from 0, y down. */
export type Cell = readonly number[];
export type Seat = 0 | 1;
export type Mark = 'x' | 'o';

export interface Cursor {
  readonly seq: number;
  readonly tag: string;
}

export interface SeatState {
  readonly kind: 'open' | 'person' | 'computer';
  readonly player?: string;
  readonly name?: string;
  readonly level?: string;
  readonly mark?: Mark;
  readonly gone?: boolean;
}

export type EndReason = 'line' | 'full' | 'resigned' | 'left' | 'claimed' | 'abandoned';

export interface Result {
  readonly winner: Seat | null;
  readonly reason: EndReason;
  readonly line?: readonly Cell[];
}

export type Opponent = 'anyone' | 'invite' | 'computer' | 'screen';

/** An opening in which the marks are chosen at the board. */
export type Opening = 'swap2';
/** What is done in it now: marks are placed, a side is chosen, two more are placed, a side is chosen for good. */
export type Stage = 'place' | 'choose' | 'more' | 'choose_last';
/** What may be chosen: a mark, or that one places two more first. */
export type Take = Mark | 'more';

export interface RoomState {
  readonly variant: string;
  readonly size: readonly number[] | null;
  readonly k: number;
  readonly phase: 'waiting' | 'playing' | 'finished' | 'closed';
  readonly opponent: Opponent;
  readonly opening?: Opening;
  /** Left out once each side has its mark. */
  readonly stage?: Stage;
  readonly game: number;
  readonly seats: readonly [SeatState, SeatState];
  readonly first: Seat | null;
  readonly turn: Seat | null;
  readonly moves: readonly Cell[];
  readonly at: number;
  readonly result: Result | null;
  readonly rematch: readonly [boolean, boolean];
  readonly score: { readonly wins: readonly [number, number]; readonly draws: number };
  readonly created: number;
  readonly updated: number;
}

export interface Presence {
  readonly seats: readonly { readonly here: boolean; readonly away_ms?: number }[];
  readonly watchers: number;
}

interface EventBase {
  readonly seq: number;
  readonly at: number;
  readonly id?: string;
}
export type RoomEvent = EventBase &
  (
    | { readonly type: 'created'; readonly variant: string; readonly opponent: Opponent; readonly opening?: Opening; readonly player: string; readonly name: string }
    | { readonly type: 'seated'; readonly seat: Seat; readonly kind: 'person' | 'computer'; readonly player?: string; readonly name?: string; readonly level?: string }
    | { readonly type: 'started'; readonly game: number; readonly first: Seat; readonly marks?: readonly [Mark, Mark] }
    | { readonly type: 'moved'; readonly seat: Seat; readonly cell: Cell }
    | { readonly type: 'chose'; readonly seat: Seat; readonly take: Take }
    | { readonly type: 'ended'; readonly winner: Seat | null; readonly reason: EndReason; readonly line?: readonly Cell[] }
    | { readonly type: 'rematch_offered'; readonly seat: Seat }
    | { readonly type: 'vacated'; readonly seat: Seat }
    | { readonly type: 'closed'; readonly reason: 'left' | 'expired' }
    | { readonly type: 'archived'; readonly game: number }
  );

export interface SnapshotBody {
  readonly room: string;
  readonly cursor: Cursor;
  readonly reset?: boolean;
  readonly state: RoomState;
  readonly presence?: Presence;
}

export interface Welcome { readonly type: 'welcome'; readonly re?: number; readonly player: string; readonly name: string; readonly token?: string; readonly version?: string; readonly now: number }
export interface Snapshot extends SnapshotBody { readonly type: 'snapshot'; readonly re?: number }
export interface Events { readonly type: 'events'; readonly re?: number; readonly room: string; readonly after: number; readonly cursor: Cursor; readonly events: readonly RoomEvent[] }
export interface PresenceMessage { readonly re?: undefined; readonly type: 'presence'; readonly room: string; readonly presence: Presence }
export interface Ticket { readonly type: 'ticket'; readonly re?: number; readonly state: 'waiting' | 'paired' | 'cancelled'; readonly variant?: string; readonly room?: string }
/** `move`, or `weights` as [x, y, weight]; see Query. */
export interface Hint { readonly type: 'hint'; readonly re?: number; readonly room: string; readonly at: number; readonly move?: Cell; readonly weights?: readonly (readonly number[])[] }
export interface Done { readonly type: 'done'; readonly re?: number; readonly room?: string; readonly repeat?: boolean }
export interface Pong { readonly type: 'pong'; readonly re?: number; readonly now: number }
export interface Refusal { readonly type: 'error'; readonly re?: number; readonly room?: string; readonly code: string; readonly message: string; readonly retry_after_ms?: number; readonly snapshot?: SnapshotBody }

export type ServerMessage = Welcome | Snapshot | Events | PresenceMessage | Ticket | Hint | Done | Pong | Refusal;

/** What a client may ask; `re` and `id` are added where the message is sent. */
export type Query =
  | { type: 'rename'; name: string }
  | { type: 'watch'; room: string; cursor?: Cursor }
  | { type: 'unwatch'; room: string }
  | { type: 'hint'; room: string; at: number; weights?: boolean }
  | { type: 'seek'; variant: string; asked?: number }
  | { type: 'cancel' }
  | { type: 'ping' };

export type Side = 'x' | 'o' | 'lot';
export type First = 'me' | 'them' | 'lot';

/** What changes something: sent with an id until it is answered. */
export type Command =
  | { type: 'create'; variant: string; opponent: Opponent; level?: string; opening?: Opening; mark?: Side; first?: First }
  | { type: 'join'; room: string }
  | { type: 'play'; room: string; at: number; cell: Cell }
  | { type: 'choose'; room: string; at: number; take: Take }
  | { type: 'resign' | 'leave' | 'rematch' | 'claim'; room: string };
