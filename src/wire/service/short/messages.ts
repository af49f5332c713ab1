/**
 * Messages of `proto/vtr.proto` in proto3's JSON, as far as short commands use them. A field that
 * has its default value is left out, and 64-bit numbers are strings.
 */

export interface SessionMessage {
  readonly name?: string;
  readonly status?: string;
  readonly cols?: number;
  readonly rows?: number;
  readonly createdAt?: string;
  readonly exitedAt?: string;
  readonly id?: string;
  readonly program?: string;
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly pid?: number;
  readonly title?: string;
  readonly revision?: string;
  readonly exitStatus?: ExitStatusMessage;
  readonly fedBy?: string;
  readonly lifetime?: LifetimeMessage;
  readonly limits?: LimitsMessage;
  readonly endedBy?: EndedByMessage;
}

export interface LifetimeMessage {
  readonly idle?: string;
  readonly keepExited?: string;
  readonly maxRun?: string;
}

export interface LimitsMessage {
  readonly memoryBytes?: string;
  readonly cpuPercent?: number;
}

export interface EndedByMessage {
  readonly reason?: string;
  readonly limit?: number;
  readonly measured?: number;
}

export interface ExitStatusMessage {
  readonly code?: number;
  readonly signal?: string;
}

export interface ScreenMessage {
  readonly cols?: number;
  readonly rows?: number;
  readonly cursorX?: number;
  readonly cursorY?: number;
  readonly screenRows?: readonly { readonly cells?: readonly CellMessage[] }[];
  readonly revision?: string;
  readonly text?: readonly string[];
  readonly title?: string;
  readonly alternate?: boolean;
  readonly topLine?: string;
  readonly cursor?: {
    readonly visible?: boolean;
    readonly shape?: string;
    readonly blinking?: boolean;
    readonly wrapPending?: boolean;
  };
}

export interface CellMessage {
  readonly char?: string;
  readonly attributes?: number;
  readonly fg?: ColorMessage;
  readonly bg?: ColorMessage;
  readonly underlineColor?: ColorMessage;
  readonly underlineStyle?: string;
  readonly wide?: boolean;
  readonly link?: string;
}

export interface ColorMessage {
  readonly palette?: number;
  readonly rgb?: number;
}

export interface LinesMessage {
  readonly revision?: string;
  readonly firstLine?: string;
  readonly topLine?: string;
  readonly endLine?: string;
  readonly dropped?: string;
  readonly lines?: readonly {
    readonly number?: string;
    readonly text?: string;
    readonly cells?: readonly CellMessage[];
  }[];
}

export interface GrepMessage {
  readonly matches?: readonly {
    readonly line?: string;
    readonly contextBefore?: readonly string[];
    readonly contextAfter?: readonly string[];
    readonly lineId?: string;
    readonly start?: number;
    readonly end?: number;
  }[];
  readonly truncated?: boolean;
  readonly revision?: string;
  readonly firstLine?: string;
}

export interface WaitMessage {
  readonly outcome?: string;
  readonly pattern?: { readonly of?: string; readonly index?: number; readonly source?: string };
  readonly match?: {
    readonly line?: string;
    readonly text?: string;
    readonly matched?: string;
    readonly groups?: readonly { readonly text?: string }[];
  };
  readonly command?: CommandMessage;
  readonly masked?: readonly string[];
  readonly exitStatus?: ExitStatusMessage;
  readonly output?: ExcerptMessage;
  readonly mark?: string;
  readonly revision?: string;
  readonly timeout?: string;
  readonly elapsed?: string;
}

export interface SentMessage {
  readonly mark?: string;
  readonly wait?: WaitMessage;
  readonly lineCutAtBytes?: number;
}

export interface ExcerptMessage {
  readonly head?: string;
  readonly tail?: string;
  readonly omitted?: {
    readonly lines?: string;
    readonly bytes?: string;
    readonly fromLine?: string;
    readonly toLine?: string;
  };
  readonly tokens?: string;
}

export interface GapMessage {
  readonly lines?: string;
  readonly bytes?: string;
}

export interface ReadMessage {
  readonly kind?: string;
  readonly text?: ExcerptMessage;
  /** `data` in base64. */
  readonly raw?: {
    readonly data?: string;
    readonly offset?: string;
    readonly omittedBytes?: string;
  };
  readonly gap?: GapMessage;
  readonly fromLine?: string;
  readonly mark?: string;
  readonly revision?: string;
}

export interface PositionMessage {
  readonly offset?: string;
  readonly line?: string;
  readonly col?: number;
}

export interface CommandMessage {
  readonly number?: number;
  readonly line?: string;
  readonly cwd?: string;
  readonly state?: string;
  readonly exitCode?: number;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly duration?: string;
  readonly startRevision?: string;
  readonly from?: PositionMessage;
  readonly to?: PositionMessage;
}

export interface CommandListMessage {
  readonly commands?: readonly CommandMessage[];
  readonly dropped?: string;
  readonly integration?: string;
}

export interface CommandOutputMessage {
  readonly command?: CommandMessage;
  readonly text?: ExcerptMessage;
  readonly openEnd?: boolean;
  readonly gap?: GapMessage;
}

export interface RunMessage {
  readonly outcome?: string;
  readonly command?: CommandMessage;
  readonly exitCode?: number;
  readonly output?: ExcerptMessage;
  readonly openEnd?: boolean;
  readonly gap?: GapMessage;
  readonly exitStatus?: ExitStatusMessage;
  readonly mark?: string;
  readonly revision?: string;
  readonly timeout?: string;
  readonly elapsed?: string;
}

export interface ActivityMessage {
  readonly state?: string;
  readonly evidence?: {
    readonly shellMark?: string;
    readonly promptPattern?: boolean;
    readonly alternateScreen?: boolean;
    readonly foreground?: { readonly pid?: number; readonly name?: string };
    readonly leaderInForeground?: boolean;
    readonly echo?: boolean;
    readonly canonical?: boolean;
    readonly readingTerminal?: boolean;
  };
  readonly revision?: string;
}

export interface DaemonMessage {
  readonly version?: string;
  readonly pid?: number;
  readonly startedAt?: string;
  readonly socketPath?: string;
}
