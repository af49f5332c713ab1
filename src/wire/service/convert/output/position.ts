import type { OutputPosition as PositionMessage } from '#messages';
import type { OutputPosition } from '#model';

export function toPosition({ offset, line, col }: OutputPosition) {
  return { offset: BigInt(offset), col, ...(line === null ? {} : { line: BigInt(line) }) };
}

export function fromPosition(position: PositionMessage | undefined): OutputPosition {
  const { offset = 0n, line, col = 0 } = position ?? {};
  return { offset: Number(offset), line: line === undefined ? null : Number(line), col };
}
