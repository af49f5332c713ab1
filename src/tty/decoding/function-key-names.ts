import { keypadKeys, kittyFunctionKeys, xtermFunctionKeys } from '#keys';

/** Codes of `CSI number ~` that xterm does not send: of the VT220, rxvt, PuTTY and older xterms. */
const otherNumbers: [number, string][] = [
  [1, 'home'],
  [4, 'end'],
  [7, 'home'],
  [8, 'end'],
  [11, 'f1'],
  [12, 'f2'],
  [13, 'f3'],
  [14, 'f4'],
];

const xtermEntries = [...xtermFunctionKeys];
const kittyEntries = [...kittyFunctionKeys];

/** Keys by the number of `CSI number ~`. 29 is menu rather than F16. */
export const keysByNumber: ReadonlyMap<number, string> = new Map([
  ...xtermEntries
    .filter(([, key]) => key.final === '~')
    .map(([name, key]): [number, string] => [key.number, name]),
  ...otherNumbers,
]);

/** Keys by the final of `CSI 1 ; modifiers final` and `SS3 final`. */
export const keysByFinal: ReadonlyMap<string, string> = new Map(
  xtermEntries
    .filter(([, key]) => key.number === 1)
    .map(([name, key]): [string, string] => [key.final, name]),
);

/** Functional keys by their code in the kitty keyboard protocol. */
export const keysByCode: ReadonlyMap<number, string> = new Map(
  kittyEntries
    .filter(([, key]) => key.final === 'u')
    .map(([name, key]): [number, string] => [key.number, name]),
);

/** Keys of the keypad by the final of `SS3 final`, in application mode. */
export const keypadByFinal: ReadonlyMap<string, string> = new Map(
  [...keypadKeys].map(([name, key]): [string, string] => [key.final, name]),
);
