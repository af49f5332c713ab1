import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type AgentKind, AgentTracker, type KnownTitle } from '#agents';
import { parseCast, type Recording } from '#recording';
import { readAgentKinds } from '../../src/app/daemon/agent-kinds.ts';
import { WatchedTerminal } from '../support/session/watched-terminal.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const directory = join(import.meta.dirname, 'agent-walks');
const { kinds } = await readAgentKinds({ env: { HOME: '/nonexistent' } }, '0.0.0');

/** A state is sampled this often, and counts from this long after it began; in ms. */
const sampleMs = 100;
const toldMs = 400;
/** The script learns this much later at most that an answer has ended, in ms: the agent may be idle by then. */
const lateMs = 300;
const maxTitles = 8;
/** In per cent of the samples. */
const maxUnknown = 5;
/** A marker that says what the script of the walk knows: `truth busy 20-busy-streams`. */
const truthMarker = /^truth (\w+) ?(\S*)/u;

interface Sampled {
  /** `41-idle-quotes: asks`, once each. */
  readonly wrong: ReadonlySet<string>;
  /** In per cent, with work of an idle agent. */
  readonly unknown: number;
  readonly samples: number;
  /** What was told, one line each. */
  readonly events: readonly string[];
}

/** Follows an agent in a recording, and compares its state with the truth. */
function replay({ header, events }: Recording, kind: AgentKind): Sampled {
  const clock = new VirtualClock();
  const view = new WatchedTerminal(header.size, undefined, undefined, undefined, clock);
  const titles: KnownTitle[] = [];
  const texts: string[] = [];
  const tracker = new AgentTracker(
    kind,
    view,
    clock,
    () => titles,
    () => {
      const { evidence: _why, sinceMs: _since, ...info } = tracker.info;
      texts.push(JSON.stringify(info));
    },
  );
  const wrong = new Set<string>();
  const isTruth = (event: Recording['events'][number]) =>
    event.type === 'marker' && truthMarker.test(event.label);
  const changesMs = events.filter(isTruth).map(({ atMs }) => atMs);
  let [truth, stage, sinceMs, atMs, samples, unknown] = ['any', '', 0, 0, 0, 0];
  const sample = () => {
    if (truth === 'any' || atMs - sinceMs < toldMs) return;
    const endMs = changesMs.find((each) => each > atMs) ?? atMs;
    if (truth === 'busy' && endMs - atMs < lateMs) return;
    const { state } = tracker.info;
    samples++;
    // A quoted sign of work is work until it has stood still.
    if (state === 'unknown' || (state === 'busy' && truth === 'idle')) unknown++;
    else if (state !== truth) wrong.add(`${stage}: ${state}`);
  };
  for (const event of events) {
    for (; atMs + sampleMs <= event.atMs; atMs += sampleMs) {
      clock.advance(sampleMs);
      sample();
    }
    if (event.type === 'output') {
      view.output(event.text);
      const { title } = view.terminal;
      if (title !== (titles.at(-1)?.title ?? '')) titles.push({ title, atMs });
      if (titles.length > maxTitles) titles.shift();
    }
    if (event.type === 'input') view.noteInput(new TextEncoder().encode(event.text));
    if (event.type === 'resize') view.terminal.resize(event.size);
    if (event.type === 'marker') {
      const [, text, name] = truthMarker.exec(event.label) ?? [];
      if (text !== undefined) [truth, stage, sinceMs] = [text, name ?? '', atMs];
    } else tracker.onActivity();
  }
  return { wrong, unknown: (100 * unknown) / samples, samples, events: texts };
}

const walks = readdirSync(directory).map((file) => ({
  name: file.replace('.cast.gz', ''),
  recording: parseCast(gunzipSync(readFileSync(join(directory, file)))),
}));

describe.each(walks)('a walk of $name, whose model followed a script', ({ name, recording }) => {
  const kind = kinds.find((each) => each.kind === name.replace(/-.*$/, '')) as AgentKind;

  it('is told without a wrong state, and rarely as unknown', () => {
    const { wrong, unknown, samples } = replay(recording, kind);
    expect([...wrong]).toEqual([]);
    expect(samples).toBeGreaterThan(300);
    expect(unknown).toBeLessThan(maxUnknown);
  });

  it('is told without a wrong idle or question by the rules that all kinds share', () => {
    const { wrong } = replay(recording, { ...kind, rules: [], background: [] });
    expect([...wrong]).toEqual([]);
  });

  it('is told each change once', () => {
    const { events } = replay(recording, kind);
    expect(events.filter((each, at) => each === events[at - 1])).toEqual([]);
  });
});
