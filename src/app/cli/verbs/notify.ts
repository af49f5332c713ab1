import { type Disposable, defined, durationText, ownTimers } from '#base';
import type { ClientConfig } from '#config';
import { counted, type SessionInfo, VtrError } from '#model';
import {
  type Channel,
  Deliveries,
  type Moment,
  type Notice,
  Notices,
  Pace,
  quietLeftMs,
} from '#notify';
import { type FlagValues, oneOf, pastTime, text, toggle } from '../arguments/flags.ts';
import { reach } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import type { KnownCoordinator } from '../coordinators/known-coordinators.ts';
import { noExit } from '../exit-codes.ts';
import { channelsOf, markMsOf, webhookFormats } from '../notify/channels.ts';
import {
  type NotifyRecord,
  notifyFailure,
  readNotifyRecord,
  writeNotifyRecord,
} from '../notify/notify-record.ts';
import { isoTime, printJson } from '../output/printing.ts';
import { StopSignals, signalStatus } from '../stop-signals.ts';
import { defineVerb } from '../verb.ts';
import { type FollowedEvent, FollowedList, followSessions } from '../watching/follow-sessions.ts';

const time = pastTime('also report what was reported after that, if it is still true');

const notifyFlags = {
  ...reach,
  desktop: toggle('notify by notify-send'),
  osc: toggle('notify by the terminal: print OSC 777'),
  json: toggle('print each event as a line of JSON; with --status, the status'),
  exec: text('CMD', 'run a line of the shell, which gets the event as JSON on its stdin'),
  webhook: text('URL', 'send a POST request; instead of URL, [notify] webhook in config.toml'),
  'webhook-format': oneOf(
    webhookFormats,
    'FORMAT',
    'json, ntfy or slack (default: by the server, else json)',
  ),
  since: {
    ...time,
    value: 'MARK|TIME',
    read: (text: string) => markMsOf(text) ?? time.read(text),
  },
  status: toggle('print whether vtr notify runs, what it follows, and what it could not deliver'),
};

