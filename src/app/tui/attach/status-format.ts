import { hostname, userInfo } from 'node:os';
import type { FormatSubject } from '#format';
import { commandText, directoryOf, type SessionInfo, stateText, wantsPerson } from '#model';
import { minuteOf, type StatusText, type ViewState } from '../view/view-state.ts';
import type { AttachSettings } from './scene.ts';

type Formats = Pick<AttachSettings, 'statusLeft' | 'statusRight'>;

export const hasFormat = ({ statusLeft, statusRight }: Formats): boolean =>
  statusLeft != null || statusRight != null;

interface StatusSources {
  /** The sessions among which the person moves, in their order. */
  readonly sessions: () => readonly SessionInfo[];
  /** The id of the session in view. */
  readonly id: () => string;
  readonly tell: (text: StatusText) => void;
}

/** Expands what the person wrote for the status line, when something that it can show has changed. */
export class StatusFormat {
  readonly #formats: Formats;
  readonly #sources: StatusSources;
  readonly #hasClock: boolean;
  #state: ViewState | null = null;
  #key = '';
  #lastText = '';
  #isExpanding = false;
  #isStale = false;

  constructor(formats: Formats, sources: StatusSources) {
    this.#formats = formats;
    this.#sources = sources;
    this.#hasClock = /%[A-Za-z]/.test(`${formats.statusLeft ?? ''}${formats.statusRight ?? ''}`);
  }

  /** The view has changed. */
  follow(state: ViewState): void {
    this.#state = state;
    const key = keyOf(state, this.#hasClock);
    if (key === this.#key) return;
    this.#key = key;
    this.changed();
  }

  /** What is known of the sessions has changed. */
  changed(): void {
    this.#isStale = true;
    if (!this.#isExpanding && this.#state !== null) void this.#expand();
  }

  async #expand(): Promise<void> {
    this.#isExpanding = true;
    while (this.#isStale && this.#state !== null) {
      this.#isStale = false;
      const text = await this.#text(this.#state);
      const json = JSON.stringify(text);
      if (json !== this.#lastText) this.#sources.tell(text);
      this.#lastText = json;
    }
    this.#isExpanding = false;
  }

  async #text(state: ViewState): Promise<StatusText> {
    const { expandTimedFormat } = await import('#format');
    const all = this.#sources.sessions();
    const subject = subjectOf(
      state,
      all,
      all.find(({ id }) => id === this.#sources.id()),
    );
    const expanded = (format: string | null | undefined) =>
      format == null ? null : expandTimedFormat(format, subject);
    const { statusLeft, statusRight } = this.#formats;
    const [left, right] = await Promise.all([expanded(statusLeft), expanded(statusRight)]);
    return { left, right, hasClock: this.#hasClock };
  }
}

/** What of a view is in the variables. */
function keyOf(state: ViewState, hasClock: boolean): string {
  const { window, session, activity, viewing, screen, leading, scroll, connection } = state;
  return JSON.stringify([
    ...[window, session, activity, leading, scroll !== null, connection.state],
    ...[viewing?.viewers.length, viewing?.driver?.name, screen?.size, screen?.title],
    hasClock ? minuteOf(state.nowMs) : 0,
  ]);
}

type Value = string | number | boolean | undefined;

/** Variables about the view: those of tmux have its names. */
const ofView: Readonly<Record<string, (state: ViewState) => Value>> = {
  coordinator: ({ coordinator }) => coordinator,
  session_name: ({ session }) => session,
  window_name: ({ session }) => session,
  session_state: ({ activity }) => activity,
  session_attached: ({ viewing }) => viewing?.viewers.length,
  client_width: ({ window }) => window.cols,
  client_height: ({ window }) => window.rows,
  client_prefix: ({ leading }) => leading,
  pane_in_mode: ({ scroll }) => scroll !== null,
  pane_title: ({ screen }) => screen?.title,
  window_width: ({ screen }) => screen?.size.cols,
  window_height: ({ screen }) => screen?.size.rows,
  driver: ({ viewing }) => viewing?.driver?.name,
  host: () => hostname(),
  host_short: () => hostname().split('.')[0],
  user: () => userName(),
};

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}

/** Variables about a session of the list. */
const ofInfo: Readonly<Record<string, (info: SessionInfo) => Value>> = {
  session_id: ({ id }) => id,
  session_name: ({ name }) => name,
  window_name: ({ name }) => name,
  session_state: stateText,
  session_attached: ({ viewers }) => viewers?.length,
  session_created: ({ createdAtMs }) => Math.floor(createdAtMs / 1000),
  pane_current_path: directoryOf,
  pane_current_command: commandText,
  pane_title: ({ title }) => title,
  pane_pid: ({ pid }) => pid ?? undefined,
  pane_dead: ({ state }) => state === 'exited',
  window_bell_flag: ({ attention }) => attention?.kind === 'bell',
  agent: ({ agent }) => agent?.kind,
  needs: (info) => wantsPerson(info, false),
};

/** Returns the subject of the formats: the session in view, with all of its group for `#{S:...}`. */
function subjectOf(
  state: ViewState,
  all: readonly SessionInfo[],
  own: SessionInfo | undefined,
): FormatSubject {
  const needing = all.filter((info) => info.id !== own?.id && wantsPerson(info, false));
  const subject = (info: SessionInfo | undefined): FormatSubject => ({
    nowMs: () => state.nowMs,
    variable: (name) => {
      if (name === 'server_sessions') return String(all.length);
      if (name === 'others_needing') return String(needing.length);
      if (name === 'session_index' || name === 'window_index')
        return info === undefined ? '' : String(all.indexOf(info));
      if (name.startsWith('@')) return info?.labels?.[name.slice(1)] ?? '';
      const ofOwn = info === own && Object.hasOwn(ofView, name) ? ofView[name]?.(state) : undefined;
      const value = info !== undefined && Object.hasOwn(ofInfo, name) ? ofInfo[name]?.(info) : null;
      return textOf(ofOwn ?? value ?? undefined);
    },
    // A session has one window, which has one pane.
    turns: (kind) =>
      (kind === 'P' ? [own] : all).map((each) => ({
        about: subject(each),
        isCurrent: each === own,
      })),
    hasName: (_of, name) => (all.some((each) => each.name === name) ? '1' : '0'),
    foundRow: () => '0',
  });
  return subject(own);
}

const textOf = (value: Value): string | null =>
  value === undefined ? null : typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
