import { defined } from '#base';
import type {
  ActivityEvidenceJson,
  AgentEvidenceJson,
  AgentJson,
  AttentionJson,
  CellColorJson,
  DriverJson,
  ExitStatusJson,
  MenuJson,
  ProgramStatusJson,
  RowFrameJson,
  SessionActivityJson,
  SessionJson,
  ViewerJson,
} from '#messages';
import type {
  AgentEvidence,
  AgentInfo,
  Color,
  ExitStatus,
  FrameRow,
  Menu,
  Run,
  SessionInfo,
  Style,
  ToldStatus,
  ViewerKind,
} from '#model';
import { flagsOf, noEvidence, plainStyle } from '#model';

// Conversions of messages in JSON, as far as the page uses them. They agree with those of the other clients.

/** The word of a value of an enum: that of `ATTENTION_KIND_INPUT` is `input`. */
type WordOf<Prefix extends string, Value> = Value extends `${Prefix}UNSPECIFIED`
  ? never
  : Value extends `${Prefix}${infer Word}`
    ? Lowercase<Word>
    : never;

/** Undefined for UNSPECIFIED, and for values of a later version, which are numbers. */
export function wordOf<Prefix extends string, Value extends `${Prefix}${string}`>(
  prefix: Prefix,
  value: Value | undefined,
): WordOf<Prefix, Value> | undefined {
  const [, word] = String(value).split(prefix);
  return word === undefined ? undefined : (word.toLowerCase() as WordOf<Prefix, Value>);
}

const msOf = (time: string | undefined): number => (time === undefined ? 0 : Date.parse(time));

/** Returns a duration in ms: `1.5s` is 1500. */
export const durationMs = (duration = '0s'): number => Number.parseFloat(duration) * 1000;

export function sessionOf(json: SessionJson): SessionInfo {
  const { name = '', id = '', cols = 0, rows = 0, program = '', args = [], pid = 0 } = json;
  const { workingDir: cwd = '', title = '', fedBy, labels, driver, driverEpoch } = json;
  const { exitStatus, activity, attention, agent, programStatus } = json;
  return {
    name,
    id,
    program,
    args,
    cwd,
    pid,
    title,
    size: { cols, rows },
    state: wordOf('SESSION_STATUS_', json.status) ?? 'exited',
    revision: Number(json.revision ?? 0),
    createdAtMs: msOf(json.createdAt),
    exitedAtMs: json.exitedAt === undefined ? null : msOf(json.exitedAt),
    exitStatus: exitStatus === undefined ? null : exitStatusOf(exitStatus),
    ...defined({ fedBy, labels }),
    ...(activity?.activity && { activity: activityOf(activity) }),
    ...defined({
      attention: attention && attentionOf(attention),
      agent: agent && agentOf(agent),
      programStatus: programStatus && statusOf(programStatus),
      driver: driver && driverOf(driver),
      driverEpoch,
    }),
  };
}

export const exitStatusOf = ({ code, signal }: ExitStatusJson): ExitStatus => ({
  code: code ?? null,
  signal: signal ?? null,
});

function activityOf({ command, directory, branch, activity }: SessionActivityJson) {
  const { state, since, revision = '0', evidence = {}, waitingRuns } = activity ?? {};
  return {
    state: wordOf('ACTIVITY_STATE_', state) ?? ('running' as const),
    sinceMs: msOf(since),
    revision: Number(revision),
    command: command ?? null,
    directory: directory ?? null,
    evidence: evidenceOf(evidence),
    ...defined({ waitingRuns, branch }),
  };
}

function evidenceOf({ shellMark, foreground, ...rest }: ActivityEvidenceJson) {
  return {
    ...noEvidence,
    shellMark: wordOf('SHELL_MARK_', shellMark) ?? null,
    foreground: foreground ? { pid: foreground.pid ?? 0, name: foreground.name ?? '' } : null,
    ...rest,
  };
}

const attentionOf = ({ kind, since, evidence = '', menu, questionId, guess }: AttentionJson) => ({
  kind: wordOf('ATTENTION_KIND_', kind) ?? ('notification' as const),
  sinceMs: msOf(since),
  evidence,
  ...defined({ menu: menu && menuOf(menu), questionId, guess }),
});

