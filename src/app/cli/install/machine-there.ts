import { VtrError } from '#model';
import type { Machine } from './package-files.ts';

/** A Node.js of a machine. */
interface NodeThere extends Machine {
  readonly version: string;
  readonly path: string;
  readonly isInPath: boolean;
}

/** What is known about the other side before vtr is installed there. */
export interface MachineThere {
  readonly home: string;
  readonly node: NodeThere;
  /** Whether the file at the place of our command is one that we wrote; null if there is none. */
  readonly isOwnCommand: boolean | null;
  readonly found: FoundCommand | null;
}

/** The command that `vtr connect` would run there. */
export interface FoundCommand {
  readonly path: string;
  /** Null if it does not run. */
  readonly version: string | null;
}

/**
 * Reads what the probe printed.
 *
 * @param place the address, for messages
 * @param floor the oldest Node.js that will do
 * @throws VtrError PROGRAM_NOT_FOUND without a Node.js that is new enough
 */
export function readMachine(printed: string, place: string, floor: string): MachineThere {
  const facts = factsIn(printed);
  return {
    home: facts('home').at(-1) ?? '',
    node: nodeIn(facts('node'), place, floor),
    isOwnCommand: facts('link').length === 0 ? null : facts('link').includes('own'),
    found: readFound(printed),
  };
}

export function readFound(printed: string): FoundCommand | null {
  const facts = factsIn(printed);
  const path = facts('vtr').at(-1);
  if (path === undefined) return null;
  const [, version = null] = /^vtr (\S+)$/.exec(facts('version').at(-1) ?? '') ?? [];
  return { path, version };
}

/** Returns the values of a fact, in their order. */
const factsIn =
  (printed: string) =>
  (name: string): string[] =>
    printed
      .split('\n')
      .filter((line) => line.startsWith(`${name} `))
      .map((line) => line.slice(name.length + 1));

/** @throws VtrError PROGRAM_NOT_FOUND */
function nodeIn(tried: readonly string[], place: string, floor: string): NodeThere {
  const nodes = tried.flatMap(readNode);
  const enough = nodes.find(({ isEnough }) => isEnough);
  if (enough !== undefined) return enough;
  const known = nodes.map(({ version, path }) => `${version} (${path})`).join(', ');
  const message =
    known === ''
      ? `${place} has no Node.js: vtr needs ${floor} or newer there, in PATH or in the PATH of a login shell`
      : `the Node.js at ${place} is too old: vtr needs ${floor} or newer, and found ${known}`;
  throw new VtrError('PROGRAM_NOT_FOUND', message, { details: { program: 'node' } });
}

/** Returns no element for a program that is not Node.js. */
function readNode(line: string): readonly (NodeThere & { readonly isEnough: boolean })[] {
  const [, where, json = ''] = /^(\w+) (\{.*\})$/.exec(line) ?? [];
  try {
    const { version, path, platform, arch, isEnough } = JSON.parse(json);
    const texts = { version, path, platform, arch };
    if (Object.values(texts).some((each) => typeof each !== 'string')) return [];
    return [{ ...texts, isInPath: where === 'path', isEnough: isEnough === true }];
  } catch {
    return [];
  }
}
