import { expect, it, onTestFinished } from 'vitest';
import type { AgentKind } from '#agents';
import { LocalCoordinator } from '#coordinator';

const toy: AgentKind = {
  kind: 'toy',
  name: 'Toy',
  source: 'test',
  checkedWith: [],
  executables: ['toy'],
  packages: [],
  start: { command: ['toy'] },
  interrupt: [],
  takesPieces: true,
  rules: [],
  background: [],
};

/** Shows a dialog when it has taken a text, and what is chosen there. */
const agent = `
  let keys = 0;
  const dialog = [
    'Would you like to run the following command?', '', '  $ touch x', '',
    '\\u203a 1. Yes, proceed (y)', '  2. No, and tell the agent what to do', '',
    '  Press enter to confirm or esc to cancel',
  ].join('\\r\\n');
  process.stdin.setRawMode(true);
  process.stdin.on('data', (data) => {
    const isEnter = data.toString() === '\\r';
    if (isEnter) keys++;
    const shown = isEnter ? (keys > 1 ? 'chosen' : dialog) : '> ' + data.toString().replace(/\\x1b\\[20[01]~/g, '');
    process.stdout.write((isEnter ? '\\x1b[?25l' : '') + '\\x1b[H\\x1b[J' + shown);
  });
  process.stdout.write('\\x1b[?2004h\\x1b[H\\x1b[J> ready');
`;

it('a repeat types nothing into the menu that came after the text, and reports no failure', async () => {
  const coordinator = new LocalCoordinator();
  onTestFinished(() => coordinator.close());
  const { name } = await coordinator.spawn({ program: process.execPath, args: ['-e', agent] });
  await coordinator.wait(name, { match: ['> ready'], since: 'start' });
  const submit = () => coordinator.sendText(name, 'do it', { submit: true, inputId: 'one' });
  expect(await submit()).toMatchObject({ submitted: true });
  expect((await coordinator.wait(name, { asks: true })).menu).toBeDefined();
  expect(await submit()).toMatchObject({ submitted: true });
  expect((await coordinator.screen(name)).text.join('\n')).toMatch(/Yes, proceed/);
  const other = coordinator.sendText(name, 'do it', { submit: true, inputId: 'other' });
  await expect(other).rejects.toMatchObject({ code: 'MENU_SHOWN' });
});

it('a control character, which would be a key without the brackets of a paste, is refused', async () => {
  const coordinator = new LocalCoordinator();
  onTestFinished(() => coordinator.close());
  const { name } = await coordinator.spawn({ program: 'cat' });
  const submit = (text: string) => coordinator.sendText(name, text, { submit: true });
  await expect(submit('ab\x1b[A')).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining('U+001B at character 2'),
  });
  await submit('a\tb');
  await coordinator.wait(name, { match: ['^a +b$'], since: 'start' });
  expect((await coordinator.screen(name)).text.join('')).not.toContain('ab');
});

it('a line is the answer to a menu of a program that reads lines', async () => {
  const coordinator = new LocalCoordinator();
  onTestFinished(() => coordinator.close());
  const script = 'select fruit in apple banana; do echo "got $fruit"; break; done; exec sleep 60';
  const { name } = await coordinator.spawn({ program: 'bash', args: ['-c', script] });
  expect((await coordinator.wait(name, { asks: true })).menu).toBeDefined();
  expect(await coordinator.sendText(name, '2', { submit: true })).toMatchObject({
    submitted: true,
  });
  await coordinator.wait(name, { match: ['^got banana$'], since: 'start' });
});

