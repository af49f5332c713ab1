import { constants, userInfo } from 'node:os';
import { defined } from '#base';
import { parseKey } from '#keys';
import { type ExitStatus, errorTable, type SessionFrame } from '#model';
import type { TtyEnvironment } from '#tty';
import { attachRaw } from './attach/attach-raw.ts';
import { AttachedSession } from './attach/attached-session.ts';
import { OtherSessions } from './attach/other-sessions.ts';
import type { AttachEnd, AttachOptions, AttachSettings } from './attach/scene.ts';
import type { CoordinatorLink } from './coordinator-link.ts';
import { Keys, type WrittenKeys } from './keys.ts';
import type { OverviewEnd } from './overview/overview.ts';
import { OwnTty } from './tty-screen/own-tty.ts';
import type { Tty } from './tty-screen/tty.ts';
import type { StatusMode } from './view/view.ts';

export interface AttachRequest extends Pick<AttachOptions, 'link' | 'as'> {
  /** The session, which may be on its way. */
  readonly first: Promise<SessionFrame>;
  readonly env: TtyEnvironment & Readonly<Record<string, string | undefined>>;
  /** A key in its short form, or `none`. Default: `ctrl+b`. */
  readonly leader?: string | undefined;
  readonly keys: WrittenKeys;
  /** Default: `on`. */
  readonly statusLine?: StatusMode | undefined;
  /** Whether programs may set the clipboard of the person's terminal. */
  readonly clipboard: boolean;
  readonly bell: AttachSettings['bell'];
  readonly notifications: AttachSettings['notifications'];
  /** Whether attaching ends with the program, and with its status. */
  readonly exitStatus: boolean;
  /** Passes output and input on as they are. */
  readonly raw: boolean;
  /** All coordinators, for the overview. */
  readonly links: () => Promise<readonly CoordinatorLink[]>;
}

export interface AttachResult {
  /** The exit status of `vtr attach`. */
  readonly status: number;
  /** For the person, when the terminal is as it was. */
  readonly said: string;
}

/**
 * Shows a session in the person's terminal until the person leaves.
 *
 * @throws VtrError INVALID_ARGUMENT if stdin or stdout is not a terminal; INVALID_KEY; of `first`
 */
export async function attach(request: AttachRequest): Promise<AttachResult> {
  const { env, link, as, statusLine = 'on', clipboard, bell, notifications, exitStatus } = request;
  const shared = {
    link,
    person: personOf(env),
    others: new OtherSessions(bell === 'all'),
    ...defined({ as }),
    settings: {
      keys: keysOf(request),
      status: statusLine,
      clipboard,
      bell,
      notifications,
      endsWithProgram: exitStatus,
    },
  };
  const optionsOf = (first: SessionFrame): AttachOptions => {
    const { name, id } = first.info;
    return { ...shared, session: { name, id }, first };
  };
  if (request.raw) {
    return resultOf(await attachRaw(env, optionsOf(await request.first)), exitStatus);
  }
  const tty = OwnTty.open(env);
  try {
    const options = optionsOf(await request.first);
    return resultOf(await attachAndLook(tty, options, request), exitStatus);
  } finally {
    await tty.close();
  }
}

/** Attaches, and goes from session to session by way of the overview. */
async function attachAndLook(
  tty: Tty,
  options: AttachOptions,
  { links, env }: Pick<AttachRequest, 'links' | 'env'>,
): Promise<Exclude<AttachEnd, { type: 'overview' }>> {
  for (let next = options; ; ) {
    const end = await attachIn(tty, next);
    if (end.type !== 'overview') return end;
    const { session } = end;
    const { runOverview } = await import('./overview/overview.ts');
    const chosen = await runOverview(tty, {
      links,
      person: next.person,
      keys: next.settings.keys,
      home: env['HOME'],
      ownId: env['VTR_SESSION_ID'],
      current: { coordinatorName: next.link.name, session },
    });
    next = chosenAfter(next, session, chosen);
  }
}

/** Returns what is shown after the overview: the session of before, or the one that was chosen there. */
function chosenAfter(
  { first: _first, line: _line, before, ...same }: AttachOptions,
  session: AttachOptions['session'],
  chosen: OverviewEnd,
): AttachOptions {
  if (chosen.type !== 'chosen') return { ...same, session, ...defined({ before }) };
  const { choice } = chosen;
  const isOfSame = choice.link.socket === same.link.socket;
  const last = choice.session.id === session.id ? before : session;
  return { ...same, ...choice, ...defined({ before: isOfSame ? last : undefined }) };
}

/**
 * Shows a session in the person's terminal, then those to which the person goes from there. All
 * listeners of the terminal are removed at the end; it shows the last picture.
 *
 * @param shows called with each session that is shown, when it reads the terminal
 */
export async function attachIn(
  tty: Tty,
  options: AttachOptions,
  shows?: (attached: AttachedSession, session: AttachOptions['session']) => void,
): Promise<AttachEnd> {
  const { others = new OtherSessions(options.settings.bell === 'all') } = options;
  for (let next: AttachOptions = { ...options, others }; ; ) {
    const attached = new AttachedSession(tty, next);
    const ended = attached.run();
    shows?.(attached, next.session);
    const end = await ended;
    if (end.type !== 'other') return end;
    const { first: _first, line: _line, session: before, ...same } = next;
    const { session, line, as = 'auto' } = end;
    next = { ...same, before, session, as, ...defined({ line }) };
  }
}

/** @throws VtrError INVALID_KEY */
export const keysOf = ({ leader = 'ctrl+b', keys }: Pick<AttachRequest, 'leader' | 'keys'>): Keys =>
  new Keys(leader === 'none' ? null : parseKey(leader), keys);

/** The user's name, for others who see the session. */
export function personOf(env: Readonly<Record<string, string | undefined>>): string {
  try {
    return userInfo().username;
  } catch {
    return env['USER'] || 'person';
  }
}

function resultOf(
  end: Exclude<AttachEnd, { type: 'overview' }>,
  isProgramStatus: boolean,
): AttachResult {
  switch (end.type) {
    case 'detached':
      return {
        status: 0,
        said: `detached from ${end.session}${end.isUnsent ? '; what was typed was not sent' : ''}`,
      };
    case 'removed':
      return { status: 0, said: `removed ${end.session}` };
    case 'lost':
      return { status: errorTable.UNAVAILABLE.exit, said: end.reason };
    case 'ended':
      return { status: isProgramStatus ? statusOf(end.status) : 0, said: '' };
  }
}

/** As in shells: 128 + n for signal n. */
function statusOf(status: ExitStatus | null): number {
  if (status === null) return 0;
  const signals: Readonly<Record<string, number>> = constants.signals;
  return status.code ?? 128 + (signals[status.signal ?? ''] ?? 0);
}
