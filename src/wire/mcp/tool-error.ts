import { isGlob, nearMisses, sanitize } from '#base';
import { asVtrError, errorTable, type VtrError } from '#model';
import type { Caller } from './caller.ts';
import { asTermcpFailure } from './termcp/termcp-failure.ts';
import { drivenSince } from './waiting/wait-for.ts';

/**
 * Returns the text of a failed call: code word, what failed, which sessions exist, what to try. It is
 * sanitized, because it may contain names of programs and directories.
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
  if (error.code !== 'SESSION_NOT_FOUND' || session === null || isGlob(session)) {
    const message = session === null ? withoutSession(error.message) : error.message;
    return `${errorTable[error.code].mcp}: ${inToolWords(message)}${hintFor(error)}`;
  }
  const quoted = JSON.stringify(session);
  const { renamedTo } = error.details;
  if (typeof renamedTo === 'string') {
    return `SESSION_NOT_FOUND: session ${quoted} was renamed to ${JSON.stringify(renamedTo)}`;
  }
  const fate = caller.service.fateOf(session);
  if (fate !== null) return `SESSION_DESTROYED: session ${quoted} ${ends[fate]}; create another`;
  return `SESSION_NOT_FOUND: no session ${quoted}; ${await whatExists(session, caller)}`;
}

/** Names of the command line in messages, and those of the tools for the same. */
const toolWords: readonly (readonly [RegExp, string])[] = [
  [/--prompt-pattern\b/g, 'prompt_pattern'],
  [
    /\b(revive the session, or )?spawn another session$/,
    'create another with terminal__create_session',
  ],
  [/\bremove it first$/, 'end it with terminal__destroy_session'],
  [/\bwait until no person drives$/, 'use terminal__wait {"wait_for_driver":true}'],
  [/ \(from the mark\)/, ''],
  [/\buse one returned by a read, a wait or a send$/, 'use "start" or the mark of an answer'],
];

const inToolWords = (message: string): string =>
  toolWords.reduce((text, [words, tool]) => text.replace(words, tool), message);

/** Removes the name of a session that could not be made: it would mislead a model. */
const withoutSession = (message: string): string =>
  message.replace(/^session (sess_\w+|\(no name\)): /, '');

const ends = {
  made: 'is gone: it was unused for long or was removed, or its daemon ended',
  destroyed: 'was destroyed',
};

/** Limit of listed names: a model reads them. */
const maxNames = 20;

async function whatExists(session: string, { host }: Caller): Promise<string> {
  const found = await Promise.resolve(host.reach())
    .then((coordinator) => coordinator?.list() ?? [])
    .catch(() => []);
  if (found.length === 0) return 'none exists; terminal__create_session creates one';
  const names = found.map(({ name }) => name);
  const near = nearMisses(session, names);
  if (near.length > 0) return `did you mean ${near.join(' or ')}?`;
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return `sessions: ${names.slice(0, maxNames).join(', ')}${more}`;
}

const hints: Readonly<Record<string, string>> = {
  SESSION_NOT_RUNNING:
    '; its output is still readable, and terminal__create_session {"name":…,"revive":true} starts it again',
  NOT_AT_PROMPT: '; terminal__read shows its screen, terminal__send types into it',
  MAX_SESSIONS: '; terminal__destroy_session ends one',
};

function hintFor({ code, details: { mark } }: VtrError): string {
  if (code !== 'NOT_DRIVER' || typeof mark !== 'string') return hints[code] ?? '';
  return `; ${drivenSince(mark)}`;
}
