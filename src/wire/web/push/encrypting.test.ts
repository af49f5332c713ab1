import { describe, expect, it } from 'vitest';
import { PushBrowser } from '../../../../test/support/web/push-browser.ts';
import { arePushKeys, encrypted, maxPushBytes } from './encrypting.ts';

describe('a push message', () => {
  it('is encrypted as in RFC 8291, appendix A', () => {
    const keys = {
      p256dh:
        'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    };
    const random = {
      salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'),
      privateKey: Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'),
    };
    const text = 'When I grow up, I want to be a watermelon';
    expect(encrypted(text, keys, 0, random).toString('base64url')).toBe(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    );
  });

  it('has the same length for short texts, and none of a service is longer than 4096 bytes', () => {
    const browser = new PushBrowser();
    const lengths = ['', 'a', 'é'.repeat(500)].map((text) => {
      const message = encrypted(text, browser.keys, 1024);
      expect(browser.decrypted(message)).toBe(text);
      return message.length;
    });
    expect(new Set(lengths).size).toBe(1);
    expect(encrypted('x'.repeat(maxPushBytes), browser.keys)).toHaveLength(4096);
    expect(() => encrypted('x'.repeat(maxPushBytes + 1), browser.keys)).toThrow(RangeError);
  });

  it('is for keys of a browser only', () => {
    const { keys } = new PushBrowser();
    expect(arePushKeys(keys)).toBe(true);
    const other = Buffer.alloc(65, 4).toString('base64url');
    expect(arePushKeys({ ...keys, p256dh: other })).toBe(false);
    expect(arePushKeys({ ...keys, p256dh: keys.p256dh.slice(4) })).toBe(false);
    expect(arePushKeys({ ...keys, auth: keys.auth.slice(4) })).toBe(false);
  });
});
