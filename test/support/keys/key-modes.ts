import type { KeyModes } from '#model';

/** The modes of a terminal after a reset, with these changes. */
export const keyModes = (modes: Partial<KeyModes> = {}): KeyModes => ({
  applicationCursorKeys: false,
  applicationKeypad: false,
  backarrowSendsBackspace: false,
  newLine: false,
  bracketedPaste: false,
  alternateScreen: false,
  modifyOtherKeys: 0,
  formatOtherKeys: 0,
  kittyFlags: 0,
  ...modes,
});
