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
import { continuing } from '../earlier-ids.ts';
import type { Registry } from '../registry.ts';
import { checkNotContinued, keptOf, type ResumePlan } from './resuming.ts';
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
  /** How its coding agent is started; null: it has none. */
  readonly plan: ResumePlan | null;
}

/**
 * Starts the program of an ended session again, in a session of the same name that replaces it.
 *
 * @throws VtrError as `Coordinator.revive`
 */
export async function reviveSession(
  ended: Session,
  reviveRequest: ReviveRequest,
  parts: RevivingParts,
): Promise<Revived> {
  const { registry, factory, maxSessions, nowMs, forget, plan } = parts;
  const info = ended.info();
  const { name } = info;
  checkCanBeRevived(info);
  checkNotContinued(info, registry);
  const request = requestOf(ended, info, reviveRequest, plan);
  const session = await enter(
    name,
    registry,
    maxSessions,
    async (identity, own) => {
      // Programs that it left running may use resources that the new one needs, such as a port.
      await ended.end({});
      const before = factory.before(ended, revivedNote(nowMs, info));
      const about = { ...own, ...continuing(ended), ...aboutAgent(plan) };
      const session = await factory.spawn(request, identity, about, before);
      return { session, result: session };
    },
    ended,
  );
  // If it was renamed meanwhile, it stays.
  if (ended.name === name) forget(ended);
  return { session, request, missingEnv: missingEnv(ended, reviveRequest) };
}

/** What is saved of its coding agent before the program runs: a later coordinator goes on with it. */
const aboutAgent = (plan: ResumePlan | null) =>
  plan === null ? {} : { lastAgent: keptOf(plan), ...defined({ resumeLine: plan.line }) };

function missingEnv({ facts }: Session, { env = {} }: ReviveRequest): readonly string[] {
  return facts.envNames.filter((name) => !Object.hasOwn(env, name));
}

/**
 * Starts a second session, in which the coding agent of a session has a copy of its conversation.
 *
 * @throws VtrError as `Coordinator.revive`
 */
export async function forkSession(
  from: Session,
  reviveRequest: ReviveRequest,
  { registry, factory, maxSessions, plan }: RevivingParts,
): Promise<Revived> {
  const info = from.info();
  checkNotFed(info);
  const { persist: _persist, ...request } = requestOf(from, info, reviveRequest, plan);
  const name = reviveRequest.forkAs === '' ? undefined : reviveRequest.forkAs;
  const session = await enter(name, registry, maxSessions, async (identity, own) => {
    const about = { ...own, ...(plan && { lastAgent: { kind: plan.resumed.kind } }) };
    const session = await factory.spawn(request, identity, about);
    return { session, result: session };
  });
  return { session, request, missingEnv: missingEnv(from, reviveRequest) };
}

/** @throws VtrError SESSION_READ_ONLY, SESSION_ALREADY_EXISTS */
function checkCanBeRevived(info: SessionInfo): void {
  checkNotFed(info);
  const { name, state } = info;
  if (state === 'exited') return;
  const message = `session ${name} is running; end it first, or spawn another session`;
  throw new VtrError('SESSION_ALREADY_EXISTS', message, { details: { name } });
}

/** @throws VtrError SESSION_READ_ONLY */
function checkNotFed({ name, fedBy }: SessionInfo): void {
  if (fedBy === undefined) return;
  throw new VtrError('SESSION_READ_ONLY', `session ${name} is fed by ${fedBy}; publish it again`);
}

function requestOf(
  { facts, lastDirectory }: Pick<Session, 'facts' | 'lastDirectory'>,
  info: SessionInfo,
  request: ReviveRequest,
  plan: ResumePlan | null,
): SpawnRequest {
  const { shellIntegration, rawBytes, persist, terminal } = facts;
  const { cwd = lastDirectory ?? facts.cwd } = request;
  const { lifetime, limits, labels, size } = info;
  const { program = plan?.program ?? facts.program, env = {}, inputId, caller } = request;
  const { environment = facts.environment } = request;
  const own = plan?.args ?? facts.args;
  const args = request.program === undefined ? own : (request.args ?? []);
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