it('the menu that a failure quotes has no secrets', async () => {
  const coordinator = new LocalCoordinator();
  onTestFinished(() => coordinator.close());
  const rows = ['Deploy with this key?', '> 1. Yes, AKIAQ3EGRFZ7VN5XK2TD', '  2. No'].join('\r\n');
  const script = `process.stdin.setRawMode(true).resume(); process.stdout.write(${JSON.stringify(rows)})`;
  const { name } = await coordinator.spawn({ program: process.execPath, args: ['-e', script] });
  expect((await coordinator.wait(name, { asks: true })).menu).toBeDefined();
  const question = 'Deploy with this key? > 1. Yes, AKIA•••••••••••••••• | 2. No';
  await expect(coordinator.sendText(name, 'do it', { submit: true })).rejects.toMatchObject({
    message: expect.stringContaining(question),
    details: { question },
  });
});

/** Takes no pastes, and loses what it reads within 50 ms of what it read first. Shows what it has. */
const forgetful = (count: string) => `
  let text = '', readMs = 0;
  process.stdin.setRawMode(true);
  process.stdin.setEncoding('utf8').on('data', (data) => {
    const isEnter = data === '\\r';
    if (isEnter || Date.now() - readMs >= 50) text += isEnter ? '' : data;
    readMs = Date.now();
    const shown = '[Paste #1: ' + ${count} + ' chars]';
    process.stdout.write('\\x1b[H\\x1b[J' + (isEnter ? 'got ' + text.length + ' ' + text.slice(-4) : '* ' + shown));
  });
  process.stdout.write('\\x1b[H\\x1b[J* ready');
`;

async function begun(script: string) {
  const coordinator = new LocalCoordinator({ agentKinds: async () => [toy] });
  onTestFinished(() => coordinator.close());
  const how = { program: process.execPath, args: ['-e', script], agent: 'toy' };
  const { name } = await coordinator.spawn(how);
  await coordinator.wait(name, { match: ['ready$'], since: 'start' });
  await coordinator.wait(name, { agent: ['unknown'] });
  return { coordinator, name };
}

it('an agent that loses what comes at once gets a long text whole', async () => {
  const { coordinator, name } = await begun(forgetful('text.length'));
  const text = `${'long '.repeat(1_200)}日本語 end.`;
  expect(await coordinator.sendText(name, text, { submit: true, queue: true })).toMatchObject({
    submitted: true,
  });
  expect((await coordinator.screen(name)).text[0]).toBe('got 6008 end.');
});

it('a text of which a program shows a part only is not submitted', async () => {
  const { coordinator, name } = await begun(forgetful('4095'));
  const text = 'long '.repeat(1_200);
  expect(await coordinator.sendText(name, text, { submit: true, queue: true })).toMatchObject({
    submitted: false,
  });
  expect((await coordinator.screen(name)).text.join('\n')).toContain('[Paste #1: 4095 chars]');
});

it('a text that Enter has changed is not submitted', async () => {
  const rule = '─'.repeat(80);
  const script = `
    let draft = '', enters = 0;
    const draw = (text, hint) => process.stdout.write('\\x1b[H\\x1b[J${rule}\\r\\n\\u276f ' + text + '\\r\\n${rule}\\r\\n  ' + hint + '\\x1b[2;' + (3 + text.length) + 'H');
    process.stdin.setRawMode(true);
    process.stdin.on('data', (data) => {
      if (data.toString() !== '\\r') draft += data.toString().replace(/\\x1b\\[20[01]~/g, '');
      else if (++enters === 1) draft = draft.replace('READ', 'README.md');
      else draft = '';
      draw(draft, enters + ' enters');
    });
    process.stdout.write('\\x1b[?2004h');
    draw('', 'ready');
  `;
  const coordinator = new LocalCoordinator({ agentKinds: async () => [toy] });
  onTestFinished(() => coordinator.close());
  const how = { program: process.execPath, args: ['-e', script], agent: 'toy' };
  const { name } = await coordinator.spawn(how);
  await coordinator.wait(name, { agent: ['idle'] });
  const receipt = await coordinator.sendText(name, 'look at READ please', { submit: true });
  expect(receipt).toMatchObject({ submitted: false });
  expect((await coordinator.screen(name)).text.join('\n')).toContain('look at README.md please');
});
