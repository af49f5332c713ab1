import { resolve } from 'node:path';
import { exactDurationText, type Log } from '#base';
import { VtrError } from '#model';
import { thisUser } from '#trust';
import type { Context } from '../context.ts';
import { limitsText } from '../output/lifetime-text.ts';

/** The flags for sessions, without those for the server. */
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
/** The limits of each session in the termcp design. */
const limits = { memoryBytes: 512 * mebibyte, cpuPercent: 50 };

/**
 * Returns the program, limits and lifetime of every session of the toolset termcp, and logs them.
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
  if (thisUser().uid === 0) {
    log('warn', 'running as root: the agent acts as root');
  }
  log('info', `sessions run ${[program, ...args].join(' ')} in ${cwd}`);
  const unused = idleMs === 0 ? '' : `when unused for ${exactDurationText(idleMs)}, and `;
  log('info', `sessions end ${unused}after 24h`);
  log('info', `limits per session: ${limitsText(limits)}`);
  return {
    ...{ program, args, cwd, environment },
    stripAnsi: given['strip-ansi'],
    maxBufferBytes: kilobytes * 1024,
    lifetime: { idleMs, keepExitedMs: dayMs, maxRunMs: dayMs },
    limits,
  };
}

/** @throws VtrError INVALID_ARGUMENT */
function environmentOf({ env }: Context): 'caller' | 'minimal' {
  const { VTR_ENVIRONMENT: word = '' } = env;
  if (word === 'minimal') return 'minimal';
  const isCaller = ['', 'caller', 'inherit'].includes(word) || word.startsWith('${');
  if (isCaller) return 'caller';
  throw new VtrError(
    'INVALID_ARGUMENT',
    `invalid VTR_ENVIRONMENT ${JSON.stringify(word)}; use caller or minimal`,
  );
}
