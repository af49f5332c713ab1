import type { TtyReply } from '../decoding/tty-event.ts';

export type ColorDepth = 'none' | 16 | 256 | 'truecolor';

/** What a person's terminal understands, as far as painting and the modes depend on it. */
export interface Capabilities {
  readonly colors: ColorDepth;
  /** Erasing fills cells with the background of the pen (`bce` of terminfo). */
  readonly erasesWithBackground: boolean;
  /** ECH: erases cells to the right without moving them. */
  readonly erasesCells: boolean;
  /** REP repeats the last character: not at all, only if it is ASCII, or always. */
  readonly repeats: 'never' | 'ascii' | 'always';
  /** Mode 2026: output is shown when the frame is complete. */
  readonly synchronized: boolean;
  /** Mode 2027: a grapheme cluster takes the cells that our engine gives it. */
  readonly graphemeClusters: boolean;
  /** Mode 2027 is known, but initially reset. */
  readonly clustersOnRequest: boolean;
  /** OSC 8. */
  readonly hyperlinks: boolean;
  /** Kinds and colours of underlines, as subparameters (`4:3`, `58:2::R:G:B`). */
  readonly styledUnderlines: boolean;
  /** DECSCNM; else the cells are painted inverse. */
  readonly reverseVideo: boolean;
  /** OSC 2, and the stack of titles (XTWINOPS 22 and 23). */
  readonly titles: boolean;
  /** DECSCUSR. */
  readonly cursorShapes: boolean;
  /** Sequences with a private marker or an intermediate character are ignored if unknown. */
  readonly ignoresUnknown: boolean;
  /** The flags of the kitty keyboard protocol. */
  readonly kittyKeyboard: boolean;
  /** XTMODKEYS 4, modifyOtherKeys. */
  readonly otherKeys: boolean;
  /** Mode 2031: changes of the colour scheme are reported. */
  readonly colorScheme: boolean;
  /** Mode 2048: changes of the size are reported. */
  readonly sizeReports: boolean;
}

/** The environment variables that name a terminal. */
export interface TtyEnvironment {
  readonly TERM?: string | undefined;
  readonly COLORTERM?: string | undefined;
  readonly TERM_PROGRAM?: string | undefined;
  readonly VTE_VERSION?: string | undefined;
  readonly WT_SESSION?: string | undefined;
  readonly KONSOLE_VERSION?: string | undefined;
  readonly TMUX?: string | undefined;
  readonly STY?: string | undefined;
}

/** Names of terminals that understand no sequences, or of none. */
const nameless = /^(dumb|unknown)?$/;

/** Whether a terminal may understand what a picture needs: its name does not rule that out. */
export const canPaint = ({ TERM: name = '' }: TtyEnvironment): boolean => !nameless.test(name);

/** Understands nothing but the cursor's position, erasing, and attributes. */
const least: Capabilities = {
  colors: 'none',
  erasesWithBackground: false,
  erasesCells: false,
  repeats: 'never',
  synchronized: false,
  graphemeClusters: false,
  clustersOnRequest: false,
  hyperlinks: false,
  styledUnderlines: false,
  reverseVideo: false,
  titles: false,
  cursorShapes: false,
  ignoresUnknown: false,
  kittyKeyboard: false,
  otherKeys: false,
  colorScheme: false,
  sizeReports: false,
};

/** As xterm has understood it for decades, and its many descendants. */
const xtermLike: Capabilities = {
  ...least,
  colors: 16,
  erasesCells: true,
  reverseVideo: true,
  titles: true,
  cursorShapes: true,
  hyperlinks: true,
  ignoresUnknown: true,
};

/** Terminals that interpret what today's programs use. */
const modern: Capabilities = {
  ...xtermLike,
  colors: 'truecolor',
  erasesWithBackground: true,
  repeats: 'always',
  styledUnderlines: true,
};

interface Family {
  /** Matches XTVERSION's text. */
  readonly version?: RegExp;
  /** Whether the environment names it. */
  readonly named?: (environment: TtyEnvironment) => boolean;
  readonly capabilities: Capabilities;
  /** More colours are never used, whatever the environment tells. */
  readonly most?: 256;
}

const term = (pattern: RegExp) => (environment: TtyEnvironment) =>
  pattern.test(environment.TERM ?? '');
const program = (name: string) => (environment: TtyEnvironment) =>
  environment.TERM_PROGRAM === name;
const either =
  (...tests: readonly ((environment: TtyEnvironment) => boolean)[]) =>
  (environment: TtyEnvironment) =>
    tests.some((test) => test(environment));

