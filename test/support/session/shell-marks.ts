import type { SessionFacts } from '#session';

/** The facts of a session whose shell was started with integration. */
export const integratedShell: Partial<SessionFacts> = { shell: { nonce: 'n' } };

/** Returns a mark of that shell, such as `D;0`. */
export const shellMark = (mark: string): string => `\x1b]133;${mark};nonce=n.1\x07`;
