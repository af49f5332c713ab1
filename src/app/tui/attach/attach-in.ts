import type { Tty } from '../tty-screen/tty.ts';
import type { AttachEnd, AttachOptions } from './attach-options.ts';
import { AttachedSession } from './attached-session.ts';

/**
 * Shows a session in the person's terminal, then those to which the person goes from there. All
 * listeners of the terminal are removed at the end; it shows the last picture.
 */
export async function attachIn(tty: Tty, options: AttachOptions): Promise<AttachEnd> {
  for (let next = options; ; ) {
    const end = await new AttachedSession(tty, next).run();
    if (end.type !== 'other') return end;
    const { first: _first, line: _line, ...others } = next;
    const { session, line, as = 'auto' } = end;
    next = { ...others, session, as, ...(line === undefined ? {} : { line }) };
  }
}
