import { c0Functions } from './c0.ts';
import { capabilityFunctions } from './capabilities.ts';
import { charsetFunctions } from './charsets.ts';
import type { ControlFunction, DcsFunction } from './control-function.ts';
import { cursorFunctions } from './cursor.ts';
import { editingFunctions } from './editing.ts';
import { keyboardFunctions } from './keyboard.ts';
import { modeFunctions } from './modes.ts';
import { rectangleFunctions } from './rectangles.ts';
import { reportFunctions } from './reports.ts';
import { restoringFunctions } from './restoring.ts';
import { savingFunctions } from './saving.ts';
import { scrollingFunctions } from './scrolling.ts';
import { settingReportFunctions } from './setting-reports.ts';
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
