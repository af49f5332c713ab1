import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CommandRecord, SessionEvent, SpawnRequest } from '#model';
import { createPtyHost, type Session, SessionFactory } from '#session';
import { commandOutput } from '#watch';
import { systemClock } from '../../../src/coordinator/system-clock.ts';
import { makeFishHome } from '../pty/fish-home.ts';

export interface ShellSetup extends Pick<SpawnRequest, 'args' | 'size' | 'shellIntegration'> {
  /** Files of the home directory, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** A leading `~/` in a value is the home directory. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The line, its exit code and its output. */
export type CommandRow = readonly [string | null, number | null, string];

const againMs = 500;

/** A real shell with a temporary home. */
export class ShellSession {
  readonly home: string;
  readonly session: Session;
  readonly #factory: SessionFactory;

  private constructor(home: string, session: Session, factory: SessionFactory) {
    this.home = home;
    this.session = session;
    this.#factory = factory;
  }

  /** Starts a shell, which ends with the test, and waits for its first prompt. */
  static async atPrompt(program: string, setup: ShellSetup = {}): Promise<ShellSession> {
    const shell = await ShellSession.start(program, setup);
    onTestFinished(() => shell.dispose());
    await shell.untilPrompt();
    return shell;
  }

  static async start(program: string, setup: ShellSetup = {}): Promise<ShellSession> {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'vtr-shell-')));
    makeFishHome(home);
    for (const [path, text] of Object.entries(setup.files ?? {})) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    const faults = (error: unknown) => {
      throw error;
    };
    const ptyHost = createPtyHost({ onListenerError: faults });
    const factory = new SessionFactory({
      ptyHost,
      clock: systemClock,
      defaults: {},
      onFault: faults,
    });
    const { files: _files, env, ...request } = setup;
    const all = { program, cwd: home, environment: 'minimal' as const, ...request };
    const places = Object.entries(env ?? {}).map(([name, value]) => [
      name,
      value.replace(/^~(?=\/)/, home),
    ]);
    const explicit = { HOME: home, LC_ALL: 'C.UTF-8', ...Object.fromEntries(places) };
    const session = await factory.spawn({ ...all, env: explicit }, { name: 'shell', id: home });
    return new ShellSession(home, session, factory);
  }

  get commands(): readonly CommandRecord[] {
    return this.session.commands({}).commands;
  }

  get rows(): readonly CommandRow[] {
    return this.commands.map((command) => this.row(command));
  }

  row(command: CommandRecord): CommandRow {
    const { text } = commandOutput(this.session.view, command, { maxLines: 1000 });
    return [command.line, command.exitCode, text.tail];
  }

  /** All lines of the scrollback and the screen. */
  get text(): string {
    const { view } = this.session;
    return [...view.lineTexts(0, view.terminal.endLine)].map(({ text }) => text).join('\n');
  }

  /** Types, and resolves at the next prompt. */
  async type(text: string): Promise<void> {
    const since = this.session.view.outputEnd;
    await this.session.sendText(text, {});
    await this.untilPrompt(since);
  }

  /** Presses ctrl+c until a prompt appears: fish 3 loses one that arrives while it paints. */
  async interrupt(): Promise<void> {
    const since = this.session.view.outputEnd;
    const press = () => void this.session.sendText('\x03', {});
    press();
    const again = setInterval(press, againMs);
    try {
      await this.untilPrompt(since);
    } finally {
      clearInterval(again);
    }
  }

  /** Types, and resolves once `shown` is on the screen. */
  async typeUntil(text: string, shown: string | RegExp): Promise<void> {
    await this.session.sendText(text, {});
    await this.until(() => this.session.view.screenRows().join('\n').search(shown) >= 0);
  }

  async untilPrompt(since = 0): Promise<void> {
    const { commands } = this.session.view;
    await this.until(() => {
      const prompt = commands.prompt ?? commands.unverified?.prompt ?? null;
      return prompt !== null && prompt.offset >= since;
    });
  }

  /** Resolves once the shell waits for input, as far as the system tells, and what it has drawn before is shown. */
  async untilReads(): Promise<void> {
    const { view } = this.session;
    for (let isReading = false; !isReading; ) {
      const { outputEnd } = view;
      const { evidence } = await this.session.activity();
      isReading = evidence.readingTerminal !== false && view.outputEnd === outputEnd;
    }
  }

  /** Resolves once the condition is true. @throws Error when the shell ends first */
  until(isTrue: () => boolean): Promise<void> {
    if (isTrue()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const listening = this.session.view.onEvent((event: SessionEvent) => {
        const done = isTrue();
        if (!done && event.type !== 'exit') return;
        listening.dispose();
        if (done) resolve();
        else reject(new Error(`the shell has ended:\n${this.text}`));
      });
    });
  }

  async dispose(): Promise<void> {
    await this.#factory.close({ force: true });
    rmSync(this.home, { recursive: true, force: true });
  }
}
