import fc from 'fast-check';
import {
  type Activity,
  type AgentCommand,
  type AgentInfo,
  type Cell,
  type Color,
  type CommandList,
  type CommandRecord,
  commandOutcomes,
  type Excerpt,
  type ExitStatus,
  type ExplainedAgent,
  type Menu,
  maxWaitMs,
  type ReadBudget,
  type ReadResult,
  type RunResult,
  type ScreenSnapshot,
  type Style,
  type SubscriptionEvent,
  type ToldStatus,
  type WaitRequest,
  type WaitResult,
} from '#model';

const whole = fc.nat({ max: 2 ** 45 });
const color: fc.Arbitrary<Color> = fc.oneof(
  fc.constant(null),
  fc.nat({ max: 255 }),
  fc.nat({ max: 0xffffff }).map((rgb): Color => `#${rgb.toString(16).padStart(6, '0')}`),
);
const style: fc.Arbitrary<Style> = fc.record({
  fg: color,
  bg: color,
  underlineColor: color,
  underline: fc.constantFrom('none', 'single', 'double', 'curly', 'dotted', 'dashed'),
  bold: fc.boolean(),
  dim: fc.boolean(),
  italic: fc.boolean(),
  blink: fc.boolean(),
  inverse: fc.boolean(),
  hidden: fc.boolean(),
  strikethrough: fc.boolean(),
  overline: fc.boolean(),
  link: fc.constantFrom(null, 'https://example.org/'),
});
const cell: fc.Arbitrary<Cell> = fc
  .tuple(fc.constantFrom([' ', 1], ['a', 1], ['e\u0301', 1], ['漢', 2], ['', 0]), style)
  .map(([[text, width], look]) => ({ text, width, style: look }) as Cell);
const size = fc.record({
  cols: fc.integer({ min: 1, max: 8 }),
  rows: fc.integer({ min: 1, max: 4 }),
});

export const screen: fc.Arbitrary<ScreenSnapshot> = size.chain(({ cols, rows }) =>
  fc.record({
    revision: whole,
    size: fc.constant({ cols, rows }),
    cursor: fc.record({
      row: fc.nat({ max: 999 }),
      col: fc.nat({ max: 999 }),
      wrapPending: fc.boolean(),
      visible: fc.boolean(),
      shape: fc.constantFrom('block', 'underline', 'bar'),
      blinking: fc.boolean(),
    }),
    alternate: fc.boolean(),
    title: fc.string({ unit: 'grapheme' }),
    topLine: whole,
    text: fc.constant(Array<string>(rows).fill('')),
    cells: fc.array(fc.array(cell, { minLength: cols, maxLength: cols }), {
      minLength: rows,
      maxLength: rows,
    }),
  }),
);