export const notify = defineVerb({
  name: 'notify',
  summary: 'notify when a session needs you; runs until stopped',
  args: {},
  flags: notifyFlags,
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
      ['activity', 'a session that you watch for output printed (vtr watch)'],
      ['silence', 'a session that you watch for silence has printed nothing for that time'],
    ],
    'vtr ls shows the same reasons. Each event is reported once. It is not reported if somebody looks at the session in vtr attach or the web page, or if input is sent within a second. A window without the focus does not count, if the terminal reports its focus.',
    'What began while vtr notify did not run is reported when it starts, if it is still true. When it runs for the first time, nothing that exists is reported, unless --since is given: the mark of a line of JSON, or a time such as 30m (ago), 10:32 or 2026-11-23T10:32:05Z.',
    'The same event of a session is reported at most once a minute, and at most 6 events a minute: others are reported together, if they are still true. [notify] in config.toml sets that number (per_minute) and hours in which nothing is reported (quiet = "22:00-07:00"). --json prints all events at once.',
    'By default, notifies with notify-send if it is installed and there is a desktop, or else with the terminal. If stdout is not a terminal, prints one line per event. --desktop, --osc, --json, --exec and --webhook can be combined.',
    'JSON has title, text, session, kind, since, missed (whether it began before vtr notify), of (the titles of events that are reported together) and mark. ntfy gets a message for the topic in the URL (https://ntfy.sh/TOPIC), Slack and servers like it {"text": ...}. Known secrets are replaced in what a command, a server or notify-send gets. Commands get your environment without variables whose names look like secrets.',
    'A notification that notify-send, the command (status 0) or the server (status 2xx) does not accept within 10 seconds is tried again after 2 s, 10 s, 1 min and 5 min, as long as it is true. --status prints whether vtr notify runs, which coordinators it follows, how many notifications were accepted and when, what was given up, and the last failure; the exit status is 1 if it does not run. vtr doctor prints the failure, too.',
    'contrib/vtr-notify.service is a user unit for systemd.',
  ],
  examples: [
    { line: 'vtr notify &', about: 'notify in the background' },
    { line: 'vtr notify --osc', about: 'notify by the terminal, also over ssh' },
    { line: 'vtr notify --webhook https://ntfy.sh/my-topic', about: 'notify a phone' },
    { line: "vtr notify --exec 'jq -r .title | say'", about: 'speak the titles' },
    { line: 'vtr notify --status', about: 'print what could not be delivered' },
  ],
  async run(context, { flags }) {
    if (flags.desktop && flags.osc) {
      throw new VtrError('INVALID_ARGUMENT', '--desktop and --osc cannot be used together');
    }
    const config = (await context.config()).notify;
    if (flags.status) return printStatus(context, config, flags.json);
    const channels = channelsFor(context, flags, config);
    const stop = new StopSignals();
    const ending = new AbortController();
    const received = stop.received.then((signal) => {
      ending.abort();
      return signal;
    });
    const notifier = new Notifier(context, channels, { ...config, sinceMs: flags.since ?? null });
    if (context.isTerminal) {
      context.say(`notifies by ${channels.map(({ name }) => name).join(', ')}; Ctrl+c ends it`);
    }
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

/** The configured webhook is used if no other way is requested. */
function channelsFor(
  context: Context,
  flags: FlagValues<typeof notifyFlags>,
  config: ClientConfig['notify'],
): readonly Channel[] {
  const { desktop, osc, json, exec = null } = flags;
  const isOther = desktop || osc || json || exec !== null;
  const webhook = flags.webhook ?? (isOther ? null : config.webhook);
  const webhookFormat = flags['webhook-format'] ?? config.webhookFormat;
  return channelsOf(context, { desktop, osc, json, exec, webhook, webhookFormat });
}

/** The longest wait, in ms: after a suspension of the machine, or when its clock was set, it may be another time. */
const maxWaitMs = 60_000;

interface NotifierOptions extends Pick<ClientConfig['notify'], 'quiet' | 'perMinute'> {
  /** As {@link Earlier.sinceMs}. */
  readonly sinceMs: number | null;
}

class Notifier implements Disposable {
  readonly #context: Context;
  /** Those that disturb a person. */
  readonly #paced: readonly Channel[];
  /** Those for programs. */
  readonly #prompt: readonly Channel[];
  readonly #list = new FollowedList(() => true);
  readonly #notices: Notices;
  readonly #names = new Map<string, string>();
  readonly #ids = new Set<string>();
  readonly #pace: Pace;
  readonly #deliveries: Deliveries;
  #timer: NodeJS.Timeout | null = null;
  #record: NotifyRecord;
  /** When the last notice was told, in ms since 1970: marks are different. */
  #toldMs = 0;

  constructor(context: Context, channels: readonly Channel[], options: NotifierOptions) {
    const { quiet, perMinute, sinceMs } = options;
    this.#context = context;
    this.#paced = channels.filter(({ isForPrograms }) => isForPrograms !== true);
    this.#prompt = channels.filter(({ isForPrograms }) => isForPrograms === true);
    const before = readNotifyRecord(context)?.bySession ?? null;
    this.#notices = new Notices(context.env['VTR_SESSION_ID'] ?? null, {
      bySession: before,
      sinceMs,
    });
    const isCurrent = (notice: Notice) => this.#notices.isCurrent(notice);
    this.#pace = new Pace({ quiet, perMinute, isCurrent });
    this.#deliveries = new Deliveries(ownTimers, {
      isCurrent,
      dropped: () => this.#note({}),
      delivered: (notice, atMs) => this.#delivered(notice, atMs),
      failed: (_, message, isOver) => this.#failed(message, isOver),
    });
    this.#record = {
      pid: process.pid,
      sinceMs: Date.now(),
      follows: [],
      delivered: 0,
      toldMs: null,
      failure: null,
      lost: 0,
      waiting: 0,
      bySession: before ?? new Map(),
      by: channels.map(({ name }) => name).join(', '),
      isConfirmed: channels.every((channel) => channel.isConfirmed),
    };
    writeNotifyRecord(context, this.#record);
  }

  apply(coordinator: KnownCoordinator, event: FollowedEvent): void {
    // After a restart of a coordinator, its sessions are not new.
    const isFirst = event.type === 'sessions' && !this.#ids.has(coordinator.socket);
    if (event.type === 'sessions') this.#ids.add(coordinator.socket);
    for (const { type, session } of this.#list.apply(coordinator, event)) {
      const { info } = session;
      this.#names.set(info.id, this.#nameOf(coordinator, info));
      if (type === 'session') this.#notices.note(info, isFirst, performance.now());
      else if (event.type === 'gone') this.#notices.lose(info.id);
      else this.#notices.remove(info.id);
    }
    this.#check();
    this.#follow(coordinator, event);
  }

  /** Notes which coordinators it follows: what a session wants from then on is reported. */
  #follow({ name }: KnownCoordinator, { type }: FollowedEvent): void {
    if (name === '' || (type !== 'sessions' && type !== 'gone')) return;
    const others = this.#record.follows.filter((each) => each !== name);
    const follows = type === 'gone' ? others : [...others, name].sort();
    if (follows.join('\n') !== this.#record.follows.join('\n')) this.#note({ follows });
  }

  dispose(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#deliveries.dispose();
    this.#note({ pid: null, follows: [], waiting: 0 });
  }

  #check(): void {
    clearTimeout(this.#timer ?? undefined);
    const now = { nowMs: performance.now(), wallMs: Date.now() };
    const due = this.#notices.due(now.nowMs, ({ id }) => this.#names.get(id) ?? id);
    this.#tellAll(due, now);
    if (this.#notices.hasChanged) this.#note({});
    const times = [this.#notices.nextMs(now.nowMs), this.#pace.nextMs(now)];
    const nextMs = Math.min(...times.map((each) => each ?? Number.POSITIVE_INFINITY));
    const waitMs = Math.min(nextMs + 1, maxWaitMs);
    this.#timer =
      nextMs === Number.POSITIVE_INFINITY ? null : setTimeout(() => this.#check(), waitMs);
  }

  #tellAll(due: readonly Notice[], now: Moment): void {
    if (this.#paced.length === 0) {
      for (const notice of due) void this.#deliveries.add(notice, this.#prompt, this.#nextMs());
      return;
    }
    // Whether it was told is then up to those that disturb.
    for (const notice of due) {
      for (const channel of this.#prompt) void channel.tell(notice, this.#nextMs());
    }
    for (const notice of this.#pace.take(due, now)) {
      void this.#deliveries.add(notice, this.#paced, this.#nextMs());
    }
  }

  /** Returns the time for a notice, in ms since 1970. */
  #nextMs(): number {
    this.#toldMs = Math.max(Date.now(), this.#toldMs + 1);
    return this.#toldMs;
  }

  #delivered(notice: Notice, atMs: number): void {
    this.#notices.delivered(notice, atMs);
    this.#note({ delivered: this.#record.delivered + 1, toldMs: Date.now() });
  }

  #note(changes: Partial<NotifyRecord>): void {
    const statuses = this.#notices.takeTold();
    const { waiting } = this.#deliveries;
    this.#record = { ...this.#record, waiting, ...defined({ bySession: statuses }), ...changes };
    writeNotifyRecord(this.#context, this.#record);
  }

  #nameOf({ name, pattern }: KnownCoordinator, info: SessionInfo): string {
    return pattern === null ? info.name : `${name}:${info.name}`;
  }

  /** Tells the same failure once. */
  #failed(message: string, isOver: boolean): void {
    if (message !== this.#record.failure?.message) this.#context.say(`cannot notify: ${message}`);
    const failure = { atMs: Date.now(), message };
    this.#note({ failure, lost: this.#record.lost + (isOver ? 1 : 0) });
  }
}

