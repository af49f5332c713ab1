import { basename } from 'node:path';
import * as z from 'zod/v4';
import { defined, quoted, sanitize } from '#base';
import {
  type ActivityState,
  type Coordinator,
  isWaiting,
  type SessionInfo,
  VtrError,
} from '#model';
import type { Caller } from '../caller.ts';
import {
  agentAnswer,
  attentionAnswer,
  menu,
  placeAnswer,
  sessionAnswer,
  sessionFields,
  sessionId,
  stateOf,
} from '../fields.ts';
import { PlainLines } from '../reading/terminal-text.ts';
import { defineTool, looks } from '../tool.ts';
import { described } from './sessions.ts';

const activityFields = {
  state: z.string(),
  seconds: z.int().optional(),
  command: z.string().nullable().optional(),
  question: z.string().optional(),
  agent: z.string().optional(),
  attention: z.string().optional(),
  guess: z.boolean().optional(),
  menu: menu.optional(),
  cwd: z.string().nullable(),
  branch: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  driven_by: z.string().optional(),
};

export const listSessions = defineTool({
  name: 'terminal__list_sessions',
  title: 'List sessions',
  description:
    'List all sessions, also of people and other agents. With session_id, describe one (size, exit code, who types).',
  annotations: looks,
  isCore: false,
  input: z.strictObject({
    session_id: sessionId.optional(),
    state: z.string().optional().describe('A state, waiting or failed'),
    label: z.string().optional().describe('KEY or KEY=VALUE'),
  }),
  output: z.object({
    sessions: z.array(z.looseObject({ ...sessionFields, ...activityFields }).partial()),
    count: z.int(),
    cwd: z.string().optional().describe('Of running sessions without one'),
  }),
  always: ['sessions', 'count'],
  async run({ session_id, state, label }, caller) {
    if (session_id !== undefined) return theOne(session_id, { state, label }, caller);
    const isListed = stateTest(state);
    const coordinator = await caller.host.reach();
    const infos = (await coordinator?.list({ activity: true })) ?? [];
    const listed = infos.filter((info) => isListed(info) && hasLabel(info, label));
    const nowMs = Date.now();
    const sessions = await Promise.all(
      listed.map(async (info) => ({
        ...sessionAnswer(info),
        ...activityAnswer(info, nowMs),
        // A read counts as use: a poll of the whole list must not keep sessions.
        ...(coordinator === null || state === undefined ? {} : await questionOf(coordinator, info)),
      })),
    );
    const count = sessions.length;
    if (!caller.isLean) return { sessions, count };
    const cwd = sharedDirectory(sessions);
    return {
      sessions: sessions.map((each) => leanRow(each, cwd)),
      count,
      ...defined({ cwd }),
    };
  },
});

/** Describes one session in the form of a list. @throws VtrError SESSION_NOT_FOUND, INVALID_ARGUMENT */
async function theOne(
  name: string,
  { state, label }: { readonly state?: string | undefined; readonly label?: string | undefined },
  caller: Caller,
) {
  if ((state ?? label) !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', 'give session_id, or state and label, not both');
  }
  const session = await described(name, caller);
  return { sessions: [caller.isLean ? { ...session, healthy: false } : session], count: 1 };
}

type StateTest = (info: SessionInfo) => boolean;

const hasState =
  (...states: readonly ActivityState[]): StateTest =>
  (info) =>
    states.includes(stateOf(info));

const stateTests: Readonly<Record<ActivityState | 'waiting' | 'failed', StateTest>> = {
  waiting: isWaiting,
  failed: ({ exitStatus }) => exitStatus !== null && exitStatus.code !== 0,
  running: hasState('running'),
  at_prompt: hasState('at_prompt'),
  awaiting_input: hasState('awaiting_input'),
  password: hasState('password'),
  full_screen: hasState('full_screen'),
  exited: hasState('exited'),
};

/** @throws VtrError INVALID_ARGUMENT */
function stateTest(state: string | undefined): StateTest {
  if (state === undefined) return () => true;
  const test = new Map<string, StateTest>(Object.entries(stateTests)).get(state);
  if (test !== undefined) return test;
  const words = Object.keys(stateTests).join(', ');
  throw new VtrError('INVALID_ARGUMENT', `state ${quoted(state)}: use one of ${words}`);
}

/** @param label `KEY` or `KEY=VALUE` */
function hasLabel({ labels = {} }: SessionInfo, label: string | undefined): boolean {
  if (label === undefined) return true;
  const [key = '', ...value] = label.split('=');
  if (!Object.hasOwn(labels, key)) return false;
  return value.length === 0 || labels[key] === value.join('=');
}

/** The fields of a session in a list, in addition to those of terminal__get_info. */
function activityAnswer(info: SessionInfo, nowMs: number) {
  const { sinceMs = null, command } = info.activity ?? {};
  return {
    state: stateOf(info),
    ...(sinceMs === null ? {} : { seconds: Math.max(0, Math.round((nowMs - sinceMs) / 1000)) }),
    ...(command ? { command: sanitize(command).text } : {}),
    ...agentAnswer(info),
    ...attentionAnswer(info),
    ...placeAnswer(info),
    ...defined({ labels: info.labels }),
    ...(info.driver?.kind === 'person' ? { driven_by: info.driver.name } : {}),
  };
}

/** Returns what a session asks that waits for input; nothing if it is not known. */
async function questionOf(coordinator: Coordinator, info: SessionInfo) {
  if (!isWaiting(info)) return {};
  const { kind, evidence } = info.attention ?? {};
  if (kind === 'input' || kind === 'password') return { question: evidence };
  if (info.activity?.evidence.unfinishedLine !== true) return {};
  const { id, name } = info;
  try {
    const { text, cursor } = await coordinator.screen({ id, name });
    const question = new PlainLines().plain(text[cursor.row] ?? '').trim();
    return question === '' ? {} : { question };
  } catch {
    // It is gone by now.
    return {};
  }
}

type Row = ReturnType<typeof sessionAnswer> & ReturnType<typeof activityAnswer>;

/** Returns the most common directory if sessions share it, and each program that runs has one. */
function sharedDirectory(rows: readonly Row[]): string | undefined {
  const running = rows.filter(({ state }) => state !== 'exited');
  const counts = new Map<string | null, number>();
  for (const { cwd } of running) counts.set(cwd, (counts.get(cwd) ?? 0) + 1);
  const [[cwd, count] = [null, 0]] = [...counts].sort(([, a], [, b]) => b - a);
  return count < 2 || cwd === null || counts.has(null) ? undefined : cwd;
}

/**
 * Empties what a lean answer leaves out: what only the description of one session has, the program if a command runs,
 * and the shared directory.
 */
function leanRow(row: Row, shared: string | undefined) {
  const { pid: _, created_at: __, dimensions: ___, exited: ____, healthy: _____, ...listed } = row;
  return {
    ...listed,
    program: row.command === undefined ? basename(row.program) : '',
    args: row.command === undefined ? row.args : [],
    cwd: row.cwd === shared ? null : row.cwd,
  };
}
