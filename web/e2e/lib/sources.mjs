// The page's own sources as modules of node, for the parts that need no browser.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const web = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Compiles the sources and imports the named ones ("state/room"). */
export async function sources(...names) {
  const out = mkdtempSync(path.join(tmpdir(), 'oxo-unit-'));
  process.once('exit', () => rmSync(out, { recursive: true, force: true }));
  const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', path.join(web, 'tsconfig.json'), '--noEmit', 'false', '--rootDir', web, '--outDir', out], { stdio: 'inherit' });
  writeFileSync(path.join(out, 'package.json'), '{"type":"module"}');
  return Promise.all(names.map((n) => import(pathToFileURL(path.join(out, 'src', `${n}.js`)).href)));
}
