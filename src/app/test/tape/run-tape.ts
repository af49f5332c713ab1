import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Coordinator, exitClause, type ScreenSnapshot } from '#model';
import { isExecutable } from '#trust';
import { Pattern } from '#watch';
import { expectGolden, leaveScreen } from '../golden/expect-golden.ts';
import { GoldenFiles, goldenText } from '../golden/golden-file.ts';
import { makeSurroundings, shellStart } from '../terminal/surroundings.ts';
import { shownRows, TestTerminal } from '../terminal/test-terminal.ts';
import { TestFailure } from '../test-failure.ts';
import type { Scope, TapeAction, TapeCommand } from './commands.ts';
import { defaultSettings, lateSettings, type Settings, sizeOf } from './settings.ts';
import { ignoredOf, isMoving, lookOf, TapeOutputs } from './tape-outputs.ts';

/** How long the first prompt may take, in ms. */
const startMs = 20_000;

export interface TapeOptions {
  readonly coordinator: Coordinator;
  /** The tape, beside which its goldens are. */
  readonly file: string;
  /** The directory in which the shell starts, and to which paths of outputs are relative. */
  readonly cwd: string;
  /** Variables of the caller; PATH decides which programs are found. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether goldens are written instead of compared. */
  readonly update: boolean;
  /** Reports what has no effect. */
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Runs a tape in a new session. @throws TestFailure */
export async function runTape(
  commands: readonly TapeCommand[],
  options: TapeOptions,
): Promise<void> {
  const setUp = new TapeSetUp(commands, options);
  const surroundings = await makeSurroundings();
  let id: string | null = null;
  try {
    const { program, args, env } = shellStart(setUp.settings.Shell);
    const terminal = await TestTerminal.start(options.coordinator, {
      program,
      args,
      cwd: options.cwd,
      size: setUp.size,
      env: { ...surroundings.env, ...env, ...setUp.env },
    });
    id = terminal.id;
    try {
      await new TapeRun(setUp, terminal, options).run();
    } finally {
      await terminal.close();
    }
  } finally {
    await surroundings.remove(id);
  }
}

/** What a tape decides before its shell starts. */
class TapeSetUp {
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string>>;
  readonly size: { readonly cols: number; readonly rows: number };
  readonly outputs: TapeOutputs;
  /** The commands after the first settings. */
  readonly rest: readonly TapeCommand[];

  /** @throws TestFailure if a program is missing, or nothing is left of the screen */
  constructor(commands: readonly TapeCommand[], options: TapeOptions) {
    const isFirst = ({ action: { type } }: TapeCommand) =>
      type === 'set' || type === 'output' || type === 'require' || type === 'env';
    const begin = commands.findIndex((command) => !isFirst(command));
    const first = begin < 0 ? commands : commands.slice(0, begin);
    this.rest = begin < 0 ? [] : commands.slice(begin);
    const actions = first.map(({ action }) => action);
    const shells = commands.flatMap(({ action }) =>
      action.type === 'set' && action.setting.name === 'Shell' ? [action] : [],
    );
    const settings = [...actions, ...shells].flatMap((each) =>
      each.type === 'set' ? [each.setting] : [],
    );
    const values = Object.fromEntries(settings.map(({ name, value }) => [name, value]));
    this.settings = { ...defaultSettings, ...values };
    this.env = Object.fromEntries(
      commands.flatMap(({ action }) =>
        action.type === 'env' ? [[action.name, action.value]] : [],
      ),
    );
    for (const command of commands) {
      checkProgram(command, this.env['PATH'] ?? options.env['PATH']);
      checkFilm(command, options.env['PATH']);
    }
    const names = new Set(settings.map(({ name }) => name));
    const size = sizeOf(this.settings, names);
    if (size === null) {
      throw new TestFailure(
        'Padding and Margin leave nothing of Width or Height for the screen; raise these',
        { place: { file: options.file, line: first.at(-1)?.line ?? 1 } },
      );
    }
    this.size = size;
    const outputs = commands.flatMap(({ action }) => (action.type === 'output' ? [action] : []));
    this.outputs = new TapeOutputs(outputs, options.cwd, lookOf(this.settings, names));
    if (commands.some(makesPicture)) {
      for (const ignored of ignoredOf(this.settings, names)) {
        options.warn(`${options.file}: ${ignored}`);
      }
    }
    if (!settings.some(({ name }) => name === 'TypingSpeed') && !outputs.some(isMoving)) {
      // Nobody sees the typing.
      this.settings = { ...this.settings, TypingSpeed: 0 };
    }
  }
}

const makesPicture = ({ action }: TapeCommand): boolean =>
  (action.type === 'output' || action.type === 'screenshot') &&
  !['text', 'cast'].includes(action.format);

/** Films, which ffmpeg makes. */
const isFilm = (format: string): boolean => format === 'mp4' || format === 'webm';

function checkProgram({ action, ...place }: TapeCommand, path: string | undefined): void {
  if (action.type !== 'require' || isInstalled(action.program, path)) return;
  const message = `the tape requires ${action.program}, which is not installed`;
  throw new TestFailure(message, { place });
}

/** Before the tape runs, because it is written afterwards. */
function checkFilm({ action, ...place }: TapeCommand, path: string | undefined): void {
  if (action.type !== 'output' || !isFilm(action.format) || isInstalled('ffmpeg', path)) return;
  const message = `${action.path} is made by ffmpeg, which is not in PATH; install it, or choose .gif or .apng`;
  throw new TestFailure(message, { place });
}

function isInstalled(program: string, path = ''): boolean {
  if (program.includes('/')) return isExecutable(program);
  return path.split(delimiter).some((directory) => isExecutable(join(directory, program)));
}

/** The actions that are left after the set-up. */
type Handlers = {
  readonly [Type in TapeAction['type']]: (
    action: Extract<TapeAction, { readonly type: Type }>,
    command: TapeCommand,
  ) => Promise<void> | void;
};

/** A tape in its session. */
class TapeRun {
  readonly #terminal: TestTerminal;
  readonly #options: TapeOptions;
  readonly #outputs: TapeOutputs;
  readonly #rest: readonly TapeCommand[];
  #settings: Settings;
  #clipboard: string | null = null;
  #isHidden = false;

