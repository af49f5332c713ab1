import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type AgentKind, AgentTracker, type KnownTitle } from '#agents';
import { runs } from '../../test/support/run/runs.ts';
import { WatchedTerminal } from '../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';

const kind: AgentKind = {
  kind: 'test',
  name: 'Test',
  source: 'vtr 0.0.0',
  checkedWith: [],
  executables: ['test'],
  packages: [],
  start: { command: ['test'] },
  interrupt: [],
  rules: [
    { id: 'title-idle', claim: 'idle', strength: 'supports', where: 'title', match: '^ready' },
    { id: 'title-asks', claim: 'asks', strength: 'strong', where: 'title', match: '^asks' },
  ],
  background: [{ where: 'footer', match: '\\d+ shells?' }],
};

const rule = '─'.repeat(40);
const size = { cols: 40, rows: 10 };

/** An agent with a composer between two rules in rows 7 to 9. */
class Agent {
  readonly clock = new VirtualClock();
  readonly view = new WatchedTerminal(size, undefined, undefined, undefined, this.clock);
  readonly titles: KnownTitle[] = [];
  readonly events: string[] = [];
  /** How often the tracker has asked for titles: at each activity, once in a look, and once more when it decides. */
  requests = 0;
  readonly tracker = new AgentTracker(
    kind,
    this.view,
    this.clock,
    () => {
      this.requests++;
      return this.titles;
    },
    () => this.events.push(this.tracker.info.state),
  );

  prints(text: string): void {
    this.view.output(text);
    this.tracker.onActivity();
  }

  /** Draws the row over the composer, the composer and the footer. */
  shows(over: string, footer = '? for shortcuts'): void {
    const rows = ['\x1b[?25l', over, rule, '❯ ', rule, footer].map(
      (text, at) => `\x1b[${at + 5};1H\x1b[K${text}`,
    );
    this.prints(`${rows.join('')}\x1b[8;3H\x1b[?25h`);
  }

  enters(): void {
    this.view.noteInput(Uint8Array.of(0x0d));
    this.tracker.onActivity();
  }

  get state(): string {
    return this.tracker.info.state;
  }
}

it('a composer that stands still is idle, and nothing runs after that', () => {
  const agent = new Agent();
  agent.shows('');
  agent.clock.advance(1_000);
  expect(agent.state).toBe('unknown');
  agent.clock.advance(10_000);
  expect(agent.state).toBe('idle');
  expect(agent.clock.pending).toBe(0);
  expect(agent.events).toEqual(['idle']);
});

it('a row that only turns its sign is work, whatever the sign is', () => {
  const agent = new Agent();
  for (const sign of ['@', '%', '@', '%', '@', '%', '@', '%']) {
    agent.shows(`${sign} Something goes on`);
    agent.clock.advance(300);
  }
  expect(agent.state).toBe('busy');
  expect(agent.tracker.info.evidence[0]?.rule).toBe('row-moves');
});

it('a turn ends when the agent is idle again, and is told once', () => {
  const agent = new Agent();
  agent.shows('');
  agent.clock.advance(2_000);
  agent.enters();
  for (let at = 0; at < 8; at++) {
    agent.shows(`${at % 2 === 0 ? '⠋' : '⠙'} Working... (esc to interrupt)`);
    agent.clock.advance(250);
  }
  expect(agent.tracker.info).toMatchObject({ state: 'busy', turn: 0 });
  agent.shows('The answer.');
  agent.clock.advance(10_000);
  expect(agent.tracker.info).toMatchObject({ state: 'idle', turn: 1 });
  expect(agent.events).toEqual(['idle', 'busy', 'idle']);
});

it('a title that says that the agent asks is history after the answer, until it is set again', () => {
  const agent = new Agent();
  const entitle = () => agent.titles.push({ title: 'asks', atMs: agent.clock.wallMs() });
  entitle();
  agent.prints('A dialog');
  agent.clock.advance(1_000);
  expect(agent.state).toBe('asks');
  agent.enters();
  agent.prints('\x1b[2J');
  agent.clock.advance(500);
  expect(agent.state).toBe('unknown');
  entitle();
  agent.prints('Another dialog');
  agent.clock.advance(1_000);
  expect(agent.state).toBe('asks');
});

