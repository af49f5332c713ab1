import { decodeUtf8, encodeUtf8 } from '#base';
import type { CommandRecord, ExitStatus, SentInput, Size } from '#model';
import { emptyLedger, type SavedLedger } from '#shell';
import type { SavedTerminal } from '#vt';
import type { Ended, Running } from '../command-outputs.ts';
import type { KeptOutput } from '../kept-output.ts';
import type { SavedView } from '../session-view.ts';
import {
  decodeParts,
  encodeJsonPart,
  encodePart,
  joinParts,
  jsonPart,
  type Part,
  partKinds,
} from './container.ts';

/** A command that has ended, with its output; null if its output is not known. */
export interface SavedCommand {
  readonly command: CommandRecord;
  readonly output: Readonly<Ended> | null;
}

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
  /** Whether nothing was damaged or missing. */
  readonly complete: boolean;
}

/** Encodes states of a session. A command is encoded once, because it may have much output. */
export class StateEncoder {
  /** The encoded commands that are kept, by number. */
  #commands = new Map<number, { readonly from: SavedCommand; readonly part: Uint8Array }>();

  encode(state: SessionState): Uint8Array {
    const { terminal, ledger, running, commands, ...session } = state;
    const { dump, watch, numbers } = terminal;
    return joinParts([
      encodePart({ kind: partKinds.dump, from: 0, to: 0, bytes: dump }),
      encodeJsonPart(partKinds.watch, watch),
      encodeJsonPart(partKinds.session, { ...session, numbers } satisfies SessionPart),
      encodeJsonPart(partKinds.ledger, {
        ...{ ledger, running: running && runningJson(running), commands: commands.length },
      }),
      ...this.#encodeCommands(commands),
    ]);
  }

  #encodeCommands(commands: readonly SavedCommand[]): Uint8Array[] {
    const before = this.#commands;
    this.#commands = new Map();
    return commands.map((each) => {
      const { number } = each.command;
      const known = before.get(number);
      const isSame = known !== undefined && isSameOutput(known.from.output, each.output);
      const part = isSame ? known.part : encodeCommand(each);
      // The object changes when its output is dropped.
      const from = { ...each, output: each.output && { ...each.output } };
      this.#commands.set(number, isSame ? known : { from, part });
      return part;
    });
  }
}

function isSameOutput(before: Readonly<Ended> | null, now: Readonly<Ended> | null): boolean {
  return before?.kept === now?.kept && before?.settledAt === now?.settledAt;
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

/** A command is a JSON value of a length that precedes it, and the bytes of its output. */
function encodeCommand({ command, output }: SavedCommand): Uint8Array {
  const kept = output?.kept ?? null;
  const { bytes = new Uint8Array(0), beginning, ...others } = kept ?? {};
  const settings = decodeUtf8(beginning?.settings ?? new Uint8Array(0));
  const json = encodeUtf8(
    JSON.stringify({
      command,
      output: output && {
        ...{ ...output, command: undefined },
        kept: kept && { ...others, size: beginning?.size, settings },
      },
    }),
  );
  const content = new Uint8Array(4 + json.length + bytes.length);
  new DataView(content.buffer).setUint32(0, json.length, true);
  content.set(json, 4);
  content.set(bytes, 4 + json.length);
  const place = { from: command.number, to: command.number + 1 };
  return encodePart({ kind: partKinds.command, ...place, bytes: content }, true);
}

/** Returns null if the part cannot be read. */
function decodeCommand({ bytes }: Part): SavedCommand | null {
  try {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const { command, output } = JSON.parse(decodeUtf8(bytes.subarray(4, 4 + length)));
    if (output === null) return { command, output };
    const kept = output.kept && keptOf(output.kept, bytes.subarray(4 + length));
    return { command, output: { ...output, command, kept } };
  } catch {
    return null;
  }
}

function keptOf(
  { size, settings, ...others }: Omit<KeptOutput, 'bytes'> & { size: Size; settings: string },
  bytes: Uint8Array,
): KeptOutput {
  // A copy: the other parts need not be kept.
  return { ...others, beginning: { size, settings: encodeUtf8(settings) }, bytes: bytes.slice() };
}

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
  const numbers = parts.filter(({ kind }) => kind === partKinds.command).map(({ from }) => from);
  const count = Math.max(0, ...numbers);
  const ledger = { ...emptyLedger, count, ...shell?.ledger };
  const commands = lastCommands(parts, ledger, shell?.commands ?? 0);
  const { offset, revision, linesEnd } = defaults;
  const state: SessionState = {
    ...{ size: defaults.size, firstLine: 0, frameBeganMs: null, exit: null, savedAtMs: 0 },
    ...{ bootId: null, ...session },
    view: { ...emptyView, outputEnd: offset, ...session?.view },
    terminal: {
      dump: dump ?? new Uint8Array(0),
      watch: jsonPart(parts, partKinds.watch),
      numbers: session?.numbers ?? { revision, outputEnd: offset, linesEnd },
    },
    ledger,
    running: runningOf(shell?.running ?? null),
    commands: commands.kept,
  };
  const hasAll = dump !== null && session !== null && shell !== null && commands.complete;
  return { state, complete: complete && hasAll };
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

/** Returns the last commands without a gap. */
function lastCommands(
  parts: readonly Part[],
  { count, open }: SavedLedger,
  saved: number,
): { readonly kept: readonly SavedCommand[]; readonly complete: boolean } {
  const encoded = parts.filter(({ kind }) => kind === partKinds.command);
  const found = new Map(encoded.map((part) => [part.from, decodeCommand(part)]));
  const kept: SavedCommand[] = [];
  for (let number = open === null ? count : count - 1; number > 0; number--) {
    const command = found.get(number) ?? null;
    if (command === null) break;
    kept.unshift(command);
  }
  return { kept, complete: kept.length === saved };
}
