import { Terminal } from '#vt';
import { BareLoop } from './bare.ts';
import type { MakeEngine } from './engine.ts';
import { createXterm, xtermOfBytes, xtermOfStrings } from './xterm.ts';

export { type Engine, scrollbackLines } from './engine.ts';
export { createXterm, xtermOfBytes } from './xterm.ts';

/** Its default scrollback is the one that the others are given. */
export const makeEngine = {
  vtr: (size) => new Terminal({ size }),
  'xterm, bytes': (size) => xtermOfBytes(createXterm(size)),
  'xterm, strings': (size) => xtermOfStrings(createXterm(size)),
  bare: () => new BareLoop(),
} satisfies Record<string, MakeEngine>;

export type EngineName = keyof typeof makeEngine;