describe('a turn that begins and ends between two looks', () => {
  const says = (agent: Agent, state: string) =>
    agent.prints(`\x1b]7501;state=${state}:app=test\x1b\\`);

  it('has ended as soon as the agent says it, and its rest begins anew', () => {
    const agent = new Agent();
    says(agent, 'idle');
    agent.shows('');
    agent.clock.advance(10_000);
    const before = agent.tracker.info;
    agent.enters();
    says(agent, 'working');
    says(agent, 'done');
    agent.tracker.onPrompt(before);
    agent.clock.advance(400);
    expect(agent.tracker.info).toMatchObject({ state: 'idle', turn: 1 });
    expect(agent.tracker.info.sinceMs).toBeGreaterThan(before.sinceMs);
  });

  it('has not ended while the agent still looks as it did before the prompt', () => {
    const agent = new Agent();
    agent.titles.push({ title: 'ready', atMs: 0 });
    agent.shows('');
    agent.clock.advance(10_000);
    const before = agent.tracker.info;
    agent.enters();
    agent.clock.advance(1_000);
    expect(agent.state).toBe('idle');
    agent.tracker.onPrompt(before);
    expect(agent.state).toBe('unknown');
    agent.clock.advance(1_000);
    expect(agent.tracker.info).toMatchObject({ state: 'unknown', turn: 0 });
  });

  it('is no second one when it has ended before it is known that the prompt was taken', () => {
    const agent = new Agent();
    agent.shows('');
    agent.clock.advance(3_000);
    const before = agent.tracker.info;
    agent.enters();
    says(agent, 'working');
    agent.clock.advance(100);
    expect(agent.state).toBe('busy');
    says(agent, 'done');
    agent.clock.advance(2_000);
    expect(agent.tracker.info).toMatchObject({ state: 'idle', turn: 1 });
    agent.tracker.onPrompt(before);
    agent.clock.advance(10_000);
    expect(agent.tracker.info).toMatchObject({ state: 'idle', turn: 1 });
  });
});

it('a title that says the same makes a composer idle sooner', () => {
  const agent = new Agent();
  agent.shows('⠋ Working... (esc to interrupt)');
  agent.clock.advance(500);
  agent.titles.push({ title: 'ready', atMs: 0 });
  agent.shows('');
  agent.clock.advance(700);
  expect(agent.state).toBe('idle');
});

it('an agent that starts is not idle before its first dialog, although its composer and title are there', () => {
  const agent = new Agent();
  agent.titles.push({ title: 'ready', atMs: 0 });
  agent.shows('');
  agent.clock.advance(1_500);
  expect(agent.state).toBe('unknown');
  agent.prints(
    '\x1b[2J\x1b[HDo you trust this folder?\r\n❯ 1. Yes\r\n  2. No\r\n\r\nEsc to cancel',
  );
  agent.clock.advance(200);
  expect(agent.state).toBe('asks');
  const other = new Agent();
  other.shows('');
  other.clock.advance(2_200);
  expect(other.state).toBe('idle');
});

it('a row that turns counts although its text is wrapped, beside a scroll bar', () => {
  const agent = new Agent();
  const wrapped = (sign: string) => {
    const rows = [`${sign} run(touch a/`, '  b/c; sleep 8; touch a/', '  b/d)'];
    const bar = rows.map((row, at) => `\x1b[${at + 3};1H\x1b[K${row}\x1b[${at + 3};39H▄`);
    agent.prints(`${bar.join('')}\x1b[6;39H█\x1b[8;3H`);
  };
  agent.shows('');
  for (const sign of ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴']) {
    wrapped(sign);
    agent.clock.advance(200);
  }
  expect(agent.state).toBe('busy');
});

