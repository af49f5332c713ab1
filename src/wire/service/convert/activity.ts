import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import * as wire from '#messages';
import {
  type AgentEvidence as AgentEvidenceMessage,
  AgentEvidenceSchema,
  type Agent as AgentMessage,
  AgentSchema,
} from '#messages';
import type {
  Activity,
  ActivityEvidence,
  AgentCommandCounts,
  AgentEvidence,
  AgentInfo,
  CommandReport,
  ExplainedAgent,
  Menu,
  ReportRequest,
  ToldStatus,
} from '#model';
import {
  enumOf,
  field,
  fieldsOf,
  fromTimestamp,
  msField,
  numberField,
  timeField,
  timeMsField,
  toLongDuration,
  toTimestamp,
  wholeField,
  wordOf,
} from './field.ts';

export function toActivity({
  state,
  evidence,
  sinceMs,
  revision,
  waitingRuns = [],
}: Activity): wire.GetActivityResponse {
  return create(wire.GetActivityResponseSchema, {
    state: enumOf('ActivityState', state),
    evidence: {
      shellMark: enumOf('ShellMark', evidence.shellMark ?? undefined),
      promptPattern: evidence.promptPattern,
      alternateScreen: evidence.alternateScreen,
      ...fieldsOf(
        evidence,
        'foreground',
        'leaderInForeground',
        'echo',
        'canonical',
        'readingTerminal',
        'alsoWaits',
      ),
      unfinishedLine: evidence.unfinishedLine,
    },
    since: toTimestamp(sinceMs),
    revision: BigInt(revision),
    waitingRuns: [...waitingRuns],
  });
}

export function fromActivity({
  state,
  evidence,
  since,
  revision,
  waitingRuns,
}: wire.GetActivityResponse): Activity {
  return {
    // A state of a later version: `running` at least does not invite input.
    state: wordOf('ActivityState', state) ?? 'running',
    evidence: fromEvidence(evidence),
    sinceMs: fromTimestamp(since),
    revision: Number(revision),
    ...(waitingRuns.length === 0 ? {} : { waitingRuns }),
  };
}

function fromEvidence(evidence: wire.ActivityEvidence | undefined): ActivityEvidence {
  const { leaderInForeground, echo, canonical, readingTerminal, foreground } = evidence ?? {};
  return {
    shellMark: wordOf('ShellMark', evidence?.shellMark ?? 0) ?? null,
    promptPattern: evidence?.promptPattern ?? false,
    alternateScreen: evidence?.alternateScreen ?? false,
    foreground: foreground === undefined ? null : { pid: foreground.pid, name: foreground.name },
    leaderInForeground: leaderInForeground ?? null,
    echo: echo ?? null,
    canonical: canonical ?? null,
    readingTerminal: readingTerminal ?? null,
    alsoWaits: evidence?.alsoWaits ?? null,
    unfinishedLine: evidence?.unfinishedLine ?? false,
  };
}

export const toAgent = (agent: AgentInfo): AgentMessage =>
  create(AgentSchema, {
    kind: agent.kind,
    state: enumOf('AgentState', agent.state),
    since: toTimestamp(agent.sinceMs),
    turn: agent.turn,
    background: agent.background ?? 0,
    ...field('question', agent.question),
    ...field('menu', agent.menu && toMenu(agent.menu)),
    ...fieldsOf(agent, 'message', 'conversation'),
    done: agent.done ?? false,
    ...field('commands', agent.commands),
    ...field('questionId', agent.questionId),
    evidence: agent.evidence.map(toEvidence),
    rules: agent.rules,
  });

export function fromAgent(message: AgentMessage): AgentInfo {
  const { kind, state, since, turn, background, question, menu, evidence, rules } = message;
  const fields = fieldsOf(message, 'message', 'conversation');
  return {
    kind,
    // A state of a later version.
    state: wordOf('AgentState', state) ?? 'unknown',
    sinceMs: fromTimestamp(since),
    turn,
    ...defined({ background: background || undefined }),
    ...field('question', question),
    ...(menu === undefined ? {} : { menu: fromMenu(menu) }),
    ...fields,
    ...defined({ done: message.done || undefined }),
    ...field('commands', message.commands && countsOf(message.commands)),
    ...field('questionId', message.questionId),
    evidence: evidence.flatMap(fromAgentEvidence),
    rules,
  };
}

const countsOf = ({ count, running }: wire.AgentCommandCounts): AgentCommandCounts => ({
  count,
  running,
});

export const toProgramStatus = (status: ToldStatus): wire.ProgramStatus =>
  create(wire.ProgramStatusSchema, {
    state: enumOf('ProgramState', status.state),
    kind: enumOf('ProgramAsks', status.kind ?? undefined),
    app: status.app ?? '',
    ...field('progress', status.progress),
    message: status.message,
    title: status.title,
    ...timeField('at', status.atMs),
  });

/** Null for a state of a later version. */
export function fromProgramStatus(message: wire.ProgramStatus | undefined): ToldStatus | null {
  const state = wordOf('ProgramState', message?.state ?? 0);
  if (message === undefined || state === undefined) return null;
  const { kind, app, progress = null, message: text, title, at } = message;
  return {
    state,
    kind: wordOf('ProgramAsks', kind) ?? null,
    app: app === '' ? null : app,
    progress,
    message: text,
    title,
    ...timeMsField('atMs', at),
  };
}

