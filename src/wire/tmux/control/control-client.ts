import { isUtf8 } from 'node:buffer';
import { ignored } from '#base';
import { asVtrError, type CancelSignal, type Subscription, type TmuxControlAnswer } from '#model';
import type { Caller, CommandAnswer, Output } from '../commands/call.ts';
import { windowName } from '../format/foreground.ts';
import { windowFlags } from '../format/variables.ts';
import type { Running } from '../runner.ts';
import type { AttachedClient, ClientEnd, Notice } from '../state/attached-client.ts';
import { resizeWindow } from '../state/default-size.ts';
import type { TmuxSession } from '../state/tmux-session.ts';
import type { TmuxPane } from '../state/tmux-window.ts';
import type { TextError } from '../tmux-error.ts';
import { commandsInWords } from '../words/command-line.ts';
import { ControlSubscriptions } from './subscriptions.ts';

/** How long a client may not ask for its output before it ends, in ms: its process has gone. */
const givenUpMs = 60_000;
/** Output of panes that may wait for a client, in characters; with more, the client ends. */
const maxWaiting = 4 * 1024 * 1024;

/**
 * How long what happens is held back for the answer to a line whose command may wait, in ms: the answer of
 * tmux comes before what the line caused, and scripts read it first.
 */
const heldMs = 100;

/** The output of a pane's session. */
interface Followed {
  /** The id of the session: another one after the pane was respawned. */
  readonly id: string;
  readonly events: Promise<Subscription>;
}

function unfollow({ events }: Followed): void {
  ignored(
    events.then((each) => each.dispose()),
    'a subscription that failed need not be ended',
  );
}

/** After these, other panes may be there, or other sessions in them. */
const followed: ReadonlySet<Notice['name']> = new Set([
  'layout-changed',
  'pane-respawned',
  'window-linked',
]);

/** A client in control mode: its commands, their answers, and what happens in its session. */
export class ControlClient implements AttachedClient {
  readonly running: Running;
  readonly name: string;
  readonly pid: number;
  readonly createdAtMs: number;
  readonly flags = new Set<string>();
  readonly terminal = null;
  readonly env: Caller['env'];
  activityAtMs: number;
  activity = 0;
  lastSession: TmuxSession | null = null;
  cols = 80;
  rows = 24;
  isSized = false;
  isEnded = false;
  readonly #caller: Caller;
  readonly #gone = new AbortController();
  readonly #onEnd: () => void;
  readonly #panes = new Map<TmuxPane, Followed>();
  readonly #notices: { dispose(): void };
  /** Those of windows that do not have the size of the client, by their ids. */
  readonly #windowSizes = new Map<number, { cols: number; rows: number }>();
  readonly #subscriptions: ControlSubscriptions;
  #session: TmuxSession | null = null;
  /** What happened before it had a session, by the command that makes it. */
  #early: Notice[] = [];
  #output = '';
  /** What happened since a line began to run, which is told after its answers; null while none runs. */
  #buffer: string | null = null;
  #release: NodeJS.Timeout | null = null;
  #wake: (() => void) | null = null;
  #number = 0;
  #giveUp: NodeJS.Timeout | null = null;
  /** Lines run one after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(running: Running, pid: number, caller: Caller, onEnd: () => void) {
    this.running = running;
    this.env = caller.env;
    this.name = `client-${pid}`;
    this.pid = pid;
    this.createdAtMs = running.server.nowMs();
    this.activityAtMs = this.createdAtMs;
    this.#onEnd = onEnd;
    this.#caller = {
      ...caller,
      signal: this.#gone.signal,
      client: null,
      attach: ({ session }) => {
        this.#attach(session);
        return this;
      },
      mayWait: () => {
        this.#release ??= setTimeout(() => this.#tellHeld(), heldMs).unref();
      },
    };
    this.#subscriptions = new ControlSubscriptions(running.server, this, (text) =>
      this.#tell(text),
    );
    this.#notices = running.server.notices.on((notice) => this.#noticed(notice));
    this.#expectTake();
  }

  get session(): TmuxSession {
    const { sorted } = this.running.server;
    const session = this.#session ?? sorted[0];
    if (session === undefined) throw new Error('the client has no session');
    return session;
  }

  set session(session: TmuxSession) {
    this.#attach(session);
  }

  /** Runs the first command; without a session after it, the client ends. */
  async begin(words: readonly string[]): Promise<void> {
    const commands = commandsInWords(words);
    if (commands.length === 0) commands.push(['new-session']);
    const { runner } = this.running;
    await this.#done((caller) => runner.run(commands, caller), 0);
    if (this.#session === null) this.detach();
  }

  /** Runs a line; an empty one ends the client. */
  line(text: string): Promise<void> {
    if (text === '') {
      this.detach();
      return Promise.resolve();
    }
    const { runner } = this.running;
    const unread = ({ message }: TextError) => `parse error: ${message}`;
    this.#last = this.#last.then(() =>
      this.#done((caller) => runner.runLines(text, caller, unread), 1),
    );
    return this.#last;
  }

