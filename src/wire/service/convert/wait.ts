import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import * as wire from '#messages';
import {
  clampWaitMs,
  defaultQuietMs,
  type MatchedPattern,
  type TextMatch,
  type WaitRequest,
  type WaitResult,
} from '#model';
import {
  fromActivity,
  fromAgent,
  fromMenu,
  fromProgramStatus,
  toActivity,
  toAgent,
  toMenu,
  toProgramStatus,
} from './activity.ts';
import { fromCommand, toCommand } from './command.ts';
import { fromDriverState, toDriverState } from './driver.ts';
import {
  durationField,
  enumOf,
  field,
  msField,
  numberOrNull,
  timeField,
  timeMsField,
  toDuration,
  toMs,
  wholeField,
  wordOf,
} from './field.ts';
import {
  fromBudget,
  fromExcerpt,
  fromReadRequest,
  fromReadResult,
  toBudget,
  toExcerpt,
  toReadFields,
  toReadResult,
} from './read.ts';
import { fromExitStatus, fromSession, toExitStatus, toSession } from './session.ts';

/** @throws VtrError INVALID_ARGUMENT for values that proto3 cannot represent */
export function toConditions(
  request: WaitRequest,
): MessageInitShape<typeof wire.WaitConditionsSchema> {
  const { match = [], stop = [], screen = [], ignore = [], quietMs, tail } = request;
  return {
    ...field('since', request.since),
    ...durationField('timeout', request.timeoutMs),
    match: [...match],
    stop: [...stop],
    raw: request.raw ?? false,
    screen: [...screen],
    finished: request.finished ?? false,
    prompt: request.prompt ?? false,
    asks: request.asks ?? false,
    ...field('promptPattern', request.promptPattern),
    ...field(
      'quiet',
      quietMs === undefined ? null : toDuration(clampWaitMs(quietMs, defaultQuietMs)),
    ),
    ignore: [...ignore],
    countClocks: request.countClocks ?? false,
    ...field('title', request.title),
    bell: request.bell ?? false,
    driver: request.driver ?? false,
    agent: (request.agent ?? []).map((state) => enumOf('AgentState', state)),
    ...field('agentTurn', request.agentTurn),
    status: (request.status ?? []).map((state) => enumOf('ProgramState', state)),
    ...timeField('agentAfter', request.agentAfterMs),
    ...field('tail', tail && toBudget(tail)),
    ...field('read', request.read && toReadFields(request.read)),
    ...field('redact', request.redact),
  };
}

export function fromConditions(conditions: wire.WaitConditions | undefined): WaitRequest {
  if (conditions === undefined) return {};
  const { match, stop, raw, screen, finished, prompt, asks } = conditions;
  const { ignore, countClocks, bell, driver } = conditions;
  return {
    ...field('since', conditions.since),
    ...msField('timeoutMs', conditions.timeout),
    match,
    stop,
    raw,
    screen,
    finished,
    prompt,
    asks,
    ignore,
    countClocks,
    bell,
    ...defined({ driver: driver || undefined }),
    ...agentField(conditions.agent),
    ...field('agentTurn', conditions.agentTurn),
    ...statusField(conditions.status),
    ...timeMsField('agentAfterMs', conditions.agentAfter),
    ...field('promptPattern', conditions.promptPattern),
    ...msField('quietMs', conditions.quiet),
    ...field('title', conditions.title),
    ...field('tail', conditions.tail && fromBudget(conditions.tail)),
    ...field('read', conditions.read && fromReadRequest(conditions.read)),
    ...field('redact', conditions.redact),
  };
}

/** Without states of a later version. */
function agentField(states: readonly number[]): Pick<WaitRequest, 'agent'> {
  const agent = states.flatMap((state) => wordOf('AgentState', state) ?? []);
  return agent.length === 0 ? {} : { agent };
}

/** Without states of a later version. */
function statusField(states: readonly number[]): Pick<WaitRequest, 'status'> {
  const status = states.flatMap((state) => wordOf('ProgramState', state) ?? []);
  return status.length === 0 ? {} : { status };
}