  constructor(setUp: TapeSetUp, terminal: TestTerminal, options: TapeOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.#outputs = setUp.outputs;
    this.#rest = setUp.rest;
    this.#settings = setUp.settings;
  }

  async run(): Promise<void> {
    await this.#begin();
    for (const command of this.#rest) {
      this.#options.signal.throwIfAborted();
      await this.#play(command);
      if (!this.#isHidden) await this.#outputs.frame(this.#terminal);
    }
    await this.#outputs.write(this.#terminal);
  }

  async #begin(): Promise<void> {
    // Every shell has this prompt, also one that marks none.
    const { match, screen } = await this.#terminal.until(
      ({ text, cursor }) => (text[cursor.row] === '>' && cursor.col === 2 ? true : null),
      startMs,
    );
    if (match !== null) return;
    const { text } = screen;
    throw new TestFailure(`the shell ${this.#settings.Shell} shows no prompt`, {
      place: { file: this.#options.file, line: 1 },
      details: text.join('\n').trimEnd(),
    });
  }

  async #play(command: TapeCommand): Promise<void> {
    const { action } = command;
    const handle = this.#handlers[action.type] as (
      action: TapeAction,
      command: TapeCommand,
    ) => Promise<void> | void;
    try {
      await handle(action, command);
    } catch (error) {
      if (this.#options.signal.aborted || !(error instanceof Error)) throw error;
      const { details = '', left = [] } = error instanceof TestFailure ? error : {};
      const { file, line } = command;
      const message =
        error instanceof TestFailure ? error.message : `${command.text}: ${error.message}`;
      throw new TestFailure(message, { place: { file, line }, details, left });
    }
  }

