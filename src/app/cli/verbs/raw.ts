import { VtrError } from '#model';
import { findSession } from '../addressing.ts';
import { reach } from '../common-flags.ts';
import { checkSendFlags, sendAndPrint, sendDetails, sendFlags } from '../send-and-print.ts';
import { sessionArgument } from '../session-argument.ts';
import { defineVerb } from '../verb.ts';

export const raw = defineVerb({
  name: 'raw',
  summary: 'send bytes, written in hexadecimal',
  args: {
    session: sessionArgument,
    hex: { about: 'two digits a byte; blanks between bytes are skipped', many: true },
  },
  flags: { ...reach, ...sendFlags },
  details: sendDetails,
  examples: [
    { line: 'vtr raw codex 1b5b41', about: 'ESC [ A' },
    { line: 'vtr raw codex 68 69 0d', about: 'hi and a carriage return' },
  ],
  async run(context, { args, flags }) {
    const bytes = bytesOf(args.hex.join(''));
    checkSendFlags(flags);
    const target = await findSession(context, args.session, flags);
    return sendAndPrint(context, target, flags, (options) =>
      target.coordinator.sendBytes(target.session, bytes, options),
    );
  },
});

/** @throws VtrError INVALID_ARGUMENT */
export function bytesOf(hex: string): Uint8Array {
  const digits = hex.replaceAll(/\s/g, '');
  const wrong = /[^0-9a-fA-F]/.exec(digits);
  if (wrong !== null) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `${JSON.stringify(wrong[0])} is no hexadecimal digit; write bytes as in 1b5b41`,
    );
  }
  if (digits.length % 2 === 1) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `${digits.length} hexadecimal digits are no whole number of bytes; a byte has two`,
    );
  }
  return Buffer.from(digits, 'hex');
}