it('a spinner that stands still for 5 s beside a composer is unknown', () => {
  const agent = new Agent();
  agent.shows('⠋ Working... (esc to interrupt)');
  agent.clock.advance(1_000);
  expect(agent.state).toBe('busy');
  agent.clock.advance(10_000);
  expect(agent.state).toBe('unknown');
});

it('work does not end while the screen is drawn again', () => {
  const agent = new Agent();
  agent.shows('⠋ Working... (esc to interrupt)');
  agent.clock.advance(500);
  agent.prints('\x1b[2J');
  agent.clock.advance(300);
  expect(agent.state).toBe('busy');
  agent.shows('⠙ Working... (esc to interrupt)');
  agent.clock.advance(500);
  expect(agent.events).toEqual(['busy']);
});

it('a question takes the place of the composer', () => {
  const agent = new Agent();
  agent.shows('');
  agent.clock.advance(2_000);
  const dialog = ['Run this command?', '', '❯ 1. Yes', '  2. No', '', 'Esc to cancel'];
  const rows = dialog.map((text, at) => `\x1b[${at + 5};1H\x1b[K${text}`);
  agent.prints(`\x1b[?25l${rows.join('')}`);
  agent.clock.advance(200);
  expect(agent.tracker.info).toMatchObject({
    state: 'asks',
    question: 'Run this command?',
    menu: { options: ['1. Yes', '2. No'], selected: 0 },
  });
});

it('a screen that was cut by another size is no evidence until its program has drawn it again', () => {
  const agent = new Agent();
  agent.prints('\x1b[1;1HRun it?\x1b[2;1H❯ 1. Yes\x1b[3;1H  2. No\x1b[4;1HEnter to confirm');
  agent.shows('⠋ Working... (esc to interrupt)');
  agent.clock.advance(1_000);
  expect(agent.state).toBe('busy');
  agent.prints(
    '\x1b[?1049h\x1b[1;1HRun it?\x1b[2;1H❯ 1. Yes\x1b[3;1H  2. No\x1b[4;1HEnter to confirm',
  );
  agent.shows('⠙ Working... (esc to interrupt)');
  agent.clock.advance(200);
  agent.view.terminal.resize({ cols: 40, rows: 4 });
  agent.tracker.onActivity();
  agent.clock.advance(400);
  agent.view.terminal.resize(size);
  agent.shows('⠹ Working... (esc to interrupt)');
  agent.clock.advance(1_000);
  expect(agent.events).toEqual(['busy']);
});

it('tasks behind an idle composer are counted', () => {
  const agent = new Agent();
  agent.shows('', '2 shells · ? for shortcuts');
  agent.clock.advance(2_000);
  expect(agent.tracker.info).toMatchObject({ state: 'idle', background: 2 });
});

it('what the agent says itself counts at once, and beats a title that is late', () => {
  const agent = new Agent();
  agent.titles.push({ title: 'ready', atMs: 0 });
  agent.shows('');
  agent.clock.advance(1_000);
  agent.enters();
  agent.prints('\x1b]7501;state=working:app=test\x1b\\');
  agent.clock.advance(100);
  expect(agent.state).toBe('busy');
  agent.prints('\x1b]7501;state=blocked:kind=permission:msg=T0s/\x1b\\\x1b[2J');
  agent.clock.advance(300);
  expect(agent.tracker.info).toMatchObject({ state: 'asks', question: 'OK?' });
});

it('an agent that says that it is idle, and shows a dialog, asks', () => {
  const agent = new Agent();
  agent.prints('\x1b]7501;state=idle:app=test\x1b\\');
  agent.prints('\x1b[?25lTrust this folder?\r\n\r\n❯ 1. Yes\r\n  2. No\r\n');
  agent.clock.advance(3_000);
  expect(agent.state).toBe('asks');
});

