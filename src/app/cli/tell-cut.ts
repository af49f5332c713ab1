import type { InputReceipt } from '#model';
import type { Context } from './context.ts';

/** Says what a terminal has dropped of input that it took. */
export function tellCut(context: Context, session: string, { lineCutAtBytes }: InputReceipt): void {
  if (lineCutAtBytes === undefined) return;
  context.say(
    `warning: session ${session}: its terminal reads by lines, and keeps ${lineCutAtBytes} bytes of one; ` +
      'the rest of a longer line was lost. Send shorter lines, or a file for the program to read',
  );
}