/**
 * Known terminals. The first whose version or name matches counts; those that contain others come
 * first.
 */
const families: readonly Family[] = [
  { named: term(nameless), capabilities: least },
  {
    version: /^tmux /,
    named: (environment) => environment.TERM_PROGRAM === 'tmux' || Boolean(environment.TMUX),
    // tmux converts colours and underlines itself. It ignores DECSCNM, and up to 3.3 also OSC 8.
    capabilities: {
      ...modern,
      repeats: 'ascii',
      reverseVideo: false,
      hyperlinks: false,
      otherKeys: true,
    },
  },
  {
    named: (environment) => Boolean(environment.STY) || term(/^screen/)(environment),
    // It reads the numbers of other colours as attributes.
    capabilities: { ...xtermLike, cursorShapes: false, hyperlinks: false },
    most: 256,
  },
  {
    version: /^vtr/,
    capabilities: { ...modern, synchronized: true, graphemeClusters: true, kittyKeyboard: true },
  },
  {
    version: /^XTerm\(/,
    capabilities: { ...modern, styledUnderlines: false, otherKeys: true },
  },
  {
    version: /^(kitty|ghostty|foot|WezTerm|contour)/i,
    named: either(
      term(/^(xterm-kitty|xterm-ghostty|foot|wezterm|contour)/),
      program('ghostty'),
      program('WezTerm'),
    ),
    capabilities: { ...modern, synchronized: true },
  },
  {
    version: /^(iTerm2|alacritty|rio|Konsole|mintty|VTE|xterm\.js|Windows Terminal|Warp)/i,
    named: either(
      term(/^(alacritty|rio|vte|konsole|mintty)/),
      program('iTerm.app'),
      program('vscode'),
      program('rio'),
      program('mintty'),
      program('WarpTerminal'),
      (environment) => Boolean(environment.WT_SESSION),
      (environment) => Boolean(environment.KONSOLE_VERSION),
      (environment) => Number(environment.VTE_VERSION ?? 0) >= 6000,
    ),
    capabilities: modern,
  },
  {
    named: program('Apple_Terminal'),
    capabilities: { ...xtermLike, hyperlinks: false, ignoresUnknown: false },
  },
  {
    named: term(/^linux/),
    capabilities: {
      ...least,
      colors: 16,
      erasesCells: true,
      erasesWithBackground: true,
      reverseVideo: true,
    },
  },
  { named: term(/^(vt\d|ansi|cygwin|sun|wyse)/), capabilities: least },
  { named: term(/^(xterm|rxvt|st|tmux|eterm|putty)/), capabilities: xtermLike },
];

/**
 * Returns what a terminal understands: what its environment and its replies tell, and what is safe
 * otherwise.
 *
 * @param replies so far; none before the first picture
 */
export function capabilitiesOf(
  environment: TtyEnvironment,
  replies: readonly TtyReply[] = [],
): Capabilities {
  const version = replies.find((reply) => reply.of === 'version')?.text ?? '';
  const { capabilities, most } = familyOf(environment, version);
  const modes = new Map<number, number>();
  for (const reply of replies) if (reply.of === 'mode') modes.set(reply.mode, reply.value);
  // DECRPM: set, reset, or always set.
  const has = (mode: number) => [1, 2, 3].includes(modes.get(mode) ?? 0);
  return {
    ...capabilities,
    colors: depthOf(environment, capabilities.colors, most),
    synchronized: capabilities.synchronized || has(2026),
    graphemeClusters: capabilities.graphemeClusters || has(2027),
    clustersOnRequest: modes.get(2027) === 2,
    colorScheme: has(2031),
    sizeReports: has(2048),
    kittyKeyboard: capabilities.kittyKeyboard || replies.some(({ of }) => of === 'kittyFlags'),
  };
}

/** The terminal's own answer counts more than variables, which it may have inherited. */
function familyOf(environment: TtyEnvironment, version: string): Family {
  return (
    families.find((family) => version !== '' && family.version?.test(version)) ??
    families.find((family) => family.named?.(environment)) ?? { capabilities: least }
  );
}

function depthOf(environment: TtyEnvironment, depth: ColorDepth, most?: 256): ColorDepth {
  const { TERM: name = '', COLORTERM: color = '' } = environment;
  if (nameless.test(name) || depth === 'truecolor') return depth;
  const isTrue = /^(truecolor|24bit)$/.test(color) || /-direct/.test(name);
  if (isTrue && most === undefined) return 'truecolor';
  if (isTrue || /256/.test(name)) return 256;
  return depth === 'none' && /color/.test(name) ? 16 : depth;
}
