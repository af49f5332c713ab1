import { defined } from '#base';
import {
  asVtrError,
  type CallName,
  type Client,
  type Coordinator,
  callByName,
  callingClient,
  callOf,
  coordinatorOf,
  type ErrorCode,
  isSessionCall,
  type Lease,
  type ObservedInput,
  type Publication,
  type Sender,
  type SessionRef,
  type Viewing,
  type WebControls,
  type WrittenInput,
  withFields,
} from '#model';
import {
  coordinatorActions,
  coordinatorOutcomes,
  type Described,
  limitedDetails,
  type Outcome,
  senderName,
  webActions,
  webOutcomes,
} from './actions.ts';
import { type AuditDetail, type AuditEntry, limited, type NewEntry } from './entry.ts';

type Names<T> = Readonly<Record<string, T | undefined>>;
type AnyDescribe = (...args: readonly unknown[]) => Described;
type AnyOutcome = (result: unknown, described: Described) => Outcome;

interface NameAndId {
  readonly name: string;
  readonly id: string;
}

export interface AuditParts {
  /** Takes the entries. */
  readonly trail: { add(entry: NewEntry): void };
  /** Whose calls have no client of their own; see `callingClient`. */
  readonly client: Client;
  /** Returns the session of a reference; null if there is none. */
  readonly identify: (session: SessionRef) => NameAndId | null;
  /** In ms since 1970. */
  readonly wallMs: () => number;
}

/** Records what changes anything, for the callers of the ports of a coordinator's process. */
export class Audit {
  readonly #parts: AuditParts;
  /** The names of the people who see sessions, by the id of their viewing: what they type names only that. */
  readonly #viewers = new Map<string, string>();

  constructor(parts: AuditParts) {
    this.#parts = parts;
  }

  /** Returns a coordinator that records its calls. */
  coordinator(coordinator: Coordinator): Coordinator {
    const recorded = coordinatorOf((name, args) => this.#recorded(coordinator, name, args));
    return {
      ...recorded,
      openLease: async (request) => {
        const client = this.#client();
        return this.#lease(await recorded.openLease(request), client);
      },
      view: async (session, request) => {
        const client = this.#client();
        const identity = this.#parts.identify(session) ?? session;
        return this.#viewing(await recorded.view(session, request), identity, request.name, client);
      },
      publish: async (request) => {
        const client = this.#client();
        return this.#publication(await recorded.publish(request), client);
      },
    };
  }

  /** Returns the controls of the web page that record their calls. */
  web(web: WebControls): WebControls {
    const methods = Object.entries(webActions).map(([name, action]) => {
      const method = (web as unknown as Names<(...args: readonly unknown[]) => unknown>)[name];
      const outcome = (webOutcomes as Names<AnyOutcome>)[name];
      const call = (...args: readonly unknown[]) => {
        const act = () => method?.apply(web, [...args]);
        if (action === null) return act();
        const [word, describe] = action;
        return this.#call(word, (describe as AnyDescribe)(...args), act, outcome);
      };
      return [name, call];
    });
    return Object.fromEntries(methods);
  }

  /**
   * Records an action that is not a call of the port.
   *
   * @param client default: that of the current call
   * @param refused the code of the error, if it was not carried out
   */
  note(action: string, described: Described = {}, client?: Client, refused?: ErrorCode): void {
    this.#begin(action, described, client).done(refused === undefined ? {} : { refused });
  }

  #recorded(coordinator: Coordinator, name: CallName, args: readonly unknown[]): unknown {
    const { audit, kind, request } = callOf(name);
    if (audit === null) return callByName(coordinator, name, args);
    const session = isSessionCall(name) ? { session: args[0] as SessionRef } : {};
    const says = (coordinatorActions as unknown as Names<AnyDescribe>)[name]?.(...args);
    if (kind !== 'input' || request === undefined) {
      const outcome = (coordinatorOutcomes as Names<AnyOutcome>)[name];
      const act = () => callByName(coordinator, name, args);
      return this.#call(audit, { ...session, ...says }, act, outcome);
    }
    const { by: sender, viewer = '' } = (args[request] ?? {}) as Sender;
    const by = sender ?? this.#viewers.get(viewer);
    const call = this.#begin(audit, { ...session, by, ...says });
    call.isInput = true;
    // The lines of a paste are written one by one as the program reads; it may turn echo off in between.
    const isWhole = name !== 'run' || !/\p{Cc}/u.test(String(says?.text));
    const observed: ObservedInput = { onWritten: (input) => call.written(input, isWhole) };
    return call.during(() => callByName(coordinator, name, withFields(args, request, observed)));
  }

