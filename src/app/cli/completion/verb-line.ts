import type { Readable } from 'node:stream';
import { defined } from '#base';
import { VtrError } from '#model';
import { parseWords, WordProblem } from '../arguments/parse-arguments.ts';
import type { Context } from '../context.ts';
import type { CompletedVerb, CompletedWord } from './words.ts';

/** Verbs that need the terminal in which a session is shown, or the streams of their process. */
const elsewhere: ReadonlySet<string> = new Set([
  ...['attach', 'ui', 'play', 'new', 'spawn'],
  ...['mcp', 'acp', 'connect'],
]);

/** Output of a verb that is shown, in bytes. */
const maxOutput = 1024 * 1024;

interface PlaceOfLine {
  readonly socket: string;
  readonly session: string;
  readonly sessions: readonly string[];
  readonly signal: AbortSignal;
}

/** The verbs of vtr, for the line that is typed after `:` in an attached session. */
export function verbLine(context: Context) {
  let verbs: Promise<readonly CompletedVerb[]> | null = null;
  const all = () => {
    verbs ??= describedVerbs(context).catch((error: unknown) => {
      verbs = null;
      throw error;
    });
    return verbs;
  };
  return {
    names: async () => lineVerbs(await all()),
    complete: async (words: readonly string[], sessions: readonly string[]) =>
      completions(await all(), words, sessions),
    run: async (words: readonly string[], place: PlaceOfLine) =>
      runVerb(context, withSession(await all(), words, place), place),
  };
}

/** Returns the first words of the verbs that can be typed there. */
export const lineVerbs = (verbs: readonly CompletedVerb[]): readonly string[] =>
  [...new Set(verbs.map(({ name }) => firstWord(name)))].filter((name) => !elsewhere.has(name));

/** Asks a process of the command: loading all verbs would make attach itself slower to start. */
async function describedVerbs(context: Context): Promise<readonly CompletedVerb[]> {
  const { out } = await runVerb(context, ['completion', 'json'], {});
  return JSON.parse(out);
}

const firstWord = (name: string): string => name.split(' ')[0] ?? name;

/**
 * Returns what can stand in place of the last word.
 *
 * @param words from the first word of the verb on
 */
export function completions(
  verbs: readonly CompletedVerb[],
  words: readonly string[],
  sessions: readonly string[],
): readonly string[] {
  const [first = '', second] = words;
  const seconds = verbs.flatMap(({ name }) =>
    name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : [],
  );
  const verb =
    verbs.find(({ name }) => name === `${first} ${second}`) ??
    verbs.find(({ name }) => name === first);
  const own = words.length === 2 ? seconds : [];
  if (verb === undefined) return own;
  const rest = words.slice(verb.name.split(' ').length);
  if (rest.length === 0 || rest.slice(0, -1).includes('--')) return own;
  const before = rest.at(-2) ?? '';
  const last = rest.at(-1) ?? '';
  const from = (word: CompletedWord) =>
    word === 'session' ? sessions : typeof word === 'string' ? [] : word;
  const flag = verb.flags.find(({ name, short }) => [`--${name}`, `-${short}`].includes(before));
  if (flag?.value != null && !flag.bare) return from(flag.value);
  if (last.startsWith('-')) return verb.flags.map(({ name }) => `--${name}`);
  const valued = new Set(verb.flags.flatMap(({ name, value }) => (value ? [`--${name}`] : [])));
  const place = rest
    .slice(0, -1)
    .filter((word, at, all) => !word.startsWith('-') && !valued.has(all[at - 1] ?? '')).length;
  const argument = verb.args[place] ?? verb.args.findLast(({ many }) => many);
  return [...own, ...(argument === undefined ? [] : from(argument.from))];
}

/** Adds the session in view to the words of a verb that is about one session, and names none. */
export function withSession(
  verbs: readonly CompletedVerb[],
  words: readonly string[],
  { session, sessions }: Pick<PlaceOfLine, 'session' | 'sessions'>,
): readonly string[] {
  const verb =
    verbs.find(({ name }) => name === words.slice(0, 2).join(' ')) ??
    verbs.find(({ name }) => name === words[0]);
  const [subject, ...others] = verb?.args ?? [];
  if (verb === undefined || subject?.from !== 'session') return words;
  if (subject.optional || subject.many) return words;
  const length = verb.name.split(' ').length;
  const [head, rest] = [words.slice(0, length), words.slice(length)];
  const [first] = positionals(verb, rest);
  const isNamed = first !== undefined && (others.length === 0 || isSession(first, sessions));
  return isNamed ? words : [...head, session, ...rest];
}

/** With a colon, it may be the session of another coordinator. */
const isSession = (word: string, sessions: readonly string[]): boolean =>
  sessions.includes(word) || /^[\w.-]+:[\w.-]+$/.test(word);

function positionals(verb: CompletedVerb, words: readonly string[]): readonly string[] {
  const end = verb.acceptsProgram ? words.indexOf('--') : -1;
  const syntax = Object.fromEntries(
    verb.flags.map(({ name, value, short }) => [name, { takesValue: value !== null, short }]),
  );
  try {
    return parseWords(end < 0 ? words : words.slice(0, end), syntax).positionals;
  } catch (error) {
    // The verb itself tells what is wrong.
    if (error instanceof WordProblem) return [];
    throw error;
  }
}

/** Runs a verb in a process of its own, and returns what it prints. */
async function runVerb(
  { env, program, cwd }: Context,
  words: readonly string[],
  { socket, signal }: Partial<PlaceOfLine>,
): Promise<{ status: number; out: string; err: string }> {
  const { spawn } = await import('node:child_process');
  return new Promise((ended, failed) => {
    const child = spawn(process.execPath, [program, ...words], {
      cwd,
      env: { ...env, ...defined({ VTR_SOCKET: socket }) },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...defined({ signal }),
    });
    const out = new Printed(child.stdout);
    const err = new Printed(child.stderr);
    child.once('error', (error) => {
      failed(new VtrError('INTERNAL_ERROR', `vtr ${words[0]}: ${error.message}`));
    });
    child.once('close', (code) => ended({ status: code ?? 1, out: out.text, err: err.text }));
  });
}

/** What a program prints, up to 1 MiB. */
class Printed {
  readonly #parts: Buffer[] = [];
  #size = 0;

  constructor(stream: Readable) {
    stream.on('data', (bytes: Buffer) => {
      this.#size += bytes.length;
      if (this.#size <= maxOutput) this.#parts.push(bytes);
    });
  }

  get text(): string {
    const text = Buffer.concat(this.#parts).toString();
    return this.#size > maxOutput ? `${text}\n… cut at 1 MiB` : text;
  }
}
