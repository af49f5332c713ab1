import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** More are not followed. */
const maxFiles = 200;

/** What ssh expands, or what this file does not know. */
const expanded = /[*?[\]{}%$\\"']/;

const include = /^[ \t]*include(?:[ \t]*=[ \t]*|[ \t]+)(.*)$/gim;

/**
 * Returns a number that changes when a file of ssh's configuration changes, also one that another includes
 * (ssh_config(5), Include).
 *
 * @param home of the user
 * @returns null if it cannot be known which files there are
 */
export function sshConfigStamp(home: string): number | null {
  const stamp = new Stamp(home);
  const isKnown =
    stamp.add(join(home, '.ssh/config'), join(home, '.ssh')) &&
    stamp.add('/etc/ssh/ssh_config', '/etc/ssh');
  return isKnown ? stamp.value : null;
}

class Stamp {
  value = 0;
  #files = 0;
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  /** Adds a file and those that it includes. Returns whether all are known. */
  add(file: string, base: string): boolean {
    if (++this.#files > maxFiles) return false;
    this.#addTime(file);
    const patterns = [...read(file).matchAll(include)].flatMap(([, words = '']) =>
      words.split(/[ \t\r]+/),
    );
    return patterns.every((pattern) => pattern === '' || this.#addIncluded(pattern, base));
  }

  #addIncluded(pattern: string, base: string): boolean {
    const path = pattern.startsWith('~/') ? join(this.#home, pattern.slice(2)) : pattern;
    const full = path.startsWith('/') ? path : join(base, path);
    if (!expanded.test(full)) return this.add(full, base);
    const directory = dirname(full);
    if (expanded.test(directory) || /["'$%\\]/.test(full)) return false;
    // All its files, also those that the pattern does not match.
    this.#addTime(directory);
    return list(directory).every((name) => this.add(join(directory, name), base));
  }

  #addTime(path: string): void {
    this.value = Math.imul(this.value, 0x01000193) ^ changedMs(path);
    this.value >>>= 0;
  }
}

/** 0 if it cannot be read: then ssh reads nothing there. */
function changedMs(path: string): number {
  try {
    return Math.floor(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  } catch {
    return 0;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}
