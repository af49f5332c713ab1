import { findSession } from '../addressing.ts';
import { reach } from '../common-flags.ts';
import { sessionArgument } from '../session-argument.ts';
import { tellCut } from '../tell-cut.ts';
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
  flags: reach,
  details: [
    `Names: ${[...names, ...moves].join(', ')}, f1 to f24 and the keypad's. What they send depends on the modes that the program has set, as in xterm.`,
  ],
  examples: [
    { line: 'vtr key codex ctrl+c', about: 'interrupt' },
    { line: 'vtr key edit escape : w q enter', about: 'several, in this order' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    tellCut(context, session, await coordinator.sendKeys(session, args.key));
    return undefined;
  },
});
