import type { Pty, TerminalModes } from '../port.ts';

/** Starts a program by the path of its file; rejects where it cannot. */
export type StartHelper = (program: string, args: readonly string[]) => Promise<Helper>;

export interface Helper {
  readonly pty: Pick<Pty, 'readOutput' | 'exit' | 'end'>;
  /** To be called when it has exited, and nothing that it started is left. */
  forget(): void;
}

type Answers = ReadonlyMap<string, TerminalModes>;

/** One run for all who ask while another is under way. */
interface Batch {
  readonly terminals: Set<string>;
  readonly answers: Promise<Answers>;
}

/** Terminals of one run: a quarter of a second's worth. */
const maxBatch = 256;

/** How long a run may take, in ms. It is not known to take longer; what it has said by then counts. */
const maxMs = 5_000;

const option = process.platform === 'linux' ? '-F' : '-f';
const heading = 'terminal ';
/** The system's own stty first: it is its options that we know. */
const script = `PATH=/bin:/usr/bin:$PATH; for tty do echo "${heading}$tty"; stty ${option} "$tty" -a; done`;

/**
 * Reads the modes of terminals by stty(1), because Node has no tcgetattr(3). A fork of this process
 * is what costs, the more the larger it is; so a small shell forks for all who ask at the same time.
 */
export class SttyModes {
  readonly #start: StartHelper;
  #last: Promise<unknown> = Promise.resolve();
  /** Has not begun, so its answers are no older than the question. */
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

/** Ends it where it does not. @throws VtrError PTY_ERROR where that is not possible */
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

/** @param text what `stty -a` says: modes that are off have a dash in front, on every system */
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
