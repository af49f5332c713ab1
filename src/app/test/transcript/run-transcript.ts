import { readFile } from 'node:fs/promises';
import { overwriteFile } from '#config';
import { type Coordinator, exitClause } from '#model';
import { lineDiff } from '../golden/expect-golden.ts';
import { makeSurroundings, shellStart } from '../terminal/surroundings.ts';
import { TestTerminal } from '../terminal/test-terminal.ts';
import { TestFailure } from '../test-failure.ts';
import { type Bindings, matchOutput, updatedOutput } from './output-pattern.ts';

/** How long one command may take, in ms. */
const commandMs = 60_000;
/** Wide enough that few lines wrap. */
const size = { cols: 120, rows: 40 };

export interface TranscriptOptions {
  readonly coordinator: Coordinator;
  /** The Markdown file. */
  readonly file: string;
  /** The directory in which the shell starts. */
  readonly cwd: string;
  /** Whether the outputs in the file are replaced instead of compared. */
  readonly update: boolean;
  readonly signal: AbortSignal;
}

/** Runs the commands of a Markdown file, in one shell. @throws TestFailure */
export async function runTranscript(options: TranscriptOptions): Promise<void> {
  const { file, update } = options;
  const parsed = parse(file, await readFile(file, 'utf8'));
  if (parsed.commands.length === 0) {
    throw new TestFailure('there is no fence marked console', { place: { file, line: 1 } });
  }
  const played = await playAll(parsed, options);
  const wrong = played.filter(({ problem }) => problem !== null);
  const unended = played.find(({ shown }) => shown === null);
  if (update && unended === undefined) {
    if (wrong.length > 0) overwriteFile(file, updated(parsed, played));
    return;
  }
  const [first] = wrong;
  if (first === undefined) return;
  const others = wrong.length === 1 ? '' : `; ${wrong.length} of ${played.length} commands differ`;
  throw new TestFailure(`${nameOf(first.command)}: ${first.problem}${others}`, {
    place: { file, line: first.command.line },
    details: wrong
      .map(({ command, diff }) => `${file}:${command.line}: ${nameOf(command)}\n${diff}`)
      .join('\n\n'),
  });
}

/** The first line of a command. */
const nameOf = ({ input }: TranscriptCommand): string => `$ ${input.split('\n', 1)[0]}`;

function parse(file: string, text: string): ParsedTranscript {
  try {
    return parseTranscript(text);
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
    throw new TestFailure(error.message, { place: { file, line: error.line } });
  }
}

interface Played {
  readonly command: TranscriptCommand;
  /** Null if it is as expected. */
  readonly problem: string | null;
  readonly diff: string;
  /** What the file would show; null if the command did not end. */
  readonly shown: readonly string[] | null;
}

async function playAll(
  { commands }: ParsedTranscript,
  { coordinator, cwd, signal }: TranscriptOptions,
): Promise<Played[]> {
  const surroundings = await makeSurroundings();
  let id: string | null = null;
  const { program, args, env } = shellStart('bash');
  try {
    const terminal = await TestTerminal.start(coordinator, {
      program,
      args,
      cwd,
      size,
      env: { ...surroundings.env, ...env },
    });
    id = terminal.id;
    try {
      await terminal.wait({ prompt: true });
      return await playIn(terminal, commands, signal);
    } finally {
      await terminal.close();
    }
  } finally {
    await surroundings.remove(id);
  }
}

async function playIn(
  terminal: TestTerminal,
  commands: readonly TranscriptCommand[],
  signal: AbortSignal,
): Promise<Played[]> {
  const played: Played[] = [];
  let bindings: Bindings = new Map();
  for (const command of commands) {
    signal.throwIfAborted();
    const { outcome, exitCode, output, question } = await terminal.run(command.input, commandMs);
    const lines = output.tail === '' ? [] : output.tail.split('\n').map((line) => line.trimEnd());
    if (outcome !== 'finished') {
      const problem = unendedProblem(outcome, question);
      const diff = [problem, ...lines].join('\n');
      return [...played, { command, problem, diff, shown: null }];
    }
    const compared = compare(command, lines, exitCode ?? 0, bindings);
    bindings = compared.bindings;
    played.push(compared);
  }
  return played;
}

function unendedProblem(outcome: string, question: string | undefined): string {
  if (outcome === 'exited') return 'it ended the shell';
  if (outcome === 'timed_out') return `it did not end for ${commandMs / 1000} s`;
  return question ? `it waits for input: ${question}` : 'it waits for input';
}

