import type { KeyModes, ViewModes } from '#model';
import type { TerminalState } from '../state/terminal-state.ts';
import type { VisibleState } from '../state/visible-state.ts';
import { firstDynamic, paletteSize } from '../style/palette.ts';

/** The modes that determine which bytes a key sends. */
export function keyModes({ modes, keyboard, onAlternate }: TerminalState): KeyModes {
  const flags = onAlternate ? keyboard.alternateFlags : keyboard.primaryFlags;
  return {
    applicationCursorKeys: modes.applicationCursorKeys,
    applicationKeypad: modes.applicationKeypad,
    backarrowSendsBackspace: modes.backarrowSendsBackspace,
    newLine: modes.newLine,
    bracketedPaste: modes.bracketedPaste,
    alternateScreen: onAlternate,
    modifyOtherKeys: keyboard.modifyOtherKeys,
    formatOtherKeys: keyboard.formatOtherKeys,
    kittyFlags: flags.current,
  };
}

/** The modes of input as they are, and of the colours as readers see them. */
export function viewModes(t: TerminalState, visible: VisibleState): ViewModes {
  const { modes } = t;
  const keys = keyModes(t);
  const colors = programColors(visible.colors);
  // Field by field: a person's terminal needs them several times per key, and spreads take ten times longer.
  return {
    applicationCursorKeys: keys.applicationCursorKeys,
    applicationKeypad: keys.applicationKeypad,
    backarrowSendsBackspace: keys.backarrowSendsBackspace,
    newLine: keys.newLine,
    bracketedPaste: keys.bracketedPaste,
    alternateScreen: keys.alternateScreen,
    modifyOtherKeys: keys.modifyOtherKeys,
    formatOtherKeys: keys.formatOtherKeys,
    kittyFlags: keys.kittyFlags,
    mouseTracking: modes.mouseTracking,
    mouseEncoding: modes.mouseEncoding,
    focusReporting: modes.focusReporting,
    alternateScroll: modes.alternateScroll,
    reverseVideo: visible.modes.reverseVideo,
    insert: modes.insert,
    origin: modes.origin,
    autowrap: modes.autowrap,
    palette: colors.palette,
    foreground: colors.foreground,
    background: colors.background,
    cursorColor: colors.cursorColor,
  };
}

type ProgramColors = Pick<ViewModes, 'palette' | 'foreground' | 'background' | 'cursorColor'>;

/** By the map of colours, which does not change. */
const cache = new WeakMap<ReadonlyMap<number, number>, ProgramColors>();

function programColors(colors: ReadonlyMap<number, number>): ProgramColors {
  const before = cache.get(colors);
  if (before !== undefined) return before;
  const dynamic = (number: number) => colors.get(firstDynamic + number) ?? null;
  const entries = [...colors].filter(([index]) => index < paletteSize);
  const result = {
    palette: Object.fromEntries(entries),
    foreground: dynamic(0),
    background: dynamic(1),
    cursorColor: dynamic(2),
  };
  cache.set(colors, result);
  return result;
}
