import { asVtrError } from '#model';
import {
  Call,
  type Caller,
  type Command,
  type CommandRunner,
  type OfHook,
  Output,
} from './commands/call.ts';
import { commandFormats, type HookFormats } from './format/hook-formats.ts';
import { findCommand, type NamedCommand } from './registry.ts';
import { isHook } from './state/option-table.ts';
import type { SocketFile } from './state/socket-file.ts';
import type { TmuxServer } from './state/tmux-server.ts';
import type { Target } from './target/target.ts';
import { TextError, TmuxError } from './tmux-error.ts';
import { type Arguments, parseArguments } from './words/arguments.ts';
import {
  type CommandLine,
  type CommandWords,
  firstWords,
  linesInText,
} from './words/command-line.ts';

interface Ready extends NamedCommand {
  readonly args: Arguments;
}

/** A server that runs. */
export interface Running {
  readonly server: TmuxServer;
  readonly runner: Runner;
  readonly file: SocketFile;
  /** Calls that use it now: it ends after the last one. */
  calls: number;
  /** Whether it has read its configuration. One that was restored has not. */
  isConfigured: boolean;
}

/** Runs commands in a server, with the hooks that follow them. */
export class Runner implements CommandRunner {
  readonly #server: TmuxServer;

  constructor(server: TmuxServer) {
    this.#server = server;
  }

  /** Runs commands for a caller. Failures are in the output. */
  async run(commands: CommandLine, caller: Caller): Promise<Output> {
    const output = new Output(caller.answered);
    const call = new Call(this.#server, caller, output, this);
    await reported(call, () => this.#runLine(this.#checked(commands), call));
    return output;
  }

  /**
   * As {@link run}, for the text of a file or of a control client.
   *
   * @param unread the message for a text that cannot be read
   * @param path of the file that the text is from; null if it is from none
   */
  async runLines(
    text: string,
    caller: Caller,
    unread: (error: TextError) => string,
    path: string | null = null,
  ): Promise<Output> {
    const output = new Output(caller.answered);
    const call = new Call(this.#server, caller, output, this);
    await call.inFile(path, () => reported(call, () => this.runText(text, call), unread));
    return output;
  }

  /** Runs what a key is bound to. @param target what its commands are about; null: what the caller shows */
  async runBound(text: string, caller: Caller, target: Target | null): Promise<Output> {
    const output = new Output(caller.answered);
    const call = new Call(this.#server, caller, output, this);
    if (target !== null) call.makeCurrent(target);
    await reported(call, () => this.runText(text, call));
    return output;
  }

  async parsed(text: string, call: Call): Promise<readonly CommandLine[]> {
    const { environment } = this.#server;
    const lines = await linesInText(text, {
      check: (words) => void this.#ready(words),
      variable: (name) => environment.get(name)?.value ?? call.caller.env[name],
      assign: (name, variable) => void environment.set(name, variable),
      expand: (format) => call.expand(format, call.targets.current()),
    });
    return lines.map((line) =>
      line.map((words) => {
        const [, ...rest] = this.#withoutAlias(words);
        return [this.#ready(words).name, ...rest];
      }),
    );
  }

  async runText(text: string, call: Call): Promise<void> {
    const lines = (await this.parsed(text, call)).map((line) => this.#checked(line));
    for (const line of lines) await this.#runLine(line, call);
  }

  /** Runs the commands of a hook for something that happened. Failures are kept as messages. */
  async runHook(target: Target | null, formats: HookFormats, caller: Caller): Promise<void> {
    const output = new Output();
    await this.#runHook({ hook: 'notice', target, formats }, caller, output);
    if (output.stderr !== '') this.#server.messages.push(output.stderr.trimEnd());
  }

  runHookOf(of: OfHook, { caller, output }: Call): Promise<void> {
    return this.#runHook(of, caller, output);
  }

  async #runHook(of: OfHook, caller: Caller, output: Output): Promise<void> {
    const { target, formats } = of;
    const call = new Call(this.#server, caller, output, this, of);
    // What it is about may have gone.
    const about = target ?? call.targets.current();
    const commands = hookCommands(this.#server, formats.hook, about);
    for (const text of commands) await reported(call, () => this.runText(text, call));
  }

  /** Runs commands until one fails. */
  async #runLine(line: readonly Ready[], call: Call): Promise<void> {
    const { output, caller } = call;
    for (const { name, command, args } of line) {
      call.begin();
      output.begin();
      const hasRun = await reported(call, () => this.#runCommand(command, args, call));
      if (!hasRun) return;
      output.end({ hasFailed: false, isOfHook: call.hook !== null });
      const hook = `after-${name}`;
      if (call.hook !== null || !isHook(hook)) continue;
      const formats = commandFormats(hook, args);
      await this.#runHook({ hook: 'command', target: call.hookTarget, formats }, caller, output);
    }
  }

  async #runCommand(command: Command, args: Arguments, call: Call): Promise<void> {
    const server = this.#server;
    if (command.waits) {
      call.caller.mayWait?.();
      await command.run(call, args);
      server.ran.emit(null);
      return;
    }
    return server.inTurn(async () => {
      server.isQuiet = call.hook === 'notice';
      try {
        await command.run(call, args);
        for (const group of server.groups.values()) group.synchronize();
      } finally {
        server.isQuiet = false;
        server.ran.emit(null);
      }
    });
  }

  /** All commands of a line are checked before the first one runs. */
  #checked(line: CommandLine): readonly Ready[] {
    return line.map((words) => this.#ready(words));
  }

  #ready(line: CommandWords): Ready {
    const [name = '', ...words] = this.#withoutAlias(line);
    const command = findCommand(name);
    const { words: count = [0, 0] as const } = command.command;
    const { flags } = command.row;
    return { ...command, args: parseArguments(command.name, { flags, words: count }, words) };
  }

  /** Replaces a name that the option `command-alias` defines. */
  #withoutAlias(words: CommandWords): CommandWords {
    const aliases = this.#server.options.get('command-alias');
    if (aliases === undefined || typeof aliases === 'string') return words;
    const [name, ...rest] = words;
    const alias = [...aliases.values()].findLast((each) => each.startsWith(`${name}=`));
    if (alias === undefined) return words;
    const meant = firstWords(
      alias.slice(alias.indexOf('=') + 1),
      (variable) => this.#server.environment.get(variable)?.value ?? undefined,
    );
    return [...meant, ...rest];
  }
}

/** Runs commands, and prints what has failed. @returns whether nothing has */
async function reported(
  { output, hook }: Call,
  act: () => Promise<void>,
  unread: (error: TextError) => string = ({ message }) => message,
): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    const isExpected = error instanceof TmuxError || isAbort(error);
    if (!isExpected && asVtrError(error).code === 'INTERNAL_ERROR') throw error;
    output.status = 1;
    const message = error instanceof TextError ? unread(error) : (error as Error).message;
    output.stderr += `${message}\n`;
    output.end({ hasFailed: true, isOfHook: hook !== null });
    return false;
  }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** The commands of a hook: those of the session, else of the pane or its window. A user option has one text. */
function hookCommands(server: TmuxServer, name: string, target: Target | null): readonly string[] {
  const ofSession = (target?.session.options ?? server.sessionOptions).get(name);
  const value = ofSession ?? target?.pane.options.get(name) ?? [];
  return typeof value === 'string' ? [value] : [...value.values()];
}
