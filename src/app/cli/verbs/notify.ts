import { durationText } from '#base';
import type { ClientConfig } from '#config';
import { counted, type SessionInfo, VtrError } from '#model';
import { toggle } from '../arguments/flags.ts';
import { reach } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import type { KnownCoordinator } from '../coordinators/known-coordinators.ts';
import { noExit } from '../exit-codes.ts';
import { type Notice, Notices, type Tell, tellBy } from '../notify/notices.ts';
import {
  type NotifyRecord,
  notifyFailure,
  readNotifyRecord,
  writeNotifyRecord,
} from '../notify/notify-record.ts';
import { Pace, quietLeftMs } from '../notify/pace.ts';
import { StopSignals, signalStatus } from '../stop-signals.ts';
import { defineVerb } from '../verb.ts';
import { type FollowedEvent, FollowedList, followSessions } from '../watching/follow-sessions.ts';

export const notify = defineVerb({
  name: 'notify',
  summary: 'notify when a session needs you; runs until stopped',
  args: {},
  flags: {
    ...reach,
    desktop: toggle('notify by notify-send'),
    osc: toggle('notify by the terminal: print OSC 777'),
    status: toggle('print whether vtr notify runs, and what it could not deliver'),
  },
  details: [
    'Follows the sessions of all known coordinators, and of coordinators that start later. A session needs you when:',
    [
      ['input', 'a program or a coding agent asks a question'],
      ['password', 'a program asks for a password'],
      ['prompt', 'a command that ran for 5 seconds or more has ended'],
      ['failed', 'a command or the program failed'],
      ['bell', 'a program rang the bell'],
      ['notification', 'a program sent a notification (OSC 9, 99, 777)'],
      [
        'done',
        'a coding agent ended its turn, a program completed its progress (OSC 9;4), or the program of the session ended',
      ],
      ['quiet', 'a program that had printed has printed nothing for 5 minutes'],
    ],
    'vtr ls shows the same reasons. Each event is reported once. It is not reported if somebody looks at the session in vtr attach or the web page, or if input is sent within a second. A window without the focus does not count, if the terminal reports its focus. Reasons that exist when vtr notify starts are not reported.',
    'The same event of a session is reported at most once a minute, and at most 6 events a minute: others are reported together, if they are still true. [notify] in config.toml sets that number (per_minute) and hours in which nothing is reported (quiet = "22:00-07:00").',
    '--status prints whether vtr notify runs, when it notified last, and the last failure; the exit status is 1 if it does not run. vtr doctor prints the failure, too.',
    'By default, notifies with notify-send if it is installed and there is a desktop, or else with the terminal. If stdout is not a terminal, prints one line per event.',
  ],
  examples: [
    { line: 'vtr notify &', about: 'notify in the background' },
    { line: 'vtr notify --osc', about: 'notify by the terminal, also over ssh' },
    { line: 'vtr notify --status', about: 'print what could not be delivered' },
  ],
  async run(context, { flags }) {
    if (flags.desktop && flags.osc) {
      throw new VtrError('INVALID_ARGUMENT', '--desktop and --osc cannot be used together');
    }
    const config = (await context.config()).notify;
    if (flags.status) return printStatus(context, config);
    const tell = tellBy(context, flags.desktop ? 'desktop' : flags.osc ? 'osc' : undefined);
    const stop = new StopSignals();
    const ending = new AbortController();
    const received = stop.received.then((signal) => {
      ending.abort();
      return signal;
    });
    const notifier = new Notifier(context, tell, config);
    try {
      await followSessions(context, flags.coordinator, ending.signal, (coordinator, event) =>
        notifier.apply(coordinator, event),
      );
      return signalStatus(await received);
    } finally {
      notifier.dispose();
      stop.dispose();
    }
  },
});

/** The longest wait, in ms: after a suspension of the machine, or when its clock was set, it may be another time. */
const maxWaitMs = 60_000;

class Notifier {
  readonly #context: Context;
  readonly #tell: Tell;
  readonly #list = new FollowedList(() => true);
  readonly #notices: Notices;
  readonly #names = new Map<string, string>();
  readonly #known = new Set<string>();
  readonly #pace: Pace;
  #timer: NodeJS.Timeout | null = null;
  #record: NotifyRecord;