export function toWaitResult(result: WaitResult): wire.WaitResult {
  const { pattern, match, command, masked = [], exitStatus, mark } = result;
  return create(wire.WaitResultSchema, {
    outcome: enumOf('WaitOutcome', result.outcome),
    ...field('pattern', pattern && { ...pattern, of: enumOf('PatternKind', pattern.of) }),
    ...field('match', match && toTextMatch(match)),
    ...field('command', command && toCommand(command)),
    ...field('question', result.question),
    guess: result.guess ?? false,
    ...field('program', result.program),
    ...field('menu', result.menu && toMenu(result.menu)),
    ...field('questionId', result.questionId),
    inEcho: result.inEcho ?? false,
    redrawn: result.redrawn ?? false,
    ...field('matchedBefore', result.matchedBefore && toTextMatch(result.matchedBefore)),
    ...field('activity', result.activity && toActivity(result.activity)),
    masked: [...masked],
    ...field('driver', result.driver && toDriverState(result.driver)),
    ...field('agent', result.agent && toAgent(result.agent)),
    ...field('programStatus', result.programStatus && toProgramStatus(result.programStatus)),
    noAgent: result.noAgent ?? false,
    ...field('exitStatus', exitStatus && toExitStatus(exitStatus)),
    output: toExcerpt(result.output),
    lostLines: BigInt(result.lostLines ?? 0),
    lostBytes: BigInt(result.lostBytes ?? 0),
    mark,
    revision: BigInt(result.revision),
    timeout: toDuration(result.timeoutMs),
    elapsed: toDuration(result.elapsedMs),
    ...field('session', result.session && toSession(result.session)),
    ...field('read', result.read && toReadResult(result.read)),
    ...field('redacted', result.redacted),
  });
}

export function fromWaitResult(message: wire.WaitResult): WaitResult {
  const { pattern, match, command, question, masked, mark, matchedBefore, activity } = message;
  // For an outcome of a later version: `timed_out` at least does not claim a match.
  const outcome = wordOf('WaitOutcome', message.outcome) ?? 'timed_out';
  return {
    outcome,
    ...field('pattern', pattern && fromPattern(pattern)),
    ...field('match', match && fromTextMatch(match)),
    ...field('command', command && fromCommand(command)),
    ...field('question', question),
    ...defined({ guess: message.guess || undefined }),
    ...field('program', message.program),
    ...field('menu', message.menu && fromMenu(message.menu)),
    ...field('questionId', message.questionId),
    ...defined({ inEcho: message.inEcho || undefined, redrawn: message.redrawn || undefined }),
    ...field('matchedBefore', matchedBefore && fromTextMatch(matchedBefore)),
    ...field('activity', activity && fromActivity(activity)),
    ...(outcome === 'idle' ? { masked } : {}),
    ...field('driver', message.driver && fromDriverState(message.driver)),
    ...field('agent', message.agent && fromAgent(message.agent)),
    ...field('programStatus', fromProgramStatus(message.programStatus)),
    ...defined({ noAgent: message.noAgent || undefined }),
    exitStatus: fromExitStatus(message.exitStatus),
    output: fromExcerpt(message.output),
    ...(message.lostLines > 0n ? { lostLines: Number(message.lostLines) } : {}),
    ...(message.lostBytes > 0n ? { lostBytes: Number(message.lostBytes) } : {}),
    mark,
    revision: Number(message.revision),
    timeoutMs: toMs(message.timeout),
    elapsedMs: toMs(message.elapsed),
    ...field('session', message.session && fromSession(message.session)),
    ...field('read', message.read && fromReadResult(message.read)),
    ...field('redacted', message.redacted),
  };
}

function fromPattern({ of, index, source }: wire.MatchedPattern): MatchedPattern {
  return { of: wordOf('PatternKind', of) ?? 'match', index, source };
}

function toTextMatch({ line, text, matched, groups }: TextMatch) {
  return {
    ...wholeField('line', line),
    text,
    matched,
    groups: groups.map((group) => field('text', group)),
  };
}

function fromTextMatch({ line, text, matched, groups }: wire.TextMatch): TextMatch {
  return {
    line: numberOrNull(line),
    text,
    matched,
    groups: groups.map((group) => group.text ?? null),
  };
}

/** The end of one of the specification's waits. */
export function toWaitEnd(result: WaitResult): wire.WaitEnd {
  const { outcome, exitStatus, revision, timeoutMs, elapsedMs } = result;
  return create(wire.WaitEndSchema, {
    outcome: enumOf('WaitOutcome', outcome),
    ...field('exitStatus', exitStatus && toExitStatus(exitStatus)),
    revision: BigInt(revision),
    timeout: toDuration(timeoutMs),
    elapsed: toDuration(elapsedMs),
  });
}

/** The fields for the match in the answer of the specification's WaitFor. */
export function toMatch({ line, text, matched }: TextMatch) {
  return { matchedLine: text, matchedText: matched, ...wholeField('lineId', line) };
}
