import { describe, expect, it } from 'vitest';
import { type AgentKind, type AgentReport, AgentTracker } from '#agents';
import { encodeUtf8 } from '#base';
import { WatchedTerminal } from '../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';

const kind: AgentKind = {
  kind: 'test',
  name: 'Test',
  source: 'vtr',
  checkedWith: [],
  executables: ['test'],
  packages: [],
  start: { command: ['test'] },
  interrupt: [],
  rules: [],
  background: [],
};

const rule = '─'.repeat(40);
const size = { cols: 40, rows: 10 };

/** An agent whose hooks report, with a composer between two rules. */
class HookedAgent {
  readonly clock = new VirtualClock();
  readonly view = new WatchedTerminal(size, undefined, undefined, undefined, this.clock);
  report: AgentReport | null = null;
  readonly tracker = new AgentTracker(
    kind,
    this.view,
    this.clock,
    () => [],
    () => {},
    () => this.report,
  );

  reports(state: AgentReport['state'], message = ''): this {
    const { inputCount: inputs, outputEnd: offset } = this.view;
    this.report = { state, message, atMs: this.clock.wallMs(), inputs, offset };
    return this.after(200);
  }

  shows(...rows: readonly string[]): this {
    const drawn = rows.map((text, at) => `\x1b[${at + 1};1H${text}`).join('');
    this.view.output(`\x1b[?25l\x1b[2J${drawn}`);
    return this.after(200);
  }

  composer(over = ''): this {
    this.shows('', '', '', over, rule, '❯ ', rule);
    this.view.output('\x1b[6;3H\x1b[?25h');
    return this.after(200);
  }

  types(text: string): this {
    this.clock.advance(1);
    this.view.noteInput(encodeUtf8(text));
    return this.after(200);
  }

  after(ms: number): this {
    this.tracker.onActivity();
    this.clock.advance(ms);
    return this;
  }

  get state(): string {
    return this.tracker.info.state;
  }
}

describe('a hook', () => {
  it('that reports work counts more than a composer, until nothing moves for 5 s', () => {
    const agent = new HookedAgent().composer().after(3_000);
    expect(agent.state).toBe('idle');
    agent.types('\r').reports('working');
    expect(agent.state).toBe('busy');
    expect(agent.composer('x').after(1_000).state).toBe('busy');
    expect(agent.after(10_000).state).toBe('unknown');
  });

  it.each([['\x1b'], ['\x03'], ['\x1b[27u'], ['\x1b[99;5u']])(
    'that reports work is over after an interruption: %j',
    (keys) => {
      const agent = new HookedAgent().composer().types('\r').reports('working').types(keys);
      expect(agent.after(5_000).state).toBe('idle');
    },
  );

  it('that reports work says less when a draft is typed, but not that the agent is idle', () => {
    const agent = new HookedAgent().composer().types('\r').reports('working').types('draft');
    expect(agent.after(3_000).state).toBe('unknown');
  });

  it('that reports a question is evidence on a screen on which nothing is known', () => {
    const agent = new HookedAgent()
      .shows('Something new', 'is shown')
      .reports('blocked', 'Bash: x');
    expect(agent.state).toBe('asks');
    expect(agent.tracker.info.question).toBe('Bash: x');
  });

  it('that reports a question is over with the answer, when the composer is back', () => {
    const agent = new HookedAgent().shows('Something new').reports('blocked').types('1');
    expect(agent.after(2_000).state).toBe('unknown');
    expect(agent.composer().after(3_000).state).toBe('idle');
  });

  it('that comes after the answer to its question, because it took long to start', () => {
    const agent = new HookedAgent().shows('Something new');
    agent.reports('blocked');
    const report = agent.report;
    agent.types('1').composer();
    const late = { ...report, inputs: agent.view.inputCount, offset: agent.view.outputEnd };
    agent.report = late as AgentReport;
    expect(agent.after(3_000).state).toBe('idle');
  });

  it('never makes an agent idle alone: a dialog has no hook', () => {
    const agent = new HookedAgent().shows('Something new').reports('done');
    expect(agent.after(10_000).state).toBe('unknown');
    const worked = new HookedAgent().composer('⠋ Working... (esc to interrupt)');
    worked.after(500);
    expect(worked.composer().reports('done').after(500).state).toBe('idle');
  });

  it('that reports the end of a turn ends it at once, also if nothing of it was seen', () => {
    const agent = new HookedAgent().composer().after(10_000);
    expect(agent.tracker.info).toMatchObject({ state: 'idle', turn: 0 });
    const before = agent.tracker.info;
    agent.types('\r');
    agent.tracker.onPrompt(before);
    expect(agent.after(500).state).toBe('unknown');
    agent.reports('done');
    expect(agent.tracker.info).toMatchObject({ state: 'idle', turn: 1 });
  });

  it('that reports the end of a turn says nothing of work that follows', () => {
    const agent = new HookedAgent().composer('⠋ Working... (esc to interrupt)').reports('done');
    expect(agent.state).toBe('busy');
  });

  it('gives way to what the agent says itself later', () => {
    const agent = new HookedAgent().composer().types('\r').reports('working');
    agent.view.output('\x1b]7501;state=idle\x07');
    expect(agent.after(3_000).state).toBe('idle');
  });
});