  /** Waits for output. */
  async take(signal: CancelSignal): Promise<TmuxControlAnswer> {
    if (this.#giveUp !== null) clearTimeout(this.#giveUp);
    this.#giveUp = null;
    const gone = () => this.detach();
    // One that has gone already tells nothing more.
    if (signal.aborted) gone();
    signal.addEventListener('abort', gone);
    while (this.#output === '' && !this.#hasToldEnd) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    signal.removeEventListener('abort', gone);
    const output = this.#output;
    this.#output = '';
    const ended = this.#hasToldEnd;
    if (!ended) this.#expectTake();
    return { output, ended };
  }

  get #hasToldEnd(): boolean {
    return this.isEnded && this.#buffer === null;
  }

  async resize(cols: number, rows: number): Promise<void> {
    this.cols = cols;
    this.rows = rows;
    this.isSized = true;
    await this.#fit();
  }

  async resizeWindow(id: number, size: { cols: number; rows: number } | null): Promise<void> {
    if (size === null) this.#windowSizes.delete(id);
    else this.#windowSizes.set(id, size);
    await this.#fit();
  }

  async #fit(): Promise<void> {
    const { server } = this.running;
    for (const { window } of this.#session?.links ?? []) {
      if (window.options.text('window-size') === 'manual') continue;
      const { cols, rows } = this.#windowSizes.get(window.id) ?? this;
      if (window.cols === cols && window.rows === rows) continue;
      await resizeWindow(server, window, { cols, rows });
    }
  }

  subscribe(text: string): void {
    this.#subscriptions.change(text);
  }

  detach(end?: ClientEnd): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#gone.abort();
    // As in tmux: no reason for the end of its session.
    const reason = end === 'exited' ? undefined : end;
    this.#tell(`%exit${reason === undefined ? '' : ` ${reason}`}\n`);
    if (this.#giveUp !== null) clearTimeout(this.#giveUp);
    this.#notices.dispose();
    this.#subscriptions.dispose();
    for (const followed of this.#panes.values()) unfollow(followed);
    const { server } = this.running;
    server.clients.delete(this);
    if (this.#session !== null) {
      server.focus.ended(this, this.#session);
      const notice = server.inTurn(() => {
        // After what the command does that has ended it.
        server.notices.emit({ name: 'client-detached', client: this });
      });
      ignored(notice, 'an observer may have failed');
    }
    // The end is taken with the last output, which a client of a busy machine may ask for late.
    setTimeout(this.#onEnd, givenUpMs).unref();
  }

  #attach(session: TmuxSession): void {
    const before = this.#session;
    if (before !== session) this.lastSession = before;
    this.#session = session;
    const { server } = this.running;
    server.clients.add(this);
    server.look(session.current);
    for (const notice of this.#early) this.#tell(this.#shown(notice, session));
    this.#early = [];
    this.#tell(`%session-changed $${session.id} ${session.name}\n`);
    server.focus.shows(this, before);
    this.#followPanes();
  }

  /** Runs commands. Each one gets an answer of its own. */
  async #done(run: (caller: Caller) => Promise<Output>, flags: 0 | 1): Promise<void> {
    const client = this.#session === null ? null : this;
    const answered = (answer: CommandAnswer) => this.#answer(answer, flags);
    this.#buffer ??= '';
    await run({ ...this.#caller, client, answered }).catch((error: unknown) => {
      const text = `${asVtrError(error).message}\n`;
      answered({ text, hasFailed: true, isOfHook: false });
    });
    this.#tellHeld();
  }

  #tellHeld(): void {
    if (this.#release !== null) clearTimeout(this.#release);
    this.#release = null;
    const rest = this.#buffer ?? '';
    this.#buffer = null;
    this.#write(rest);
  }

  #answer({ text, hasFailed, isOfHook }: CommandAnswer, flags: 0 | 1): void {
    const seconds = Math.floor(this.running.server.nowMs() / 1000);
    const mark = `${seconds} ${++this.#number} ${isOfHook ? 0 : flags}`;
    const shown = this.running.server.shown(text, 'known');
    this.#write(`%begin ${mark}\n${shown}${hasFailed ? '%error' : '%end'} ${mark}\n`);
  }

  #noticed(notice: Notice): void {
    if (this.#session === null) {
      this.#early.push(notice);
      return;
    }
    this.#tell(this.#shown(notice, this.#session));
    if (followed.has(notice.name)) this.#followPanes();
  }

