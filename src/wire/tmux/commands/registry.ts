import { TmuxError } from '../tmux-error.ts';
import type { Call, Command, Commands } from './call.ts';
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
  alias: 'lscm',
  usage: '[-F format] [command]',
  flags: 'F:',
  words: [0, 1],
  starts: true,
  run: async (call: Call, args) => {
    const [wanted] = args.words;
    const chosen = wanted === undefined ? sortedNames : [findCommand(wanted).name];
    for (const name of chosen) {
      const { alias, usage } = commands[name] ?? { usage: '' };
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

const commands: Commands = {
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

const sortedNames = Object.keys(commands).sort();

export interface NamedCommand {
  readonly name: string;
  readonly command: Command;
}

/** Finds a command by its name, its alias, or the beginning of its name. @throws TmuxError */
export function findCommand(given: string): NamedCommand {
  const name = sortedNames.find((each) => each === given || commands[each]?.alias === given);
  const near = name === undefined ? sortedNames.filter((each) => each.startsWith(given)) : [name];
  const [only, ...more] = given === '' ? [] : near;
  const command = only === undefined ? undefined : commands[only];
  if (only === undefined || command === undefined) {
    throw new TmuxError(`unknown command: ${given}`);
  }
  if (more.length > 0) {
    throw new TmuxError(`ambiguous command: ${given}, could be: ${near.join(', ')}`);
  }
  return { name: only, command };
}
