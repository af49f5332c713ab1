import type { CallName, RequestJson } from '#messages';
import { type JsonMessage, VtrError } from '#model';
import type { Share } from '../access/web-access.ts';

/**
 * Returns what a field of a visitor's request is in the request that is made; undefined to leave it out.
 *
 * @throws VtrError NOT_ALLOWED, INVALID_ARGUMENT
 */
export type FieldRule = (value: unknown, share: Share, name: string) => unknown;

type Fields<Method extends CallName> = {
  readonly [Field in keyof RequestJson<Method>]-?: FieldRule;
};

/** How a page makes a call. */
interface PageCall<Method extends CallName> {
  readonly isStream?: true;
  /** Only where visitors may type. */
  readonly isInput?: true;
  /** Those of a visitor's request; null if only the owner's page makes the call. */
  readonly fields: Fields<Method> | null;
  /** Returns the part of the answer that a visitor gets. Default: all of it. */
  readonly answer?: (answer: JsonMessage, share: Share) => JsonMessage;
}

interface VisitorCall<Method extends CallName> extends PageCall<Method> {
  readonly fields: Fields<Method>;
}

const onlyOwners = <Name extends CallName>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, { fields: null }])) as {
    readonly [Each in Name]: { readonly fields: null };
  };

const noPage = <Name extends CallName>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, null])) as { readonly [Each in Name]: null };

export const notAllowed = (message: string): VtrError => new VtrError('NOT_ALLOWED', message);

const rule: FieldRule = (value) => value;
/** Set by the server, or without effect for a visitor. */
const leftOut: FieldRule = () => undefined;
const refused: FieldRule = (value, _share, name) => {
  if (value !== undefined) throw notAllowed(`this link does not allow ${name}`);
};
const refusedWithoutHistory: FieldRule = (value, share, name) =>
  share.withHistory ? value : refused(value, share, name);
const ofWriters: FieldRule = (value, { write }) => (write ? value : undefined);

const sessionId: FieldRule = (_value, share) => share.sessionId;
const redact: FieldRule = (_value, share) => share.redact;
const session = { name: leftOut, sessionId };

const firstLine: FieldRule = (value, { withHistory, begin }) => {
  if (withHistory) return value;
  if (value === undefined) return begin.line;
  return Math.max(wholeNumber('from', value), begin.line);
};

/** Lines above the screen come with ReadLines, which begins at the share. */
const scrollbackLines: FieldRule = (value, { withHistory }) => (withHistory ? value : 0);

/** A command that began after the share. */
const command: FieldRule = (value, { withHistory, begin }) => {
  if (withHistory || value === undefined) return value;
  const number = wholeNumber('command.number', (value as JsonMessage | null)?.['number']);
  if (number > begin.command) return { number };
  throw notAllowed(`command ${number} is older than the share`);
};

const namedCommand: FieldRule = (value, share, name) => {
  if (value === undefined && !share.withHistory)
    throw notAllowed('with this link, command.number is required');
  return command(value, share, name);
};

/** Secrets are not replaced in frames. */
const frames: FieldRule = (value, share) => (share.redact ? undefined : value);

/** A visitor could give the name of somebody else. */
const person: FieldRule = (value) =>
  typeof value === 'string' && value.trim() !== '' ? `visitor ${value}` : 'visitor';

const kind: FieldRule = () => 'VIEWER_KIND_WEB';
const watching = 'VIEW_AS_WATCH';
const taking = 'VIEW_AS_TAKE';

/** As a name or a number of the enumeration. */
const as: FieldRule = (value, { write }) =>
  write ? (value === 'VIEW_AS_FORCE' || value === 3 ? taking : value) : watching;

/** Never by force. */
const take: FieldRule = (value, { write }) => {
  if (value === undefined) return undefined;
  if (write) return {};
  throw notAllowed('this link is read-only');
};

/** A note is for the agent, and a name hands the session over: only who may type can do that. */
const give: FieldRule = (value, { write }) => {
  if (value === undefined || write) return value;
  if (Object.keys(value as JsonMessage).length === 0) return {};
  throw notAllowed('this link is read-only');
};

/** Nobody hands the session to a visitor who cannot type. */
const readOnly: FieldRule = (_value, { write }) => (write ? undefined : true);

const viewer: FieldRule = (value) => {
  if (typeof value === 'string') return value;
  throw notAllowed('input with this link needs a viewing (View)');
};

const input = {
  ...session,
  viewer,
  timeout: rule,
  inputId: rule,
  driverEpoch: rule,
  // The answer of a wait can have lines from before the share.
  wait: refused,
  by: refused,
};

/**
 * The calls that a page may make, and what a visitor may set in them. A call or a field without a decision here does
 * not compile.
 */
