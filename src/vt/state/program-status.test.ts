import { expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '#base';
import { Terminal } from '#vt';

const terminal = () => new Terminal({ size: { cols: 20, rows: 4 } });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const report = (pairs: string) => encodeUtf8(`\x1b]7501;${pairs}\x1b\\`);

function statusAfter(...reports: readonly string[]) {
  const t = terminal();
  for (const each of reports) t.feed(report(each));
  return t.statuses;
}

it('a report says what a program does', () => {
  const message = `msg=${base64('Deploy to prod?')}`;
  const pairs = `state=blocked:kind=question:app=deploy.sh:progress=40:${message}`;
  expect(statusAfter(pairs)).toEqual([
    {
      id: '',
      state: 'blocked',
      kind: 'question',
      app: 'deploy.sh',
      progress: 40,
      message: 'Deploy to prod?',
      title: '',
      offset: 0,
    },
  ]);
});

it('a query is answered with the same bytes, before the answer to a query that follows', () => {
  const t = terminal();
  t.feed(encodeUtf8('\x1b]7501;?\x1b\\\x1b[c\x1b]7501;?\x07'));
  expect(decodeUtf8(t.takeReplies() ?? new Uint8Array(0))).toMatch(
    /^\x1b\]7501;\?\x1b\\\x1b\[\?.*c\x1b\]7501;\?\x07$/,
  );
});

it('a report replaces the record of its task, and the program comes first', () => {
  const states = statusAfter('state=working:id=a/b', 'state=idle', 'state=done:id=a/b');
  expect(states.map(({ id, state }) => `${id} ${state}`)).toEqual([' idle', 'a/b done']);
});

it('clear removes a record and those below it', () => {
  const tasks = ['state=working:id=a', 'state=working:id=a/b', 'state=working:id=ab'];
  expect(statusAfter(...tasks, 'state=clear:id=a').map(({ id }) => id)).toEqual(['ab']);
  expect(statusAfter(...tasks, 'state=idle', 'state=clear')).toEqual([]);
});

it('a new prompt ends work and questions, and keeps results', () => {
  const t = terminal();
  for (const each of ['state=working', 'state=blocked:id=a', 'state=done:id=b', 'state=error:id=c'])
    t.feed(report(each));
  t.feed(encodeUtf8('\x1b]133;A\x1b\\'));
  expect(t.statuses.map(({ state }) => state)).toEqual(['done', 'error']);
  t.feed(encodeUtf8('\x1bc'));
  expect(t.statuses).toEqual([]);
});

it.each([
  ['no state', 'app=x'],
  ['a state that there is not', 'state=sleeping'],
  ['base64 that is not valid', 'state=idle:msg=%%'],
  ['a control character in a text', `state=idle:msg=${base64('a\x1b[31mb')}`],
  ['a text that is too long', `state=idle:msg=${base64('x'.repeat(2049))}`],
  ['a title that is too long', `state=idle:title=${base64('x'.repeat(193))}`],
  ['a path that is not valid', 'state=idle:id=a//b'],
  ['a path that is too deep', `state=idle:id=${Array(9).fill('a').join('/')}`],
  ['more than 4096 characters', `state=idle:x=${'y'.repeat(4096)}`],
])('a report with %s is ignored', (_, pairs) => {
  expect(statusAfter('state=working', pairs)).toMatchObject([{ state: 'working' }]);
});

it('a pair that is not valid is skipped', () => {
  const [record] = statusAfter('state=working:progress=101:kind=question:app=no spaces:x=y:state');
  expect(record).toMatchObject({ state: 'working', progress: null, kind: null, app: null });
});

it('texts have no invisible characters', () => {
  const [record] = statusAfter(`state=blocked:msg=${base64('a\u202eb\u200bc')}`);
  expect(record?.message).not.toMatch(/[\u202e\u200b]/);
});

it('at most 256 records and 64 Ki characters are kept', () => {
  const many = Array.from({ length: 300 }, (_, at) => `state=working:id=t${at}`);
  expect(statusAfter(...many)).toHaveLength(256);
  const long = many.map((each) => `${each}:msg=${base64('x'.repeat(2000))}`);
  const sum = statusAfter(...long).reduce((length, { message }) => length + message.length, 0);
  expect(sum).toBeLessThanOrEqual(64 * 1024);
});

it('a dump restores the records', () => {
  const t = terminal();
  const texts = `msg=${base64('Weiter? ✓')}:title=${base64('Build')}`;
  t.feed(report(`state=blocked:kind=auth:app=x:${texts}`));
  t.feed(report('state=working:id=a/b:progress=7'));
  const restored = terminal();
  restored.feed(t.dump());
  const withoutPlace = ({ statuses }: Terminal) =>
    statuses.map(({ offset: _, ...record }) => record);
  expect(withoutPlace(restored)).toEqual(withoutPlace(t));
});
