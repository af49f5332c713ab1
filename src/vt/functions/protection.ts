import { endProtectedArea, selectProtection, startProtectedArea } from '../editing/protection.ts';
import type { Params } from '../parser/params.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { csi, esc } from './control-function.ts';

function selectAttribute(t: TerminalState, params: Params): void {
  if (params.get(0) <= 2) selectProtection(t, params.get(0) === 1);
}

// biome-ignore format: one line a function
export const protectionFunctions = [
  csi('Ps " q', 'DECSCA', 'Protect the characters to come from selective erasing (1), or not (0, 2)', selectAttribute),
  esc('V', 'SPA', 'Protect the characters to come from erasing', startProtectedArea),
  esc('W', 'EPA', 'End what SPA began', endProtectedArea),
];
