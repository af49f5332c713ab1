/** The parts of opentype.js that bake.mjs needs; the package has no types. */
declare module 'opentype.js' {
  interface Command {
    readonly type: 'M' | 'L' | 'Q' | 'C' | 'Z';
    readonly x: number;
    readonly y: number;
    readonly x1: number;
    readonly y1: number;
    readonly x2: number;
    readonly y2: number;
  }
  interface Path {
    readonly commands: readonly Command[];
  }
  interface Glyph {
    readonly advanceWidth?: number;
    getBoundingBox(): {
      readonly x1: number;
      readonly y1: number;
      readonly x2: number;
      readonly y2: number;
    };
    getPath(x: number, y: number, size: number): Path;
  }
  interface Font {
    readonly unitsPerEm: number;
    readonly tables: {
      readonly cmap: { readonly glyphIndexMap: Readonly<Record<string, number>> };
    };
    charToGlyph(text: string): Glyph;
    charToGlyphIndex(text: string): number;
  }
  const opentype: { parse(buffer: ArrayBuffer): Font };
  export default opentype;
  export type { Command, Font, Path };
}