  constructor(context: Context, tell: Tell, { quiet, perMinute }: ClientConfig['notify']) {
    this.#context = context;
    this.#tell = tell;
    this.#notices = new Notices(context.env['VTR_SESSION_ID'] ?? null);
    this.#pace = new Pace({
      quiet,
      perMinute,
      isCurrent: (notice) => this.#notices.isCurrent(notice),
    });
    const { pid } = process;
    this.#record = { pid, sinceMs: Date.now(), told: 0, toldMs: null, failure: null };
    writeNotifyRecord(context, this.#record);
  }

  apply(coordinator: KnownCoordinator, event: FollowedEvent): void {
    // After a restart of a coordinator, its sessions are not new.
    const isFirst = event.type === 'sessions' && !this.#known.has(coordinator.socket);
    if (event.type === 'sessions') this.#known.add(coordinator.socket);
    for (const { type, session } of this.#list.apply(coordinator, event)) {
      const { info } = session;
      this.#names.set(info.id, this.#nameOf(coordinator, info));
      if (type === 'session') this.#notices.note(info, isFirst, performance.now());
      else if (event.type === 'gone') this.#notices.lose(info.id);
      else this.#notices.remove(info.id);
    }
    this.#check();
  }

  dispose(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#note({ pid: null });
  }

  #check(): void {
    clearTimeout(this.#timer ?? undefined);
    const now = { nowMs: performance.now(), wallMs: Date.now() };
    const due = this.#notices.due(now.nowMs, ({ id }) => this.#names.get(id) ?? id);
    for (const notice of this.#pace.take(due, now)) void this.#deliver(notice);
    const times = [this.#notices.nextMs(now.nowMs), this.#pace.nextMs(now)];
    const nextMs = Math.min(...times.map((each) => each ?? Number.POSITIVE_INFINITY));
    const waitMs = Math.min(nextMs + 1, maxWaitMs);
    this.#timer =
      nextMs === Number.POSITIVE_INFINITY ? null : setTimeout(() => this.#check(), waitMs);
  }

  async #deliver(notice: Notice): Promise<void> {
    try {
      const problem = await this.#tell(notice);
      this.#note({ told: this.#record.told + 1, toldMs: Date.now() });
      if (problem !== null) this.#failed(problem);
    } catch (error) {
      this.#failed(error instanceof Error ? error.message : String(error));
    }
  }

  #note(changes: Partial<NotifyRecord>): void {
    this.#record = { ...this.#record, ...changes };
    writeNotifyRecord(this.#context, this.#record);
  }

  #nameOf({ name, pattern }: KnownCoordinator, info: SessionInfo): string {
    return pattern === null ? info.name : `${name}:${info.name}`;
  }

  /** Tells the same failure once. */
  #failed(message: string): void {
    if (message !== this.#record.failure?.message) this.#context.say(`cannot notify: ${message}`);
    this.#note({ failure: { atMs: Date.now(), message } });
  }
}

/** Prints whether notifications are delivered. Returns the exit status. */
function printStatus(context: Context, { quiet }: ClientConfig['notify']): number {
  const record = readNotifyRecord(context);
  const now = new Date();
  const ago = (ms: number) => `${durationText(Math.max(0, now.getTime() - ms))} ago`;
  const isRunning = record !== null && record.pid !== null;
  const runs = isRunning
    ? `vtr notify runs: process ${record.pid}, begun ${ago(record.sinceMs)}`
    : 'vtr notify does not run';
  const toldMs = record?.toldMs ?? null;
  const failure = record === null ? null : notifyFailure(record, now.getTime());
  const lines = [
    runs,
    ...(record === null || toldMs === null
      ? []
      : [`${counted(record.told, 'notification')}, the last ${ago(toldMs)}`]),
    ...(quiet === null || quietLeftMs(quiet, now) === 0
      ? []
      : [`quiet for ${durationText(quietLeftMs(quiet, now))}`]),
    ...(failure === null ? [] : [`could not notify ${failure}`]),
  ];
  context.out(lines.map((line) => `${line}\n`).join(''));
  return isRunning ? 0 : noExit;
}
