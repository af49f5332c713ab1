import { isTrue } from '#format';
import type { Size } from '#model';
import { FormatContext } from '../format/context.ts';
import { expand } from '../format/expand.ts';
import type { HookFormats } from '../format/hook-formats.ts';
import type { AttachedClient } from '../state/attached-client.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { CommandName } from '../table/command-table.ts';
import type { Target, TargetType } from '../target/target.ts';
import { Targets } from '../target/target.ts';
import { TmuxError } from '../tmux-error.ts';
import type { Arguments } from '../words/arguments.ts';
import type { CommandLine } from '../words/command-line.ts';

/** The caller of commands: a call of `tmux`, a control client, a hook, or a configuration file. */
export interface Caller {
  /** Set for a configuration file: it has no terminal, and its new sessions are detached. */
  readonly isConfiguration?: true;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The size of the caller's terminal; null without one. */
  readonly size: Size | null;
  readonly input: string | null;
  /** The caller has gone. */
  readonly signal: AbortSignal;
  /** The client of which it is a command; null for a command of a program that is none. */
  readonly client: AttachedClient | null;
  /** Shows a target to the caller, and returns the client that shows it; null if it can show none. */
  readonly attach: ((target: Target) => AttachedClient | null) | null;
  /** Set for control clients: takes the answer to each command. */
  readonly answered: ((answer: CommandAnswer) => void) | null;
  /** Called before a command that may wait. */
  readonly mayWait?: () => void;
}

/** What one command has printed. */
export interface CommandAnswer {
  readonly text: string;
  readonly hasFailed: boolean;
  /** The command is that of a hook. */
  readonly isOfHook: boolean;
}

/** What commands have printed, and what the caller is to do. */
export class Output {
  stdout = '';
  stderr = '';
  status = 0;
  readonly #answered: Caller['answered'];
  #isOpen = false;

  /** @param answered takes each answer; without it, what all commands print is kept */
  constructor(answered: Caller['answered'] = null) {
    this.#answered = answered;
  }

