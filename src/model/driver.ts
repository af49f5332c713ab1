import { defined, sanitize } from '#base';
import type { Size } from './cell.ts';
import { VtrError } from './errors.ts';
import type { ReadMark } from './read.ts';

/** `agent`: every program that sends input; `person`: someone at an attached terminal or the web page. */
export type DriverKind = 'agent' | 'person';

/** The one who types in a session now, or a person who holds it. */
export interface Driver {
  readonly kind: DriverKind;
  /** A name for people and messages, for example `alice` or `vtr send`; it is not verified. */
  readonly name: string;
  /** When it began to drive, in ms since 1970. */
  readonly sinceMs: number;
  /** The epoch of the session at that time; see {@link DriverState.epoch}. */
  readonly epoch: number;
  /** When it stops by itself unless it types again, in ms since 1970. */
  readonly untilMs: number;
  /** Whether this person holds the session, by a take: all others wait until it is given back. */
  readonly holds?: true;
  /** The person who handed the session to this one, or gave it back to this one. Absent if it was taken. */
  readonly handedBy?: string;
}

/** Who drives a session. */
export interface DriverState {
  /** Null if nobody drives. */
  readonly driver: Driver | null;
  /**
   * 1 at first. Rises whenever a person begins to type, takes or gives back, and at no other time: input that
   * carries an older epoch was decided before a person typed.
   */
  readonly epoch: number;
  /**
   * What the driving person wrote for others; while none drives, what the last one who gave back wrote
   * for the agent. Absent if nothing.
   */
  readonly note?: string;
  /** Before the first thing that the last person to type could have done. Absent if none ever typed. */
  readonly mark?: ReadMark;
  /** The name of a person who asks the driving person for the session. Absent if none asks. */
  readonly askedBy?: string;
  /** Absent while the session has the size with which it began. */
  readonly sizedBy?: SizedBy;
}

/** Who gave a session a size, which it has a moment later. */
export interface SizedBy extends Size {
  /** Of a viewer, or of the sender of a resize. */
  readonly name: string;
}

/** How someone sees a session: an attached terminal, the web page, the overview. */
export type ViewerKind = 'attach' | 'web' | 'ui';

/**
 * Whose windows size a session: the one in which a person typed last; the smallest of those in which a person may type;
 * or none, so that only `resize` changes the size.
 */
export type Sizing = 'latest' | 'smallest' | 'manual';

export const sizings = ['latest', 'smallest', 'manual'] as const satisfies readonly Sizing[];

/** Someone who sees a session. */
export interface Viewer {
  readonly name: string;
  readonly kind: ViewerKind;
  /** In ms since 1970. */
  readonly sinceMs: number;
  /** The size in which it can show the session. */
  readonly size: Size;
  /** Set if the person does not look at the session now: the window has lost the focus. */
  readonly away?: boolean;
  /** Set if nothing that is typed here reaches the program before the person takes over. */
  readonly watches?: boolean;
  /** Set if the person can only watch; see {@link ViewRequest.readOnly}. */
  readonly readOnly?: boolean;
}

/** The sender of input. By default, an agent that decided just now. */
export interface Sender {
  /**
   * A {@link Viewing.id}: a person typed it there. Refused with NOT_DRIVER only if that viewing watches, or another
   * person holds the session.
   */
  readonly viewer?: string;
  /**
   * The {@link DriverState.epoch} for which the input was decided. Refused with NOT_DRIVER if it is not
   * the session's. While a person holds the session who took it by `take`, only input with it is accepted.
   */
  readonly driverEpoch?: number;
  /** The name of the agent, for people: {@link Driver.name}. Default: `agent`. */
  readonly by?: string;
}

/** Returns the part of a request that says who sends. */
export const senderOf = ({ viewer, driverEpoch, by }: Sender): Sender =>
  defined({ viewer, driverEpoch, by });

/** A person who began to type in a session, or took it over. */
export interface PersonTyped {
  readonly name: string;
  /** In ms since 1970. */
  readonly sinceMs: number;
  /** From before the first key: a read from it on shows what was done. */
  readonly mark: ReadMark;
}

/** Takes a session over as a person, until `give` or after {@link takenForMs} without input. */
export interface TakeRequest {
  /** Default: `person`. */
  readonly name?: string;
  /** Takes it also from another person; else that fails with NOT_DRIVER. Default: false. */
  readonly force?: boolean;
  /** For those who are refused meanwhile: why, or for how long. At most 1000 characters. */
  readonly note?: string;
}

export interface GiveRequest {
  /** For the agent that types next, or for the person of `to`. At most 1000 characters. */
  readonly note?: string;
  /**
   * The name of a viewer, who holds the session from then on, also if nobody drives. Without the number or `visitor`
   * before it, a name is enough if one viewer fits. Default: nobody, see {@link Viewing.give}.
   */
  readonly to?: string;
  /** With `to`: who hands the session over. Default: who holds it, else `person`. */
  readonly name?: string;
  /** Only if this is the session's epoch; else NOT_DRIVER. Default: the one who drives gives back. */
  readonly epoch?: number;
}

