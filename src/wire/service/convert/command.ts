import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import * as wire from '#messages';
import {
  type AgentCommand,
  type CommandChoice,
  type CommandList,
  type CommandListRequest,
  type CommandOutput,
  type CommandOutputRequest,
  type CommandRecord,
  checkCommandChoice,
  checkListedCommands,
  checkOutputFormat,
  outputFormats,
} from '#model';
import {
  enumOf,
  field,
  fieldsOf,
  fromTimestamp,
  numberField,
  timeField,
  toLongDuration,
  toMs,
  toTimestamp,
  wholeField,
  wordOf,
} from './field.ts';
import {
  fromBudget,
  fromExcerpt,
  fromGap,
  fromPosition,
  fromRaw,
  toBudget,
  toExcerpt,
  toGap,
  toPosition,
  toRaw,
} from './read.ts';

export function toCommand(command: CommandRecord): wire.Command {
  const { endedAtMs, to } = command;
  return create(wire.CommandSchema, {
    number: command.number,
    ...fieldsOf(command, 'line', 'cwd'),
    state: enumOf('CommandState', command.state),
    ...field('exitCode', command.exitCode),
    startedAt: toTimestamp(command.startedAtMs),
    ...field('endedAt', endedAtMs === null ? null : toTimestamp(endedAtMs)),
    duration: toLongDuration(command.durationMs),
    startRevision: BigInt(command.startRevision),
    from: toPosition(command.from),
    ...field('to', to && toPosition(to)),
    ...field('unverified', command.unverified),
  });
}

export function fromCommand(command: wire.Command): CommandRecord {
  const { number, line = null, cwd = null, state, exitCode = null, endedAt, to } = command;
  return {
    number,
    line,
    cwd,
    state: wordOf('CommandState', state) ?? 'ended',
    exitCode,
    startedAtMs: fromTimestamp(command.startedAt),
    endedAtMs: endedAt === undefined ? null : fromTimestamp(endedAt),
    durationMs: toMs(command.duration),
    startRevision: Number(command.startRevision),
    from: fromPosition(command.from),
    to: to === undefined ? null : fromPosition(to),
    ...defined({ unverified: command.unverified || undefined }),
  };
}

export function toAgentCommand(command: AgentCommand): wire.AgentCommand {
  const { startedAtMs, endedAtMs, durationMs, from } = command;
  return create(wire.AgentCommandSchema, {
    ...fieldsOf(command, 'number', 'agent', 'line', 'cwd', 'exitCode'),
    status: enumOf('AgentCommandStatus', command.status),
    ...timeField('startedAt', startedAtMs ?? undefined),
    ...timeField('endedAt', endedAtMs ?? undefined),
    ...field('duration', durationMs === null ? null : toLongDuration(durationMs)),
    ...field('from', from && toPosition(from)),
  });
}

export function fromAgentCommand(command: wire.AgentCommand): AgentCommand {
  const { number, agent = null, line, cwd = null, status, exitCode = null } = command;
  const { startedAt, endedAt, duration, from } = command;
  return {
    number,
    agent,
    line,
    cwd,
    // A status of a later version.
    status: wordOf('AgentCommandStatus', status) ?? 'unknown',
    exitCode,
    startedAtMs: startedAt === undefined ? null : fromTimestamp(startedAt),
    endedAtMs: endedAt === undefined ? null : fromTimestamp(endedAt),
    durationMs: duration === undefined ? null : toMs(duration),
    ...field('from', from && fromPosition(from)),
  };
}

/** @throws VtrError INVALID_ARGUMENT for values that proto3 cannot represent */
export function toChoice(choice: CommandChoice): MessageInitShape<typeof wire.CommandChoiceSchema> {
  const checked = checkCommandChoice(choice);
  return checked === 'last' ? {} : { number: BigInt(checked) };
}

export const fromChoice = ({ number }: wire.CommandChoice): CommandChoice =>
  number === undefined ? 'last' : Number(number);

/** @throws VtrError INVALID_ARGUMENT */
export const toListFields = ({ last, redact }: CommandListRequest) => ({
  ...field('last', last === undefined ? null : checkListedCommands(last)),
  ...field('redact', redact),
});

export function toCommandList(list: CommandList): wire.ListCommandsResponse {
  return create(wire.ListCommandsResponseSchema, {
    commands: list.commands.map(toCommand),
    dropped: BigInt(list.dropped),
    integration: enumOf('ShellIntegration', list.integration),
    ...fieldsOf(list, 'integrationReason', 'redacted'),
    agentCommands: (list.agentCommands ?? []).map(toAgentCommand),
  });
}

export function fromCommandList(message: wire.ListCommandsResponse): CommandList {
  const agentCommands = message.agentCommands.map(fromAgentCommand);
  return {
    commands: message.commands.map(fromCommand),
    dropped: Number(message.dropped),
    integration: wordOf('ShellIntegration', message.integration) ?? 'none',
    ...fieldsOf(message, 'integrationReason', 'redacted'),
    ...defined({ agentCommands: agentCommands.length === 0 ? undefined : agentCommands }),
  };
}

/** @throws VtrError INVALID_ARGUMENT */
export function toCommandOutputFields(
  request: CommandOutputRequest,
): MessageInitShape<typeof wire.GetCommandOutputRequestSchema> {
  const format = checkOutputFormat(request.format ?? 'text', outputFormats);
  return {
    command: toChoice(request.command ?? 'last'),
    format: enumOf('OutputFormat', format),
    budget: toBudget(request),
    ...wholeField('skipLines', request.skipLines),
    ...field('redact', request.redact),
  };
}

export function fromCommandOutputRequest(
  message: wire.GetCommandOutputRequest,
): CommandOutputRequest {
  const { command, format, budget, skipLines } = message;
  return {
    ...field('command', command && fromChoice(command)),
    ...field('format', wordOf('OutputFormat', format)),
    ...fromBudget(budget),
    ...numberField('skipLines', skipLines),
    ...field('redact', message.redact),
  };
}

export function toCommandOutput(output: CommandOutput): wire.GetCommandOutputResponse {
  return create(wire.GetCommandOutputResponseSchema, {
    command: toCommand(output.command),
    text: toExcerpt(output.text),
    openEnd: output.openEnd,
    gap: toGap(output.gap),
    ...field('raw', output.raw && toRaw(output.raw)),
    ...wholeField('skippedLines', output.skippedLines),
    ...field('redacted', output.redacted),
  });
}

export function fromCommandOutput(
  message: wire.GetCommandOutputResponse,
  command: wire.Command,
): CommandOutput {
  return {
    command: fromCommand(command),
    text: fromExcerpt(message.text),
    openEnd: message.openEnd,
    gap: fromGap(message.gap),
    ...field('raw', message.raw && fromRaw(message.raw)),
    ...numberField('skippedLines', message.skippedLines),
    ...field('redacted', message.redacted),
  };
}
