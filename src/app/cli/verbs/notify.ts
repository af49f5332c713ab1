import { type SessionInfo, VtrError } from '#model';
import { toggle } from '../arguments/flags.ts';
import { reach } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import type { KnownCoordinator } from '../coordinators/known-coordinators.ts';
import { Notices, type Tell, tellBy } from '../notify/notices.ts';
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
  },
  details: [
    'Follows the sessions of all known coordinators, and of coordinators that start later. A session needs you when:',
    [
      ['input', 'a program asks a question'],
      ['password', 'a program asks for a password'],
      ['prompt', 'a command that ran for 5 seconds or more has ended'],
      ['failed', 'a command or the program failed'],
      ['bell', 'a program rang the bell'],
      ['notification', 'a program sent a notification (OSC 9, 99, 777)'],
      ['done', 'a program completed its progress (OSC 9;4), or the program of the session ended'],
      ['quiet', 'a program that had printed has printed nothing for 5 minutes'],
    ],
    'vtr ls shows the same reasons. Each event is reported once. It is not reported if somebody looks at the session in vtr attach, vtr ui or the web page, or if input is sent within a second. Reasons that exist when vtr notify starts are not reported.',
    'By default, notifies with notify-send if it is installed and there is a desktop, or else with the terminal. If stdout is not a terminal, prints one line per event.',
  ],
  examples: [
    { line: 'vtr notify &', about: 'notify in the background' },
    { line: 'vtr notify --osc', about: 'notify by the terminal, also over ssh' },
  ],
  async run(context, { flags }) {
    if (flags.desktop && flags.osc) {
      throw new VtrError('INVALID_ARGUMENT', '--desktop and --osc cannot be used together');
    }
    const tell = tellBy(context, flags.desktop ? 'desktop' : flags.osc ? 'osc' : undefined);
    const stop = new StopSignals();
    const ending = new AbortController();
    const received = stop.received.then((signal) => {
      ending.abort();
      return signal;
    });
    const notifier = new Notifier(context, tell);
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

class Notifier {
  readonly #context: Context;
  readonly #tell: Tell;
  readonly #list = new FollowedList(() => true);
  readonly #notices: Notices;
  readonly #names = new Map<string, string>();
  readonly #known = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #failure = '';

  constructor(context: Context, tell: Tell) {
    this.#context = context;
    this.#tell = tell;
    this.#notices = new Notices(context.env['VTR_SESSION_ID'] ?? null);
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
  }

  #check(): void {
    clearTimeout(this.#timer ?? undefined);
    const nowMs = performance.now();
    for (const notice of this.#notices.due(nowMs, ({ id }) => this.#names.get(id) ?? id)) {
      this.#tell(notice).catch((error) => this.#report(error));
    }
    const nextMs = this.#notices.nextMs(nowMs);
    this.#timer = nextMs === null ? null : setTimeout(() => this.#check(), nextMs + 1);
  }

  #nameOf({ name, pattern }: KnownCoordinator, info: SessionInfo): string {
    return pattern === null ? info.name : `${name}:${info.name}`;
  }

  /** The same failure once. */
  #report(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#failure) this.#context.say(`cannot notify: ${message}`);
    this.#failure = message;
  }
}
