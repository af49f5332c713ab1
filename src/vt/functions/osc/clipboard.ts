import { decodeUtf8 } from '#base';
import { positionAt } from '../../reading/output-position.ts';
import { decodeBase64 } from './base64.ts';
import { type OscRun, osc } from './osc-function.ts';

/** `selections ; base64`. A question is never answered: what is in a clipboard may be a password. */
const setClipboard: OscRun = (t, text, { offset }) => {
  const [, selection, data] = /^([cpqs0-7]{0,16});([^;]*)$/.exec(text) ?? [];
  if (!t.allowClipboard || data === undefined) return;
  const bytes = decodeBase64(data);
  if (bytes === null) return;
  t.events.push({
    type: 'clipboard',
    selection: selection === '' ? 'c' : selection,
    text: decodeUtf8(bytes),
    position: positionAt(t, offset),
  });
};

// biome-ignore format: one line a function
export const clipboardFunctions = [
  osc(52, 'Set the clipboard, where that is allowed; never report it', setClipboard),
];
