import { defined, sanitize } from '#base';
import { errorTable, type VtrError } from '#model';
import type { Context } from '../context.ts';
import { jsonLine } from './printing.ts';

/** Returns a context whose messages are JSON, a line each, so that all of stderr can be parsed. */
export function withJsonMessages(context: Context): Context {
  const say = (message: string) => context.err(`${jsonLine({ note: sanitize(message).text })}\n`);
  // With the getters of the other: some properties are read only when they are needed.
  return Object.defineProperties({} as Context, {
    ...Object.getOwnPropertyDescriptors(context),
    say: { enumerable: true, value: say },
    saysJson: { enumerable: true, value: true },
  });
}

/** Returns the context in which a verb runs: its messages are as its output is. */
export async function asOutputIs(
  context: Context,
  { flags }: { readonly flags: Readonly<Record<string, unknown>> },
): Promise<Context> {
  if (context.saysJson || !Object.hasOwn(flags, 'json')) return context;
  // A verb that reads the configuration reports what is wrong with it.
  const format = await context.config().then(
    ({ outputFormat }) => outputFormat,
    () => 'text',
  );
  return format === 'json' ? withJsonMessages(context) : context;
}

/** Tells of a failure on stderr. @param hints what to do about it, apart from what its message says */
export function tellError(
  context: Pick<Context, 'say' | 'err' | 'saysJson'>,
  error: VtrError,
  hints: readonly string[] = [],
): void {
  if (context.saysJson) {
    context.err(`${jsonLine({ error: errorJson(error, hints) })}\n`);
    return;
  }
  for (const message of [error.message, ...hints]) context.say(message);
  const stack = stackOf(error);
  if (stack !== undefined) context.say(stack);
}

/** Where a defect of vtr is; undefined for any other failure. */
const stackOf = ({ code, cause }: VtrError): string | undefined =>
  code === 'INTERNAL_ERROR' && cause instanceof Error ? cause.stack : undefined;

/** The first line of a message tells what failed; the others, as of a usage, what to do. */
function errorJson(error: VtrError, hints: readonly string[]) {
  const { code, message, details } = error;
  const [first = '', ...more] = message.split('\n');
  const hint = [...more, ...hints].join('\n');
  const stack = stackOf(error);
  return {
    code,
    message: first,
    hint: hint === '' ? null : hint,
    session: details['name'] ?? null,
    exit_status: errorTable[code].exit,
    details: Object.fromEntries(
      Object.entries(details).map(([name, value]) => [snakeCase(name), value]),
    ),
    ...defined({ stack }),
  };
}

const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
