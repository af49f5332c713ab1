// The door for docs/sequences.md and for tests: all tables with their texts.

export type { ControlFunction, Operation } from './control-function.ts';
export { ansiModes, decModes, fixedAnsiModes, fixedDecModes, type Mode } from './mode-table.ts';
export { oscFunctions } from './osc.ts';
export { controlFunctions, dcsFunctions } from './tables.ts';
