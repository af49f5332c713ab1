import type { Mode } from './mode-table.ts';

/** A DEC mode that is remembered and reported, and changes nothing here. */
function noted(number: number, mnemonic: string, meaning: string): Mode {
  return {
    number,
    mnemonic,
    meaning: `${meaning}; noted only`,
    get: (t) => t.modes.noted.has(number),
    set: (t, on) => {
      if (on) t.modes.noted.add(number);
      else t.modes.noted.delete(number);
    },
  };
}

/**
 * About keyboards, printers, lines and bells that are not here. Programs set them, save them, and
 * ask afterwards whether it has worked (VT510, DECRQM).
 */
// biome-ignore format: one line a mode
export const notedModes: readonly Mode[] = [
  noted(4, 'DECSCLM', 'Smooth scrolling'),
  noted(8, 'DECARM', 'Keys repeat'),
  noted(18, 'DECPFF', 'A form feed ends what is printed'),
  noted(19, 'DECPEX', 'The whole screen is printed'),
  noted(35, 'DECHEBM', 'Hebrew keyboard'),
  noted(36, 'DECHEM', 'Hebrew encoding'),
  noted(42, 'DECNRCM', 'National character sets, which can be designated anyway'),
  noted(57, 'DECNAKB', 'Greek keyboard'),
  noted(61, 'DECVCCM', 'The view follows the cursor'),
  noted(64, 'DECPCCM', 'The view follows the cursor to other pages'),
  noted(68, 'DECKBUM', 'Data processing keyboard'),
  noted(73, 'DECXRLM', 'XON and XOFF govern input'),
  noted(81, 'DECKPM', 'Keys are sent as positions'),
  noted(96, 'DECRLCM', 'What is copied is read from right to left'),
  noted(97, 'DECCRTSM', 'The screen is saved from burning in'),
  noted(98, 'DECARSM', 'The size of the screen follows that of the page'),
  noted(99, 'DECMCM', 'Modem lines are heeded'),
  noted(100, 'DECAAM', 'The answerback is sent unasked'),
  noted(101, 'DECCANSM', 'The answerback is hidden'),
  noted(102, 'DECNULM', 'NUL is passed over'),
  noted(103, 'DECHDPXM', 'Half duplex'),
  noted(104, 'DECESKM', 'Secondary keyboard language'),
  noted(106, 'DECOSCNM', 'Overscan'),
];

/** Modes that keep their state whatever is asked for, and are reported so: DECRPM 4, always reset. */
export interface FixedMode {
  readonly number: number;
  readonly mnemonic: string;
  readonly meaning: string;
}

const fixed = (number: number, mnemonic: string, meaning: string): FixedMode => ({
  number,
  mnemonic,
  meaning,
});

/** ECMA-48 7.2: those that choose between ways to transmit and to edit that only one of is here. */
// biome-ignore format: one line a mode
export const fixedAnsiModes: readonly FixedMode[] = [
  fixed(1, 'GATM', 'Guarded areas are transmitted'),
  fixed(3, 'CRM', 'Controls are shown'),
  fixed(5, 'SRTM', 'Status reports are sent by DCS'),
  fixed(6, 'ERM', 'Protected characters are erased too'),
  fixed(7, 'VEM', 'Lines are inserted above'),
  fixed(10, 'HEM', 'Characters are inserted to the left'),
  fixed(11, 'PUM', 'Positions are measured in units'),
  fixed(13, 'FEAM', 'Format effectors are stored'),
  fixed(14, 'FETM', 'Format effectors are left out of what is transmitted'),
  fixed(15, 'MATM', 'Several areas are transmitted'),
  fixed(16, 'TTM', 'All is transmitted'),
  fixed(17, 'SATM', 'Selected areas are transmitted'),
  fixed(18, 'TSM', 'Tab stops belong to a line'),
  fixed(19, 'EBM', 'Edits stay within a page'),
];

// biome-ignore format: one line a mode
export const fixedDecModes: readonly FixedMode[] = [
  fixed(34, 'DECRLM', 'Text runs from right to left'),
  fixed(60, 'DECHCCM', 'The view follows the cursor sideways'),
];