function compare(
  command: TranscriptCommand,
  lines: readonly string[],
  status: number,
  before: Bindings,
): Played & { readonly bindings: Bindings } {
  const { expected, status: expectedStatus, statusIsFirst } = command;
  const bindings = matchOutput(expected, lines, before);
  const isStatus = status === (expectedStatus ?? 0);
  const next = bindings === null ? updatedOutput(expected, lines, before) : expected;
  const shown = next.map((line, at) => (expected.includes(line) ? line : outputLine(line, at)));
  const withStatus = (each: readonly string[], code: number | null) => {
    const word = code === null || (code === 0 && expectedStatus === null) ? [] : [`? ${code}`];
    return statusIsFirst ? [...word, ...each] : [...each, ...word];
  };
  const problem = isStatus
    ? 'the output differs'
    : `it ${exitClause({ code: status, signal: null })} instead of ${expectedStatus ?? 0}`;
  const result = withStatus(shown, status);
  return {
    command,
    problem: bindings !== null && isStatus ? null : problem,
    diff: lineDiff(withStatus(expected, expectedStatus).join('\n'), result.join('\n')),
    shown: result,
    bindings: bindings ?? before,
  };
}

/** Returns the file with the outputs that the commands had. */
function updated({ lines }: ParsedTranscript, played: readonly Played[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { command, shown, problem } of played) {
    if (problem === null || shown === null) continue;
    const [begin, end] = command.span;
    parts.push(
      ...lines.slice(at, begin),
      ...shown.map((line) => `${command.indent}${line}`.trimEnd()),
    );
    at = end;
  }
  return [...parts, ...lines.slice(at)].join('\n');
}

/** A command in a Markdown file, with the output that it shows. */
interface TranscriptCommand {
  /** The line of `$`; 1-based. */
  readonly line: number;
  /** What is typed; several lines if some begin with `> `. */
  readonly input: string;
  /** The lines of output, without indentation and trailing spaces. */
  readonly expected: readonly string[];
  /** From the line `? STATUS`, which is before or after the output; null without such a line. */
  readonly status: number | null;
  readonly statusIsFirst: boolean;
  /** The lines of output and status in the file: 0-based, the second exclusive. */
  readonly span: readonly [number, number];
  readonly indent: string;
}

export interface ParsedTranscript {
  readonly lines: readonly string[];
  readonly commands: readonly TranscriptCommand[];
}

/** A mistake in a transcript. */
class TranscriptError extends Error {
  /** 1-based. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

const fence = /^(\s*)(`{3,}|~{3,})\s*(\S*)/;
const statusLine = /^\? (\d{1,3})$/;

/**
 * Finds the commands in the fences of a Markdown file that are marked `console`.
 *
 * @throws TranscriptError
 */
export function parseTranscript(text: string): ParsedTranscript {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const commands: TranscriptCommand[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', marks = '', info] = fence.exec(lines[at] ?? '') ?? [];
    if (marks === '') continue;
    const end = endOf(lines, at + 1, marks);
    if (info === 'console') commands.push(...commandsIn(lines, at + 1, end, indent));
    at = end;
  }
  return { lines, commands };
}

/** Returns the line that closes a fence; the end of the file if none does. */
function endOf(lines: readonly string[], from: number, marks: string): number {
  for (let at = from; at < lines.length; at++) {
    const line = (lines[at] ?? '').trim();
    if (line.startsWith(marks) && line === marks.charAt(0).repeat(line.length)) return at;
  }
  return lines.length;
}

function commandsIn(
  lines: readonly string[],
  from: number,
  end: number,
  indent: string,
): TranscriptCommand[] {
  const textAt = (at: number) => {
    const line = lines[at] ?? '';
    return (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()).trimEnd();
  };
  const isCommand = (at: number) => at < end && /^\$( |$)/.test(textAt(at));
  const commands: TranscriptCommand[] = [];
  for (let at = from; at < end; ) {
    if (!isCommand(at)) {
      throw new TranscriptError(at + 1, 'a fence marked console begins with a command: $ COMMAND');
    }
    const line = at + 1;
    const input = [textAt(at++).slice(2)];
    while (at < end && textAt(at).startsWith('> ')) input.push(textAt(at++).slice(2));
    const begin = at;
    while (at < end && !isCommand(at)) at++;
    const span = [begin, at] as const;
    const shown = Array.from({ length: at - begin }, (_, index) => textAt(begin + index));
    commands.push({ line, input: input.join('\n'), span, indent, ...outputOf(shown) });
  }
  return commands;
}

function outputOf(shown: readonly string[]) {
  const statusOf = (line: string | undefined) => {
    const [, digits] = statusLine.exec(line ?? '') ?? [];
    return digits === undefined ? null : Number(digits);
  };
  const first = statusOf(shown[0]);
  if (first !== null) return { expected: shown.slice(1), status: first, statusIsFirst: true };
  const last = statusOf(shown.at(-1));
  const expected = last === null ? shown : shown.slice(0, -1);
  return { expected, status: last, statusIsFirst: false };
}

/** Returns a line of output as it can be in a transcript: what would mean something else gets a wildcard. */
export function outputLine(line: string, index: number): string {
  const isOther =
    /^\$( |$)/.test(line) ||
    statusLine.test(line) ||
    fence.test(line) ||
    line === '...' ||
    (index === 0 && line.startsWith('> '));
  return isOther ? `[..]${line.slice(1)}` : line;
}