  /** Begins the answer to a command. That to a command which runs it ends before. */
  begin(): void {
    if (this.#isOpen) this.end({ hasFailed: false, isOfHook: false });
    this.#isOpen = true;
  }

  /** Ends the answer to a command. */
  end(how: Omit<CommandAnswer, 'text'>): void {
    if (this.#answered === null) return;
    const text = this.stdout + this.stderr;
    if (this.#isOpen || text !== '') this.#answered({ ...how, text });
    this.#isOpen = false;
    this.stdout = '';
    this.stderr = '';
  }
}

/** What a hook follows: a command, or something that happened. */
export type HookKind = 'command' | 'notice';

/** The hook whose commands run. */
export interface OfHook {
  readonly hook: HookKind;
  readonly target: Target | null;
  readonly formats: HookFormats;
}

/** Runs commands for the caller of a command. */
export interface CommandRunner {
  /** Parses the lines of a text; the names of commands are whole. @throws TextError */
  parsed(text: string, call: Call): Promise<readonly CommandLine[]>;
  /**
   * Runs the lines of a text. A command that fails ends its line; its message is in the output.
   *
   * @throws TextError
   */
  runText(text: string, call: Call): Promise<void>;
  /** Runs the commands of a hook. Their failures are in the output. */
  runHookOf(of: OfHook, call: Call): Promise<void>;
}

/** A command as it runs: its server, its caller, its targets and its output. */
export class Call {
  readonly server: TmuxServer;
  readonly caller: Caller;
  readonly output: Output;
  readonly runner: CommandRunner;
  /** The commands are those of a hook; null if not. Commands of a hook run no hooks. */
  readonly hook: HookKind | null;
  readonly #hookFormats: HookFormats | null;
  /** The file whose commands run; null if there is none. */
  #file: string | null = null;
  /** What a command has made current; at first the target of a hook. */
  #current: Target | null;
  /** What the latest command was about, for the hook after it. */
  #subject: Target | null = null;

  /** @param of of the commands of a hook: its kind, its target and its formats */
  constructor(
    server: TmuxServer,
    caller: Caller,
    output: Output,
    runner: CommandRunner,
    of: OfHook | null = null,
  ) {
    this.server = server;
    this.caller = caller;
    this.output = output;
    this.runner = runner;
    this.hook = of?.hook ?? null;
    this.#hookFormats = of?.formats ?? null;
    this.#current = of?.target ?? null;
  }

  /** The hook whose commands run, for commands about another target; null if there is none. */
  hookAbout(target: Target | null): OfHook | null {
    const formats = this.#hookFormats;
    return this.hook === null || formats === null ? null : { hook: this.hook, target, formats };
  }

  /** The same for commands that run on after the answer. Their failures are kept as messages. */
  async inBackground(act: (call: Call) => Promise<void>): Promise<void> {
    const { server, caller, runner } = this;
    const output = new Output();
    const call = new Call(
      server,
      { ...caller, signal: server.ended, answered: null },
      output,
      runner,
      this.hookAbout(null),
    );
    call.#current = this.#current;
    call.#file = this.#file;
    try {
      await act(call);
    } catch (error) {
      if (!server.ended.aborted) output.stderr += `${(error as Error).message}\n`;
    }
    if (output.stderr !== '') server.messages.push(output.stderr.trimEnd());
  }

  /** Runs commands of a file, whose path formats know as `current_file`. */
  async inFile<T>(path: string | null, act: () => Promise<T>): Promise<T> {
    const before = this.#file;
    this.#file = path;
    try {
      return await act();
    } finally {
      this.#file = before;
    }
  }

  /** Prints a line. */
  print(line: string): void {
    this.output.stdout += `${line}\n`;
  }

  get targets(): Targets {
    const { server, caller } = this;
    const own = server.panes.find(({ id }) => `%${id}` === caller.env['TMUX_PANE']) ?? null;
    return new Targets(server, own, caller.client, this.#current);
  }

  /** Makes a target that of the commands that follow. */
  makeCurrent(target: Target): void {
    this.#current = target;
    this.#subject = target;
  }

  /** Notes what the command has made, for the hook after it. */
  onCreate(target: Target): void {
    this.#subject = target;
  }

  /** Begins the next command. */
  begin(): void {
    this.#subject = null;
  }

  /** The target of the hook after a command: what it was about, else the current one. */
  get hookTarget(): Target | null {
    const { targets } = this;
    const subject = this.#subject;
    return subject !== null && targets.exists(subject) ? subject : targets.current();
  }

  /** The target of a flag, by default `-t`. @throws TmuxError */
  target(args: Arguments, type: TargetType, flag = 't'): Target {
    const target = this.targets.find(args.value(flag), type);
    if (flag === 't') this.#subject = target;
    return target;
  }

  /** As {@link target}; null if there is nothing, or not what `-t` names: commands that need none go on, as in tmux. */
  targetOrNull(args: Arguments, type: TargetType): Target | null {
    if (!args.has('t')) return this.targets.current();
    try {
      return this.target(args, type);
    } catch (error) {
      if (error instanceof TmuxError) return null;
      throw error;
    }
  }

  /** What a format is about. */
  about(
    target: Target | null,
    extra: Readonly<Record<string, string>> = {},
    client = this.caller.client,
  ): FormatContext {
    const { session = null, link = null, pane = null } = target ?? {};
    const { server } = this;
    const file = this.#file === null ? {} : { current_file: this.#file };
    const all = { ...file, ...this.#hookFormats, ...extra };
    return new FormatContext({ server, session, link, pane, client, extra: all });
  }

  expand(format: string, target: Target | null): Promise<string> {
    return expand(format, this.about(target));
  }

  /** Prints a line for each subject that a filter accepts. */
  async printAll(
    subjects: readonly FormatContext[],
    format: string,
    filter: string | undefined,
  ): Promise<void> {
    for (const [line, about] of subjects.entries()) {
      const numbered = about.of({ extra: { ...about.extra, line: String(line) } });
      if (filter !== undefined && !isTrue(await expand(filter, numbered))) continue;
      this.print(await expand(format, numbered));
    }
  }
}

/** What a command of tmux does; its row of `commandTable` has its flags. */
export interface Command {
  /** Flags and words, as `list-commands` prints them. */
  readonly usage: string;
  /** How many words may follow the flags; default none. */
  readonly words?: readonly [least: number, most: number];
  /** Whether it may wait, so that commands of other callers run meanwhile. */
  readonly waits?: true;
  readonly run: (call: Call, args: Arguments) => Promise<void> | void;
}

export type Commands = Readonly<Partial<Record<CommandName, Command>>>;

/** Any number of words. */
export const many = Number.POSITIVE_INFINITY;
