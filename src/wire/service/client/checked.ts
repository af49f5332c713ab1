import { asVtrError, type SessionRef, VtrError } from '#model';

export const nameOf = (ref: SessionRef): string => (typeof ref === 'string' ? ref : ref.name);

/** Runs a check; its failure says which session it was on, as the other side's do. */
export function checked<T>(ref: SessionRef, check: () => T): T {
  try {
    return check();
  } catch (error) {
    const { code, message, details } = asVtrError(error);
    throw new VtrError(code, `session ${nameOf(ref)}: ${message}`, { details });
  }
}