  #shown(notice: Notice, session: TmuxSession): string {
    return this.running.server.shown(noticeLines(notice, session, this), 'known');
  }

  /** Follows the output of the panes of the session. */
  #followPanes(): void {
    const shown = this.#session?.links.flatMap(({ window }) => window.panes) ?? [];
    const { coordinator, withoutSecrets } = this.running.server.programs;
    for (const [pane, stream] of this.#panes) {
      if (shown.includes(pane) && pane.session.id === stream.id) continue;
      this.#panes.delete(pane);
      unfollow(stream);
    }
    for (const pane of shown) {
      if (this.#panes.has(pane) || this.isEnded) continue;
      const bounds = { scrollbackLines: 0, maxWaitingBytes: maxWaiting };
      const request = { ...bounds, redact: withoutSecrets !== null };
      const events = coordinator.subscribe(pane.session, request);
      this.#panes.set(pane, { id: pane.session.id, events });
      ignored(this.#follow(pane, events), 'the session of the pane may be gone');
    }
  }

  async #follow(pane: TmuxPane, subscribed: Promise<Subscription>): Promise<void> {
    let hasState = false;
    for await (const event of await subscribed) {
      // A second state takes the place of output that was dropped.
      const isBehind = event.type === 'snapshot' && hasState;
      hasState ||= event.type === 'snapshot';
      if (this.flags.has('no-output')) continue;
      const waiting = this.#output.length + (this.#buffer?.length ?? 0);
      if (isBehind || waiting > maxWaiting) return this.detach('too far behind');
      if (event.type !== 'output') continue;
      this.#tell(`%output %${pane.id} ${controlText(event.bytes)}\n`);
    }
  }

  /** Tells what happened. */
  #tell(text: string): void {
    if (this.#buffer === null) this.#write(text);
    else this.#buffer += text;
  }

  #write(text: string): void {
    if (text === '' && !this.#hasToldEnd) return;
    this.#output += text;
    this.#wake?.();
    this.#wake = null;
  }

  #expectTake(): void {
    this.#giveUp = setTimeout(() => this.detach('too far behind'), givenUpMs).unref();
  }
}

/**
 * Returns output as control mode prints it: control characters, backslashes, and bytes that are not part
 * of a whole character in UTF-8, in octal. The octal numbers of two outputs join to a character.
 */
function controlText(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return escaped(Buffer.from(bytes).toString('utf8'));
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length === 0) text += octal(bytes[at] ?? 0);
    else text += escaped(Buffer.from(bytes.subarray(at, at + length)).toString('utf8'));
    at += Math.max(1, length);
  }
  return text;
}

const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, '0')}`;

const escaped = (text: string): string =>
  text.replace(/[\x00-\x1f\\]/g, (character) => octal(character.charCodeAt(0)));

/** The bytes of the character that begins at an index; 0 if none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const character = bytes.subarray(at, at + length);
  return character.length === length && isUtf8(character) ? length : 0;
}

/** Returns the lines that tell a client of a session what happened; empty if it is not told. */
function noticeLines(
  { name, client, session, window, pane }: Notice,
  own: TmuxSession,
  self: AttachedClient,
): string {
  const isOwn = window !== undefined && own.linkOf(window) !== null;
  switch (name) {
    case 'layout-changed': {
      const link = window && own.linkOf(window);
      if (!window || !link) return '';
      const { layoutText, shownLayoutText } = window;
      const flags = windowFlags(link, null);
      return `%layout-change @${window.id} ${layoutText} ${shownLayoutText} ${flags}\n`;
    }
    case 'window-linked':
      return `%${session === own ? '' : 'unlinked-'}window-add @${window?.id}\n`;
    case 'window-unlinked':
      return `%${session === own ? '' : 'unlinked-'}window-close @${window?.id}\n`;
    case 'window-renamed':
      if (window === undefined) return '';
      return `%${isOwn ? '' : 'unlinked-'}window-renamed @${window.id} ${windowName(window)}\n`;
    case 'window-pane-changed':
      return `%window-pane-changed @${window?.id} %${pane?.id}\n`;
    case 'pane-mode-changed':
      return `%pane-mode-changed %${pane?.id}\n`;
    case 'session-window-changed':
      return `%session-window-changed $${session?.id} @${window?.id}\n`;
    case 'session-renamed':
      return `%session-renamed $${session?.id} ${session?.name}\n`;
    case 'client-session-changed':
      // The client itself has been told.
      if (client === self) return '';
      return `%client-session-changed ${client?.name} $${session?.id} ${session?.name}\n`;
    case 'client-detached':
      return `%client-detached ${client?.name}\n`;
    case 'session-created':
    case 'session-closed':
      return '%sessions-changed\n';
    default:
      return '';
  }
}
