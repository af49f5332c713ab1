import { defined } from '#base';
import {
  type EndReason,
  exitText,
  type ReviveRequest,
  type SessionInfo,
  type SpawnRequest,
  VtrError,
} from '#model';
import type { Session, SessionFactory } from '#session';
import type { Registry } from '../registry.ts';
import { enter } from './spawning.ts';

export interface Revived {
  readonly session: Session;
  /** The request with which it was started. */
  readonly request: SpawnRequest;
  /** See `RevivedSession.missingEnv`. */
  readonly missingEnv: readonly string[];
}

export interface RevivingParts {
  readonly registry: Registry;
  readonly factory: Pick<SessionFactory, 'spawn' | 'before'>;
  readonly maxSessions: number;
  /** In ms since 1970. */
  readonly nowMs: number;
  /** Removes the ended session, which was replaced. */
  readonly forget: (session: Session) => void;
}

/**
 * Starts the program of an ended session again, in a session of the same name that replaces it.
 *
 * @throws VtrError as `Coordinator.revive`
 */
export async function reviveSession(
  ended: Session,
  asked: ReviveRequest,
  { registry, factory, maxSessions, nowMs, forget }: RevivingParts,
): Promise<Revived> {
  const info = ended.info();
  const { name } = info;
  checkCanBeRevived(info);
  const request = requestOf(ended, info, asked);
  const session = await enter(
    name,
    registry,
    maxSessions,
    async (identity, own) => {
      // Programs that it left running may use resources that the new one needs, such as a port.
      await ended.end({});
      const before = factory.before(ended, revivedNote(nowMs, info));
      const session = await factory.spawn(request, identity, own, before);
      return { session, made: session };
    },
    ended,
  );
  // If it was renamed meanwhile, it stays.
  if (ended.name === name) forget(ended);
  const names = Object.keys(asked.env ?? {});
  const missingEnv = ended.facts.envNames.filter((each) => !names.includes(each));
  return { session, request, missingEnv };
}

/** @throws VtrError SESSION_READ_ONLY, SESSION_ALREADY_EXISTS */
function checkCanBeRevived({ name, fedBy, state }: SessionInfo): void {
  if (fedBy !== undefined) {
    throw new VtrError('SESSION_READ_ONLY', `session ${name} is fed by ${fedBy}; publish it again`);
  }
  if (state === 'exited') return;
  const message = `session ${name} is running; end it first, or spawn another session`;
  throw new VtrError('SESSION_ALREADY_EXISTS', message, { details: { name } });
}

function requestOf(
  { facts, lastDirectory }: Pick<Session, 'facts' | 'lastDirectory'>,
  info: SessionInfo,
  request: ReviveRequest,
): SpawnRequest {
  const { shellIntegration, rawBytes, persist, terminal } = facts;
  const { cwd = lastDirectory ?? facts.cwd } = request;
  const { lifetime, limits, labels, size } = info;
  const { program = facts.program, env = {}, inputId, caller } = request;
  const { environment = facts.environment } = request;
  const args = request.program === undefined ? facts.args : (request.args ?? []);
  return {
    program,
    args,
    cwd,
    environment,
    env,
    size,
    shellIntegration,
    persist,
    scrollbackLines: terminal.scrollback.maxLines,
    ...defined({ rawBytes, lifetime, limits, labels, inputId, caller }),
  };
}

const reasons: Readonly<Record<EndReason, string>> = {
  idle: 'unused',
  run_time: 'run time limit',
  memory: 'memory limit',
  cpu: 'CPU limit',
  lease: 'owner disconnected',
  host_lost: 'host lost',
  stopped: 'vtr stopped',
  reboot: 'reboot',
};

/** Returns `[revived 2026-11-22 17:05; ended: host lost]`, in local time; `; exited 3]` if it ended by itself. */
export function revivedNote(nowMs: number, { endedBy, exitStatus }: SessionInfo): string {
  const how = exitStatus === null ? 'ended' : exitText(exitStatus);
  const why = endedBy === undefined ? how : `ended: ${reasons[endedBy.reason]}`;
  return `[revived ${localMinute(new Date(nowMs))}; ${why}]`;
}

function localMinute(time: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
