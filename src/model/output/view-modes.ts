import type { KeyModes } from '../calls/key.ts';
import type { MouseEncoding, MouseTracking } from '../calls/mouse.ts';

/** The modes of a terminal that a viewer needs: what its keys, mouse and colours mean. */
export interface ViewModes extends KeyModes {
  readonly mouseTracking: MouseTracking;
  readonly mouseEncoding: MouseEncoding;
  /** 1004: the program wants to know whether its window has the focus. */
  readonly focusReporting: boolean;
  /** 1007: on the alternate screen the wheel sends cursor keys. */
  readonly alternateScroll: boolean;
  /** DECSCNM */
  readonly reverseVideo: boolean;
  /** IRM: characters move the rest of the row to the right. */
  readonly insert: boolean;
  /** DECOM: rows and columns are counted from the margins. */
  readonly origin: boolean;
  /** DECAWM */
  readonly autowrap: boolean;
  /** The palette entries that the program changed (OSC 4), as 0xRRGGBB by index. */
  readonly palette: Readonly<Record<number, number>>;
  /** The default colours that the program set (OSC 10, 11, 12), as 0xRRGGBB; null if it did not. */
  readonly foreground: number | null;
  readonly background: number | null;
  readonly cursorColor: number | null;
}

/** The modes of a new terminal. */
export const initialViewModes: ViewModes = {
  applicationCursorKeys: false,
  applicationKeypad: false,
  backarrowSendsBackspace: false,
  newLine: false,
  bracketedPaste: false,
  alternateScreen: false,
  modifyOtherKeys: 0,
  formatOtherKeys: 0,
  kittyFlags: 0,
  mouseTracking: 'none',
  mouseEncoding: 'default',
  focusReporting: false,
  alternateScroll: false,
  reverseVideo: false,
  insert: false,
  origin: false,
  autowrap: true,
  palette: {},
  foreground: null,
  background: null,
  cursorColor: null,
};
