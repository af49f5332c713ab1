import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '#base';
import type { SubscriptionEvent } from '#model';
import { matcherRule, tokenRule } from '#recording';
import { EarlierTerminal } from '#session';
import { runs } from '../../../test/support/run/runs.ts';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { RedactedEvents } from './redacted-streams.ts';

const secret = '0123456789abcdefghijABCDEFGHIJKLMNOP';
const token = `ghp_${secret}`;
const size = { cols: 20, rows: 4 };
const ticket = matcherRule({
  *matches(text) {
    for (const { index, 0: match } of text.matchAll(/VTR-\d{7}/g)) {
      yield { from: index, to: index + match.length };
    }
  },
});

function begin(watched = new WatchedTerminal(size)) {
  const clock = new VirtualClock();
  const feed = new RedactedEvents(watched, [tokenRule, ticket], { clock });
  return { watched, clock, feed };
}

const facts = {
  scrollback: { maxLines: 1000, maxBytes: 1_000_000 },
  allowClipboard: false,
  graphemeClusters: true,
};

/** Shows the events up to the exit. */
async function shownBy(feed: RedactedEvents, on: (event: SubscriptionEvent) => void = () => {}) {
  const begin = { size, firstLine: 0, dump: new Uint8Array() };
  let terminal = new EarlierTerminal(facts, begin);
  for await (const event of feed) {
    on(event);
    if (event.type === 'snapshot') {
      terminal = new EarlierTerminal(facts, event);
    } else if (event.type === 'output') terminal.feed(event.bytes);
    else if (event.type === 'resize') terminal.resize(event.size);
  }
  return terminal.terminal.screenText();
}

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('\r\n', ' ', 'word ', '\x1b[1m', '漢', '\x1b]0;t\x07') },
  { weight: 2, arbitrary: fc.constant(`a ${token} b`) },
);

describe('RedactedEvents', () => {
  it('shows what the session shows, but for secrets, however output is cut', async () => {
    const cuts = fc.array(fc.nat(300), { maxLength: 6 });
    const property = fc.asyncProperty(
      fc.array(piece),
      cuts,
      fc.boolean(),
      async (all, at, resizes) => {
        const bytes = encodeUtf8(`${all.join('')}\r\nend`);
        const places = [0, ...at.map((each) => each % bytes.length), bytes.length];
        places.sort((a, b) => a - b);
        const parts = places.slice(1).map((to, index) => bytes.subarray(places[index], to));
        const [first = new Uint8Array(), ...rest] = parts;
        const { watched, feed } = begin();
        const oracle = new WatchedTerminal(size);
        watched.output(first);
        const events: SubscriptionEvent[] = [];
        const showing = shownBy(begin(watched).feed, (event) => events.push(event));
        for (const part of rest) watched.output(part);
        if (resizes) watched.resize({ cols: 60, rows: 4 });
        watched.exit();
        oracle.output(
          encodeUtf8(`${all.join('').replaceAll(secret, '•'.repeat(secret.length))}\r\nend`),
        );
        if (resizes) oracle.resize({ cols: 60, rows: 4 });
        const shown = (await showing).join('\n');
        feed.dispose();
        // What cannot be told yet is in a state that is made then.
        const isCutIn = (place: number) => {
          const text = decodeUtf8(bytes.subarray(0, place));
          return /ghp_\w{0,35}$/.test(text);
        };
        if (!isCutIn(first.length)) expect(shown).toBe(oracle.terminal.screenText().join('\n'));
        expect(shown).not.toContain(secret.slice(-6));
        const offsets = events.filter(({ type }) => type === 'output');
        expect(offsets.every((each) => each.type === 'output' && each.offset >= first.length)).toBe(
          true,
        );
      },
    );
    await fc.assert(property, runs(100));
  });

  it('shows text that may be a secret after 200 ms, and never one that is', async () => {
    const { watched, clock, feed } = begin();
    await feed.next();
    const text = async () => {
      const { value } = await feed.next();
      return value?.type === 'output' ? decodeUtf8(value.bytes) : value?.type;
    };
    // The pattern of a user may match any word.
    watched.output('Continue? [y/n]');
    expect(await text()).toBe('Continue? ');
    const reading = text();
    clock.advance(199);
    const state = await Promise.race([reading, Promise.resolve('waits')]);
    expect(state).toBe('waits');
    clock.advance(1);
    expect(await reading).toBe('[y/n]');
    watched.output(`\r\nx ${token.slice(0, 20)}`);
    expect(await text()).toBe('\r\nx ');
    const lead = text();
    await Promise.resolve();
    clock.advance(200);
    expect(await lead).toBe('ghp_');
    const next = text();
    await Promise.resolve();
    clock.advance(10_000);
    watched.output(`${token.slice(20)}\r\n`);
    expect(await next).toBe(`${'•'.repeat(36)}\r\n`);
    feed.dispose();
  });
});