export const status: fc.Arbitrary<ExitStatus> = fc.oneof(
  fc.nat({ max: 255 }).map((code) => ({ code, signal: null })),
  fc.constantFrom('SIGKILL', 'SIGTERM').map((signal) => ({ code: null, signal })),
);
const bytes = fc.uint8Array({ maxLength: 20 });
const stamp = { revision: whole, atMs: whole };
const text = fc.string({ unit: 'grapheme' });
const position = fc.record({
  offset: whole,
  line: fc.option(whole),
  col: fc.nat({ max: 1_000_000 }),
});
const placed: fc.Arbitrary<SubscriptionEvent> = fc.oneof(
  fc.record({ type: fc.constant('cwd'), ...stamp, cwd: text, host: text, position }),
  fc.record({
    type: fc.constant('cwd'),
    ...stamp,
    cwd: text,
    host: text,
    position,
    unverified: fc.constant(true),
  }),
  fc.record(
    {
      type: fc.constant('mark'),
      ...stamp,
      mark: fc.constantFrom('promptStart', 'promptEnd', 'commandLine', 'commandStart', 'user'),
      position,
      prompt: fc.constantFrom('continuation', 'right'),
      commandLine: text,
      nonce: text,
    },
    { requiredKeys: ['type', 'revision', 'atMs', 'mark', 'position'] },
  ),
  fc.record({
    type: fc.constant('mark'),
    ...stamp,
    mark: fc.constant('commandEnd'),
    position,
    exitCode: fc.option(fc.integer({ min: -1, max: 255 })),
  }),
  fc.record({
    type: fc.constant('progress'),
    ...stamp,
    state: fc.constantFrom('none', 'normal', 'error', 'indeterminate', 'paused'),
    percent: fc.option(fc.nat({ max: 100 })),
    position,
  }),
  fc.record({
    type: fc.constant('notification'),
    ...stamp,
    title: text,
    body: text,
    code: fc.constantFrom(9, 99, 777),
    position,
  }),
  fc.record({ type: fc.constant('clipboard'), ...stamp, selection: text, text, position }),
);
export const event: fc.Arbitrary<SubscriptionEvent> = fc.oneof(
  placed,
  fc.record({
    type: fc.constant('snapshot'),
    ...stamp,
    size,
    dump: bytes,
    firstLine: whole,
    offset: whole,
  }),
  fc.record({ type: fc.constant('output'), ...stamp, offset: whole, bytes }),
  fc.record(
    {
      type: fc.constant('resize' as const),
      ...stamp,
      size,
      erasedFrom: fc.record({ row: fc.nat(999), col: fc.nat(999) }),
    },
    { requiredKeys: ['type', 'revision', 'atMs', 'size'] },
  ),
  fc.record({ type: fc.constant('title'), ...stamp, title: fc.string({ unit: 'grapheme' }) }),
  fc.record({ type: fc.constant('bell'), ...stamp, count: fc.nat() }),
  fc.record({ type: fc.constant('exit'), ...stamp, status }),
);

const textOrNull = fc.option(text);
const lineOrNull = fc.option(whole);
const outputText: fc.Arbitrary<Excerpt> = fc.record({
  head: text,
  tail: text,
  omitted: fc.option(
    fc.record({ lines: whole, bytes: whole, fromLine: lineOrNull, toLine: lineOrNull }),
  ),
  tokens: whole,
});
const command: fc.Arbitrary<CommandRecord> = fc.record({
  number: fc.nat(),
  line: textOrNull,
  cwd: textOrNull,
  state: fc.constantFrom('running', 'ended'),
  exitCode: fc.option(fc.nat({ max: 255 })),
  startedAtMs: whole,
  endedAtMs: fc.option(whole),
  // Longer than any wait.
  durationMs: whole,
  startRevision: whole,
  from: position,
  to: fc.option(position),
});
const end = { mark: text, revision: whole };
const times = {
  exitStatus: fc.option(status),
  timeoutMs: fc.nat({ max: maxWaitMs }),
  elapsedMs: fc.nat({ max: maxWaitMs }),
};
const gap = fc.record(
  { lines: whole, bytes: whole, unreadable: fc.integer({ min: 1 }), cleared: fc.constant(true) },
  { requiredKeys: ['lines', 'bytes'] },
);
const texts = fc.array(text, { maxLength: 3 });
const budget: fc.Arbitrary<ReadBudget> = fc.record(
  {
    maxLines: whole,
    maxBytes: whole,
    maxTokens: whole,
    keep: fc.constantFrom('head', 'tail', 'both'),
  },
  { requiredKeys: [] },
);
const programState = fc.constantFrom('idle', 'working', 'blocked', 'done', 'error');
const agentState = fc.constantFrom('idle', 'busy', 'asks', 'unknown');
export const conditions: fc.Arbitrary<WaitRequest> = fc.record(
  {
    since: text,
    timeoutMs: fc.nat({ max: maxWaitMs }),
    match: texts,
    stop: texts,
    screen: texts,
    ignore: texts,
    raw: fc.boolean(),
    finished: fc.boolean(),
    prompt: fc.boolean(),
    asks: fc.boolean(),
    promptPattern: text,
    quietMs: fc.nat({ max: maxWaitMs }),
    countClocks: fc.boolean(),
    title: text,
    bell: fc.boolean(),
    driver: fc.constant(true),
    agent: fc.array(agentState, { minLength: 1, maxLength: 4 }),
    agentTurn: fc.nat(),
    status: fc.array(programState, { minLength: 1, maxLength: 4 }),
    agentAfterMs: whole,
    tail: budget,
    read: fc.record({ since: text, maxBytes: whole, tellHidden: fc.constant(true) }),
  },
  { requiredKeys: [] },
);
const flag = fc.option(fc.boolean());
export const activity: fc.Arbitrary<Activity> = fc.record({
  state: fc.constantFrom(
    'running',
    'at_prompt',
    'awaiting_input',
    'password',
    'full_screen',
    'exited',
  ),
  evidence: fc.record({
    shellMark: fc.constantFrom(null, 'prompt', 'command'),
    promptPattern: fc.boolean(),
    alternateScreen: fc.boolean(),
    foreground: fc.option(fc.record({ pid: fc.nat(), name: text })),
    leaderInForeground: flag,
    echo: flag,
    canonical: flag,
    readingTerminal: flag,
    alsoWaits: flag,
    unfinishedLine: fc.boolean(),
  }),
  sinceMs: whole,
  revision: whole,
});
const textMatch = fc.record({
  line: lineOrNull,
  text,
  matched: text,
  groups: fc.array(textOrNull),
});
const menu: fc.Arbitrary<Menu> = fc.record(
  {
    title: text,
    options: texts,
    multiple: fc.boolean(),
    keys: text,
    selected: fc.option(fc.nat({ max: 200 })),
    checked: fc.array(fc.nat({ max: 200 }), { maxLength: 3 }),
    button: text.filter((each) => each !== ''),
  },
  { requiredKeys: ['title', 'options', 'multiple', 'keys', 'selected'] },
);

