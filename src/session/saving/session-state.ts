import { decodeUtf8, encodeUtf8 } from '#base';
import type { ExitStatus, SentInput, Size } from '#model';
import { emptyLedger, type Ledger, type SavedLedger } from '#shell';
import { bootId } from '#trust';
import type { Terminal } from '#vt';
import { reportDroppedLines, type SavedTerminal, saveTerminal } from '#vt/saving';
import type { LineArchive } from '../archive/archived-terminal.ts';
import type { SavedReply } from '../input/replies.ts';
import type { Running } from '../output/command-outputs.ts';
import type { SavedView, SessionView } from '../session-view.ts';
import {
  decodeParts,
  encodeJsonPart,
  encodePart,
  joinParts,
  jsonPart,
  partKinds,
} from './container.ts';
import {
  type CommandBlock,
  type CommandsEncoder,
  decodeBlocks,
  lastCommands,
  type SavedCommand,
} from './saved-commands.ts';

/** The state of a session after some output, without the lines above the screen. */
export interface SessionState {
  readonly size: Size;
  /** The oldest line above the screen. */
  readonly firstLine: number;
  readonly terminal: SavedTerminal;
  readonly view: SavedView;
  readonly ledger: SavedLedger;
  /** The output of the running command. */
  readonly running: Running | null;
  /** The last commands, oldest first. */
  readonly commands: readonly SavedCommand[];
  /** To queries in the output so far. */
  readonly replies: readonly SavedReply[];
  /** When the open frame began, by the clock that starts with the system; null if none is open. */
  readonly frameBeganMs: number | null;
  readonly exit: { readonly status: ExitStatus; readonly atMs: number } | null;
  /** When this was saved, in ms since 1970. */
  readonly savedAtMs: number;
  /** See `bootId`. */
  readonly bootId: string | null;
}

/** The part `session`: what is not in a part of its own. */
type SessionPart = Omit<SessionState, 'terminal' | 'ledger' | 'running' | 'commands'> &
  Pick<SavedTerminal, 'numbers'>;

export interface DecodedState {
  readonly state: SessionState;
  /** The commands as they are encoded. */
  readonly blocks: readonly CommandBlock[];
  /** Whether nothing was damaged or missing. */
  readonly complete: boolean;
}

interface LiveParts extends Pick<SessionState, 'replies' | 'frameBeganMs' | 'savedAtMs'> {
  readonly terminal: Terminal;
  readonly archive: LineArchive | null;
  readonly view: SessionView;
  readonly ledger: Ledger;
  /** Null while the program runs. */
  readonly exitedAtMs: number | null;
}

/** Returns the state to save. Must not be called while a step is applied. */
export function stateNow({
  terminal,
  archive,
  view,
  ledger,
  exitedAtMs,
  ...times
}: LiveParts): SessionState {
  // A restored terminal does not have them.
  reportDroppedLines(terminal);
  archive?.flush();
  const { size, firstLine } = terminal;
  const { exitStatus: status, outputs } = view;
  const commands = ledger.ended.map((command) => {
    return { command, output: outputs.ended(command) };
  });
  return {
    size,
    firstLine,
    terminal: saveTerminal(terminal),
    view: view.save(),
    commands,
    ledger: ledger.save(),
    running: outputs.running,
    bootId: bootId(),
    ...times,
    exit: status === null || exitedAtMs === null ? null : { status, atMs: exitedAtMs },
  };
}

export function encodeState(state: SessionState, encoder: CommandsEncoder): Uint8Array {
  const { terminal, ledger, running, commands, ...session } = state;
  const { dump, watch, numbers } = terminal;
  return joinParts([
    encodePart({ kind: partKinds.dump, from: 0, to: 0, bytes: dump }),
    encodeJsonPart(partKinds.watch, watch),
    encodeJsonPart(partKinds.session, { ...session, numbers } satisfies SessionPart),
    encodeJsonPart(partKinds.ledger, {
      ledger,
      running: running && runningJson(running),
      commands: commands.length,
    }),
    ...encoder.encode(commands),
  ]);
}

/** The bytes of settings are text. */
function runningJson({ beginning, rewrittenFrom, ...running }: Running): object {
  const settings = decodeUtf8(beginning.settings);
  return { ...running, size: beginning.size, settings, rewrittenFrom: numberJson(rewrittenFrom) };
}

function runningOf(json: ReturnType<typeof runningJson> | null): Running | null {
  if (json === null) return null;
  const { size, settings, rewrittenFrom, ...running } = json as Omit<Running, 'beginning'> & {
    readonly size: Size;
    readonly settings: string;
  };
  const beginning = { size, settings: encodeUtf8(settings) };
  return { ...running, beginning, rewrittenFrom: rewrittenFrom ?? Number.POSITIVE_INFINITY };
}

/** JSON has no infinity. */
const numberJson = (number: number): number | null => (Number.isFinite(number) ? number : null);

export interface Defaults {
  readonly offset: number;
  readonly size: Size;
  readonly revision: number;
  /** One past the last saved line above the screen. */
  readonly linesEnd: number;
}

/**
 * Decodes a state as far as it is intact.
 *
 * @param defaults the values of parts that are missing
 */
export function decodeState(bytes: Uint8Array, defaults: Defaults): DecodedState {
  const { parts, complete } = decodeParts(bytes);
  const dump = parts.find(({ kind }) => kind === partKinds.dump)?.bytes ?? null;
  const session = jsonPart(parts, partKinds.session) as SessionPart | null;
  const shell = jsonPart(parts, partKinds.ledger) as {
    readonly ledger: SavedLedger;
    readonly running: object | null;
    readonly commands: number;
  } | null;
  const blocks = decodeBlocks(parts);
  const count = blocks.at(-1)?.commands.at(-1)?.command.number ?? 0;
  const ledger = { ...emptyLedger, count, ...shell?.ledger };
  const commands = lastCommands(blocks, ledger);
  const { offset, revision, linesEnd } = defaults;
  const state: SessionState = {
    size: defaults.size,
    firstLine: 0,
    frameBeganMs: null,
    exit: null,
    savedAtMs: 0,
    bootId: null,
    replies: [],
    ...session,
    view: { ...emptyView, outputEnd: offset, ...session?.view },
    terminal: {
      dump: dump ?? new Uint8Array(0),
      watch: jsonPart(parts, partKinds.watch),
      numbers: session?.numbers ?? { revision, outputEnd: offset, linesEnd },
    },
    ledger,
    running: runningOf(shell?.running ?? null),
    commands,
  };
  const hasAll = dump !== null && session !== null && commands.length === shell?.commands;
  return { state, blocks, complete: complete && hasAll };
}

const emptyView: SavedView = {
  outputEnd: 0,
  lastInputAt: 0,
  lastInputAtMs: null,
  lastOutputAtMs: null,
  typedIn: null,
  inputs: [] satisfies SentInput[],
  inputCount: 0,
};