const toCommandReport = (
  report: CommandReport,
): MessageInitShape<typeof wire.CommandReportSchema> => ({
  ...fieldsOf(report, 'line', 'cwd', 'call', 'exitCode'),
  outcome: enumOf('CommandOutcome', report.outcome),
  ...field('duration', report.durationMs === undefined ? null : toLongDuration(report.durationMs)),
});

/** The report is not checked. */
const fromCommandReport = (message: wire.CommandReport): CommandReport => ({
  line: message.line,
  ...fieldsOf(message, 'cwd', 'call', 'exitCode'),
  ...field('outcome', wordOf('CommandOutcome', message.outcome)),
  ...msField('durationMs', message.duration),
});

export const toReportFields = (request: ReportRequest) => ({
  state: enumOf('ReportState', request.state),
  ...fieldsOf(request, 'message', 'progress', 'conversation', 'agent'),
  ...field('ttl', request.ttlMs === undefined ? null : toLongDuration(request.ttlMs)),
  ...wholeField('sequence', request.sequence),
  ...field('command', request.command && toCommandReport(request.command)),
});

/** The request is not checked. */
export const fromReportRequest = (message: wire.ReportRequest): ReportRequest => ({
  ...field('state', wordOf('ReportState', message.state)),
  ...fieldsOf(message, 'message', 'progress', 'conversation', 'agent'),
  ...msField('ttlMs', message.ttl),
  ...numberField('sequence', message.sequence),
  ...field('command', message.command && fromCommandReport(message.command)),
});

const toEvidence = ({ state, strength, rule, text }: AgentEvidence) =>
  create(AgentEvidenceSchema, {
    state: enumOf('AgentState', state),
    strong: strength === 'strong',
    rule,
    text,
  });

/** None for a state of a later version. */
function fromAgentEvidence({ state, strong, rule, text }: AgentEvidenceMessage): AgentEvidence[] {
  const word = wordOf('AgentState', state);
  if (word === undefined || word === 'unknown') return [];
  return [{ state: word, strength: strong ? 'strong' : 'supports', rule, text }];
}

export const toExplainedAgent = (
  explained: ExplainedAgent,
): MessageInitShape<typeof wire.ExplainAgentResponseSchema> => ({
  ...field('agent', explained.agent && toAgent(explained.agent)),
  ...field(
    'kind',
    explained.kind && { ...explained.kind, checkedWith: [...explained.kind.checkedWith] },
  ),
  state: enumOf('AgentState', explained.state),
  ...fieldsOf(explained, 'doubt', 'redacted'),
  ...field('still', toAge(explained.stillMs)),
  background: explained.background,
  claims: explained.claims.map((claim) => ({
    evidence: toEvidence(claim),
    ...field('age', toAge(claim.ageMs)),
    ...fieldsOf(claim, 'where', 'file', 'lost'),
  })),
  near: explained.near.map((miss) => ({ ...miss, state: enumOf('AgentState', miss.state) })),
  regions: explained.regions.map(({ where, rows }) => ({ where, rows: [...rows] })),
});

/** Claims for states of a later version are left out. */
export function fromExplainedAgent(message: wire.ExplainAgentResponse): ExplainedAgent {
  const { agent, kind, still, claims, near, regions } = message;
  return {
    ...field('agent', agent && fromAgent(agent)),
    ...field('kind', kind && toldKind(kind)),
    state: wordOf('AgentState', message.state) ?? 'unknown',
    ...fieldsOf(message, 'doubt', 'redacted'),
    ...msField('stillMs', still),
    background: message.background,
    claims: claims.flatMap(({ evidence, age, ...claim }) =>
      (evidence === undefined ? [] : fromAgentEvidence(evidence)).map((item) => ({
        ...item,
        ...msField('ageMs', age),
        ...fieldsOf(claim, 'where', 'file', 'lost'),
      })),
    ),
    near: near.flatMap(({ rule, state, where, file, text, why }) => {
      const word = wordOf('AgentState', state);
      if (word === undefined || word === 'unknown') return [];
      return [{ rule, state: word, where, ...field('file', file), text, why }];
    }),
    regions: regions.map(({ where, rows }) => ({ where, rows })),
  };
}

const toldKind = ({ kind, name, checkedWith, rules }: wire.AgentKind) => ({
  kind,
  name,
  checkedWith,
  rules,
});

const toAge = (ms: number | undefined) => (ms === undefined ? null : toLongDuration(ms));

export const toMenu = ({
  title,
  options,
  selected,
  multiple,
  checked,
  keys,
  button,
}: Menu): wire.Menu =>
  create(wire.MenuSchema, {
    title,
    options: [...options],
    multiple,
    keys,
    button: button ?? '',
    ...field('selected', selected),
    checked: [...(checked ?? [])],
    checkedKnown: checked !== undefined,
  });

export const fromMenu = (message: wire.Menu): Menu => ({
  title: message.title,
  options: message.options,
  selected: message.selected ?? null,
  multiple: message.multiple,
  ...(message.checkedKnown ? { checked: message.checked } : {}),
  keys: message.keys,
  ...defined({ button: message.button || undefined }),
});
