import { asVtrError, type SessionRef, VtrError } from '#model';

/** The session that a request names. With an empty `sessionId`, the name alone identifies it. */
export interface Named {
  readonly name: string;
  readonly sessionId: string;
}

export const toNamed = (ref: SessionRef): Named =>
  typeof ref === 'string' ? { name: ref, sessionId: '' } : { name: ref.name, sessionId: ref.id };

export const fromNamed = ({ name, sessionId: id }: Named): SessionRef =>
  id === '' ? name : { name, id };

const nameOf = (ref: SessionRef): string => (typeof ref === 'string' ? ref : ref.name);

/** Puts the session's name before a message, as the coordinator does. */
export const aboutSession = (ref: SessionRef, message: string): string =>
  `session ${nameOf(ref)}: ${message}`;

/** Returns what `check` returns; its failure names the session, as the coordinator's would. */
export function checked<T>(ref: SessionRef, check: () => T): T {
  try {
    return check();
  } catch (error) {
    const { code, message, details } = asVtrError(error);
    throw new VtrError(code, aboutSession(ref, message), { details });
  }
}
