import { quoted } from '#base';
import {
  type CallerEnvironment,
  checkLifetime,
  checkLimits,
  type SessionLimits,
  type Size,
  VtrError,
} from '#model';
import type { AuditRecord } from './audit-trail.ts';
import type { EscapeMode } from './transcript.ts';

/** Defaults and limits of a connection's terminals. */
export interface TerminalOptions {
  /** Limit of open terminals. Default 128. */
  readonly maxTerminals?: number;
  /** Output kept for the agent if it sets no limit, in bytes of UTF-8. Default 1 MiB. */
  readonly outputBytes?: number;
  /**
   * Upper bound of kept output, whatever an agent requests, in bytes. Default 4 MiB, which fits into a
   * message of the protocol even if every character is escaped.
   */
  readonly maxOutputBytes?: number;
  /** Run time after which a program is ended, in ms; 0: never. Default 24 hours. */
  readonly maxRunMs?: number;
  /** Limits of a program and its descendants. Default none. */
  readonly limits?: SessionLimits;
  /** Time that a released terminal stays readable in vtr, in ms, at most 20 days. Default 10 minutes. */
  readonly keepReleasedMs?: number;
  /** Limit of released terminals kept; the newest stay. Default 20. */
  readonly maxKeptReleased?: number;
  /**
   * Returns the default directory of a conversation: the one of its `session/new`. Default: the
   * directory of this process.
   */
  readonly cwd?: (conversationId: string) => string | undefined;
  /**
   * Added to every program's environment; the agent's variables override it. Default: `PAGER` and
   * `GIT_PAGER` are `cat`, because an agent cannot type into a terminal, so a pager would hang.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** What programs inherit. Default: the environment of this process, without secrets and SSH_AUTH_SOCK. */
  readonly environment?: CallerEnvironment;
  /** Default: the coordinator's, 80x24. */
  readonly size?: Size;
  /** Runs the shell lines that agents send as a command. Default bash, or sh if there is no bash. */
  readonly shell?: string;
  /** Whether control functions are removed from output. Default `strip`. */
  readonly escapes?: EscapeMode;
  /** Called when a command starts, ends or is refused. */
  readonly audit?: (record: AuditRecord) => void;
  /** A file that receives each record as a line of JSON; created with mode 600. Commands are refused if it cannot be written. */
  readonly auditFile?: string;
  /** Called with errors that cannot be returned to an agent. */
  readonly onFault?: (error: unknown) => void;
}

/** Options with their defaults. */
export type TerminalSettings = Required<
  Omit<TerminalOptions, 'audit' | 'auditFile' | 'environment' | 'size' | 'shell' | 'limits'>
> &
  Pick<TerminalOptions, 'audit' | 'auditFile' | 'environment' | 'size' | 'shell' | 'limits'>;

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

/** Within the range of Node's timers. */
const maxKeepMs = 20 * 24 * hourMs;

/** Adds the defaults. @throws VtrError INVALID_ARGUMENT for invalid options */
export function settingsOf(options: TerminalOptions): TerminalSettings {
  const fields = Object.entries(options).filter(([, value]) => value !== undefined);
  const settings: TerminalSettings = { ...defaults, ...Object.fromEntries(fields) };
  for (const name of counts) {
    if (Number.isSafeInteger(settings[name]) && settings[name] >= 0) continue;
    const message = `${name} is ${settings[name]}; give a whole number, 0 or more`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  checkLifetime({ maxRunMs: settings.maxRunMs });
  checkLimits(settings.limits ?? {});
  const { escapes, keepReleasedMs } = settings;
  if (!['strip', 'keep'].includes(escapes)) {
    const message = `escapes is ${quoted(escapes)}; give strip or keep`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  return { ...settings, keepReleasedMs: Math.min(keepReleasedMs, maxKeepMs) };
}