/** How a person joins a session. */
export interface ViewRequest {
  /** Default: `person`. */
  readonly name?: string;
  readonly kind: ViewerKind;
  readonly size: Size;
  /**
   * `auto`: what is typed reaches the program, unless another person holds the session. `take`: holds it, but asks
   * while another person does. `force`: holds it. `watch`: types nothing. Default: `auto`. In a published or ended
   * session, all watch.
   */
  readonly as?: 'auto' | 'take' | 'force' | 'watch';
  /**
   * The id of a viewing that was lost with its connection or coordinator. If it is known, the viewing
   * continues, and `as` is ignored: within 60 s after the coordinator was restarted, it still holds the session.
   */
  readonly id?: string;
  /** Whether the person looks at the session now: its window has the focus. Default: true, for `ui` false. */
  readonly looking?: boolean;
  /** Whose windows size the session from now on. Default: as before. */
  readonly sizing?: Sizing;
  /** The person can only watch: `as` is `watch`, `take` is refused, and nobody can hand over the session. Default: false. */
  readonly readOnly?: boolean;
}

/** Whether a session can be handed to a viewer. Who answers in the overview does not see the terminal. */
export const takesOver = ({ kind, readOnly = false }: Viewer): boolean =>
  kind !== 'ui' && !readOnly;

/** What a viewing reports: the present state at once, then the newest after each change. */
export interface ViewingState extends DriverState {
  /** Whether what is typed here reaches the program. */
  readonly drives: boolean;
  /** Whether this viewing holds the session, by a take. */
  readonly holds?: true;
  /** The name of this viewer among `viewers`. Empty if an older coordinator does not say. */
  readonly name: string;
  /** All who see the session, this one included, oldest first. */
  readonly viewers: readonly Viewer[];
}

/**
 * A person who sees a session, and may type. The size of the session is by its {@link Sizing} that of the viewing in
 * which was typed last; it stays when that one leaves. `dispose`, and the end of the client, give back.
 */
export interface Viewing extends AsyncIterable<ViewingState> {
  /** Names this viewing in {@link SendOptions.viewer}. */
  readonly id: string;
  /**
   * Holds the session: input of all others is refused. From another person who holds it only with `force`, else
   * asks: the session is granted when that person gives back, or has not typed for {@link askedForMs} since.
   *
   * @throws VtrError SESSION_READ_ONLY, SESSION_NOT_RUNNING, NOT_DRIVER if the person can only watch
   */
  take(options?: { readonly force?: boolean }): Promise<void>;
  /**
   * Gives back if it holds the session; else it does not ask any more. With `to` (see {@link GiveRequest.to}), another
   * viewer holds the session from then on.
   *
   * @throws VtrError with `to`: INVALID_ARGUMENT if no other viewer can be meant, with those who are there; NOT_DRIVER if
   *   another person holds the session, or this one watches; SESSION_READ_ONLY, SESSION_NOT_RUNNING
   */
  give(options?: Pick<GiveRequest, 'note' | 'to'>): Promise<void>;
  /** The size of the window changed; that of the session follows if it is of this window. */
  resize(size: Size): Promise<void>;
  /** The person looks at the session from now on, or does not: the window has lost the focus. */
  look(looking: boolean): Promise<void>;
  dispose(): Promise<void>;
}

/** For how long input of an agent makes it the driver, in ms. */
export const agentDrivesMs = 10_000;
/** Agents wait for this time after a person has typed, in ms, unless the configuration says another. */
export const personTypesMs = 5_000;
/** After this time without input, a person who holds a session gives it back, in ms. */
export const takenForMs = 600_000;
/** A person who is asked for the session and does not type for this time gives back, in ms. */
export const askedForMs = 10_000;

/** The limit of a name, in UTF-16 code units: it comes from a client's own text, and is truncated. */
const maxDriverName = 64;
/** The limit of a note, in UTF-16 code units. */
const maxNote = 1000;

/** Returns a name for people: one line. @param usual if the text has no visible character */
export function driverName(text: string | undefined, usual: string): string {
  const name = sanitize(text ?? '')
    .text.replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxDriverName);
  return name === '' ? usual : name;
}

/** Returns a note for people and models; null if it is empty. @throws VtrError INVALID_ARGUMENT */
export function checkNote(text: string | undefined): string | null {
  const note = sanitize(text ?? '').text.trim();
  if (note.length <= maxNote) return note === '' ? null : note;
  const message = `the note has ${note.length} characters; use at most ${maxNote}`;
  throw new VtrError('INVALID_ARGUMENT', message);
}
