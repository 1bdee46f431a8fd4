// Which address is which screen.

export type Route = { screen: 'lobby' } | { screen: 'room'; room: string } | { screen: 'nowhere' };

export function route(path: string): Route {
  if (path === '/') return { screen: 'lobby' };
  const room = /^\/r\/([0-9A-Za-z_-]{1,64})$/.exec(path)?.[1];
  return room === undefined ? { screen: 'nowhere' } : { screen: 'room', room };
}
