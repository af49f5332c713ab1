import { FormatContext } from '../../format/context.ts';
import { expandWithTime } from '../../format/expand.ts';
import { allVariables } from '../../format/variables.ts';
import { TmuxError } from '../../tmux-error.ts';
import type { Commands } from '../call.ts';

const messageFormat =
  '[#{session_name}] #{window_index}:#{window_name}, current pane #{pane_index} - (%H:%M %d-%b-%y)';

export const displayCommands = {
  'display-message': {
    usage: '[-aINpv] [-c target-client] [-d delay] [-F format] [-t target-pane] [message]',
    words: [0, 1],
    run: async (call, args) => {
      if (args.has('I')) throw new TmuxError('vtr does not support display-message -I');
      const given = args.value('t');
      const target =
        given === undefined
          ? call.targetOrNull(args, 'pane')
          : call.targets.findPartly(given, 'pane');
      if (args.has('a')) {
        for (const [name, text] of await allVariables(call.about(target))) {
          call.print(`${name}=${text}`);
        }
        return;
      }
      const [word] = args.words;
      if (args.has('F') && word !== undefined) {
        throw new TmuxError('only one of -F or argument must be given');
      }
      const format = word ?? args.value('F') ?? messageFormat;
      const about = call.about(target);
      const log = args.has('v') ? (step: string) => call.print(step) : null;
      const text = await expandWithTime(format, new FormatContext({ ...about, log }));
      if (args.has('p')) call.print(text);
    },
  },
  'show-messages': {
    usage: '[-JT] [-t target-client]',
    run: (call) => {
      for (const message of call.server.messages) call.print(message);
    },
  },
} satisfies Commands;
