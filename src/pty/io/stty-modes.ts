import type { Pty, TerminalModes } from '../port.ts';

/** Starts a program given its path; rejects if that fails. */
export type StartHelper = (program: string, args: readonly string[]) => Promise<Helper>;

export interface Helper {
  readonly pty: Pick<Pty, 'readOutput' | 'exit' | 'end'>;
  /** Must be called when it and its descendants have exited. */
  forget(): void;
}

type Answers = ReadonlyMap<string, TerminalModes>;

/** One run for all calls during the previous run. */
interface Batch {
  readonly terminals: Set<string>;
  readonly answers: Promise<Answers>;
}

/** The most terminals of one run: a quarter of a second's worth. */
const maxBatch = 256;

/**
 * The time limit of a run, in ms, after which it is killed. The answers printed by then are used.
 */
const maxMs = 5_000;

const option = process.platform === 'linux' ? '-F' : '-f';
const heading = 'terminal ';
/** The system's own stty comes first, because others may have other options. */
const script = `PATH=/bin:/usr/bin:$PATH; for tty do echo "${heading}$tty"; stty ${option} "$tty" -a; done`;

/**
 * Reads the modes of terminals with stty(1), where no tcgetattr(3) can be called. The fork of this
 * process is the main cost, and grows with its memory. So concurrent calls share one fork, of a
 * small shell that runs stty for each of their terminals.
 */
export class SttyModes {
  readonly #start: StartHelper;
  #last: Promise<unknown> = Promise.resolve();
  /** The run that has not begun, so that its answers are not older than the call. */
  #next: Batch | null = null;

  constructor(start: StartHelper) {
    this.#start = start;
  }

  /** @param terminal path of the slave */
  async read(terminal: string): Promise<TerminalModes | null> {
    if (this.#next === null || this.#next.terminals.size >= maxBatch) this.#next = this.#plan();
    this.#next.terminals.add(terminal);
    return (await this.#next.answers).get(terminal) ?? null;
  }

  #plan(): Batch {
    const terminals = new Set<string>();
    const answers = this.#last.then(() => {
      if (this.#next === batch) this.#next = null;
      return this.#run([...terminals]).then(parseAnswers, () => new Map());
    });
    const batch = { terminals, answers };
    this.#last = answers;
    return batch;
  }

  async #run(terminals: readonly string[]): Promise<string> {
    const { pty, forget } = await this.#start('/bin/sh', ['-c', script, 'sh', ...terminals]);
    let text = '';
    pty.readOutput(0, ({ bytes }) => {
      text += Buffer.from(bytes).toString('latin1');
    });
    if (await exitsInTime(pty)) forget();
    return text;
  }
}

/** Kills a run that takes too long. @throws VtrError PTY_ERROR if that fails */
async function exitsInTime(pty: Helper['pty']): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(pty.end({ force: true }).then(() => false)), maxMs);
  });
  const inTime = pty.exit.then(() => true);
  return Promise.race([inTime, overdue]).finally(() => clearTimeout(timer));
}

function parseAnswers(text: string): Answers {
  const answers = new Map<string, TerminalModes>();
  for (const part of text.split(new RegExp(`^${heading}`, 'm')).slice(1)) {
    const terminal = part.slice(0, part.search(/\s/));
    const modes = parseModes(part.slice(terminal.length));
    if (modes !== null) answers.set(terminal, modes);
  }
  return answers;
}

/**
 * @param text the output of `stty -a`, which on every system has a dash before a mode that is off
 */
export function parseModes(text: string): TerminalModes | null {
  const words = new Set(text.split(/[\s;]+/));
  const isOn = (mode: string): boolean | null => {
    if (words.has(mode)) return true;
    return words.has(`-${mode}`) ? false : null;
  };
  const echo = isOn('echo');
  const canonical = isOn('icanon');
  return echo === null || canonical === null ? null : { echo, canonical };
}
