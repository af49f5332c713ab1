import jsqr from 'jsqr';
import { describe, expect, it } from 'vitest';
import { qrPath, unreachedHint } from './qr-path.ts';

// A module of CommonJS, whose types are those of a module of ES.
const decode = jsqr as unknown as typeof jsqr.default;

describe('a QR code in the page', () => {
  it.each(['https://vtr.example/#t=0123456789abcdefghijklmnopqrstuvwxyzABCDEFG', 'a'])(
    'of %s is read',
    (text) => {
      const { path, side } = qrPath(text);
      const scale = 4;
      const width = side * scale;
      const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
      for (const [, x = '', y = '', run = ''] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
        for (let row = 0; row < scale; row++) {
          const from = ((Number(y) * scale + row) * width + Number(x) * scale) * 4;
          for (let at = 0; at < Number(run) * scale; at++)
            pixels.fill(0, from + at * 4, from + at * 4 + 3);
        }
      }
      expect(decode(pixels, width, width, { inversionAttempts: 'dontInvert' })?.data).toBe(text);
    },
  );

  it('is told to be of no use at an address that only this machine reaches', () => {
    expect(unreachedHint({ hostname: '127.0.0.1' })).toContain('--behind-proxy');
    expect(unreachedHint({ hostname: 'vtr.example' })).toBeNull();
  });
});
