import { expect, it, onTestFinished } from 'vitest';
import { LocalCoordinator } from '#coordinator';

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
