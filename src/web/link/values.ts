import type {
  ActivityState,
  AttentionKind,
  Color,
  ExitStatus,
  FrameRow,
  Run,
  SessionInfo,
  Style,
  UnderlineStyle,
} from '#model';
import { flagsOf, plainStyle } from '#model';

// The messages of proto/vtr.proto in proto3 JSON, as far as the page uses them. Fields with their
// default values are absent.

export interface SessionJson {
  readonly name: string;
  readonly id: string;
  readonly status: string;
  readonly cols: number;
  readonly rows: number;
  readonly program?: string;
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly pid?: number;
  readonly title?: string;
  readonly fedBy?: string;
  readonly revision?: string;
  readonly createdAt?: string;
  readonly exitedAt?: string;
  readonly exitStatus?: { readonly code?: number; readonly signal?: string };
  readonly labels?: Readonly<Record<string, string>>;
  readonly activity?: {
    readonly activity?: {
      readonly state?: string;
      readonly since?: string;
      readonly evidence?: {
        readonly foreground?: { readonly pid: number; readonly name: string };
        readonly leaderInForeground?: boolean;
        readonly canonical?: boolean;
      };
    };
    readonly command?: string;
    readonly directory?: string;
  };
  readonly attention?: {
    readonly kind?: string;
    readonly since?: string;
    readonly evidence?: string;
  };
  readonly driver?: DriverJson;
  readonly driverEpoch?: number;
  readonly viewers?: readonly { readonly name: string; readonly kind?: string }[];
  readonly recording?: { readonly state?: string };
}

export interface DriverJson {
  readonly kind?: string;
  readonly name?: string;
  readonly since?: string;
  readonly epoch?: number;
  readonly until?: string;
}

/** Returns the word of an enum value: `ATTENTION_KIND_INPUT` is `input`. */
export const wordOf = (prefix: string, value = ''): string =>
  value.startsWith(prefix) ? value.slice(prefix.length).toLowerCase() : '';

const msOf = (time: string | undefined): number => (time === undefined ? 0 : Date.parse(time));

/** Returns a duration in ms: `1.5s` is 1500. */
export const durationMs = (duration = '0s'): number => Number.parseFloat(duration) * 1000;

export function sessionOf(json: SessionJson): SessionInfo {
  const { name, id, cols, rows, program = '', args = [], workingDir: cwd = '', pid = 0 } = json;
  const { title = '', fedBy, labels, driver, driverEpoch, exitStatus, activity, attention } = json;
  return {
    ...{ name, id, program, args, cwd, pid, title, size: { cols, rows } },
    state: json.status === 'SESSION_STATUS_EXITED' ? 'exited' : 'running',
    revision: Number(json.revision ?? 0),
    createdAtMs: msOf(json.createdAt),
    exitedAtMs: json.exitedAt === undefined ? null : msOf(json.exitedAt),
    exitStatus: exitStatus === undefined ? null : exitStatusOf(exitStatus),
    ...(fedBy === undefined ? {} : { fedBy }),
    ...(labels === undefined ? {} : { labels }),
    ...(activity && { activity: activityOf(activity) }),
    ...(attention && { attention: attentionOf(attention) }),
    ...(driver && { driver: driverOf(driver) }),
    ...(driverEpoch === undefined ? {} : { driverEpoch }),
  };
}

export const exitStatusOf = ({
  code,
  signal,
}: NonNullable<SessionJson['exitStatus']>): ExitStatus => ({
  code: code ?? null,
  signal: signal ?? null,
});

function activityOf({
  activity = {},
  command = undefined,
  directory = undefined,
}: NonNullable<SessionJson['activity']>): NonNullable<SessionInfo['activity']> {
  const { state, since, evidence = {} } = activity;
  return {
    state: (wordOf('ACTIVITY_STATE_', state) || 'running') as ActivityState,
    sinceMs: msOf(since),
    revision: 0,
    command: command ?? null,
    directory: directory ?? null,
    evidence: {
      ...{ shellMark: null, promptPattern: false, alternateScreen: false, echo: null },
      ...{ readingTerminal: null, alsoWaits: null, unfinishedLine: false },
      foreground: evidence.foreground ?? null,
      leaderInForeground: evidence.leaderInForeground ?? null,
      canonical: evidence.canonical ?? null,
    },
  };
}

const attentionOf = ({ kind, since, evidence = '' }: NonNullable<SessionJson['attention']>) => ({
  kind: (wordOf('ATTENTION_KIND_', kind) || 'notification') as AttentionKind,
  sinceMs: msOf(since),
  evidence,
});

const driverOf = ({ kind, name = '', since, epoch = 0, until }: DriverJson) => ({
  kind: kind === 'DRIVER_KIND_PERSON' ? ('person' as const) : ('agent' as const),
  ...{ name, epoch, sinceMs: msOf(since), untilMs: msOf(until) },
});

interface ColorJson {
  readonly palette?: number;
  readonly rgb?: number;
}

export interface RowFrameJson {
  readonly sessionId: string;
  readonly cols: number;
  readonly rows: number;
  readonly full?: boolean;
  readonly styles?: readonly {
    readonly fg?: ColorJson;
    readonly bg?: ColorJson;
    readonly underlineColor?: ColorJson;
    readonly underlineStyle?: string;
    readonly attributes?: number;
    readonly link?: string;
  }[];
  readonly changed?: readonly {
    readonly row?: number;
    readonly runs?: readonly {
      readonly text: string;
      readonly style?: number;
      readonly wide?: boolean;
      readonly cluster?: boolean;
    }[];
  }[];
  readonly cursorRow?: number;
  readonly cursorCol?: number;
  readonly cursor?: { readonly visible?: boolean };
  readonly modes?: { readonly reverseVideo?: boolean };
}

function colorOf(color: ColorJson | undefined): Color {
  if (color?.rgb !== undefined) return `#${color.rgb.toString(16).padStart(6, '0')}`;
  return color?.palette ?? null;
}

/** Returns the rows of a frame. Runs of one style have the same style object. */
export function frameRows({ styles = [], changed = [] }: RowFrameJson): FrameRow[] {
  const known: Style[] = styles.map((style) => ({
    ...flagsOf(style.attributes ?? 0),
    fg: colorOf(style.fg),
    bg: colorOf(style.bg),
    underlineColor: colorOf(style.underlineColor),
    underline: (wordOf('UNDERLINE_STYLE_', style.underlineStyle) || 'none') as UnderlineStyle,
    link: style.link || null,
  }));
  return changed.map(({ row = 0, runs = [] }) => ({
    row,
    runs: runs.map(({ text, style = 0, wide, cluster }): Run => {
      const count = cluster ? 1 : [...text].length;
      const own = style === 0 ? plainStyle : (known[style - 1] ?? plainStyle);
      const cols = count * (wide ? 2 : 1);
      return cluster ? { text, cols, cluster, style: own } : { text, cols, style: own };
    }),
  }));
}
