import { VtrError } from '#model';
import { findSession } from '../addressing.ts';
import { reach } from '../common-flags.ts';
import { sessionArgument } from '../session-argument.ts';
import { tellCut } from '../tell-cut.ts';
import { defineVerb } from '../verb.ts';

export const raw = defineVerb({
  name: 'raw',
  summary: 'send bytes, written in hexadecimal',
  args: {
    session: sessionArgument,
    hex: { about: 'two digits a byte; blanks between bytes are skipped', many: true },
  },
  flags: reach,
  examples: [
    { line: 'vtr raw codex 1b5b41', about: 'ESC [ A' },
    { line: 'vtr raw codex 68 69 0d', about: 'hi and a carriage return' },
  ],
  async run(context, { args, flags }) {
    const bytes = bytesOf(args.hex.join(''));
    const { coordinator, session } = await findSession(context, args.session, flags);
    tellCut(context, session, await coordinator.sendBytes(session, bytes));
    return undefined;
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