const programStatus: fc.Arbitrary<ToldStatus> = fc.record(
  {
    state: programState,
    kind: fc.option(fc.constantFrom('permission', 'question', 'auth')),
    app: fc.option(fc.constant('make')),
    progress: fc.option(fc.nat({ max: 100 })),
    message: text,
    title: text,
    atMs: whole,
  },
  { requiredKeys: ['state', 'kind', 'app', 'progress', 'message', 'title'] },
);

const agentClaim = {
  state: fc.constantFrom('idle', 'busy', 'asks'),
  strength: fc.constantFrom('strong', 'supports'),
  rule: text,
  text,
} as const;

const agent: fc.Arbitrary<AgentInfo> = fc.record(
  {
    kind: text,
    state: agentState,
    sinceMs: whole,
    turn: fc.nat(),
    question: text,
    questionId: text,
    menu,
    background: fc.integer({ min: 1, max: 99 }),
    message: text,
    conversation: text,
    commands: fc.record({ count: fc.nat(), running: fc.nat() }),
    evidence: fc.array(fc.record(agentClaim)),
    rules: text,
  },
  { requiredKeys: ['kind', 'state', 'sinceMs', 'turn', 'evidence', 'rules'] },
);

export const explainedAgent: fc.Arbitrary<ExplainedAgent> = fc.record(
  {
    agent,
    kind: fc.record({ kind: text, name: text, checkedWith: fc.array(text), rules: text }),
    state: agentState,
    doubt: text,
    stillMs: fc.nat(),
    background: fc.nat({ max: 99 }),
    claims: fc.array(
      fc.record(
        { ...agentClaim, ageMs: fc.nat(), where: text, file: text, lost: text },
        { requiredKeys: ['state', 'strength', 'rule', 'text'] },
      ),
    ),
    near: fc.array(
      fc.record(
        { rule: text, state: agentClaim.state, where: text, file: text, text, why: text },
        { requiredKeys: ['rule', 'state', 'where', 'text', 'why'] },
      ),
    ),
    regions: fc.array(fc.record({ where: text, rows: fc.array(text) })),
    redacted: fc.nat(),
  },
  { requiredKeys: ['state', 'background', 'claims', 'near', 'regions'] },
);

