import { readdirSync, readFileSync } from 'node:fs';

const corpus = new URL('../../fuzz/corpus/', import.meta.url);
const recordings = new URL('../../golden/cases/', import.meta.url);

export interface KeptOutput {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Inputs that have found a defect, or that cover rare cases. */
export const readCorpus = (): KeptOutput[] => readDirectory(corpus);

/** The output of real programs. */
export const readRecordings = (): KeptOutput[] => readDirectory(recordings);

function readDirectory(directory: URL): KeptOutput[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.bin'));
  return names
    .sort()
    .map((name) => ({ name, bytes: new Uint8Array(readFileSync(new URL(name, directory))) }));
}
