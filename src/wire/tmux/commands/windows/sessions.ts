import { globMatches } from '#format';
import type { AttachedClient } from '../../state/attached-client.ts';
import { defaultSize, statusRows } from '../../state/default-size.ts';
import type { TmuxServer } from '../../state/tmux-server.ts';
import type { TmuxSession } from '../../state/tmux-session.ts';
import type { PaneProgram } from '../../state/tmux-window.ts';
import { visibleName } from '../../state/visible-name.ts';
import { type Target, targetOf } from '../../target/target.ts';
import { TmuxError } from '../../tmux-error.ts';
import { type Arguments, wholeNumber } from '../../words/arguments.ts';
import { type Call, type Caller, type Commands, many } from '../call.ts';
import { nameWindow, printNew, programOf, variablesOf } from './new-panes.ts';

const sessionFormat =
  '#{session_name}: #{session_windows} windows (created #{t:session_created})' +
  '#{?session_grouped, (group ,}#{session_group}#{?session_grouped,),}' +
  '#{?session_attached, (attached),}';

export const sessionCommands = {
  'new-session': {
    usage:
      '[-AdDEPX] [-c start-directory] [-e environment] [-F format] [-f flags] [-n window-name] [-s session-name] [-t target-session] [-x width] [-y height] [shell-command]',
    words: [0, many],
    run: newSession,
  },
  'has-session': {
    usage: '[-t target-session]',
    run: (call, args) => void call.target(args, 'session'),
  },
  'kill-session': {
    usage: '[-aC] [-t target-session]',
    run: (call, args) => {
      const { session } = call.target(args, 'session');
      if (args.has('C')) return;
      const { server } = call;
      const others = args.has('a') ? server.sorted.filter((each) => each !== session) : [session];
      for (const each of others) server.removeSession(each);
    },
  },
  'kill-server': {
    usage: '',
    run: ({ server }) => {
      server.isKilled = true;
      for (const session of server.sorted) server.removeSession(session);
      for (const client of [...server.clients]) client.detach('server exited');
    },
  },
  'start-server': { usage: '', run: () => {} },
  'rename-session': {
    usage: '[-t target-session] new-name',
    words: [1, 1],
    run: async (call, args) => {
      const target = call.target(args, 'session');
      const text = await call.expand(args.words[0] ?? '', target);
      const name = checkedName(text);
      const { session } = target;
      if (name === session.name) return;
      if (call.server.sessionNamed(name)) throw new TmuxError(`duplicate session: ${name}`);
      session.name = name;
      call.server.notices.emit({ name: 'session-renamed', session });
    },
  },
  'list-sessions': {
    usage: '[-F format] [-f filter]',
    run: (call, args) => {
      const all = call.server.sorted.map((session) => call.about(targetOf(session.current)));
      return call.printAll(all, args.value('F') ?? sessionFormat, args.value('f'));
    },
  },
} satisfies Commands;

/** Colons and periods separate the parts of a target. @throws TmuxError */
function checkedName(text: string): string {
  if (text === '') throw new TmuxError('invalid session: ');
  return visibleName(text.replace(/[:.]/g, '_'));
}

async function newSession(call: Call, args: Arguments): Promise<void> {
  const { server } = call;
  if (args.has('t') && (args.words.length > 0 || args.has('n'))) {
    throw new TmuxError('command or window name given with target');
  }
  const current = call.targets.current();
  const text = args.value('s');
  const name = text === undefined ? null : checkedName(await call.expand(text, current));
  const other = name === null ? undefined : server.sessionNamed(name);
  if (other !== undefined && args.has('A')) {
    checkAttachable(call);
    if (!args.has('E')) copyEnvironment(other, call.caller.env);
    attachToExisting(call, targetOf(other.current));
    return;
  }
  if (other !== undefined) throw new TmuxError(`duplicate session: ${name}`);
  const detached = args.has('d') || call.caller.isConfiguration === true;
  if (!detached) checkAttachable(call);
  const group = groupFor(call, args);
  const size = newSize(call, args);
  const program = await programOf(call, args, current);
  const env = variablesOf(args);
  const session = server.newSession(name ?? freeName(server, group?.name ?? null), program.cwd);
  if (args.has('x') || args.has('y')) {
    session.options.set('default-size', `${size.cols}x${size.rows}`);
  } else if (!detached) session.terminalSize = size;
  if (!args.has('E') && !call.caller.isConfiguration) copyEnvironment(session, call.caller.env);
  for (const [key, value] of Object.entries(env)) {
    session.environment.set(key, { value, hidden: false });
  }
  // As in tmux, clients of other sessions count for the first window more than `-x` and `-y`.
  const kind = server.windowOptions.text('window-size');
  const first = detached ? defaultSize(server, session, kind, null) : size;
  const target = await begun(call, args, session, program, first, group);
  if (args.has('d')) call.onCreate(target);
  else call.makeCurrent(target);
  await printNew(call, args, target, '#{session_name}:');
  if (!detached) attach(call, target);
}