export const readResult: fc.Arbitrary<ReadResult> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('unchanged', 'lines', 'screen'),
    text: outputText,
    gap,
    fromLine: lineOrNull,
    ...end,
  }),
  fc.record({
    kind: fc.constant('raw'),
    text: outputText,
    raw: fc.record({ bytes, offset: whole, omittedBytes: whole }),
    gap,
    fromLine: fc.constant(null),
    ...end,
  }),
);
export const waitResult: fc.Arbitrary<WaitResult> = fc.oneof(
  fc.record({ outcome: fc.constant('agent'), agent, output: outputText, ...end, ...times }),
  fc.record({
    outcome: fc.constant('idle'),
    masked: fc.constant([]),
    activity,
    read: readResult,
    output: outputText,
    ...end,
    ...times,
  }),
  fc.record({
    outcome: fc.constant('status'),
    programStatus,
    output: outputText,
    ...end,
    ...times,
  }),
  fc.record({
    outcome: fc.constantFrom('matched', 'stopped'),
    pattern: fc.record({
      of: fc.constantFrom('match', 'stop', 'screen'),
      index: fc.nat(),
      source: text,
    }),
    match: textMatch,
    output: outputText,
    ...end,
    ...times,
  }),
  fc.record(
    {
      outcome: fc.constant('timed_out'),
      inEcho: fc.constant(true),
      matchedBefore: textMatch,
      activity,
      lostLines: fc.integer({ min: 1 }),
      lostBytes: fc.integer({ min: 1 }),
      output: outputText,
      ...end,
      ...times,
    },
    {
      requiredKeys: [
        'outcome',
        'output',
        'exitStatus',
        'mark',
        'revision',
        'timeoutMs',
        'elapsedMs',
      ],
    },
  ),
  fc.record({ outcome: fc.constant('finished'), command, output: outputText, ...end, ...times }),
  fc.record({
    outcome: fc.constantFrom('awaiting_input', 'password'),
    question: text,
    menu,
    program: text,
    output: outputText,
    ...end,
    ...times,
  }),
  fc.record({ outcome: fc.constant('idle'), masked: texts, output: outputText, ...end, ...times }),
  fc.record({
    outcome: fc.constant('driver'),
    driver: fc.record({ driver: fc.constant(null), epoch: fc.nat(), note: text, mark: text }),
    output: outputText,
    ...end,
    ...times,
  }),
  fc.record({
    outcome: fc.constantFrom('prompt', 'bell', 'exited', 'timed_out'),
    output: outputText,
    ...end,
    ...times,
  }),
);
const agentCommand: fc.Arbitrary<AgentCommand> = fc.record(
  {
    number: fc.nat(),
    agent: fc.option(text),
    line: text,
    cwd: fc.option(text),
    status: fc.constantFrom(...commandOutcomes, 'running', 'asks'),
    exitCode: fc.option(fc.nat({ max: 255 })),
    startedAtMs: fc.option(whole),
    endedAtMs: fc.option(whole),
    durationMs: fc.option(whole),
    from: position,
  },
  {
    requiredKeys: [
      ...(['number', 'agent', 'line', 'cwd', 'status', 'exitCode'] as const),
      ...(['startedAtMs', 'endedAtMs', 'durationMs'] as const),
    ],
  },
);
export const commandList: fc.Arbitrary<CommandList> = fc.record(
  {
    agentCommands: fc.array(agentCommand, { minLength: 1, maxLength: 3 }),
    commands: fc.array(command, { maxLength: 3 }),
    dropped: whole,
    integration: fc.constantFrom('integrated', 'self', 'none'),
    integrationReason: text,
  },
  { requiredKeys: ['commands', 'dropped', 'integration'] },
);
export const runResult: fc.Arbitrary<RunResult> = fc.record(
  {
    outcome: fc.constantFrom(
      'finished',
      'prompt',
      'awaiting_input',
      'password',
      'exited',
      'timed_out',
      'detached',
      'interrupted',
    ),
    person: fc.record({ name: text, sinceMs: fc.nat({ max: 2 ** 41 }), mark: text }),
    command: fc.option(command),
    exitCode: fc.option(fc.nat({ max: 255 })),
    output: outputText,
    openEnd: fc.boolean(),
    gap,
    ...end,
    ...times,
    question: text,
    menu,
    source: fc.constantFrom('lines', 'screen'),
    statusFrom: fc.constantFrom('marks', 'unverified_marks', 'query'),
    incomplete: fc.constant(true),
    guess: fc.constant(true),
  },
  {
    requiredKeys: [
      ...(['outcome', 'command', 'exitCode', 'output', 'openEnd', 'gap', 'exitStatus'] as const),
      ...(['mark', 'revision', 'timeoutMs', 'elapsedMs'] as const),
    ],
  },
);
