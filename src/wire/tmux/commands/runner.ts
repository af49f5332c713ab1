import { asVtrError } from '#model';
import { isHook } from '../state/hook-names.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { TmuxSession } from '../state/tmux-session.ts';
import type { Target } from '../target/target.ts';
import { TmuxError } from '../tmux-error.ts';
import { type Arguments, parseArguments } from '../words/arguments.ts';
import { type CommandWords, commandsInText, commandsInWords } from '../words/command-line.ts';
import { Call, type Caller, type CommandRunner, Output } from './call.ts';
import { findCommand, type NamedCommand } from './registry.ts';

interface Ready extends NamedCommand {
  readonly args: Arguments;
}

/** Runs commands in a server, with the hooks that follow them. */
export class Runner implements CommandRunner {
  readonly #server: TmuxServer;
  #isInHook = false;

  constructor(server: TmuxServer) {
    this.#server = server;
  }

  /** Runs commands for a caller. Failures are in the output. */
  async run(commands: readonly CommandWords[], caller: Caller): Promise<Output> {
    const output = new Output();
    await this.#reported(output, () =>
      this.#runAll(commands, new Call(this.#server, caller, output, this)),
    );
    return output;
  }

  /** As {@link run}, for the text of a file or of a control client. */
  async runLines(text: string, caller: Caller): Promise<Output> {
    const output = new Output();
    const call = new Call(this.#server, caller, output, this);
    await this.#reported(output, () => this.runText(text, call));
    return output;
  }

  async parsed(text: string, call: Call): Promise<readonly CommandWords[]> {
    const { environment } = this.#server;
    const commands = await commandsInText(text, {
      check: (words) => void this.#ready(words),
      variable: (name) => environment.get(name)?.value ?? call.caller.env[name],
      assign: (name, value) => void environment.set(name, { value, hidden: false }),
      expand: (format) => call.expand(format, call.targets.current()),
    });
    return commands.map((words) => {
      const [, ...rest] = this.#withoutAlias(words);
      return [this.#ready(words).name, ...rest];
    });
  }

  async runText(text: string, call: Call): Promise<void> {
    await this.#runAll(await this.parsed(text, call), call);
  }

  /** Runs the commands of a hook. Failures are kept as messages. */
  async runHook(name: string, target: Target | null, caller: Caller): Promise<void> {
    const commands = hookCommands(this.#server, target?.session ?? null, name);
    if (commands.length === 0 || this.#isInHook) return;
    const output = new Output();
    const call = new Call(this.#server, caller, output, this, target);
    this.#isInHook = true;
    try {
      for (const text of commands) await this.#reported(output, () => this.runText(text, call));
    } finally {
      this.#isInHook = false;
    }
    if (output.stderr !== '') this.#server.messages.push(output.stderr.trimEnd());
  }

  /** All commands are checked before the first one runs. */
  async #runAll(commands: readonly CommandWords[], call: Call): Promise<void> {
    const ready = commands.map((words) => this.#ready(words));
    for (const { name, command, args } of ready) {
      const run = () => command.run(call, args);
      await (command.waits ? run() : this.#server.inTurn(run));
      const hook = `after-${name}`;
      if (isHook(hook)) await this.runHook(hook, call.targets.current(), call.caller);
    }
  }

  #ready(given: CommandWords): Ready {
    const [name = '', ...words] = this.#withoutAlias(given);
    const found = findCommand(name);
    const { flags, words: count = [0, 0] as const } = found.command;
    return { ...found, args: parseArguments(found.name, { flags, words: count }, words) };
  }

  /** Replaces a name that the option `command-alias` defines. */
  #withoutAlias(words: CommandWords): CommandWords {
    const aliases = this.#server.options.get('command-alias');
    if (aliases === undefined || typeof aliases === 'string') return words;
    const [name, ...rest] = words;
    const found = [...aliases.values()].findLast((each) => each.startsWith(`${name}=`));
    if (found === undefined) return words;
    const [meant = []] = commandsInWords(found.slice(found.indexOf('=') + 1).split(' '));
    return [...meant, ...rest];
  }

  async #reported(output: Output, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      const isExpected = error instanceof TmuxError || isAbort(error);
      if (!isExpected && asVtrError(error).code === 'INTERNAL_ERROR') throw error;
      output.status = 1;
      output.stderr += `${(error as Error).message}\n`;
    }
  }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

function hookCommands(
  server: TmuxServer,
  session: TmuxSession | null,
  name: string,
): readonly string[] {
  const value = (session?.options ?? server.sessionOptions).get(name);
  return value === undefined || typeof value === 'string' ? [] : [...value.values()];
}