  readonly #handlers: Handlers = {
    output: () => {},
    require: () => {},
    env: () => {},
    set: ({ setting: { name, value } }, { text }) => {
      if (name === 'Shell') return;
      if (lateSettings.includes(name)) this.#settings = { ...this.#settings, [name]: value };
      else this.#ignored(text);
    },
    type: async ({ text, delayMs }) => {
      const eachMs = delayMs ?? this.#settings.TypingSpeed;
      if (eachMs === 0) return this.#terminal.type(text);
      for (const character of text) {
        await this.#terminal.type(character);
        await this.#sleep(eachMs);
      }
    },
    keys: async ({ keys, count, delayMs }) => {
      const eachMs = delayMs ?? this.#settings.TypingSpeed;
      for (let at = 0; at < count; at++) {
        await this.#terminal.press(keys);
        await this.#sleep(eachMs);
      }
    },
    scroll: (_, { text }) =>
      this.#options.warn(`${text} has no effect: pictures show the screen, not the scrollback`),
    sleep: ({ ms }) => this.#sleep(ms),
    expect: (action, command) => this.#expect(action, command),
    settle: async ({ quietMs }) => {
      const timeoutMs = this.#settings.WaitTimeout + quietMs;
      const { outcome } = await this.#terminal.wait({ quietMs, timeoutMs });
      if (outcome !== 'timed_out') return;
      throw new TestFailure(`the screen does not stop changing for ${quietMs} ms`);
    },
    waitCommand: (action) => this.#waitCommand(action),
    match: async ({ name, masks, region, styles }) => {
      await expectGolden(this.#terminal, this.#options.file, name, {
        region,
        styles,
        update: this.#options.update,
        masks: masks.map((source) => new Pattern(source)),
        timeoutMs: this.#settings.WaitTimeout,
        updateHint: 'to write it, use vtr test --update',
      });
    },
    click: ({ on }) => this.#terminal.click(on, this.#settings.WaitTimeout),
    exit: (action) => this.#exit(action),
    resize: ({ size }) => this.#terminal.resize(size),
    hide: () => {
      this.#isHidden = true;
      this.#terminal.recording.pause();
    },
    show: () => {
      this.#isHidden = false;
      this.#terminal.recording.resume();
    },
    screenshot: ({ path, format }) => this.#outputs.screenshot(this.#terminal, path, format),
    copy: ({ text }) => {
      this.#clipboard = text;
    },
    paste: async () => {
      if (this.#clipboard === null) throw new Error('nothing was copied; use Copy "text" before');
      await this.#terminal.type(this.#clipboard, { paste: 'supported' });
    },
  };

  #ignored(text: string): void {
    this.#options.warn(`${text} has no effect here; move it to the beginning of the tape`);
  }

  async #sleep(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#options.signal });
  }

  async #expect(
    { scope, not, pattern, timeoutMs }: Extract<TapeAction, { readonly type: 'expect' }>,
    { text: command }: TapeCommand,
  ): Promise<void> {
    const source = pattern ?? this.#settings.WaitPattern;
    const compiled = new Pattern(source);
    const limitMs = timeoutMs ?? this.#settings.WaitTimeout;
    const { match, screen } = await this.#terminal.until(async (each) => {
      const text = await this.#textOf(scope, each);
      return compiled.findAll(text).length > 0 === !not ? true : null;
    }, limitMs);
    if (match !== null) return;
    const end = this.#terminal.exitStatus === null ? `for ${limitMs} ms` : 'and the program ended';
    const reason = not ? `/${source}/ is still shown` : `/${source}/ was not shown`;
    throw await this.#failure(`${command}: ${reason} ${end}`, screen);
  }

  async #textOf(scope: Scope, { text, cursor }: ScreenSnapshot): Promise<string> {
    if (scope === 'Line') return text[cursor.row] ?? '';
    return (scope === 'Screen' ? text : await this.#terminal.lines()).join('\n');
  }

  async #waitCommand({
    status,
    timeoutMs,
  }: Extract<TapeAction, { readonly type: 'waitCommand' }>): Promise<void> {
    if (!(await this.#terminal.marksCommands())) {
      throw new Error(
        'this shell does not tell when a command ends; use bash, or wait for a prompt',
      );
    }
    const limitMs = timeoutMs ?? this.#settings.WaitTimeout;
    const { outcome, command } = await this.#terminal.wait({ finished: true, timeoutMs: limitMs });
    if (outcome === 'timed_out' || outcome === 'exited') {
      const reason = outcome === 'exited' ? 'the shell ended' : `it did not end for ${limitMs} ms`;
      throw await this.#failure(`WaitCommand: ${reason}`, await this.#terminal.screen());
    }
    const ended = command ?? (await this.#terminal.lastCommand());
    if (status === null) return;
    if (ended === null) throw new Error('no command was typed');
    if (ended.exitCode === status) return;
    const line = ended.line === null ? 'the command' : `\`${ended.line}\``;
    const how = exitClause({ code: ended.exitCode ?? 'unknown', signal: null });
    const message = `${line} ${how} instead of ${status}`;
    throw await this.#failure(message, await this.#terminal.screen());
  }

  async #exit({
    status,
    timeoutMs,
  }: Extract<TapeAction, { readonly type: 'exit' }>): Promise<void> {
    const limitMs = timeoutMs ?? this.#settings.WaitTimeout;
    const { exitStatus } = await this.#terminal.wait({ timeoutMs: limitMs });
    if (exitStatus?.code === status) return;
    const reason = exitStatus === null ? `did not exit for ${limitMs} ms` : exitClause(exitStatus);
    const message = `the shell ${reason} instead of ${status}`;
    throw await this.#failure(message, await this.#terminal.screen());
  }

  /** A failure with the screen, which is also left beside the goldens with the recording. */
  async #failure(message: string, screen: ScreenSnapshot): Promise<TestFailure> {
    const text = goldenText(screen, { masks: [], region: null, styles: true });
    const files = new GoldenFiles(this.#options.file);
    const details = shownRows(screen);
    return new TestFailure(
      message,
      await leaveScreen(this.#terminal, files, 'screen', { text, details }),
    );
  }
}