it('an agent that says that it needs a login asks, also beside its composer, until a prompt is typed there', () => {
  const agent = new Agent();
  agent.prints('\x1b]7501;state=blocked:kind=auth:msg=TG9nIGlu:app=test\x1b\\');
  agent.shows('');
  agent.clock.advance(3_000);
  expect(agent.tracker.info).toMatchObject({ state: 'asks', question: 'Log in' });
  agent.enters();
  agent.shows('');
  agent.clock.advance(3_000);
  expect(agent.state).toBe('idle');
});

it('a tracker that is disposed does nothing more', () => {
  const agent = new Agent();
  agent.shows('');
  agent.tracker.dispose();
  agent.shows('x');
  expect(agent.clock.pending).toBe(0);
});

it('a sign that stands still, as in a quoted text, does not refute what the agent says', () => {
  const agent = new Agent();
  agent.enters();
  agent.shows('⠋ Working... (esc to interrupt)');
  agent.prints('\x1b]7501;state=done:app=test\x1b\\');
  agent.clock.advance(10_000);
  expect(agent.state).toBe('idle');
});

it('while only signs turn, a look reads the rows that changed, and decides nothing', () => {
  const agent = new Agent();
  agent.prints('\x1b]7501;state=working:app=test\x1b\\');
  const read = vi.spyOn(agent.view.terminal, 'readRow');
  const spins = (frames: number) => {
    for (let at = 0; at < frames; at++) {
      const sign = '⠋⠙⠹⠸'[at % 4];
      agent.prints(`\x1b7\x1b[6;1H${sign} Working... (${at}s · esc to interrupt)\x1b8`);
      agent.clock.advance(100);
    }
  };
  agent.shows('⠋ Working... (0s · esc to interrupt)');
  spins(20);
  read.mockClear();
  agent.requests = 0;
  spins(100);
  expect(agent.state).toBe('busy');
  // One row in each look, five times a second.
  expect(read.mock.calls.length).toBeLessThanOrEqual(51);
  expect(agent.requests).toBeLessThanOrEqual(100 + 60);
  agent.prints('\x1b]7501;state=idle:app=test\x1b\\');
  agent.prints('\x1b7\x1b[6;1H\x1b[K\x1b8');
  agent.clock.advance(150);
  expect(agent.state).toBe('idle');
});

it('a sign of the title that says something else is no turn of it', () => {
  const agent = new Agent();
  agent.titles.push({ title: '◐ topic', atMs: 0 });
  agent.shows('✶ Working… (0s)');
  agent.clock.advance(300);
  expect(agent.state).toBe('busy');
  agent.titles.push({ title: '✳ topic', atMs: 0 });
  agent.shows('✻ Working… (1s)');
  agent.clock.advance(300);
  agent.shows('');
  agent.clock.advance(2_000);
  expect(agent.state).toBe('idle');
});

it('a sign that turns below the composer is work, however long nothing else moves', () => {
  const agent = new Agent();
  for (let at = 0; at < 30; at++) {
    agent.shows('', `${at % 2 === 0 ? '■⬝' : '⬝■'}  esc interrupt`);
    agent.clock.advance(300);
  }
  expect(agent.state).toBe('busy');
});

it('texts of evidence and questions have no invisible characters', () => {
  const agent = new Agent();
  agent.prints('\x1b]7501;state=blocked:app=test\x1b\\');
  agent.titles.push({ title: 'ready\u202e', atMs: 0 });
  agent.prints('\x1b[?25lRun\u202e this?\r\n\r\n❯ 1. Yes\r\n  2. No\r\n');
  agent.clock.advance(300);
  const { question, evidence } = agent.tracker.info;
  expect(question).toBe('Run this?');
  expect(JSON.stringify(evidence)).not.toContain('\u202e');
});