/** Gives a new session the windows of its group, or its first window. */
async function begun(
  { server }: Call,
  args: Arguments,
  session: TmuxSession,
  program: PaneProgram,
  size: { readonly cols: number; readonly rows: number },
  group: Group | null,
): Promise<Target> {
  try {
    if (group !== null && (group.first !== null || server.groups.has(group.name))) {
      if (group.first !== null) server.addToGroup(group.name, group.first);
      server.addToGroup(group.name, session);
      // The window that tmux makes first, and drops, has taken their ids.
      server.nextIds.window++;
      server.nextIds.pane++;
      server.notices.emit({ name: 'session-created', session });
      return targetOf(session.current);
    }
    const window = await server.newWindow(session, program, size);
    if (args.has('n')) nameWindow(server, window, args.value('n') ?? '');
    const link = server.link(session, window, session.freeIndex());
    session.select(link);
    server.notices.emit({ name: 'session-created', session });
    if (group !== null) server.addToGroup(group.name, session);
    return targetOf(link);
  } catch (error) {
    if (session.links.length === 0) server.sessions.delete(session.id);
    throw error;
  }
}

interface Group {
  readonly name: string;
  /** A session that begins the group; null if there is none, or the group exists. */
  readonly first: TmuxSession | null;
}

/** The group of a new session: that of a session, or of a name. @throws TmuxError */
function groupFor(call: Call, args: Arguments): Group | null {
  const value = args.value('t');
  if (value === undefined) return null;
  const { server } = call;
  const session = sessionOrNull(call, value);
  const group = session === null ? server.groups.get(value) : server.groupOf(session);
  if (group) return { name: group.name, first: null };
  return { name: session?.name ?? checkedName(value), first: session };
}

function sessionOrNull({ targets }: Call, text: string): TmuxSession | null {
  try {
    return targets.find(text, 'session').session;
  } catch (error) {
    if (error instanceof TmuxError) return null;
    throw error;
  }
}

/** A name with the number of the session; a number whose name is taken is left out. @param group begins the name */
function freeName(server: TmuxServer, group: string | null): string {
  const { nextIds } = server;
  const name = () => `${group === null ? '' : `${group}-`}${nextIds.session}`;
  while (server.sessionNamed(name()) !== undefined) nextIds.session++;
  return name();
}

/** @throws TmuxError */
function newSize(call: Call, args: Arguments): { cols: number; rows: number } {
  const [, cols = 80, rows = 24] = (
    /^(\d+)x(\d+)$/.exec(call.server.sessionOptions.text('default-size')) ?? []
  ).map(Number);
  const client = call.caller.size;
  const status = statusRows(call.server.sessionOptions);
  const sized = (flag: string, name: string, own: number | undefined, initial: number) => {
    const value = args.value(flag);
    if (value === '-') return own ?? initial;
    if (value !== undefined) return wholeNumber(value, 1, 1000, name);
    return args.has('d') ? initial : (own ?? initial);
  };
  return {
    cols: sized('x', 'width', client?.cols, cols),
    rows: sized(
      'y',
      'height',
      client === null ? undefined : Math.max(1, client.rows - status),
      rows,
    ),
  };
}

/**
 * Copies the variables of `update-environment` from the environment of a client into that of the session that it shows,
 * for the programs which begin after that; those that it has not are marked as removed.
 */
export function copyEnvironment(session: TmuxSession, env: Caller['env']): void {
  const patterns = session.options.get('update-environment');
  if (patterns === undefined || typeof patterns === 'string') return;
  const own = Object.keys(env).sort();
  for (const pattern of patterns.values()) {
    const name = own.find((each) => globMatches(pattern, each));
    session.environment.set(name ?? pattern, {
      value: name === undefined ? null : (env[name] ?? null),
      hidden: false,
    });
  }
}

/** @throws TmuxError if the caller has no terminal, or runs in one of the server's panes */
export function checkAttachable({ caller, server }: Call): void {
  if (caller.attach !== null || caller.isConfiguration) return;
  if (server.isOwnPane(caller.env)) {
    throw new TmuxError('sessions should be nested with care, unset $TMUX to force');
  }
  const problem = caller.size === null ? 'not a terminal' : terminalProblem(caller.env['TERM']);
  throw new TmuxError(`open terminal failed: ${problem ?? 'not a terminal'}`);
}

/** Why a terminal of a kind cannot show windows; null if it can. */
export function terminalProblem(kind = ''): string | null {
  if (kind === '' || kind === 'unknown') {
    return `missing or unsuitable terminal: ${kind || 'unknown'}`;
  }
  return kind === 'dumb' ? 'terminal does not support clear' : null;
}

/** Shows a target to the caller. Returns the client that shows it; null if there is none. */
function attach({ server, caller }: Call, target: Target): AttachedClient | null {
  target.session.lastAttachedAtMs = server.nowMs();
  server.look(target.session.current);
  server.use(target.session);
  return caller.attach?.(target) ?? null;
}

/** As {@link attach}, for what exists. A client that has shown nothing before is told of as attached. */
export function attachToExisting(call: Call, target: Target): AttachedClient | null {
  const isFirst = call.caller.client === null;
  const client = attach(call, target);
  if (client !== null && isFirst) call.server.notices.emit({ name: 'client-attached', client });
  return client;
}
