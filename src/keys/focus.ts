import { csi } from './sequences.ts';

/** What a terminal in mode 1004 sends with the focus (ctlseqs, "FocusIn/FocusOut"). */
export const focusIn = `${csi}I`;
export const focusOut = `${csi}O`;