describe('an explanation', () => {
  it('tells the claims of the state, their ages, and what the others lost to', () => {
    const agent = new Agent();
    agent.titles.push({ title: 'Ready', atMs: 0 });
    agent.shows('');
    agent.clock.advance(3_000);
    for (let at = 0; at < 5; at++) {
      agent.shows(`${at % 2 === 0 ? '⠋' : '⠙'} Working... (esc to interrupt)`);
      agent.clock.advance(200);
    }
    const explanation = agent.tracker.explain();
    expect(explanation?.state).toBe(agent.state);
    const [work] = explanation?.claims.filter(({ rule }) => rule === 'working-row') ?? [];
    expect(work).toMatchObject({ state: 'busy', strength: 'strong' });
    expect(work).not.toHaveProperty('lost');
    expect(work?.ageMs).toBeGreaterThanOrEqual(800);
    expect(work?.ageMs).toBeLessThanOrEqual(1_000);
    const field = explanation?.claims.find(({ rule }) => rule === 'composer');
    expect(field?.lost).toMatch(/^busy [\w-]+ comes first$/);
    expect(field?.ageMs).toBeGreaterThan(3_500);
    expect(explanation?.near).toMatchObject([
      { rule: 'title-idle', text: 'Ready', why: 'it matches if case is ignored' },
    ]);
  });

  it('is of the look that decided the state at every moment, and says when a state only holds', () => {
    const agent = new Agent();
    const doubts = new Set<string>();
    const check = () => {
      const explanation = agent.tracker.explain();
      if (explanation === null) return;
      if (explanation.state !== agent.state) doubts.add(explanation.doubt ?? '');
    };
    const after = (ms: number) => {
      for (let at = 0; at < ms; at += 50) {
        agent.clock.advance(50);
        check();
      }
    };
    agent.shows('⠋ Working... (esc to interrupt)');
    after(1_000);
    agent.prints('\x1b[2J');
    after(5_000);
    agent.shows('Done.');
    after(5_000);
    expect(doubts.size).toBeGreaterThan(0);
    for (const doubt of doubts) expect(doubt).toMatch(/^busy holds for 1500 ms/);
  });
});

describe('a change', () => {
  type Told = 'busy' | 'asks' | 'idle';
  const say = (state: string) => `\x1b]7501;state=${state}:app=agent\x1b\\`;

  /** Draws what an agent shows and says in a state, in one write or in two. */
  function draw(agent: Agent, state: Told, isSplit: boolean): void {
    const parts = {
      busy: () => agent.shows('⠋ Working... (esc to interrupt)'),
      idle: () => agent.shows('● Done.'),
      asks: () =>
        agent.prints(
          '\x1b[2J\x1b[?25l\x1b[3;1HRun it?\x1b[5;1H❯ 1. Yes\x1b[6;1H  2. No\x1b[8;1HEnter to confirm',
        ),
    };
    agent.prints(say({ busy: 'working', idle: 'done', asks: 'blocked' }[state]));
    if (isSplit) agent.clock.advance(30);
    if (state !== 'asks') agent.prints('\x1b[2J');
    parts[state]();
  }

  const step = fc.record({
    to: fc.constantFrom<Told>('busy', 'asks', 'idle'),
    isSplit: fc.boolean(),
    /** How long the state lasts, in ms. */
    lastsMs: fc.integer({ min: 300, max: 4_000 }),
    turns: fc.boolean(),
  });

  it('is told within 150 ms after the last of it was drawn, and never twice', () => {
    const property = fc.property(fc.array(step, { minLength: 2, maxLength: 12 }), (steps) => {
      const agent = new Agent();
      draw(agent, 'idle', false);
      agent.clock.advance(1_000);
      const expected: Told[] = ['idle'];
      for (const { to, isSplit, lastsMs, turns } of steps) {
        if (expected.at(-1) === to) continue;
        draw(agent, to, isSplit);
        expected.push(to);
        agent.clock.advance(150);
        expect([...steps, agent.state]).toEqual([...steps, to]);
        agent.clock.advance(150);
        for (let ms = 300; ms < lastsMs; ms += 100) {
          const sign = (ms / 100) % 2 === 0 ? '⠋' : '⠙';
          if (to === 'busy' && turns) agent.shows(`${sign} Working... (esc to interrupt)`);
          agent.clock.advance(100);
        }
        expect(agent.events).toEqual(expected);
      }
    });
    fc.assert(property, runs(100));
  });
});
