import { cleanLine, defined, utf8Length } from '#base';
import { type CommandReport, checkCommandReport } from './agent-command.ts';
import { VtrError } from './errors.ts';
import type { ProgramStatus, StatusState } from './events.ts';

/**
 * What a program says of itself with a report: `clear` takes the last report back; the others are as in
 * {@link StatusState}, where `busy` is `working` and `asks` is `blocked`.
 */
export type ReportState = 'idle' | 'busy' | 'asks' | 'done' | 'error' | 'clear';

export const reportStates: readonly ReportState[] = [
  'idle',
  'busy',
  'asks',
  'done',
  'error',
  'clear',
];

/** A program's report of what it does, for programs that do not speak the Program Status Protocol. */
export interface ReportRequest {
  /** Absent: the state stays; the report only has a conversation or a command. */
  readonly state?: ReportState;
  /** One line of at most {@link maxReportMessageBytes}; control and invisible characters are removed. Default: none. */
  readonly message?: string;
  /** 0 to 100. Default: none. */
  readonly progress?: number;
  /** The id with which the agent continues this conversation: 1 to 128 characters of A-Z a-z 0-9 . _ : - */
  readonly conversation?: string;
  /** The kind of the agent that reports, such as `claude`: 1 to 32 characters of A-Z a-z 0-9 . _ + - */
  readonly agent?: string;
  /** The report ends after this time, in ms: 1 ms to 1 week. Default: with the program. */
  readonly ttlMs?: number;
  /**
   * Orders reports: one whose number is not above that of the last report of the same program came late, and is
   * dropped. Default: the present time, in µs since 1970.
   */
  readonly sequence?: number;
  /** A command that the program runs. It is listed also if the report is late. */
  readonly command?: CommandReport;
}

export interface ReportResult {
  /** Whether the report came later than one with the same or a higher number, and was dropped. */
  readonly late: boolean;
}

/** What the program in the foreground says that it does, by OSC 7501 or by a report. All of it is untrusted text. */
export interface ToldStatus extends Omit<ProgramStatus, 'id' | 'offset'> {
  /** When a report told it, in ms since 1970; absent for OSC 7501. */
  readonly atMs?: number;
}

export const statusStates: readonly StatusState[] = ['done', 'blocked', 'error', 'working', 'idle'];

/** The longest message of a report, in bytes of UTF-8: as in the Program Status Protocol. */
export const maxReportMessageBytes = 2048;
/** One week. */
const maxReportTtlMs = 7 * 86_400_000;

const conversationForm = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const agentForm = /^[A-Za-z0-9_.+-]{1,32}$/;

/**
 * Returns a report with its message as one safe line.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkReport(request: ReportRequest): ReportRequest {
  const { state, message, progress, conversation, agent, ttlMs, sequence } = request;
  if (state === undefined && conversation === undefined && request.command === undefined)
    throw refused('a report needs a state, a conversation or a command');
  if (state !== undefined && !reportStates.includes(state))
    throw refused(`the state of a report is one of ${reportStates.join(', ')}`);
  if (message !== undefined && utf8Length(message) > maxReportMessageBytes)
    throw refused(`the message of a report has at most ${maxReportMessageBytes} bytes`);
  if (progress !== undefined && !isWhole(progress, 0, 100))
    throw refused('the progress of a report is a whole number from 0 to 100');
  if (conversation !== undefined && !conversationForm.test(conversation))
    throw refused(
      'the conversation of a report has 1 to 128 characters of A-Z a-z 0-9 . _ : -, beginning with a letter or digit',
    );
  if (agent !== undefined && !agentForm.test(agent))
    throw refused('the agent of a report has 1 to 32 characters of A-Z a-z 0-9 . _ + -');
  if (ttlMs !== undefined && !isWhole(ttlMs, 1, maxReportTtlMs))
    throw refused('the time of a report is 1 ms to 1 week');
  if (sequence !== undefined && !isWhole(sequence, 0, Number.MAX_SAFE_INTEGER))
    throw refused('the sequence number of a report is a whole number from 0 to 2^53 - 1');
  const line = message?.replace(/\s+/gu, ' ');
  return {
    ...request,
    ...defined({
      message: line && cleanLine(line, maxReportMessageBytes).trim(),
      command: request.command && checkCommandReport(request.command),
    }),
  };
}

const isWhole = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most;

const refused = (message: string): VtrError => new VtrError('INVALID_ARGUMENT', message);

/** The state of the Program Status Protocol for that of a report. */
export const statusOfReport: Readonly<Record<Exclude<ReportState, 'clear'>, StatusState>> = {
  idle: 'idle',
  busy: 'working',
  asks: 'blocked',
  done: 'done',
  error: 'error',
};

/** Where a session's programs report, and with which key. */
export interface ReportAddress {
  /** The path of the socket. */
  readonly path: string;
  /** Allows reports for one session. */
  readonly key: string;
}

/** Reads the value of `VTR_REPORT`: the path, `#` and the key. Null if it is neither. */
export function readReportAddress(value: string): ReportAddress | null {
  const at = value.lastIndexOf('#');
  if (at <= 0 || at === value.length - 1) return null;
  return { path: value.slice(0, at), key: value.slice(at + 1) };
}
