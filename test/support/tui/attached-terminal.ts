import { expect, onTestFinished } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import type { ExitStatus, Size, ToldStatus } from '#model';
import { Terminal } from '#vt';
import { stateOf } from '#vt/checks';
import { type Place, vtrFile } from '../command/vtr-command.ts';
import { conditionMs } from '../run/condition-ms.ts';
import { SubscribedTerminal } from '../service/subscribed-terminal.ts';

const name = 'person';

interface TerminalOptions {
  readonly size?: Size;
  readonly env?: Readonly<Record<string, string>>;
  /** The id of the session that contains this terminal. */
  readonly inSession?: string;
}

/** A person's terminal, in which a command of vtr runs. */
export class AttachedTerminal {
  readonly #coordinator = new LocalCoordinator();
  #shown: SubscribedTerminal | null = null;
  #pid = 0;

  /** Starts the command in a terminal of its own, which ends with the test. */
  static async start(
    place: Place,
    words: readonly string[],
    { size = { cols: 60, rows: 12 }, env = {}, inSession }: TerminalOptions = {},
  ): Promise<AttachedTerminal> {
    const started = new AttachedTerminal();
    const coordinator = started.#coordinator;
    onTestFinished(() => coordinator.close());
    const { pid } = await coordinator.spawn({
      name,
      size,
      cwd: place.directory,
      environment: 'minimal',
      // A terminal is a session, whose id is in the environment of its programs.
      program: 'env',
      args: [`VTR_SESSION_ID=${inSession ?? ''}`, process.execPath, vtrFile, ...words],
      env: { ...place.env, TERM: 'xterm-256color', ...env },
    });
    started.#pid = pid;
    started.#shown = new SubscribedTerminal(await coordinator.subscribe(name));
    return started;
  }

  /** Returns the rows once one of them matches. */
  async sees(pattern: string): Promise<readonly string[]> {
    const { outcome } = await this.#coordinator.wait(name, {
      screen: [pattern],
      timeoutMs: conditionMs,
    });
    const { text } = await this.#coordinator.screen(name);
    if (outcome === 'matched') return text;
    throw new Error(`${pattern} was not shown: ${outcome}\n${text.join('\n')}`);
  }

  /** Waits until no row matches. */
  async lacks(pattern: string): Promise<void> {
    const rows = async () => (await this.#coordinator.screen(name)).text.join('\n');
    await expect.poll(rows, { timeout: conditionMs }).not.toMatch(new RegExp(pattern, 'm'));
  }

  /** The title that the command has set. */
  async title(): Promise<string> {
    return (await this.#coordinator.info(name)).title;
  }

  /** What the terminal was told that the program does; null for nothing. */
  async programStatus(): Promise<ToldStatus | null> {
    return (await this.#coordinator.info(name, { activity: true })).programStatus ?? null;
  }

  /** What the terminal got last since a key was pressed: a bell or a notification. */
  async lastNotice(): Promise<string | null> {
    const { attention } = await this.#coordinator.info(name, { activity: true });
    return attention === undefined ? null : `${attention.kind}: ${attention.evidence}`;
  }

  async keys(...keys: readonly string[]): Promise<void> {
    await this.#coordinator.sendKeys(name, keys);
  }

  /** Sends what a terminal sends, each character as a byte. */
  async bytes(bytes: string): Promise<void> {
    await this.#coordinator.sendBytes(name, Buffer.from(bytes, 'latin1'));
  }

  async types(text: string): Promise<void> {
    await this.#coordinator.sendText(name, text);
  }

  async resize(size: Size): Promise<void> {
    await this.#coordinator.resize(name, size);
  }

  /** Sends a signal to the command. */
  signal(signal: NodeJS.Signals): void {
    process.kill(this.#pid, signal);
  }

  /** Waits for the end. Returns the exit status, and how the modes differ from those of a new terminal. */
  async end(): Promise<{
    status: ExitStatus;
    leftModes: readonly string[];
    rows: readonly string[];
  }> {
    const shown = this.#shown;
    if (shown === null) throw new Error('not started');
    await shown.takeUntilExit();
    const { exitStatus } = await this.#coordinator.info(name);
    if (exitStatus === null) throw new Error('it still runs');
    const { text } = await this.#coordinator.screen(name);
    return { status: exitStatus, leftModes: leftModes(shown.terminal), rows: text };
  }
}

/** The modes of a terminal that are not as in a new one. */
function leftModes(terminal: Terminal): string[] {
  const modesOf = (shown: Terminal) => ({
    ...shown.viewModes,
    ...stateOf(shown).modes,
    alternate: shown.alternate,
    title: shown.title,
    wrapPending: shown.cursor.wrapPending,
    stacked: stateOf(shown).keyboard.primaryFlags,
  });
  const [now, first] = [modesOf(terminal), modesOf(new Terminal({ size: terminal.size }))];
  return Object.keys(now).filter((key) => {
    const [one, other] = [now, first].map((modes) =>
      JSON.stringify(modes[key as keyof typeof now]),
    );
    return one !== other;
  });
}