/** Undefined for a state of a later version. */
function statusOf(json: ProgramStatusJson): ToldStatus | undefined {
  const { kind, app, progress = null, message = '', title = '', at } = json;
  const state = wordOf('PROGRAM_STATE_', json.state);
  if (state === undefined) return undefined;
  return {
    state,
    kind: wordOf('PROGRAM_ASKS_', kind) ?? null,
    app: app ?? null,
    progress,
    message,
    title,
    ...(at !== undefined && { atMs: msOf(at) }),
  };
}

function agentOf(json: AgentJson): AgentInfo {
  const { kind = '', state, since, turn = 0, background, question, questionId, menu, done } = json;
  const { evidence = [], message, conversation, commands, rules = '' } = json;
  return {
    kind,
    // A state of a later version.
    state: wordOf('AGENT_STATE_', state) ?? 'unknown',
    sinceMs: msOf(since),
    turn,
    ...defined({ background, question, questionId, menu: menu && menuOf(menu) }),
    ...defined({ message, conversation, done }),
    ...(commands && { commands: { count: commands.count ?? 0, running: commands.running ?? 0 } }),
    evidence: evidence.flatMap(agentEvidenceOf),
    rules,
  };
}

function agentEvidenceOf(json: AgentEvidenceJson): AgentEvidence[] {
  const { strong = false, rule = '', text = '' } = json;
  const state = wordOf('AGENT_STATE_', json.state);
  if (state === undefined || state === 'unknown') return [];
  return [{ state, strength: strong ? 'strong' : 'supports', rule, text }];
}

function menuOf(json: MenuJson): Menu {
  const { title = '', options = [], selected = null, multiple = false, keys = '', button } = json;
  const checked = json.checkedKnown ? (json.checked ?? []) : undefined;
  return { title, options, selected, multiple, keys, ...defined({ checked, button }) };
}

const driverOf = ({ kind, name = '', since, epoch = 0, until }: DriverJson) => ({
  kind: wordOf('DRIVER_KIND_', kind) ?? ('person' as const),
  name,
  epoch,
  sinceMs: msOf(since),
  untilMs: msOf(until),
});

function colorOf(color: CellColorJson | undefined): Color {
  if (color?.rgb !== undefined) return `#${color.rgb.toString(16).padStart(6, '0')}`;
  return color?.palette ?? null;
}

/** Returns the rows of a frame. Runs of one style have the same style object. */
export function frameRows({ styles = [], changed = [] }: RowFrameJson): FrameRow[] {
  const table: Style[] = styles.map((style) => ({
    ...flagsOf(style.attributes ?? 0),
    fg: colorOf(style.fg),
    bg: colorOf(style.bg),
    underlineColor: colorOf(style.underlineColor),
    underline: wordOf('UNDERLINE_STYLE_', style.underlineStyle) ?? 'none',
    link: style.link || null,
  }));
  return changed.map(({ row = 0, runs = [] }) => ({
    row,
    runs: runs.map(({ text = '', style = 0, wide, cluster }): Run => {
      const count = cluster ? 1 : [...text].length;
      const own = style === 0 ? plainStyle : (table[style - 1] ?? plainStyle);
      const cols = count * (wide ? 2 : 1);
      return cluster ? { text, cols, cluster, style: own } : { text, cols, style: own };
    }),
  }));
}

/** Somebody else who sees the session. */
export interface OtherViewer {
  readonly name: string;
  readonly kind: ViewerKind;
  readonly isAway: boolean;
  /** Whether what is typed there reaches the program only after a take. */
  readonly watches: boolean;
  /** Whether the person can only watch, so that nobody can hand over the session. */
  readonly isReadOnly: boolean;
}

/** Returns the viewers but the one of that name, which is this page; none if an older coordinator does not name it. */
export const othersOf = (viewers: readonly ViewerJson[], own: string): readonly OtherViewer[] =>
  viewers
    .filter(({ name = '' }) => own !== '' && name !== own)
    .map(({ name = '', kind, away = false, watches = false, readOnly = false }) => ({
      name,
      kind: wordOf('VIEWER_KIND_', kind) ?? 'attach',
      isAway: away,
      watches,
      isReadOnly: readOnly,
    }));