/** Prints whether notifications are delivered. Returns the exit status. */
function printStatus(context: Context, { quiet }: ClientConfig['notify'], isJson: boolean): number {
  const record = readNotifyRecord(context);
  const now = new Date();
  const isRunning = record !== null && record.pid !== null;
  const quietMs = quiet === null ? 0 : quietLeftMs(quiet, now);
  if (isJson) printJson(context, { ...statusJson(record), quiet_ms: quietMs });
  else {
    const lines = [
      ...(record === null ? ['vtr notify does not run'] : statusLines(record, now.getTime())),
      ...(quietMs === 0 ? [] : [`quiet for ${durationText(quietMs)}`]),
    ];
    context.out(lines.map((line) => `${line}\n`).join(''));
  }
  return isRunning ? 0 : noExit;
}

function statusJson(record: NotifyRecord | null): object {
  const { delivered = 0, lost = 0, waiting = 0, isConfirmed = false, by = null } = record ?? {};
  const { pid = null, sinceMs = null, toldMs = null, failure = null } = record ?? {};
  const follows = pid === null ? [] : (record?.follows ?? []);
  return {
    pid,
    since: isoTime(sinceMs),
    follows,
    by,
    confirmed: isConfirmed,
    told: delivered,
    last: isoTime(toldMs),
    waiting,
    lost,
    failure: failure === null ? null : { at: isoTime(failure.atMs), message: failure.message },
  };
}

function statusLines(record: NotifyRecord, nowMs: number): string[] {
  const { pid, sinceMs, follows, delivered, toldMs, by, isConfirmed, lost, waiting } = record;
  const ago = (ms: number) => `${durationText(Math.max(0, nowMs - ms))} ago`;
  const count = counted(delivered, 'notification');
  const how = isConfirmed ? `accepted by ${by}` : `sent to ${by ?? 'the terminal'}`;
  const failure = notifyFailure(record, nowMs);
  return [
    pid === null
      ? 'vtr notify does not run'
      : `vtr notify runs: process ${pid}, begun ${ago(sinceMs)}`,
    ...(pid === null ? [] : [`follows ${follows.join(', ') || 'no coordinator yet'}`]),
    ...(toldMs === null ? [] : [`${count} ${how}, the last ${ago(toldMs)}`]),
    ...(toldMs === null || isConfirmed ? [] : ['a terminal does not report what it shows']),
    ...(waiting === 0 ? [] : [`${counted(waiting, 'notification')} to be tried again`]),
    ...(lost === 0 ? [] : [`${counted(lost, 'notification')} given up`]),
    ...(failure === null ? [] : [`could not notify ${failure}`]),
  ];
}
