import { constants, userInfo } from 'node:os';
import { defined } from '#base';
import { parseKey } from '#keys';
import { type ExitStatus, errorTable, type SessionFrame, VtrError } from '#model';
import type { TtyEnvironment } from '#tty';
import { attachRaw } from './attach/attach-raw.ts';
import { AttachedSession } from './attach/attached-session.ts';
import { OtherSessions } from './attach/other-sessions.ts';
import type { AttachEnd, AttachOptions, AttachSettings, Switching } from './attach/scene.ts';
import type { CoordinatorLink } from './coordinator-link.ts';
import { Keys, type WrittenKeys } from './keys.ts';
import type { OverviewChoice } from './overview/overview.ts';
import { OwnTty } from './tty-screen/own-tty.ts';
import type { Tty } from './tty-screen/tty.ts';
import type { StatusMode } from './view/view.ts';

export interface AttachRequest
  extends Pick<AttachOptions, 'link' | 'as' | 'sizing'>,
    Pick<
      AttachSettings,
      | 'usesMouse'
      | 'predict'
      | 'copyCommand'
      | 'statusLeft'
      | 'statusRight'
      | 'group'
      | 'verbs'
      | 'remains'
    > {
  /** The session, which may be on its way; null: the person chooses one first. */
  readonly first: Promise<SessionFrame> | null;
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
  readonly passesStatus?: AttachSettings['passesStatus'];
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
  const { env, link, as, sizing, exitStatus } = request;
  const shared = {
    link,
    person: personOf(env),
    others: new OtherSessions(request.bell === 'all'),
    ...defined({ as, sizing }),
    switching: switchingOf(request),
    settings: settingsOf(request, exitStatus),
  };
  const optionsOf = (first: SessionFrame): AttachOptions => {
    const { name, id } = first.info;
    return { ...shared, session: { name, id }, first };
  };
  const { first } = request;
  if (request.raw) {
    if (first === null) throw new VtrError('INVALID_ARGUMENT', '--raw needs the name of a session');
    return resultOf(await attachRaw(env, optionsOf(await first)), exitStatus);
  }
  const tty = OwnTty.open(env);
  try {
    const options = first === null ? await chosenFirst(tty, shared, env) : optionsOf(await first);
    if (options === null) return { status: 0, said: '' };
    return resultOf(await attachAndLook(tty, options, request), exitStatus);
  } finally {
    await tty.close();
  }
}

/** What the person configured, for all sessions. */
export const settingsOf = (
  request: Omit<AttachRequest, 'link' | 'as' | 'first' | 'exitStatus' | 'raw'>,
  endsWithProgram: boolean,
): AttachSettings => {
  const { statusLine = 'on', clipboard, bell, notifications, usesMouse, copyCommand } = request;
  const { predict, passesStatus, remains } = request;
  const { statusLeft, statusRight, group, verbs } = request;
  return {
    keys: keysOf(request),
    status: statusLine,
    clipboard,
    bell,
    notifications,
    endsWithProgram,
    ...defined({
      usesMouse,
      predict,
      passesStatus,
      copyCommand,
      statusLeft,
      statusRight,
      group,
      verbs,
      remains,
    }),
  };
};

const switchingOf = ({ links, env }: Pick<AttachRequest, 'links' | 'env'>): Switching => ({
  links,
  ...defined({ home: env['HOME'], ownId: env['VTR_SESSION_ID'] }),
});

/** Returns the session that the person chooses; null if the person leaves. */
async function chosenFirst(
  tty: Tty,
  shared: Omit<AttachOptions, 'session' | 'first'>,
  env: AttachRequest['env'],
): Promise<AttachOptions | null> {
  const chosen = await switched(tty, { ...shared, session: { name: '', id: '' } });
  if (chosen === null) return null;
  if (env['VTR_SESSION_ID'] === chosen.session.id)
    throw new VtrError('INVALID_ARGUMENT', 'a session cannot be attached to itself');
  const { link, session } = chosen;
  return { ...shared, link, session };
}

/** Attaches, and goes from session to session by way of the switcher and the overview. */
async function attachAndLook(
  tty: Tty,
  options: AttachOptions,
  { links, env }: Pick<AttachRequest, 'links' | 'env'>,
): Promise<Exclude<AttachEnd, { type: 'overview' }>> {
  for (let next = options; ; ) {
    const end = await attachAndSwitch(tty, next);
    if (end.type !== 'overview') return end;
    const { session } = end;
    const here = at(next, end);
    const { runOverview } = await import('./overview/overview.ts');
    const chosen = await runOverview(tty, {
      links,
      person: next.person,
      keys: next.settings.keys,
      home: env['HOME'],
      ownId: env['VTR_SESSION_ID'],
      current: { coordinatorName: here.link.name, session },
      ...defined({ usesMouse: next.settings.usesMouse }),
    });
    next = gone(here, chosen.type === 'chosen' ? chosen.choice : { session });
  }
}

/** As {@link attachIn}, and goes to the sessions that the person chooses in the switcher. */
async function attachAndSwitch(tty: Tty, options: AttachOptions): Promise<AttachEnd> {
  for (let next = options; ; ) {
    const end = await attachIn(tty, next);
    if (end.type !== 'overview' || !end.isSwitcher) return end;
    const here = at(next, end);
    next = gone(here, (await switched(tty, here)) ?? { session: end.session });
  }
}

/** Returns the options of the session that the person has left for a list. */
const at = (
  options: AttachOptions,
  { link, session, last }: Extract<AttachEnd, { type: 'overview' }>,
): AttachOptions => ({ ...options, session, ...defined({ link, last }) });

/** Lets the person choose a session by letters of its name. Null: the person leaves, and sees what was seen before. */
async function switched(
  tty: Tty,
  { link, session, last, person, settings, switching }: AttachOptions,
): Promise<OverviewChoice | null> {
  const { runOverview } = await import('./overview/overview.ts');
  const near = last ?? { link, session };
  const end = await runOverview(tty, {
    links: switching?.links ?? (async () => [link]),
    person,
    keys: settings.keys,
    isSwitcher: true,
    current: { coordinatorName: near.link.name, session: near.session },
    ...defined({ home: switching?.home, ownId: switching?.ownId, group: settings.group }),
    ...defined({ usesMouse: settings.usesMouse }),
  });
  return end.type === 'chosen' ? end.choice : null;
}

/** Returns what is shown next, with the session of before as the last one. */
function gone(
  { first: _first, line: _line, sizing: _sizing, ...others }: AttachOptions,
  to: Pick<AttachOptions, 'session' | 'as' | 'line'> & { readonly link?: CoordinatorLink },
): AttachOptions {
  const { link = others.link, session, line } = to;
  // Who only watches watches there, too.
  const as = others.as === 'watch' ? 'watch' : (to.as ?? 'auto');
  const isSame = session.id === others.session.id;
  const before = { link: others.link, session: others.session };
  const last = isSame ? others.last : before;
  return { ...others, link, session, as, ...defined({ line, last }) };
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
  shows?: (attached: AttachedSession, of: AttachOptions) => void,
): Promise<AttachEnd> {
  const { others = new OtherSessions(options.settings.bell === 'all') } = options;
  for (let next: AttachOptions = { ...options, others }; ; ) {
    const attached = new AttachedSession(tty, next);
    const ended = attached.run();
    shows?.(attached, next);
    const end = await ended;
    if (end.type !== 'other') return end;
    next = gone(next, end);
  }
}

/** @throws VtrError INVALID_KEY */
const keysOf = ({ leader = 'ctrl+b', keys }: Pick<AttachRequest, 'leader' | 'keys'>): Keys =>
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
