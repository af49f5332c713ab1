import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { allVerbs, type Verb } from '#app/cli';
import { root } from '../../scripts/root.mjs';
import { parseArguments } from '../../src/app/cli/arguments/parse-arguments.ts';
import { fencedBlocks } from '../support/run/fenced-blocks.ts';
import { needs } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

const verbs = await allVerbs();

/** Documents for users. docs/commands.md is made of the help. */
const documents = [
  'README.md',
  'skills/vtr/SKILL.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== 'commands.md')
    .map((name) => join('docs', name)),
];

interface Snippet {
  /** Where it is, for messages. */
  readonly place: string;
  readonly script: string;
}

/** The blocks of shell commands in the documents, also those that no test can run. */
const blocks: readonly Snippet[] = documents.flatMap((document) =>
  fencedBlocks(document).flatMap((block) => {
    const [, script] = /^sh(?: no-run)?\n(.*)$/s.exec(block) ?? [];
    return script === undefined ? [] : [{ place: document, script }];
  }),
);

const examples: readonly Snippet[] = verbs.flatMap(({ name, examples }) =>
  examples.map(({ line }) => ({ place: `vtr ${name} --help`, script: line })),
);

interface Call {
  readonly place: string;
  readonly words: readonly string[];
}

/**
 * Returns the calls of vtr that snippets make, with their words as bash reads them. No program is started: there is none
 * in PATH.
 */
function callsOf(snippets: readonly Snippet[]): Call[] {
  const files = snippets.map(({ script }, index) => [`${index}.sh`, `${script}\n`]);
  const cwd = tree(Object.fromEntries(files));
  const script = `
    exec 3>calls
    vtr() { printf '%s\\0' "$index" "$@" >&3; printf '\\0\\n\\0' >&3; }
    command_not_found_handle() { return 0; }
    PATH=/nowhere
    for index in {0..${snippets.length - 1}}; do (. "./$index.sh"); done
    true`;
  const env = { HOME: cwd, PATH: process.env['PATH'] };
  execFileSync('bash', ['-c', script], { cwd, env, stdio: 'ignore', timeout: 60_000 });
  return readFileSync(join(cwd, 'calls'), 'utf8')
    .split('\0\0\n\0')
    .slice(0, -1)
    .map((call) => {
      const [index, ...words] = call.split('\0');
      return { place: snippets[Number(index)]?.place ?? '', words };
    });
}

/** Returns the verb of a call and the words after it. */
function verbOf(words: readonly string[]): { verb: Verb | undefined; rest: readonly string[] } {
  const named = (count: number) =>
    verbs.find(({ name }) => name === words.slice(0, count).join(' '));
  const pair = named(2);
  return { verb: pair ?? named(1), rest: words.slice(pair === undefined ? 1 : 2) };
}

/** Returns what is wrong with a call; null if vtr accepts its words. */
function problemOf({ place, words }: Call): string | null {
  const { verb, rest } = verbOf(words);
  const call = `${place}: vtr ${words.join(' ')}`;
  if (verb === undefined) return `${call}: there is no such verb`;
  // Its words are those of tmux.
  if (verb.name === 'tmux') return null;
  try {
    parseArguments(verb, rest);
    return null;
  } catch (error) {
    return `${call}: ${(error as Error).message}`;
  }
}

describe('the commands that users read', () => {
  const withBash = needs('bash');

  withBash('are accepted by vtr: verbs, flags, values and the number of arguments', () => {
    const calls = callsOf([...blocks, ...examples]);
    expect(calls.length).toBeGreaterThan(300);
    expect(calls.flatMap((call) => problemOf(call) ?? [])).toEqual([]);
  });
});

needs('bash')('a command that vtr does not accept is found', () => {
  const script = "vtr rm 'a b' --nothing && vtr nope; vtr ls";
  expect(callsOf([{ place: 'here', script }]).map(problemOf)).toEqual([
    expect.stringMatching(/^here: vtr rm a b --nothing: .*--nothing/),
    'here: vtr nope: there is no such verb',
    null,
  ]);
});
