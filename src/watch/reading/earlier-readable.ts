import type { Readable, ReadableTerminal } from '../watched.ts';

type EarlierParts =
  | 'revision'
  | 'shownRevision'
  | 'firstLine'
  | 'endLine'
  | 'alternate'
  | 'textBytes'
  | 'linePosition';

/** A session as it was. */
export interface EarlierReadable
  extends Pick<
    Readable,
    'id' | 'oldestLine' | 'outputEnd' | 'lineTexts' | 'screenRows' | 'grownBytes'
  > {
  /** As in {@link Readable}. Absent: 0. */
  readonly startLine?: number;
  readonly terminal: Pick<ReadableTerminal, EarlierParts>;
}