  #call(action: string, described: Described, act: () => unknown, outcome?: AnyOutcome): unknown {
    return this.#begin(action, described).during(
      act,
      outcome && ((result) => outcome(result, described)),
    );
  }

  #begin(action: string, described: Described, client?: Client): RecordedCall {
    return new RecordedCall(this.#parts, action, described, client ?? this.#client());
  }

  #client(): Client {
    return callingClient() ?? this.#parts.client;
  }

  #lease(lease: Lease, client: Client): Lease {
    const { id } = lease;
    const closing = () => this.#begin('lease close', { details: { lease: id } }, client);
    let closed: Promise<void> | null = null;
    return {
      id,
      close: () => {
        closed ??= closing().during(() => lease.close()) as Promise<void>;
        return closed;
      },
    };
  }

  #viewing(viewing: Viewing, session: SessionRef, by: string | undefined, client: Client): Viewing {
    const begin = (action: string, details: Described['details'] = {}) =>
      this.#begin(action, { session, by, details }, client);
    const during = (action: string, act: () => Promise<void>, details?: Described['details']) =>
      begin(action, details).during(act) as Promise<void>;
    if (by !== undefined) this.#viewers.set(viewing.id, by);
    let left: Promise<void> | null = null;
    return {
      id: viewing.id,
      take: (options = {}) =>
        during('take', () => viewing.take(options), { force: options.force || undefined }),
      give: (options = {}) => during('give', () => viewing.give(options), { to: options.to }),
      resize: ({ cols, rows }) =>
        during('resize', () => viewing.resize({ cols, rows }), { cols, rows }),
      // Changes nothing of the session, and comes with each change of the focus.
      look: (looking) => viewing.look(looking),
      dispose: () => {
        this.#viewers.delete(viewing.id);
        left ??= during('leave', () => viewing.dispose());
        return left;
      },
      [Symbol.asyncIterator]: () => viewing[Symbol.asyncIterator](),
    };
  }

  /** Writes to a publication are not recorded: they are output, not input. */
  #publication(publication: Publication, client: Client): Publication {
    const { session } = publication;
    let closed: Promise<void> | null = null;
    return {
      session,
      write: (bytes) => publication.write(bytes),
      resize: (size) => publication.resize(size),
      exit: (status) => publication.exit(status),
      close: () => {
        const close = () => publication.close();
        closed ??= this.#begin('publish end', { session }, client).during(close) as Promise<void>;
        return closed;
      },
    };
  }
}

/** A call, until it is recorded. */
class RecordedCall {
  readonly #parts: AuditParts;
  readonly #action: string;
  readonly #described: Described;
  #text: string | Uint8Array | null;
  readonly #client: Client;
  readonly #atMs: number;
  readonly #session: NameAndId | string | undefined;
  #writes = 0;
  #bytes = 0;
  #isShown = true;
  #isRecorded = false;
  /** Whether it is recorded only if it writes something. */
  isInput = false;

  constructor(parts: AuditParts, action: string, described: Described, client: Client) {
    this.#parts = parts;
    this.#action = action;
    this.#described = described;
    this.#text = described.text ?? null;
    this.#client = client;
    this.#atMs = parts.wallMs();
    const { session } = described;
    // Now: its name may change during the call, and it may be removed.
    this.#session =
      session === undefined ? undefined : (parts.identify(session) ?? nameOf(session));
  }

  /** Records the call when it has ended, unless it was before. */
  during(call: () => unknown, outcome: (result: never) => Outcome = () => ({})): unknown {
    try {
      const result = call();
      if (!(result instanceof Promise)) {
        this.#ended(outcome(result as never));
        return result;
      }
      return result.then(
        (value) => {
          this.#ended(outcome(value as never));
          return value;
        },
        (error) => {
          this.#failed(error);
          throw error;
        },
      );
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  /** @param isWhole whether no more of it is written */
  written({ bytes, isShown }: WrittenInput, isWhole: boolean): void {
    this.#writes++;
    this.#bytes += bytes;
    this.#isShown &&= isShown;
    if (isWhole && !this.#isRecorded) this.done();
  }

  /** Records the call. */
  done(more: Partial<AuditEntry> = {}, details: Record<string, AuditDetail> = {}): void {
    this.#isRecorded = true;
    const { by } = this.#described;
    const name = senderName(by);
    const { pid } = this.#client;
    const all = { ...limitedDetails(this.#described.details), ...details };
    const entry: AuditEntry = {
      time: new Date(this.#atMs).toISOString(),
      action: this.#action,
      client: this.#client.kind,
      ...defined({ pid, by: name }),
      ...sessionFields(this.#session),
      ...(this.#writes > 0 && { bytes: this.#bytes }),
      ...more,
      ...(Object.keys(all).length > 0 && { details: all }),
    };
    const isKnown = this.#isShown && (more.refused === undefined || this.#writes > 0);
    this.#parts.trail.add({ entry, input: isKnown ? this.#text : null });
  }

  /** A repeat, and an event of the mouse that the program did not request, write nothing. */
  #ended({ session, text, details }: Outcome): void {
    if (this.#isRecorded || (this.isInput && this.#writes === 0)) return;
    this.#text = text ?? this.#text;
    const ofSession = session && { session: session.name, session_id: session.id };
    this.done({ ...ofSession }, limitedDetails(details));
  }

  #failed(error: unknown): void {
    if (this.#isRecorded) return;
    const { code, details } = asVtrError(error);
    const accepted = Number(details['acceptedBytes'] ?? 0);
    // What a program accepted of it may have been hidden.
    if (accepted > 0) this.#isShown = false;
    this.done({ refused: code, ...(accepted > 0 && { bytes: accepted + this.#bytes }) });
  }
}

const nameOf = (session: SessionRef): string =>
  limited(typeof session === 'string' ? session : session.name, maxNameLength);

const maxNameLength = 64;

function sessionFields(session: NameAndId | string | undefined): Partial<AuditEntry> {
  if (session === undefined) return {};
  if (typeof session === 'string') return { session };
  return { session: session.name, session_id: session.id };
}
