import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { stateDirectory } from '#config';
import type { Context } from '../context.ts';
import type { Target } from '../coordinators/addressing.ts';

/** A session is given back after 10 minutes without input; a note that is older than this, in ms, is of no use. */
const maxAgeMs = 24 * 60 * 60 * 1000;

type Taken = Pick<Target, 'coordinator' | 'session'>;

interface Note {
  /** The id of the session: another session can have its name later. */
  readonly id: string;
  readonly epoch: number;
}

/**
 * Notes that the caller drives a session, so that its next commands type without `--epoch`: those of the same shell
 * or script. Without effect where the note cannot be written.
 */
export async function noteDrive(context: Context, taken: Taken, epoch: number): Promise<void> {
  const { id } = await taken.coordinator.info(taken.session);
  const file = await fileOf(context, taken);
  const directory = dirname(file);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(directory)) {
      const other = join(directory, name);
      if (Date.now() - statSync(other).mtimeMs > maxAgeMs) rmSync(other, { force: true });
    }
    writeFileSync(file, JSON.stringify({ id, epoch } satisfies Note), { mode: 0o600 });
  } catch {
    // The caller can give the epoch.
  }
}

export async function forgetDrive(context: Context, taken: Taken): Promise<void> {
  rmSync(await fileOf(context, taken), { force: true });
  try {
    rmdirSync(directoryOf(context, taken));
  } catch {
    // The directory is not empty, or was never made.
  }
}

/**
 * Calls `send`, with the epoch of the session if a person drives it and that is the caller.
 *
 * @param value `--epoch`
 */
export async function asOwnDriver<T>(
  context: Context,
  taken: Taken,
  value: number | undefined,
  send: (epoch: number | undefined) => Promise<T>,
): Promise<T> {
  return send(value ?? (await ownEpoch(context, taken)));
}

/** Returns the epoch that the caller has noted; undefined if nobody drives the session, or another. */
async function ownEpoch(context: Context, taken: Taken): Promise<number | undefined> {
  const note = await noteOf(context, taken);
  if (note === null) return undefined;
  // `send` fails for the same reason.
  const info = await taken.coordinator.info(taken.session).catch(() => null);
  const isOwn = info?.id === note.id && info.driverEpoch === note.epoch;
  return isOwn && info.driver?.kind === 'person' ? note.epoch : undefined;
}

async function noteOf(context: Context, taken: Taken): Promise<Note | null> {
  // Most callers drive nothing.
  if (!existsSync(directoryOf(context, taken))) return null;
  try {
    return JSON.parse(readFileSync(await fileOf(context, taken), 'utf8')) as Note;
  } catch {
    return null;
  }
}

const directoryOf = (context: Context, { coordinator: { socket } }: Taken): string =>
  join(dirname(stateDirectory(context, socket)), 'driving');

async function fileOf(context: Context, taken: Taken): Promise<string> {
  const { coordinator, session } = taken;
  // Other calls do not need it.
  const { createHash } = await import('node:crypto');
  const name = createHash('sha256').update(
    JSON.stringify([coordinator.socket, session, caller(context)]),
  );
  return join(directoryOf(context, taken), name.digest('hex').slice(0, 32));
}

/**
 * The process that ran this command: the shell of a terminal, or a script. An agent that was started from that
 * shell runs its commands itself.
 */
function caller({ inDaemon }: Context): string {
  const { ppid } = inDaemon ?? process;
  try {
    const stat = readFileSync(`/proc/${ppid}/stat`, 'latin1');
    // The name of the program, in parentheses, can contain any of them. Field 22 is the time of its start.
    return `${ppid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return `${ppid}`;
  }
}
