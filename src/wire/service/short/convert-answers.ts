import type {
  Activity,
  ActivityState,
  CommandList,
  CommandOutput,
  CommandRecord,
  Excerpt,
  MatchedPattern,
  OutputPosition,
  ReadGap,
  ReadResult,
  RunResult,
  ShellIntegration,
  WaitOutcome,
  WaitResult,
} from '#model';
import { exitStatusFrom, lowerWord, msFrom, numberOrNull } from './convert.ts';
import type {
  ActivityMessage,
  CommandListMessage,
  CommandMessage,
  CommandOutputMessage,
  ExcerptMessage,
  GapMessage,
  PositionMessage,
  ReadMessage,
  RunMessage,
  WaitMessage,
} from './messages.ts';

export function waitFrom(message: WaitMessage): WaitResult {
  const { pattern, match, command, masked = [] } = message;
  const outcome = outcomeFrom(message.outcome);
  return {
    outcome,
    ...(pattern === undefined ? {} : { pattern: patternFrom(pattern) }),
    ...(match === undefined ? {} : { match: matchFrom(match) }),
    ...(command === undefined ? {} : { command: commandFrom(command) }),
    ...(outcome === 'idle' ? { masked } : {}),
    exitStatus: exitStatusFrom(message.exitStatus),
    output: excerptFrom(message.output),
    ...endFrom(message),
    ...timesFrom(message),
  };
}

const outcomeFrom = (name: string | undefined): WaitOutcome =>
  lowerWord(name, 'WAIT_OUTCOME', 'timed_out') as WaitOutcome;

function patternFrom(pattern: NonNullable<WaitMessage['pattern']>): MatchedPattern {
  const { of, index = 0, source = '' } = pattern;
  return { of: lowerWord(of, 'PATTERN_KIND', 'match') as MatchedPattern['of'], index, source };
}

function matchFrom(message: NonNullable<WaitMessage['match']>): NonNullable<WaitResult['match']> {
  const { line, text = '', matched = '', groups = [] } = message;
  const texts = groups.map((group) => group.text ?? null);
  return { line: numberOrNull(line), text, matched, groups: texts };
}

interface EndMessage {
  readonly mark?: string;
  readonly revision?: string;
}

const endFrom = ({ mark = '', revision }: EndMessage) => ({
  mark,
  revision: Number(revision ?? 0),
});

interface TimesMessage {
  readonly timeout?: string;
  readonly elapsed?: string;
}

const timesFrom = ({ timeout, elapsed }: TimesMessage) => ({
  timeoutMs: msFrom(timeout),
  elapsedMs: msFrom(elapsed),
});

function excerptFrom(message: ExcerptMessage = {}): Excerpt {
  const { head = '', tail = '', omitted, tokens } = message;
  return {
    head,
    tail,
    omitted:
      omitted === undefined
        ? null
        : {
            lines: Number(omitted.lines ?? 0),
            bytes: Number(omitted.bytes ?? 0),
            fromLine: numberOrNull(omitted.fromLine),
            toLine: numberOrNull(omitted.toLine),
          },
    tokens: Number(tokens ?? 0),
  };
}

const gapFrom = ({ lines, bytes }: GapMessage = {}): ReadGap => ({
  lines: Number(lines ?? 0),
  bytes: Number(bytes ?? 0),
});

export function readFrom(message: ReadMessage): ReadResult {
  const { raw } = message;
  return {
    kind: lowerWord(message.kind, 'READ_KIND', 'lines') as ReadResult['kind'],
    text: excerptFrom(message.text),
    ...(raw === undefined ? {} : { raw: rawFrom(raw) }),
    gap: gapFrom(message.gap),
    fromLine: numberOrNull(message.fromLine),
    ...endFrom(message),
  };
}

function rawFrom({ data = '', offset, omittedBytes }: NonNullable<ReadMessage['raw']>) {
  return {
    bytes: new Uint8Array(Buffer.from(data, 'base64')),
    offset: Number(offset ?? 0),
    omittedBytes: Number(omittedBytes ?? 0),
  };
}

function commandFrom(message: CommandMessage = {}): CommandRecord {
  const { number = 0, line = null, cwd = null, exitCode = null, endedAt, from, to } = message;
  return {
    number,
    line,
    cwd,
    state: lowerWord(message.state, 'COMMAND_STATE', 'ended') as CommandRecord['state'],
    exitCode,
    startedAtMs: Date.parse(message.startedAt ?? ''),
    endedAtMs: endedAt === undefined ? null : Date.parse(endedAt),
    durationMs: msFrom(message.duration),
    startRevision: Number(message.startRevision ?? 0),
    from: positionFrom(from),
    to: to === undefined ? null : positionFrom(to),
  };
}

const positionFrom = ({ offset, line, col = 0 }: PositionMessage = {}): OutputPosition => ({
  offset: Number(offset ?? 0),
  line: numberOrNull(line),
  col,
});

export function commandListFrom(message: CommandListMessage): CommandList {
  const { commands = [], dropped, integration } = message;
  return {
    commands: commands.map(commandFrom),
    dropped: Number(dropped ?? 0),
    integration: lowerWord(integration, 'SHELL_INTEGRATION', 'none') as ShellIntegration,
  };
}

export function commandOutputFrom(message: CommandOutputMessage): CommandOutput {
  return {
    command: commandFrom(message.command),
    text: excerptFrom(message.text),
    openEnd: message.openEnd ?? false,
    gap: gapFrom(message.gap),
  };
}

export function runFrom(message: RunMessage): RunResult {
  const { command, exitCode = null, openEnd = false } = message;
  return {
    outcome: outcomeFrom(message.outcome) as RunResult['outcome'],
    command: command === undefined ? null : commandFrom(command),
    exitCode,
    output: excerptFrom(message.output),
    openEnd,
    gap: gapFrom(message.gap),
    exitStatus: exitStatusFrom(message.exitStatus),
    ...endFrom(message),
    ...timesFrom(message),
  };
}

export function activityFrom({ state, evidence = {}, revision }: ActivityMessage): Activity {
  const { foreground, shellMark } = evidence;
  const mark = lowerWord(shellMark, 'SHELL_MARK', '');
  return {
    state: lowerWord(state, 'ACTIVITY_STATE', 'running') as ActivityState,
    evidence: {
      shellMark: mark === '' ? null : (mark as 'prompt' | 'command'),
      promptPattern: evidence.promptPattern ?? false,
      alternateScreen: evidence.alternateScreen ?? false,
      foreground: foreground === undefined ? null : { pid: 0, name: '', ...foreground },
      leaderInForeground: evidence.leaderInForeground ?? null,
      echo: evidence.echo ?? null,
      canonical: evidence.canonical ?? null,
      readingTerminal: evidence.readingTerminal ?? null,
    },
    revision: Number(revision ?? 0),
  };
}
