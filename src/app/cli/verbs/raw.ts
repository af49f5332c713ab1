import { type SendOptions, VtrError } from '#model';
import { toggle } from '../arguments/flags.ts';
import { reach, sessionArgument } from '../arguments/shared-flags.ts';
import { checkWaitFlags } from '../arguments/wait-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { readStdinText } from '../input/read-stdin.ts';
import { sendAndPrint, sendDetails, sendFlags } from '../input/send-and-print.ts';
import { defineVerb } from '../verb.ts';

export const raw = defineVerb({
  name: 'raw',
  summary: 'send bytes, written in hexadecimal',
  args: {
    session: sessionArgument,
    hex: {
      about: 'two digits per byte; blanks are ignored',
      many: true,
      optional: true,
    },
  },
  flags: { ...reach, stdin: toggle('read the digits from stdin'), ...sendFlags },
  details: ['Sends at most 1 MiB per call.', ...sendDetails],
  examples: [
    { line: 'vtr raw codex 1b5b41', about: 'send ESC [ A' },
    { line: 'vtr raw codex 68 69 0d', about: 'send "hi" and a carriage return' },
    { line: 'xxd -p photo.raw | vtr raw codex --stdin', about: 'send a file' },
  ],
  async run(context, { args, flags }) {
    checkWaitFlags(flags);
    if (args.hex.length > 0 === flags.stdin) {
      throw new VtrError('INVALID_ARGUMENT', 'give the bytes either as arguments or with --stdin');
    }
    const hex = flags.stdin ? await readStdinText(context) : args.hex.join('');
    const bytes = bytesOf(hex);
    const target = await findSession(context, args.session, flags);
    const send = (options: SendOptions) =>
      target.coordinator.sendBytes(target.session, bytes, options);
    return sendAndPrint(context, target, flags, send, 'vtr raw');
  },
});

/** @throws VtrError INVALID_ARGUMENT */
export function bytesOf(hex: string): Uint8Array {
  const digits = hex.replaceAll(/\s/g, '');
  const wrong = /[^0-9a-fA-F]/.exec(digits);
  if (wrong !== null) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `${JSON.stringify(wrong[0])} is not a hexadecimal digit; write bytes such as 1b5b41`,
    );
  }
  if (digits.length % 2 === 1) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `odd number of hexadecimal digits (${digits.length}); write two per byte`,
    );
  }
  return Buffer.from(digits, 'hex');
}
