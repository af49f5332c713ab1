import { c0Functions, charsetFunctions } from './charsets.ts';
import type { ControlFunction, DcsFunction } from './control-function.ts';
import { cursorFunctions, editingFunctions, scrollingFunctions } from './editing.ts';
import { keyboardFunctions } from './keyboard.ts';
import { modeFunctions } from './modes.ts';
import { rectangleFunctions } from './rectangles.ts';
import { capabilityFunctions, reportFunctions, settingReportFunctions } from './reports.ts';
import { restoringFunctions, savingFunctions } from './saving.ts';
import { stateReportFunctions, stateRestoringFunctions } from './state-reports.ts';
import { windowFunctions } from './window.ts';

/** All known control functions, in no particular order. */
export const controlFunctions: readonly ControlFunction[] = [
  ...c0Functions,
  ...charsetFunctions,
  ...cursorFunctions,
  ...editingFunctions,
  ...keyboardFunctions,
  ...scrollingFunctions,
  ...modeFunctions,
  ...rectangleFunctions,
  ...reportFunctions,
  ...restoringFunctions,
  ...savingFunctions,
  ...stateReportFunctions,
  ...windowFunctions,
];

/** All known device control strings. */
export const dcsFunctions: readonly DcsFunction[] = [
  ...capabilityFunctions,
  ...settingReportFunctions,
  ...stateRestoringFunctions,
];
