import { readFileSync, statSync } from 'node:fs';

/** What every bash carries in it for what(1), followed by its version. */
const sign = Buffer.from('@(#)Bash version ');

interface Known {
  readonly stamp: string;
  readonly version: number | null;
}

const known = new Map<string, Known>();

/**
 * The version of a bash, as a hundred times the first number plus the second one, without starting
 * it; null for what is no bash. A file of some MB is read once, and at once: a descriptor that another
 * thread closed would be a gap in the middle of a fork.
 */
export function bashVersion(program: string): number | null {
  try {
    const { ino, size, mtimeMs } = statSync(program);
    const stamp = `${ino} ${size} ${mtimeMs}`;
    const before = known.get(program);
    if (before?.stamp === stamp) return before.version;
    const version = versionIn(readFileSync(program));
    known.set(program, { stamp, version });
    return version;
  } catch {
    return null;
  }
}

function versionIn(binary: Buffer): number | null {
  const at = binary.indexOf(sign);
  if (at < 0) return null;
  const start = at + sign.length;
  const found = /^(\d+)\.(\d+)/.exec(binary.toString('latin1', start, start + 10));
  return found === null ? null : Number(found[1]) * 100 + Number(found[2]);
}
