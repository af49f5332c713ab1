import {
  type CommandName,
  type CommandRow,
  commandNames,
  commandsMeant,
  commandTable,
} from '../table/command-table.ts';
import { TmuxError } from '../tmux-error.ts';
import type { Call, Command } from './call.ts';
import { captureCommands } from './capture.ts';
import { environmentCommands } from './environment.ts';
import { bufferCommands } from './keys/buffers.ts';
import { inputCommands } from './keys/input.ts';
import { keyCommands } from './keys/keys.ts';
import { modeCommands } from './keys/modes.ts';
import { optionCommands } from './options.ts';
import { clientCommands } from './people/clients.ts';
import { displayCommands } from './people/display.ts';
import { peopleCommands } from './people/people.ts';
import { pipeCommands } from './pipe.ts';
import { sessionCommands } from './sessions.ts';
import { shellCommands } from './shell.ts';
import { layoutCommands } from './windows/layouts.ts';
import { paneCommands } from './windows/panes.ts';
import { windowCommands } from './windows/windows.ts';

const listCommands: Command = {
  usage: '[-F format] [command]',
  words: [0, 1],
  run: async (call: Call, args) => {
    const [wanted] = args.words;
    const chosen = wanted === undefined ? commandNames : [findCommand(wanted).name];
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
export function findCommand(given: string): NamedCommand {
  const [only, ...more] = commandsMeant(given);
  if (only === undefined) throw new TmuxError(`unknown command: ${given}`);
  if (more.length > 0) {
    const near = [only, ...more].join(', ');
    throw new TmuxError(`ambiguous command: ${given}, could be: ${near}`);
  }
  return { name: only, row: commandTable[only], command: commands[only] };
}
