import { checkLifetime, checkLimits, type SessionLimits, type Size, VtrError } from '#model';
import type { AuditRecord } from './audit.ts';
import type { EscapeMode } from './transcript.ts';

/** What the terminals of a connection have and may take, where `terminal/create` does not say. */
export interface TerminalOptions {
  /** Terminals that are not released, at once; 128 when absent. */
  readonly maxTerminals?: number;
  /** Bytes of UTF-8 of output that are kept where an agent does not say; 1 MiB when absent. */
  readonly outputBytes?: number;
  /**
   * More are not kept, whatever an agent asks for; 4 MiB when absent, which fits into a message of the
   * protocol even where every character has to be escaped.
   */
  readonly maxOutputBytes?: number;
  /** A program is ended when it has run for so long, in ms; 24 hours when absent, never with 0. */
  readonly maxRunMs?: number;
  /** What a program may take together with all that it started; no limits when absent. */
  readonly limits?: SessionLimits;
  /** How long a released terminal can still be seen in vtr, in ms, 20 days at most; 10 minutes when absent. */
  readonly keepReleasedMs?: number;
  /** So many released terminals are kept at most, the newest; 20 when absent. */
  readonly maxKeptReleased?: number;
  /**
   * Where programs run whose `cwd` is not given, by conversation: what `session/new` said. The
   * directory of this process when absent.
   */
  readonly cwd?: (conversationId: string) => string | undefined;
  /**
   * What every program finds in its environment; the agent's own variables win. Where absent, `cat`
   * as `PAGER` and `GIT_PAGER`: an agent cannot type into a terminal, so a pager would hang.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** That of the coordinator, 80x24, when absent. */
  readonly size?: Size;
  /** Runs the lines that agents send in place of a program; bash when absent, or else sh. */
  readonly shell?: string;
  /** Whether control functions are taken out of what an agent reads; `strip` when absent. */
  readonly escapes?: EscapeMode;
  /** Told of each command, when it starts, when it ends, and when it is refused. */
  readonly audit?: (record: AuditRecord) => void;
  /** A file that gets each record as a line of JSON; made for the user alone. Commands are refused when it cannot be written. */
  readonly auditFile?: string;
  /** Told of what no agent can be told of. Nobody is told when absent. */
  readonly onFault?: (error: unknown) => void;
}

/** Options with their defaults. */
export type TerminalSettings = Required<
  Omit<TerminalOptions, 'audit' | 'auditFile' | 'size' | 'shell' | 'limits'>
> &
  Pick<TerminalOptions, 'audit' | 'auditFile' | 'size' | 'shell' | 'limits'>;

const hourMs = 60 * 60 * 1000;
const mebibyte = 1024 * 1024;

const defaults = {
  maxTerminals: 128,
  outputBytes: mebibyte,
  maxOutputBytes: 4 * mebibyte,
  maxRunMs: 24 * hourMs,
  keepReleasedMs: hourMs / 6,
  maxKeptReleased: 20,
  cwd: () => undefined,
  env: { PAGER: 'cat', GIT_PAGER: 'cat' },
  escapes: 'strip',
  onFault: () => {},
} as const;

const counts = [
  'maxTerminals',
  'outputBytes',
  'maxOutputBytes',
  'maxRunMs',
  'keepReleasedMs',
  'maxKeptReleased',
] as const;

/** Less than timers of Node take. */
const maxKeepMs = 20 * 24 * hourMs;

/** @throws VtrError INVALID_ARGUMENT for options that are none */
export function settingsOf(options: TerminalOptions): TerminalSettings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const settings: TerminalSettings = { ...defaults, ...Object.fromEntries(given) };
  for (const name of counts) {
    if (Number.isSafeInteger(settings[name]) && settings[name] >= 0) continue;
    const message = `${name} is ${settings[name]}; give a whole number from 0 on`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  checkLifetime({ maxRunMs: settings.maxRunMs });
  checkLimits(settings.limits ?? {});
  const { escapes, keepReleasedMs } = settings;
  if (!['strip', 'keep'].includes(escapes)) {
    const message = `escapes is ${JSON.stringify(escapes)}; give strip or keep`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  return { ...settings, keepReleasedMs: Math.min(keepReleasedMs, maxKeepMs) };
}
