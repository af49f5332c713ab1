import { sanitize } from '#base';
import {
  type Activity,
  type AgentCommand,
  type CommandRecord,
  currentCommand,
  type Driver,
  type DriverState,
  type Excerpt,
  type ExitStatus,
  type FileRecording,
  needCounts,
  type OutputPosition,
  type SessionInfo,
  type Viewer,
  type WaitResult,
  withoutStyles,
} from '#model';
import { isoTime, redactedJson } from './printing.ts';
import type { ListedSession, SessionGroup } from './session-table.ts';

/** A session in the form that every verb prints with `--json`. */
export function sessionJson(coordinator: string, info: SessionInfo) {
  return {
    coordinator,
    name: info.name,
    status: info.state,
    cols: info.size.cols,
    rows: info.size.rows,
    created_at: isoTime(info.createdAtMs),
    exited_at: isoTime(info.exitedAtMs),
    ...exitJson(info.exitStatus),
    id: info.id,
    pid: info.pid,
    program: info.program,
    args: info.args,
    cwd: info.cwd,
    title: info.title,
    revision: info.revision,
    fed_by: info.fedBy ?? null,
    lifetime: {
      idle_ms: info.lifetime?.idleMs ?? null,
      keep_exited_ms: info.lifetime?.keepExitedMs ?? null,
      max_run_ms: info.lifetime?.maxRunMs ?? null,
      unattended_ms: info.lifetime?.unattendedMs ?? null,
    },
    limits: {
      memory_bytes: info.limits?.memoryBytes ?? null,
      cpu_percent: info.limits?.cpuPercent ?? null,
    },
    ended_by: endedByJson(info),
    labels: info.labels ?? {},
    environment: environmentJson(info),
    restored: info.restored ?? null,
    paused: pausedJson(info),
    persist: persistJson(info),
    recording: recordingOf(info),
    dropped_reply_bytes: info.droppedReplyBytes ?? 0,
    driver: driverJson(info.driver),
    driver_epoch: info.driverEpoch ?? null,
    viewers: (info.viewers ?? []).map(viewerJson),
  };
}

function environmentJson({ environment }: SessionInfo) {
  if (environment === undefined) return null;
  return { kind: environment.kind, not_passed: environment.notPassed };
}

function driverJson(driver: Driver | null | undefined) {
  if (driver == null) return null;
  const { kind, name, sinceMs, epoch, holds = false, handedBy = null } = driver;
  return { kind, name, since: isoTime(sinceMs), epoch, holds, handed_by: handedBy };
}

const viewerJson = ({ name, kind, sinceMs, size: { cols, rows }, ...viewer }: Viewer) => ({
  name,
  kind,
  since: isoTime(sinceMs),
  size: { cols, rows },
  away: viewer.away ?? false,
  watches: viewer.watches ?? false,
  read_only: viewer.readOnly ?? false,
});

export const driverStateJson = ({ driver, epoch, note, mark }: DriverState) => ({
  driver: driverJson(driver),
  epoch,
  note: note ?? null,
  mark: mark ?? null,
});

/** A session in a list. */
export function listedJson({ coordinator, info }: ListedSession) {
  const { activity } = info;
  return {
    ...sessionJson(coordinator, info),
    activity: activity === undefined ? null : activityJson(activity),
    attention: attentionJson(info),
    agent: agentJson(info),
    program_status: programStatusJson(info),
    command: currentCommand(info),
    ...placeJson(info),
  };
}

/** The current directory, and the branch of git that is checked out there. */
export const placeJson = ({ activity }: SessionInfo) => ({
  directory: activity?.directory ?? null,
  branch: activity?.branch ?? null,
});

export function attentionJson({ attention }: SessionInfo) {
  if (attention === undefined) return null;
  const { kind, sinceMs, evidence, menu = null, questionId = null, guess = false } = attention;
  return { kind, since: isoTime(sinceMs), evidence, menu, question_id: questionId, guess };
}

/** A group of sessions of a list. */
export const groupJson = ({ value, sessions }: SessionGroup) => ({
  value,
  counts: needCounts(sessions.map(({ info }) => info)),
  sessions: sessions.map(({ info }) => info.name),
});

/** Null if no coding agent is in the foreground, or none is known. */
export function agentJson({ agent }: Pick<SessionInfo, 'agent'>) {
  if (agent === undefined) return null;
  const { kind, state, sinceMs, turn, background = 0, question = null, menu = null } = agent;
  const { message = null, conversation = null, done = false, evidence, rules } = agent;
  const { questionId = null, commands = null } = agent;
  return {
    kind,
    state,
    since: isoTime(sinceMs),
    turn,
    background,
    question,
    question_id: questionId,
    menu,
    done,
    message,
    conversation,
    commands,
    evidence,
    rules,
  };
}

/** Null if the program in the foreground says nothing of itself. */
export function programStatusJson({ programStatus }: Pick<SessionInfo, 'programStatus'>) {
  if (programStatus === undefined) return null;
  const { atMs = null, ...status } = programStatus;
  return { ...status, at: isoTime(atMs) };
}

function endedByJson({ endedBy }: SessionInfo) {
  if (endedBy === undefined) return null;
  const { reason, limit = null, measured = null } = endedBy;
  return { reason, limit, measured };
}

