import { decodeUtf8, encodeUtf8 } from '#base';
import type { CommandRecord, Size } from '#model';
import type { SavedLedger } from '#shell';
import type { Ended } from '../output/command-outputs.ts';
import type { KeptOutput } from '../output/kept-output.ts';
import { type DecodedPart, encodePart, type Part, partKinds, partsIn } from './container.ts';

/** A command that has ended, with its output; null if its output is not known. */
export interface SavedCommand {
  readonly command: CommandRecord;
  readonly output: Readonly<Ended> | null;
}

/** Some commands whose numbers follow each other, and their encoding. */
export interface CommandBlock {
  /** At least one. */
  readonly commands: readonly SavedCommand[];
  readonly bytes: Uint8Array;
}

/** The most commands of a block. */
const blockLength = 64;
/** Larger commands are compressed on their own, which takes about 1 ms for 64 KiB. */
const minCompressedBytes = 4 * 1024;
/** Larger blocks are not compressed again: that would take more than some ms. */
const maxCompressedBytes = 256 * 1024;

const blockOf = ({ command }: SavedCommand): number =>
  Math.floor((command.number - 1) / blockLength);

/** Encodes the commands of a session. A command that has not changed is encoded once. */
export class CommandsEncoder {
  /** By their number in the session. */
  #blocks: ReadonlyMap<number, CommandBlock>;

  /** @param blocks what is encoded already */
  constructor(blocks: readonly CommandBlock[] = []) {
    this.#blocks = new Map(
      blocks.map((block) => [blockOf(block.commands[0] as SavedCommand), block]),
    );
  }

  /** @param commands oldest first, without gaps */
  encode(commands: readonly SavedCommand[]): Uint8Array[] {
    const blocks = new Map<number, CommandBlock>();
    for (let at = 0; at < commands.length; ) {
      const number = blockOf(commands[at] as SavedCommand);
      const before = ((commands[at]?.command.number ?? 1) - 1) % blockLength;
      const end = at + blockLength - before;
      blocks.set(number, this.#encodeBlock(number, commands.slice(at, end)));
      at = end;
    }
    this.#blocks = blocks;
    return [...blocks.values()].map(({ bytes }) => bytes);
  }

  #encodeBlock(number: number, commands: readonly SavedCommand[]): CommandBlock {
    const block = this.#blocks.get(number);
    const isSame =
      block?.commands.length === commands.length &&
      block.commands.every((each, index) => isSameCommand(each, commands[index]));
    if (isSame) return block;
    const bytes = Buffer.concat(commands.map(encodeCommand));
    // The object of an output changes when its bytes are dropped.
    const copies = commands.map((each) => ({ ...each, output: each.output && { ...each.output } }));
    const isFull = commands.length === blockLength && bytes.length <= maxCompressedBytes;
    if (!isFull) return { commands: copies, bytes };
    const place = {
      kind: partKinds.commands,
      from: number * blockLength + 1,
      to: (number + 1) * blockLength + 1,
    };
    return { commands: copies, bytes: encodePart({ ...place, bytes }, { compresses: true }) };
  }
}

function isSameCommand(before: SavedCommand, now: SavedCommand | undefined): boolean {
  return (
    before.command.number === now?.command.number &&
    before.output?.kept === now.output?.kept &&
    before.output?.settledAt === now.output?.settledAt
  );
}

/** Encodes a command as a JSON value, with its length before it, and the bytes of its output. */
function encodeCommand({ command, output }: SavedCommand): Uint8Array {
  const keptOutput = output?.kept ?? null;
  const { bytes = new Uint8Array(0), beginning, ...others } = keptOutput ?? {};
  const settings = decodeUtf8(beginning?.settings ?? new Uint8Array(0));
  const keptJson = keptOutput && { ...others, size: beginning?.size, settings };
  const outputJson = output && { ...output, command: undefined, kept: keptJson };
  const json = encodeUtf8(JSON.stringify({ command, output: outputJson }));
  const content = new Uint8Array(4 + json.length + bytes.length);
  new DataView(content.buffer).setUint32(0, json.length, true);
  content.set(json, 4);
  content.set(bytes, 4 + json.length);
  const place = { kind: partKinds.command, from: command.number, to: command.number + 1 };
  return encodePart(
    { ...place, bytes: content },
    { compresses: content.length >= minCompressedBytes },
  );
}

/** Returns null if the part cannot be read. */
function decodeCommand({ bytes }: Part): SavedCommand | null {
  try {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const { command, output } = JSON.parse(decodeUtf8(bytes.subarray(4, 4 + length)));
    if (output === null) return { command, output };
    const keptOutput = output.kept && keptOf(output.kept, bytes.subarray(4 + length));
    return { command, output: { ...output, command, kept: keptOutput } };
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

/** Decodes the commands among some parts, as far as they are intact. */
export function decodeBlocks(parts: readonly DecodedPart[]): CommandBlock[] {
  const blocks = new Map<number, CommandBlock>();
  for (const part of parts) {
    if (part.kind !== partKinds.command && part.kind !== partKinds.commands) continue;
    const inner = part.kind === partKinds.command ? [part] : partsIn(part.bytes).parts;
    const commands = inner.flatMap((each) => decodeCommand(each) ?? []);
    const [first] = commands;
    if (first === undefined) continue;
    const before = blocks.get(blockOf(first)) ?? { commands: [], bytes: new Uint8Array(0) };
    blocks.set(blockOf(first), {
      commands: [...before.commands, ...commands],
      bytes: Buffer.concat([before.bytes, part.encoded]),
    });
  }
  return [...blocks.values()];
}

/** Returns the last commands of a ledger, without a gap. */
export function lastCommands(
  blocks: readonly CommandBlock[],
  { count, open }: SavedLedger,
): readonly SavedCommand[] {
  const all = blocks.flatMap(({ commands }) => commands);
  const byNumber = new Map(all.map((each) => [each.command.number, each]));
  const last: SavedCommand[] = [];
  for (let number = open === null ? count : count - 1; number > 0; number--) {
    const command = byNumber.get(number);
    if (command === undefined) break;
    last.push(command);
  }
  return last.reverse();
}
