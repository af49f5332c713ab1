import { defined, toDisposable } from '#base';
import {
  type AgentInfo,
  type Attention,
  type SessionInfo,
  type SessionsEvent,
  watchLabel,
} from '#model';
import { completeFacts, Session, type SessionFacts } from '#session';
import { Registry } from '../../../src/coordinator/registry.ts';
import { Looks } from '../../../src/coordinator/watching/looks.ts';
import { SessionPlaces } from '../../../src/coordinator/watching/session-places.ts';
import { WatchedSessions } from '../../../src/coordinator/watching/watched-sessions.ts';
import { FakePty } from '../pty/fake-pty.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { fakeTerminal } from './fake-session.ts';

export const minuteMs = 60_000;
export const stepMs = 50;
export const reading = {
  program: { pid: 1, name: 'ask' },
  isLeader: false,
  readsTerminal: true,
  alsoWaits: false,
};
const computing = { ...reading, readsTerminal: false };
export const inLine = { echo: true, canonical: true };

/** Sessions without programs, whose processes a test sets, and how often they are looked at. */
export class Fixture {
  readonly clock = new VirtualClock();
  readonly registry = new Registry();
  readonly ptys: FakePty[] = [];
  readonly sessions: Session[] = [];
  readonly infos = new Map<string, SessionInfo>();
  readonly events: SessionsEvent[] = [];
  /** The agent of all sessions. */
  agent: AgentInfo | null = null;
  /** At which sessions persons begin and cease to look. */
  readonly looked: string[] = [];
  branchOf: (directory: string) => Promise<string | null> = async () => null;
  /** The ids of sessions whose places were saved. */
  readonly placesSaved: string[] = [];
  listings = 0;
  queries = 0;
  readonly looks = new Looks({
    registry: this.registry,
    clock: this.clock,
    save: () => {},
    onLook: (id) => this.watched.agentChanged(id),
  });
  readonly places = new SessionPlaces({
    registry: this.registry,
    clock: this.clock,
    branchOf: (directory) => this.branchOf(directory),
    save: ({ id }) => this.placesSaved.push(id),
  });
  readonly watched: WatchedSessions = new WatchedSessions({
    clock: this.clock,
    registry: this.registry,
    onFault: (error) => {
      throw error;
    },
    agentOf: () => this.agent,
    statusOf: () => null,
    looks: {
      begin: (id) => {
        this.looked.push(id);
        const look = this.looks.begin(id);
        return toDisposable(() => {
          look.dispose();
          this.looked.push(`not ${id}`);
        });
      },
      of: (id) => this.looks.of(id),
      unseenSince: (id, atMs) => this.looks.unseenSince(id, atMs),
    },
    infoOf: (session) => ({ ...session.info(), ...defined({ agent: this.agent }) }),
    places: this.places,
    listProcesses: () => {
      this.listings++;
      return this.list();
    },
  });

  private readonly list: () => Promise<[]>;

  constructor(list: () => Promise<[]> = async () => []) {
    this.list = list;
  }

  add(count = 1, exited = false, more: Partial<SessionFacts> = {}): FakePty {
    for (let added = 0; added < count; added++) {
      const pty = new FakePty();
      const foreground = () => {
        this.queries++;
        return Promise.resolve(pty.facts.foreground);
      };
      pty.foreground = foreground;
      pty.facts = { foreground: computing, modes: inLine };
      const id = `id-${this.ptys.length}`;
      const createdAtMs = this.clock.wallMs();
      const session = new Session({
        facts: completeFacts({ name: id, id, createdAtMs, args: ['me'], ...more }),
        pty,
        terminal: fakeTerminal({ cols: 40, rows: 4 }),
        clock: this.clock,
        onFault: (error) => {
          throw error;
        },
      });
      this.registry.add(session);
      this.ptys.push(pty);
      this.sessions.push(session);
      if (exited) pty.announceExit({ code: 0, signal: null });
    }
    return this.ptys.at(-1) as FakePty;
  }

  async watch(): Promise<void> {
    const opening = this.watched.watch({});
    await this.pass(500);
    const watch = await opening;
    void (async () => {
      for await (const event of watch) {
        this.events.push(event);
        if (event.type === 'session') this.infos.set(event.session.id, event.session);
      }
    })();
    await this.pass(stepMs);
  }

  /** Advances the time in steps in which queries are answered. */
  async pass(ms: number, each: () => void = () => {}, step = stepMs): Promise<void> {
    for (let left = ms; left > 0; left -= step) {
      each();
      this.clock.advance(Math.min(step, left));
      this.clock.settleIo();
      await new Promise((resolve) => setImmediate(resolve));
      this.clock.settleIo();
    }
  }

  /** As a person chooses for what the first session is watched. */
  watchFor(what: string): void {
    this.looks.watch('id-0');
    this.sessions[0]?.changeLabels({ [watchLabel]: what });
  }

  get attention(): Pick<Attention, 'kind' | 'evidence'> | null {
    const { attention } = this.infos.get('id-0') ?? {};
    return attention === undefined ? null : { kind: attention.kind, evidence: attention.evidence };
  }

  /** Without a watcher. */
  async listed(): Promise<Attention | null> {
    const [info] = await this.watched.infos(this.registry.list());
    return info?.attention ?? null;
  }
}
