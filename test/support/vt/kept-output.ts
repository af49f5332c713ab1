import { readdirSync, readFileSync } from 'node:fs';

const corpus = new URL('../../fuzz/corpus/', import.meta.url);
const recordings = new URL('../../golden/cases/', import.meta.url);

export interface KeptOutput {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Inputs that broke something once, or that go where random ones seldom come. */
export const readCorpus = (): KeptOutput[] => readFolder(corpus);

/** What real programs wrote. */
export const readRecordings = (): KeptOutput[] => readFolder(recordings);

function readFolder(folder: URL): KeptOutput[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.bin'));
  return names
    .sort()
    .map((name) => ({ name, bytes: new Uint8Array(readFileSync(new URL(name, folder))) }));
}
