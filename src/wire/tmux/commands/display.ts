import { expandWithTime } from '../format/expand.ts';
import { TmuxError } from '../tmux-error.ts';
import { type Command, type Commands, many } from './call.ts';

const messageFormat =
  '[#{session_name}] #{window_index}:#{window_name}, current pane #{pane_index} - (%H:%M %d-%b-%y)';

/** A command that has no effect here, because there is no screen of tmux: it is accepted. */
const accepted = (
  alias: string | undefined,
  usage: string,
  flags: string,
  words: readonly [number, number] = [0, 0],
) => ({ ...(alias === undefined ? {} : { alias }), usage, flags, words, run: () => {} });

export const displayCommands: Commands = {
  'display-message': {
    alias: 'display',
    usage: '[-aINpv] [-c target-client] [-d delay] [-F format] [-t target-pane] [message]',
    flags: 'ac:d:INpt:F:v',
    words: [0, 1],
    run: async (call, args) => {
      if (args.has('I')) throw new TmuxError('vtr does not support display-message -I');
      const given = args.value('t');
      const target =
        given === undefined
          ? call.targetOrNull(args, 'pane')
          : call.targets.findPartly(given, 'pane');
      const [word] = args.words;
      if (args.has('F') && word !== undefined) {
        throw new TmuxError('only one of -F or argument must be given');
      }
      const format = word ?? args.value('F') ?? messageFormat;
      const text = await expandWithTime(format, call.about(target));
      if (args.has('p')) call.print(text);
    },
  },
  'show-messages': {
    alias: 'showmsgs',
    usage: '[-JT] [-t target-client]',
    flags: 'JTt:',
    run: (call) => {
      for (const message of call.server.messages) call.print(message);
    },
  },
  'lock-server': accepted('lock', '', ''),
  'lock-session': accepted('locks', '[-t target-session]', 't:'),
};

/** Commands that need the screen of tmux, or what vtr does not have. They fail, and say so. */
const names: Readonly<Record<string, readonly [alias: string | undefined, instead: string]>> = {
  'clear-prompt-history': ['clearphist', 'it has no prompt'],
  'command-prompt': [undefined, 'it has no prompt'],
  'confirm-before': ['confirm', 'it has no prompt'],
  'display-menu': ['menu', 'it has no menus'],
  'display-panes': ['displayp', 'use list-panes'],
  'display-popup': ['popup', 'use new-window'],
  'lock-client': ['lockc', 'it locks no terminals'],
  'server-access': [undefined, 'the socket of vtr is private to its user'],
  'show-prompt-history': ['showphist', 'it has no prompt'],
  'suspend-client': ['suspendc', 'use Ctrl+b Ctrl+z in vtr attach'],
};

export const unsupportedCommands: Commands = Object.fromEntries(
  Object.entries(names).map(([name, [alias, instead]]): [string, Command] => [
    name,
    {
      ...(alias === undefined ? {} : { alias }),
      usage: '',
      // Any flags: the message is about the command.
      flags: 'aBbCcDdEeFfGHhIikLlMNnOoPpqRrSsTtUuVvwWXxYyZz1',
      words: [0, many],
      run: () => {
        throw new TmuxError(`vtr does not support ${name}: ${instead}`);
      },
    },
  ]),
);