const pageCalls: { readonly [Method in CallName]: PageCall<Method> | null } = {
  Info: { fields: { ...session, activity: rule, redact } },
  ReadLines: {
    fields: {
      ...session,
      redact,
      from: firstLine,
      to: rule,
      format: rule,
      at: refusedWithoutHistory,
      aboveScreen: rule,
    },
  },
  ListCommands: {
    fields: { ...session, redact, last: rule },
    answer: laterCommands,
  },
  GetCommandOutput: {
    fields: {
      ...session,
      redact,
      command: namedCommand,
      format: rule,
      budget: rule,
      skipLines: rule,
    },
  },
  Grep: {
    fields: {
      ...session,
      redact,
      pattern: rule,
      contextBefore: rule,
      contextAfter: rule,
      maxMatches: rule,
      from: firstLine,
      to: rule,
      command,
    },
    answer: laterContext,
  },
  UpdateView: { fields: { viewId: rule, take, give, size: rule, looking: rule } },
  CloseView: { fields: { viewId: rule } },
  SetWatchFrames: { fields: { watchId: rule, frames } },

  SendText: {
    isInput: true,
    fields: {
      ...input,
      text: rule,
      paste: rule,
      submit: rule,
      replaceDraft: rule,
      queue: rule,
      answer: rule,
      question: rule,
    },
  },
  SendKey: { isInput: true, fields: { ...input, key: rule, keys: rule } },
  SendBytes: { isInput: true, fields: { ...input, data: rule } },
  SendMouse: { isInput: true, fields: { ...input, events: rule, on: refused, redact: leftOut } },
  SendFocus: { isInput: true, fields: { ...input, focused: rule } },
  Resize: {
    isInput: true,
    fields: { ...session, viewer, by: refused, cols: rule, rows: rule, driverEpoch: rule },
  },

  WatchSessions: { isStream: true, fields: { frames, redact } },
  View: {
    isStream: true,
    fields: {
      ...session,
      person,
      kind,
      cols: rule,
      rows: rule,
      as,
      looking: rule,
      readOnly,
      sizing: refused,
      // An id of a viewing that was lost is as good as a secret; still, it could be one that drives.
      viewId: ofWriters,
    },
  },
  Subscribe: {
    isStream: true,
    fields: {
      ...session,
      redact,
      scrollbackLines,
      since: refusedWithoutHistory,
      includeEvents: rule,
      includeRawOutput: rule,
      includeScreenUpdates: rule,
      changedRowsOnly: rule,
      maxWaitingBytes: rule,
      includeCommands: refusedWithoutHistory,
      lastCommands: rule,
    },
  },

  ...onlyOwners('List', 'Spawn', 'Revive', 'End', 'Kill', 'Remove', 'Rename', 'SetLabels'),
  ...onlyOwners('SetMarker', 'GetScreen', 'Read', 'GetActivity', 'ListRecordings'),
  ...onlyOwners(
    'ListDirectories',
    'ListAgentKinds',
    'MakeWorktree',
    'ShareWeb',
    'ListShares',
    'Unshare',
    'StartRecording',
    'StopRecording',
    'RenameRecording',
    'RemoveRecording',
  ),
  ...onlyOwners('ListLogins', 'EndLogin'),
  DumpRecording: { isStream: true, fields: null },

  ...noPage('GetFrame', 'GetMark', 'Follow', 'Wait', 'WaitFor', 'WaitForIdle', 'WaitForExit'),
  ...noPage('ExplainAgent'),
  ...noPage('RunCommand', 'TakeDriver', 'GiveDriver', 'DumpAsciinema'),
  ...noPage('Report', 'Publish', 'OpenLease', 'CloseLease'),
  ...noPage('DescribeDaemon', 'StopDaemon', 'RestartDaemon', 'StartWeb', 'StopWeb'),
  ...noPage('DescribeWeb', 'RunTmux', 'ControlTmux'),
};

/** Returns how a page may make a call; null if not at all. */
export const pageCall = (method: string): PageCall<never> | null =>
  Object.hasOwn(pageCalls, method)
    ? (pageCalls[method as CallName] as PageCall<never> | null)
    : null;

/** Returns how a visitor may make a call; null if not at all. */
export function visitorCall(method: string): VisitorCall<never> | null {
  const call = pageCall(method);
  return call !== null && call.fields !== null ? { ...call, fields: call.fields } : null;
}

/** The names of all calls of the service. */
export const allCalls: readonly string[] = Object.keys(pageCalls);

function laterCommands(answer: JsonMessage, { withHistory, begin, sinceMs }: Share): JsonMessage {
  if (withHistory) return answer;
  const { commands = [], agentCommands = [] } = answer as {
    commands?: readonly JsonMessage[];
    agentCommands?: readonly JsonMessage[];
  };
  return {
    ...answer,
    commands: commands.filter((each) => Number(each['number']) > begin.command),
    // One whose beginning is not known may be older than the share.
    agentCommands: agentCommands.filter((each) => Date.parse(String(each['startedAt'])) >= sinceMs),
  };
}

/** Leaves out the lines around matches that are older than the share. */
function laterContext(answer: JsonMessage, { withHistory, begin }: Share): JsonMessage {
  if (withHistory) return answer;
  const { matches = [] } = answer as { matches?: readonly JsonMessage[] };
  const later = matches.map((match) => {
    const before = (match['contextBefore'] ?? []) as readonly string[];
    const count = Math.max(0, Number(match['lineId'] ?? 0) - begin.line);
    return { ...match, contextBefore: before.slice(Math.max(0, before.length - count)) };
  });
  return { ...answer, matches: later };
}

/** Numbers of 64 bits are strings in JSON, or numbers. */
function wholeNumber(name: string, value: unknown): number {
  const number = Number(value);
  if (/^\d+$/.test(String(value)) && Number.isSafeInteger(number)) return number;
  throw new VtrError('INVALID_ARGUMENT', `${name} is not a whole number`);
}
