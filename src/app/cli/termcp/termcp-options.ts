import { resolve } from 'node:path';
import { exactDurationText, type Log } from '#base';
import { VtrError } from '#model';
import type { Context } from '../context.ts';
import { limitsText } from '../output/lifetime-text.ts';

/** What of the flags is about the sessions, and not about the server. */
interface Given {
  readonly 'session-timeout'?: number | undefined;
  readonly 'max-buffer-kb'?: number | undefined;
  readonly 'strip-ansi': boolean;
  readonly workdir?: string | undefined;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const mebibyte = 1024 * 1024;
const defaultTimeoutMinutes = 20;
const defaultBufferKb = 1024;
/** What the design has for each session. */
const limits = { memoryBytes: 512 * mebibyte, cpuPercent: 50 };

/**
 * What every session of the toolset termcp runs, and how long it lasts.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function termcpOptions(
  context: Context,
  given: Given,
  [program = '', ...args]: readonly string[],
  log: Log,
) {
  const { 'session-timeout': minutes, 'max-buffer-kb': kilobytes = defaultBufferKb } = given;
  const idleMs = (minutes ?? defaultTimeoutMinutes) * minuteMs;
  const cwd = resolve(context.cwd, given.workdir ?? '.');
  const environment = environmentOf(context);
  if (process.geteuid?.() === 0) {
    log('warn', 'runs as root: whatever the agent types is done as root');
  }
  log('info', `every session runs ${[program, ...args].join(' ')} in ${cwd}`);
  const unused = idleMs === 0 ? '' : `when it is unused for ${exactDurationText(idleMs)} and `;
  log('info', `a session is ended ${unused}after 24h`);
  log('info', `a session has ${limitsText(limits)}`);
  return {
    ...{ program, args, cwd, environment },
    stripAnsi: given['strip-ansi'],
    maxBufferBytes: kilobytes * 1024,
    lifetime: { idleMs, keepExitedMs: dayMs, maxRunMs: dayMs },
    limits,
  };
}

/** @throws VtrError INVALID_ARGUMENT */
function environmentOf({ env }: Context): 'inherit' | 'minimal' {
  const { VTR_ENVIRONMENT: word = '' } = env;
  if (word === 'minimal') return 'minimal';
  if (word === '' || word === 'inherit' || word.startsWith('${')) return 'inherit';
  throw new VtrError(
    'INVALID_ARGUMENT',
    `VTR_ENVIRONMENT is ${JSON.stringify(word)}; use inherit or minimal`,
  );
}
