// A wire that can be held: what is sent meanwhile arrives when it is let go, as
// on a network that was away. Nobody is told, and the sockets stay open.

import net from 'node:net';
import { freePort } from './server.mjs';

export class Wire {
  #held = false;
  #sockets = new Set();

  static async to(port) {
    const w = new Wire();
    w.port = await freePort();
    w.url = `http://127.0.0.1:${w.port}`;
    w.server = net.createServer((client) => {
      const server = net.connect(port, '127.0.0.1');
      for (const [from, into] of [[client, server], [server, client]]) {
        w.#sockets.add(from);
        from.on('data', (d) => into.write(d));
        from.on('end', () => into.end());
        from.on('error', () => into.destroy());
        from.on('close', () => {
          w.#sockets.delete(from);
          into.destroy();
        });
        if (w.#held) from.pause();
      }
    });
    await new Promise((resolve) => w.server.listen(w.port, '127.0.0.1', resolve));
    return w;
  }

  hold() {
    this.#held = true;
    for (const s of this.#sockets) s.pause();
  }

  release() {
    this.#held = false;
    for (const s of this.#sockets) s.resume();
  }

  close() {
    for (const s of this.#sockets) s.destroy();
    this.server.close();
  }
}
