import type { Call, Command } from './commands/call.ts';
import { captureCommands } from './commands/capture.ts';
import { environmentCommands } from './commands/environment.ts';
import { bufferCommands } from './commands/keys/buffers.ts';
import { inputCommands } from './commands/keys/input.ts';
import { keyCommands } from './commands/keys/keys.ts';
import { modeCommands } from './commands/keys/modes.ts';
import { optionCommands } from './commands/options.ts';
import { askingCommands } from './commands/people/asking.ts';
import { clientCommands } from './commands/people/clients.ts';
import { displayCommands, peopleCommands } from './commands/people/people.ts';
import { pipeCommands } from './commands/pipe.ts';
import { shellCommands } from './commands/shell.ts';
import { layoutCommands } from './commands/windows/layouts.ts';
import { paneCommands } from './commands/windows/panes.ts';
import { sessionCommands } from './commands/windows/sessions.ts';
import { windowCommands } from './commands/windows/windows.ts';
import {
  type CommandName,
  type CommandRow,
  commandNames,
  commandsMeant,
  commandTable,
} from './table/command-table.ts';
import { TmuxError } from './tmux-error.ts';

const listCommands: Command = {
  usage: '[-F format] [command]',
  words: [0, 1],
  run: async (call: Call, args) => {
    const [word] = args.words;
    const chosen = word === undefined ? commandNames : [findCommand(word).name];
    for (const name of chosen) {
      const { row, command } = findCommand(name);
      const { alias } = row;
      const { usage } = command;
      const format = args.value('F');
      if (format === undefined) {
        call.print(`${name}${alias === undefined ? '' : ` (${alias})`} ${usage}`);
        continue;
      }
      const extra = {
        command_list_name: name,
        command_list_alias: alias ?? '',
        command_list_usage: usage,
      };
      await call.printAll([call.about(null, extra)], format, undefined);
    }
  },
};

const commands: Readonly<Record<CommandName, Command>> = {
  ...askingCommands,
  ...bufferCommands,
  ...captureCommands,
  ...clientCommands,
  ...displayCommands,
  ...environmentCommands,
  ...inputCommands,
  ...keyCommands,
  ...layoutCommands,
  ...modeCommands,
  ...optionCommands,
  ...paneCommands,
  ...peopleCommands,
  ...pipeCommands,
  ...sessionCommands,
  ...shellCommands,
  ...windowCommands,
  'list-commands': listCommands,
};

export interface NamedCommand {
  readonly name: string;
  readonly row: CommandRow;
  readonly command: Command;
}

/** Finds a command by its name, its alias, or the beginning of its name. @throws TmuxError */
export function findCommand(text: string): NamedCommand {
  const [only, ...more] = commandsMeant(text);
  if (only === undefined) throw new TmuxError(`unknown command: ${text}`);
  if (more.length > 0) {
    const near = [only, ...more].join(', ');
    throw new TmuxError(`ambiguous command: ${text}, could be: ${near}`);
  }
  return { name: only, row: commandTable[only], command: commands[only] };
}
