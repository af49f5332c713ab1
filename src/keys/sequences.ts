export const esc = '\x1b';
export const csi = `${esc}[`;
export const ss3 = `${esc}O`;

/** Sent in mode 1004 when the terminal gets or loses the focus (ctlseqs, "FocusIn/FocusOut"). */
export const focusIn = `${csi}I`;
export const focusOut = `${csi}O`;
