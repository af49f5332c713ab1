import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../repository-root.ts';

/** Packages that only this benchmark needs. */
const packages = {
  '@wonderwhy-er/desktop-commander': '0.2.52',
  '@mako10k/mcp-shell-server': '2.7.1',
  'gpt-tokenizer': '3.4.0',
};

/** node-pty has to be compiled on Linux; this is node-pty with prebuilt bindings. */
const overrides = { 'node-pty': 'npm:@lydell/node-pty@1.1.0' };

export interface PeerPackages {
  /** The file that the command of a package runs. */
  fileOf(name: keyof typeof packages, path: string): string;
  /** The number of tokens of a text (o200k_base). */
  countTokens(text: string): number;
}

/** Returns null and reports why when npm cannot fetch them. Their install scripts do not run. */
export async function installPeers(tell: (message: string) => void): Promise<PeerPackages | null> {
  const directory = join(repositoryRoot, 'build/mcp-peers');
  const json = JSON.stringify({ private: true, dependencies: packages, overrides });
  mkdirSync(directory, { recursive: true });
  if (!existsSync(join(directory, 'node_modules'))) {
    tell('mcp: fetching two other servers and a tokenizer with npm, 320 MB, once');
    writeFileSync(join(directory, 'package.json'), json);
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    try {
      await promisify(execFile)('npm', args, { cwd: directory });
    } catch (error) {
      tell(`mcp: npm could not fetch them, so nothing is compared: ${(error as Error).message}`);
      return null;
    }
  }
  const load = createRequire(join(directory, 'package.json'));
  const { encode } = load('gpt-tokenizer/encoding/o200k_base') as {
    encode(text: string): readonly number[];
  };
  return {
    fileOf: (name, path) => join(directory, 'node_modules', name, path),
    countTokens: (text) => encode(text).length,
  };
}
