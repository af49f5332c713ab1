import { c0Functions } from './c0.ts';
import { charsetFunctions } from './charsets.ts';
import type { ControlFunction } from './control-function.ts';
import { cursorFunctions } from './cursor.ts';
import { editingFunctions } from './editing.ts';
import { keyboardFunctions } from './keyboard.ts';
import { marginFunctions } from './margins.ts';
import { modeFunctions } from './modes.ts';
import { reportFunctions } from './reports.ts';
import { restoringFunctions } from './restoring.ts';
import { tabFunctions } from './tabs.ts';
import { titleFunctions } from './titles.ts';
import { unsupportedFunctions } from './unsupported.ts';

export type { ControlFunction, Run } from './control-function.ts';
export { ansiModes, decModes, type Mode } from './mode-table.ts';
export { oscFunctions, runOsc } from './osc.ts';

/** Every control function that is known, in no order that matters. */
export const controlFunctions: readonly ControlFunction[] = [
  ...c0Functions,
  ...charsetFunctions,
  ...cursorFunctions,
  ...editingFunctions,
  ...keyboardFunctions,
  ...marginFunctions,
  ...modeFunctions,
  ...reportFunctions,
  ...restoringFunctions,
  ...tabFunctions,
  ...titleFunctions,
  ...unsupportedFunctions,
];
