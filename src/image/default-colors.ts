import { defaultBackgroundRgb, defaultForegroundRgb, paletteRgb, type ViewModes } from '#model';
import type { PictureColors } from './screen-picture.ts';

/** Default colours of a recording or of a person. */
export interface Theme {
  readonly foreground: number;
  readonly background: number;
  /** The first entries, 8 or 16. */
  readonly palette: readonly number[];
}

/**
 * Returns the colours of a picture: those that the program set, else those of the theme, else xterm's, as
 * all of vtr has them.
 */
export function pictureColors(
  set?: Pick<ViewModes, 'palette' | 'foreground' | 'background' | 'cursorColor' | 'reverseVideo'>,
  theme?: Theme,
): PictureColors {
  const front = set?.foreground ?? theme?.foreground ?? defaultForegroundRgb;
  const back = set?.background ?? theme?.background ?? defaultBackgroundRgb;
  const [foreground, background] = set?.reverseVideo ? [back, front] : [front, back];
  return {
    ...{ foreground, background },
    cursor: set?.cursorColor ?? foreground,
    palette: Array.from({ length: 256 }, (_, at) => {
      return set?.palette[at] ?? theme?.palette[at] ?? paletteRgb(at);
    }),
  };
}
