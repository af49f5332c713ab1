import { nearMisses, sanitize } from '#base';
import { asVtrError, errorTable } from '#model';
import type { Caller } from './caller.ts';
import { asTermcpFailure } from './termcp/termcp-failure.ts';

/**
 * What a failed call answers: the code word, what failed, what there is, and what to try. Names of
 * programs and folders may stand in it, which somebody else chose.
 */
export async function errorText(
  thrown: unknown,
  session: string | null,
  caller: Caller,
): Promise<string> {
  if (caller.options.termcp !== null) return sanitize(asTermcpFailure(thrown).text).text;
  return sanitize(await textOf(thrown, session, caller)).text;
}

async function textOf(thrown: unknown, session: string | null, caller: Caller): Promise<string> {
  const error = asVtrError(thrown);
  if (error.code !== 'SESSION_NOT_FOUND' || session === null) {
    const message = session === null ? withoutSession(error.message) : error.message;
    return `${errorTable[error.code].mcp}: ${message}${hintFor(error.code)}`;
  }
  const quoted = JSON.stringify(session);
  const fate = caller.service.fateOf(session);
  if (fate !== null)
    return `SESSION_DESTROYED: session ${quoted} ${ends[fate]}; create another one`;
  return `SESSION_NOT_FOUND: there is no session ${quoted}; ${await whatThereIs(session, caller)}`;
}

/** A session that could not be made has a name for a moment, which would mislead a model. */
const withoutSession = (message: string): string =>
  message.replace(/^session (sess_\w+|\(no name\)): /, '');

const ends = {
  made: 'is gone: nobody had used it for long, somebody else has removed it, or its daemon has ended',
  destroyed: 'was destroyed',
};

/** So many names are told at most: an answer is read by a model. */
const maxNames = 20;

async function whatThereIs(session: string, { host }: Caller): Promise<string> {
  const found = await Promise.resolve(host.reach())
    .then((coordinator) => coordinator?.list() ?? [])
    .catch(() => []);
  if (found.length === 0) return 'none exists, terminal__create_session makes one';
  const names = found.map(({ name }) => name);
  const near = nearMisses(session, names);
  if (near.length > 0) return `did you mean ${near.join(' or ')}?`;
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return `there are ${names.slice(0, maxNames).join(', ')}${more}`;
}

const hints: Readonly<Record<string, string>> = {
  SESSION_NOT_RUNNING: '; its output can still be read',
  NOT_AT_PROMPT: '; terminal__read shows what it does, terminal__send types into it',
  MAX_SESSIONS: '; terminal__destroy_session ends one that is not needed',
};

const hintFor = (code: string): string => hints[code] ?? '';
