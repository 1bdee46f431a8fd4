// What the page asks over plain HTTP.

export interface OpenGame { room: string; variant: string; opening?: 'swap2'; host: string; created: number }
export interface LiveGame { room: string; variant: string; opening?: 'swap2'; seats: string[]; moves: number; created: number }
export interface Rooms { open: OpenGame[]; live: LiveGame[] }
export interface Preset { name: string; variant: string; levels: string[] }

export async function rooms(signal: AbortSignal): Promise<Rooms> {
  const r = await get<Partial<Record<keyof Rooms, unknown[] | null>>>('/api/rooms', signal);
  return { open: (r.open ?? []) as OpenGame[], live: (r.live ?? []) as LiveGame[] };
}

export async function presets(): Promise<Preset[]> {
  return (await get<{ presets?: Preset[] }>('/api/variants')).presets ?? [];
}

async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await fetch(path, { headers: { accept: 'application/json' }, ...(signal ? { signal } : {}) });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return (await response.json()) as T;
}
