// The real server, started, stopped and killed.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './until.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

/** The binary: $E2E_BINARY, or built from the checkout (which costs nothing the second time). */
let built;
function binary() {
  if (process.env.E2E_BINARY) return path.resolve(process.env.E2E_BINARY);
  if (!built) {
    built = path.join(mkdtempSync(path.join(tmpdir(), 'oxo-bin-')), 'oxo');
    execFileSync('go', ['build', '-o', built, './cmd/oxo'], { cwd: root, stdio: 'inherit' });
    process.on('exit', () => rmSync(path.dirname(built), { recursive: true, force: true }));
  }
  return built;
}

/** The environment without what is meant for these tests, or for another server. */
function environment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('OXO_')));
}

/** A port that nobody listens on just now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const s = net.createServer();
    s.once('error', reject);
    s.listen(0, '127.0.0.1', () => {
      const { port } = s.address();
      s.close(() => resolve(port));
    });
  });
}

export class Server {
  /** Starts a server on free ports with a data folder of its own. */
  static async start() {
    const s = new Server();
    s.port = await freePort();
    s.admin = await freePort();
    s.data = mkdtempSync(path.join(tmpdir(), 'oxo-data-'));
    s.url = `http://127.0.0.1:${s.port}`;
    await s.run();
    return s;
  }

  async run() {
    this.log = '';
    // A test is many people at one address.
    this.child = spawn(binary(), ['serve', '--addr', `127.0.0.1:${this.port}`, '--admin-addr', `127.0.0.1:${this.admin}`, '--data', this.data, '--connect-rate', '200'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...environment(), OXO_LOG_LEVEL: 'warn' },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', (d) => (this.log += d));
    const { child } = this;
    process.once('exit', () => child.kill('SIGKILL'));
    this.ended = new Promise((resolve) => this.child.once('exit', resolve));
    await until(
      'the server answers',
      async () => {
        if (this.child.exitCode !== null) throw new Error(`the server ended:\n${this.log}`);
        return (await fetch(this.url).catch(() => null))?.ok;
      },
      20_000,
    );
  }

  /** Ends the process with a signal and waits until it is gone. */
  async end(signal = 'SIGTERM') {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    await this.ended;
  }

  async stop() {
    await this.end();
    rmSync(this.data, { recursive: true, force: true });
  }
}
