export const esc = '\x1b';
export const csi = `${esc}[`;
export const ss3 = `${esc}O`;
