import { spawn } from 'node:child_process';
import { plainStyle, type Size, type Style } from '#model';
import { shellEnvironment } from '../commands/shell.ts';
import { type DrawnLine, drawFormat } from '../drawing/draw-format.ts';
import { colourOf, styleOf } from '../drawing/styles.ts';
import { FormatContext } from '../format/context.ts';
import { expand, expandWithTime } from '../format/expand.ts';
import type { AttachedClient } from '../state/attached-client.ts';
import { statusRows } from '../state/default-size.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import { targetOf } from '../target/target.ts';

/** A shell command of a format: `#(command)`. */
interface Job {
  /** The last line that it has printed. */
  output: string;
  isRunning: boolean;
  startedAtMs: number;
}

/** Jobs that the status line may run. The oldest are forgotten. */
const maxJobs = 100;

/** The status line of a client, as it was expanded last, and the shell commands in it. */
export class StatusLine {
  readonly #server: TmuxServer;
  readonly #client: AttachedClient;
  readonly #cwd: string;
  readonly #changed: () => void;
  readonly #jobs = new Map<string, Job>();
  #lines: readonly DrawnLine[] = [];
  #size: Size = { cols: 0, rows: 0 };
  /** Whether something that it shows may have changed. */
  isDue = true;
  #timer: NodeJS.Timeout | null = null;

  /** @param changed called when it should be drawn again */
  constructor(server: TmuxServer, client: AttachedClient, cwd: string, changed: () => void) {
    this.#server = server;
    this.#client = client;
    this.#cwd = cwd;
    this.#changed = changed;
  }

  get rows(): number {
    return statusRows(this.#client.session.options);
  }

  get isAtTop(): boolean {
    return this.#client.session.options.text('status-position') === 'top';
  }

  /** What a format of this client is about. */
  get about(): FormatContext {
    const { session, link, pane } = targetOf(this.#client.session.current);
    return new FormatContext({
      server: this.#server,
      client: this.#client,
      session,
      link,
      pane,
      commands: (line) => this.#outputOf(line),
    });
  }

  /** Returns the style of an option of the session. */
  async style(name: 'message-command-style' | 'message-style' | 'status-style'): Promise<Style> {
    const { options } = this.#client.session;
    return styleOf(await expand(options.text(name), this.about));
  }

  /** The lines in a width. They are expanded again only if something has changed. */
  async lines(cols: number): Promise<readonly DrawnLine[]> {
    const { rows } = this;
    const isSame = this.#size.cols === cols && this.#size.rows === rows;
    if (!this.isDue && isSame) return this.#lines;
    this.isDue = false;
    this.#size = { cols, rows };
    this.#lines = rows === 0 ? [] : await this.#expanded(cols, rows);
    this.#awaitInterval();
    return this.#lines;
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #expanded(cols: number, rows: number): Promise<DrawnLine[]> {
    const { options } = this.#client.session;
    const about = this.about;
    const style = await this.style('status-style');
    const [fg, bg] = [colourOf(options.text('status-fg')), colourOf(options.text('status-bg'))];
    const base = { ...style, fg: fg ?? style.fg, bg: bg ?? style.bg };
    const formats = options.get('status-format');
    const lines: DrawnLine[] = [];
    for (let at = 0; at < rows; at++) {
      const format = typeof formats === 'string' ? formats : (formats?.get(at) ?? '');
      lines.push(drawFormat(await expandWithTime(format, about), cols, base));
    }
    return lines;
  }

  /** The time is part of most status lines. */
  #awaitInterval(): void {
    const seconds = this.#client.session.options.number('status-interval');
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (seconds <= 0) return;
    this.#timer = setTimeout(() => this.#again(), Math.min(seconds, 86_400) * 1_000).unref();
  }

  #again(): void {
    this.isDue = true;
    this.#changed();
  }

  /** What a shell command has printed last. It runs again with the status line, at most once a second. */
  #outputOf(line: string): string {
    const before = this.#jobs.get(line);
    const nowMs = this.#server.nowMs();
    const job = before ?? { output: '', isRunning: false, startedAtMs: 0 };
    if (before === undefined) {
      const [oldest] = this.#jobs.keys();
      if (this.#jobs.size >= maxJobs && oldest !== undefined) this.#jobs.delete(oldest);
      this.#jobs.set(line, job);
    }
    if (job.isRunning || nowMs - job.startedAtMs < 1_000) return job.output;
    job.isRunning = true;
    job.startedAtMs = nowMs;
    this.#run(line, job);
    return job.output;
  }

  #run(line: string, job: Job): void {
    const target = targetOf(this.#client.session.current);
    const child = spawn('/bin/sh', ['-c', line], {
      cwd: this.#cwd,
      env: shellEnvironment(this.#server, target),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#server.programs.own(child);
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      // Only the last line counts.
      text = (text + part).slice(-4096);
    });
    child.once('error', () => {
      job.isRunning = false;
    });
    child.once('close', () => {
      job.isRunning = false;
      const output = text.trimEnd().split('\n').at(-1) ?? '';
      if (output === job.output) return;
      job.output = output;
      this.#again();
    });
  }
}

/** The column at which the range of a window begins; null if it is not in the lines. */
export function windowColumn(lines: readonly DrawnLine[], index: number): number | null {
  for (const { ranges } of lines) {
    const range = ranges.find((each) => each.kind === 'window' && each.argument === String(index));
    if (range !== undefined) return range.from;
  }
  return null;
}

/** A message in the status line. */
export interface Message {
  readonly text: string;
  /** Whether it has no styles. */
  readonly isPlain: boolean;
}

/** Returns the row of a message. */
export async function messageLine(
  { text, isPlain }: Message,
  status: StatusLine,
  cols: number,
): Promise<DrawnLine> {
  const style = await status.style('message-style');
  return drawFormat(isPlain ? text.replaceAll('#', '##') : text, cols, style ?? plainStyle);
}
