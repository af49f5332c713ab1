import { reach, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { checkSendFlags, sendAndPrint, sendDetails, sendFlags } from '../input/send-and-print.ts';
import { defineVerb } from '../verb.ts';

const names = ['enter', 'tab', 'escape', 'backspace', 'delete', 'insert', 'space'];
const moves = ['up', 'down', 'left', 'right', 'home', 'end', 'pageup', 'pagedown'];

export const key = defineVerb({
  name: 'key',
  summary: 'press keys in a session',
  args: {
    session: sessionArgument,
    key: {
      about: 'a name or a character, with ctrl+, alt+, shift+ before it',
      many: true,
      completes: [...names, ...moves, 'ctrl+c', 'ctrl+d', 'ctrl+z', 'ctrl+l'],
    },
  },
  flags: { ...reach, ...sendFlags },
  details: [
    `Names: ${[...names, ...moves].join(', ')}, f1 to f24 and the keypad's. What they send depends on the modes that the program has set, as in xterm.`,
    ...sendDetails,
  ],
  examples: [
    { line: 'vtr key codex ctrl+c', about: 'interrupt' },
    { line: 'vtr key codex ctrl+c --wait --prompt', about: 'until the shell asks again' },
    { line: 'vtr key edit escape : w q enter', about: 'several, in this order' },
  ],
  async run(context, { args, flags }) {
    checkSendFlags(flags);
    const target = await findSession(context, args.session, flags);
    return sendAndPrint(context, target, flags, (options) =>
      target.coordinator.sendKeys(target.session, args.key, options),
    );
  },
});
