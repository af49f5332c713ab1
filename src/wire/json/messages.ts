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

export interface SendMessage {
  readonly lineCutAtBytes?: number;
}

export interface WaitMessage {
  readonly matchedLine?: string;
  readonly matchedText?: string;
  readonly lineId?: string;
  readonly end?: {
    readonly outcome?: string;
    readonly exitStatus?: ExitStatusMessage;
    readonly revision?: string;
    readonly timeout?: string;
    readonly elapsed?: string;
  };
}

export interface DaemonMessage {
  readonly version?: string;
  readonly pid?: number;
  readonly startedAt?: string;
  readonly socketPath?: string;
}
