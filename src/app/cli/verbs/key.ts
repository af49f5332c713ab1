import type { SendOptions } from '#model';
import { reach, sessionArgument } from '../arguments/shared-flags.ts';
import { checkWaitFlags } from '../arguments/wait-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { sendAndPrint, sendDetails, sendFlags } from '../input/send-and-print.ts';
import { defineVerb } from '../verb.ts';

const names = ['enter', 'tab', 'escape', 'backspace', 'delete', 'insert', 'space'];
const moves = ['up', 'down', 'left', 'right', 'home', 'end', 'pageup', 'pagedown'];

export const key = defineVerb({
  name: 'key',
  summary: 'press keys in a session',
  args: {
    session: sessionArgument,
    key: {
      about: 'key name or character, with optional modifiers, as in ctrl+alt+c',
      many: true,
      completes: [...names, ...moves, 'ctrl+c', 'ctrl+d', 'ctrl+z', 'ctrl+l'],
    },
  },
  flags: { ...reach, ...sendFlags },
  details: [
    `Names: ${[...names, ...moves].join(', ')}, f1 to f35, and the keys of the keypad. Modifiers: ctrl, alt, shift, super, hyper, meta. C-c, M-x, S-tab, ctrl-c and ^C are accepted too. The bytes sent depend on the modes that the program has set, as in xterm. A program that has not requested keys such as shift+enter receives plain enter; stderr and sent_as in --json report it.`,
    'After escape, the next key of the same call follows 120 ms later, so that programs do not read both as one key with alt. Use alt+q for that.',
    ...sendDetails,
  ],
  examples: [
    { line: 'vtr key codex ctrl+c', about: 'interrupt' },
    { line: 'vtr key codex ctrl+c --wait --prompt', about: 'and wait for the prompt' },
    { line: 'vtr key edit escape : w q enter', about: 'press several keys in order' },
  ],
  async run(context, { args, flags }) {
    checkWaitFlags(flags);
    const target = await findSession(context, args.session, flags);
    const send = (options: SendOptions) =>
      target.coordinator.sendKeys(target.session, args.key, options);
    return sendAndPrint(context, target, flags, send, 'vtr key', textOf(args.key));
  },
});

/** Returns the text that keys type, up to the first that types none. */
function textOf(keys: readonly string[]): string {
  const typed = keys.map((key) => (key === 'space' ? ' ' : key));
  const end = typed.findIndex((key) => [...key].length > 1);
  return typed.slice(0, end < 0 ? undefined : end).join('');
}