function pausedJson({ paused }: SessionInfo) {
  return paused === undefined ? null : { since: isoTime(paused.sinceMs), bytes: paused.bytes };
}

function persistJson({ persist }: SessionInfo) {
  return persist === undefined ? null : { state: persist.state, reason: persist.reason ?? null };
}

function recordingOf({ recording }: SessionInfo) {
  if (recording === undefined) return null;
  const { state, file, bytes, reason = null } = recording;
  return { state, file, bytes, reason };
}

/** A recording in a list. */
export const recordingJson = ({
  startedAtMs,
  endedAtMs,
  sessionId,
  ...recording
}: FileRecording) => ({
  reason: null,
  name: null,
  ...recording,
  started_at: isoTime(startedAtMs),
  ended_at: endedAtMs === undefined ? null : isoTime(endedAtMs),
  session_id: sessionId,
});

/** After the exit, exactly one of the two is not null. */
export function exitJson(status: ExitStatus | null) {
  return { exit_code: status?.code ?? null, signal: status?.signal ?? null };
}

export function waitJson(session: string, result: WaitResult) {
  return {
    name: session,
    outcome: result.outcome,
    matched_line: result.match?.text ?? null,
    matched: result.match?.matched ?? null,
    groups: result.match?.groups ?? [],
    line_number: result.match?.line ?? null,
    removed: sanitize(result.match?.text ?? '').removed,
    pattern: result.pattern ?? null,
    command: result.command === undefined ? null : commandJson(result.command),
    question: result.question ?? null,
    guess: result.guess ?? false,
    menu: result.menu ?? null,
    question_id: result.questionId ?? null,
    program: result.program ?? null,
    in_echo: result.inEcho ?? false,
    redrawn: result.redrawn ?? false,
    matched_before: result.matchedBefore !== undefined,
    lost_lines: result.lostLines ?? 0,
    lost_bytes: result.lostBytes ?? 0,
    activity: result.activity === undefined ? null : activityJson(result.activity),
    masked: result.masked ?? [],
    driver: result.driver === undefined ? null : driverStateJson(result.driver),
    agent: agentJson(result),
    program_status: programStatusJson(result),
    no_agent: result.noAgent ?? false,
    ...exitJson(result.exitStatus),
    timed_out: result.outcome === 'timed_out',
    output: excerptJson(result.output),
    mark: result.mark,
    timeout_ms: result.timeoutMs,
    elapsed_ms: Math.round(result.elapsedMs),
    revision: result.revision,
    ...redactedJson(result),
  };
}

/** A command of a session's shell. */
export function commandJson(command: CommandRecord) {
  return {
    number: command.number,
    line: command.line,
    cwd: command.cwd,
    state: command.state,
    exit_code: command.exitCode,
    started_at: isoTime(command.startedAtMs),
    ended_at: isoTime(command.endedAtMs),
    duration_ms: Math.round(command.durationMs),
    from: positionJson(command.from),
    to: command.to && positionJson(command.to),
    unverified: command.unverified ?? false,
  };
}

/** How a command of a shell ended, or that it runs, for people. */
export const statusText = ({ state, exitCode, unverified }: CommandRecord): string =>
  `${state === 'running' ? state : (exitCode ?? 'unknown')}${unverified ? ', unverified' : ''}`;

/** The same of a command of a coding agent. */
export const agentStatusText = ({ status, exitCode }: AgentCommand): string =>
  exitCode === null ? (status === 'succeeded' ? 'ok' : status) : String(exitCode);

/** A command that a coding agent ran itself. */
export function agentCommandJson(command: AgentCommand) {
  const { number, agent, line, cwd, status, exitCode, durationMs, from } = command;
  return {
    number,
    agent,
    line,
    cwd,
    status,
    exit_code: exitCode,
    started_at: isoTime(command.startedAtMs),
    ended_at: isoTime(command.endedAtMs),
    duration_ms: durationMs === null ? null : Math.round(durationMs),
    from: from === undefined ? null : positionJson(from),
  };
}

const positionJson = ({ offset, line, col }: OutputPosition) => ({ offset, line, col });

export function excerptJson({ head, tail, omitted, tokens }: Excerpt) {
  return {
    head,
    tail,
    omitted: omitted && {
      lines: omitted.lines,
      bytes: omitted.bytes,
      from_line: omitted.fromLine,
      to_line: omitted.toLine,
    },
    tokens,
    removed: sanitize(withoutStyles(`${head}${tail}`)).removed,
  };
}

export function activityJson({ state, evidence, sinceMs }: Activity) {
  return {
    state,
    since: new Date(sinceMs).toISOString(),
    evidence: {
      shell_mark: evidence.shellMark,
      prompt_pattern: evidence.promptPattern,
      alternate_screen: evidence.alternateScreen,
      foreground: evidence.foreground,
      leader_in_foreground: evidence.leaderInForeground,
      echo: evidence.echo,
      canonical: evidence.canonical,
      reading_terminal: evidence.readingTerminal,
      also_waits: evidence.alsoWaits,
      unfinished_line: evidence.unfinishedLine,
    },
  };
}
