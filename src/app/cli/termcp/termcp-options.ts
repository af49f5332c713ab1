import { resolve } from 'node:path';
import { exactDurationText, type Log, quoted } from '#base';
import { maxRawBytes, minRawBytes, VtrError } from '#model';
import { thisUser } from '#trust';
import { oneOf, text, toggle, wholeNumber } from '../arguments/flags.ts';
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
  values: Given,
  [program = '', ...args]: readonly string[],
  log: Log,
) {
  const { 'session-timeout': minutes, 'max-buffer-kb': kilobytes = defaultBufferKb } = values;
  const idleMs = (minutes ?? defaultTimeoutMinutes) * minuteMs;
  const cwd = resolve(context.cwd, values.workdir ?? '.');
  const environment = environmentOf(context);
  if (thisUser().uid === 0) {
    log('warn', 'running as root: the agent acts as root');
  }
  log('info', `sessions run ${[program, ...args].join(' ')} in ${cwd}`);
  const unused = idleMs === 0 ? '' : `when unused for ${exactDurationText(idleMs)}, and `;
  log('info', `sessions end ${unused}after 24h`);
  log('info', `limits per session: ${limitsText(limits)}`);
  return {
    program,
    args,
    cwd,
    environment,
    stripAnsi: values['strip-ansi'],
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
    `invalid VTR_ENVIRONMENT ${quoted(word)}; use caller or minimal`,
  );
}

const minSide = 1;
const maxSide = 500;
const bytesPerKb = 1024;
/** Almost two years. */
const maxMinutes = 1_000_000;

/** The flags of the termcp design, with its names and defaults. */
export const termcpFlags = {
  'session-timeout': wholeNumber(
    'MINUTES',
    'end sessions unused for MINUTES (default 20, 0: never)',
    {
      to: maxMinutes,
    },
  ),
  rows: wholeNumber('N', 'rows of the terminal (default 24)', { from: minSide, to: maxSide }),
  cols: wholeNumber('N', 'columns of the terminal (default 80)', { from: minSide, to: maxSide }),
  'max-buffer-kb': wholeNumber('KB', 'unread output kept per session (default 1024)', {
    from: minRawBytes / bytesPerKb,
    to: maxRawBytes / bytesPerKb,
  }),
  'strip-ansi': toggle('remove escape sequences from the output'),
  'log-level': oneOf(
    ['error', 'warn', 'info', 'debug', 'trace'],
    'LEVEL',
    'messages on stderr: error, warn, info, debug, trace (default info)',
  ),
  workdir: text('DIR', 'working directory of COMMAND (default: current)', {
    completes: 'file',
  }),
};
