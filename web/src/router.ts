// Which address is which screen.

export type Route = { screen: 'lobby' } | { screen: 'room'; room: string } | { screen: 'nowhere' };

/** Whether a host is this computer, and nobody else's. */
export function loopback(hostname: string): boolean {
  return hostname === '[::1]' || /^(127(\.\d+){3}|(.+\.)?localhost)$/.test(hostname);
}

export function route(path: string): Route {
  if (path === '/') return { screen: 'lobby' };
  const room = /^\/r\/([0-9A-Za-z_-]{1,64})$/.exec(path)?.[1];
  return room === undefined ? { screen: 'nowhere' } : { screen: 'room', room };
}
