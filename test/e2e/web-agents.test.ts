import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { Place } from '../support/command/vtr-command.ts';
import { isInstalled, needs } from '../support/run/needs.ts';
import { inBrowser, openPage, openPageInTab } from '../support/web/browser.ts';

const program = join(root, 'test/programs/coding-agent.mjs');
/** A small phone in the hand. */
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Starts an agent that does what its prompts say. */
const spawnAgent = (place: Place, name: string) =>
  place.ok('spawn', name, '--agent', 'claude', '--', process.execPath, program, 'prompted');

describe('[S3.32] an answer to an agent in the page', () => {
  const place = Place.forAll();

  inBrowser('is given from a phone with one thumb, and shows what came next', async () => {
    await spawnAgent(place, 'api');
    const { page, problems } = await openPage(place, phone);
    await place.ok('prompt', 'api', 'ask twice');
    const card = page.getByRole('group', { name: 'Answer api' });
    await card.getByText('Do you want to proceed?').waitFor();
    // The command that is to be approved is there, as text.
    await expect.poll(() => card.innerText()).toContain('npm publish');
    const yes = card.getByRole('button', { name: '1 Yes', exact: true });
    expect((await yes.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(await card.getByRole('textbox').count()).toBe(0);
    // The second tap is too early for the next question, which nobody has seen.
    await yes.tap();
    await page.touchscreen.tap(100, 400);
    await expect.poll(() => card.innerText()).toContain('sent ✓ 1 Yes');
    await expect.poll(() => card.innerText()).toMatch(/It asks again[\s\S]*git push/);
    expect(await place.ok('screen', 'api')).not.toContain('git push:');
    await card.getByRole('button', { name: '3 No (esc)' }).tap();
    await expect.poll(() => card.innerText()).toContain('sent ✓ 3 No (esc)');
    await place.vtr(['wait', 'api', '--agent', 'idle']);
    expect(await place.ok('screen', 'api')).toMatch(
      /npm publish: 1\n.*git push: 3\n● not done|git push: 3/,
    );
    await expect.poll(() => card.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  inBrowser('is refused when another question is shown, which is then on the card', async () => {
    await spawnAgent(place, 'web');
    await place.ok('prompt', 'web', 'ask twice');
    const shown = await openPageInTab(place);
    const card = shown.page.getByRole('group', { name: 'Answer web' });
    await expect.poll(() => card.innerText()).toContain('npm publish');
    // The page does not hear that another one is shown.
    await shown.page.evaluate(`{
      const { send } = WebSocket.prototype;
      WebSocket.prototype.send = function (data) {
        globalThis.held ??= [];
        if (String(data).includes('"SendText"')) held.push([this, data]);
        else send.call(this, data);
      };
      globalThis.letGo = () => held.forEach(([socket, data]) => send.call(socket, data));
    }`);
    await card.getByRole('button', { name: '1 Yes', exact: true }).click();
    await expect.poll(() => shown.page.evaluate('globalThis.held.length')).toBe(1);
    const answered = await place.vtr(['answer', 'web', '2']);
    expect(answered.stderr).toContain('claude asks');
    await shown.page.evaluate('letGo()');
    const alert = card.getByRole('alert');
    await expect.poll(() => alert.textContent()).toBe('Not sent: this is another question');
    await expect.poll(() => card.innerText()).toContain('git push');
    expect(await place.ok('screen', 'web')).not.toContain('git push:');
  });
});

describe('questions of many sessions', () => {
  const place = Place.forAll();

  inBrowser(
    'are read with what is around them when they come into view, after the pictures',
    async () => {
      const ask = (of: string) => `seq -f "step %g of ${of}" 9; printf "Go on? [y/N] "; read x`;
      const names = Array.from({ length: 12 }, (_, at) => `ask-${at}`);
      for (const name of names) await place.ok('spawn', name, '--', 'sh', '-c', ask(name));
      for (const name of names) await place.vtr(['wait', name, '--asks']);
      const { page, problems } = await openPage(place, { viewport: { width: 900, height: 400 } });
      await page.addInitScript(`
      globalThis.calls = [];
      const { send } = WebSocket.prototype;
      WebSocket.prototype.send = function (data) {
        const { method, body } = typeof data === 'string' ? JSON.parse(data) : {};
        if (method === 'GetScreen') calls.push(body.name);
        else if (body?.frames?.sessions?.length > 0) calls.push('pictures');
        send.call(this, data);
      };
    `);
      await page.reload();
      const text = (name: string) =>
        page.getByRole('group', { name: `Answer ${name}` }).innerText();
      await expect.poll(() => text('ask-0')).toContain('step 9 of ask-0');
      const first = (await page.evaluate('calls')) as string[];
      expect(first.slice(0, 2)).toEqual(['pictures', 'ask-0']);
      expect(first).not.toContain('ask-11');
      await page.getByRole('group', { name: 'Answer ask-11' }).scrollIntoViewIfNeeded();
      await expect.poll(() => text('ask-11')).toContain('step 9 of ask-11');
      const reads = ((await page.evaluate('calls')) as string[]).filter(
        (each) => each !== 'pictures',
      );
      expect(reads).toEqual([...new Set(reads)]);
      expect(problems).toEqual([]);
    },
  );
});

describe('[S3.32] an agent in focus', () => {
  const place = Place.forAll();

  inBrowser(
    'is prompted from a field that keeps prompts, and answered by its choices',
    async () => {
      await spawnAgent(place, 'api');
      const shown = await openPageInTab(place);
      await shown.page.setViewportSize({ width: 1200, height: 640 });
      await shown.show('#/s/api');
      const bar = shown.page.getByRole('region', { name: 'Agent' });
      await expect.poll(() => bar.innerText()).toMatch(/^claude idle/);
      const heightBefore = (await bar.boundingBox())?.height;
      const prompt = bar.getByRole('textbox', { name: 'Prompt' });
      await prompt.fill('quick one');
      await prompt.press('Enter');
      await expect.poll(() => bar.innerText()).toContain('sent ✓');
      await place.sees('api', '● quickly: quick one');
      await prompt.fill('long work');
      await prompt.press('Enter');
      await bar.getByRole('button', { name: 'Queue' }).waitFor();
      // The agent is at work before the page hears that it has taken the prompt, which is kept then.
      const before = async () => {
        await prompt.press('ArrowUp');
        const text = await prompt.inputValue();
        if (text !== 'long work') await prompt.press('ArrowDown');
        return text;
      };
      await expect.poll(before).toBe('long work');
      await prompt.press('ArrowUp');
      expect(await prompt.inputValue()).toBe('quick one');
      await prompt.fill('ask me');
      await prompt.press('Enter');
      await expect.poll(() => bar.innerText()).toContain('queued ✓');
      await place.sees('api', 'queued: ask me');
      await place.ok('key', 'api', 'escape');
      const yes = bar.getByRole('button', { name: '1 Yes', exact: true });
      await yes.waitFor();
      // The terminal keeps its size while the agent asks.
      expect((await bar.boundingBox())?.height).toBe(heightBefore);
      await yes.click();
      await expect.poll(() => bar.innerText()).toContain('sent ✓ 1 Yes');
      await place.sees('api', 'npm publish: 1');
      await shown.page.reload();
      await prompt.focus();
      await prompt.press('ArrowUp');
      expect(await prompt.inputValue()).toBe('ask me');
      expect(shown.problems).toEqual([]);
    },
  );
});

describe('[S3.32] the sections of the page', () => {
  const place = Place.forAll();

  inBrowser('have what needs somebody first, are folded, and go by keys', async () => {
    const ask = 'printf "Go on? [y/N] "; read x; echo done; exec cat';
    await place.ok('spawn', 'asks', '--', 'sh', '-c', ask);
    await place.ok('spawn', 'fails', '--', 'sh', '-c', 'exit 3');
    await place.ok('spawn', 'runs', '--label', 'team=core', '--', 'sleep', '1000');
    for (const name of ['one', 'two', 'three', 'four'])
      await place.ok('spawn', name, '--env', 'PS1=$ ', '--', 'bash', '--norc');
    const shown = await openPageInTab(place);
    const { page } = shown;
    const headings = () =>
      page
        .getByRole('heading', { level: 2 })
        .evaluateAll((all) => all.map((each) => each.innerText));
    await expect.poll(headings).toEqual(['Needs you (1)', 'Failed (1)', 'Running (1)', 'Idle (4)']);
    // Those that are idle are rows without a picture.
    const idle = page.getByRole('region', { name: 'Idle' });
    expect([await idle.getByRole('link').count(), await idle.locator('canvas').count()]).toEqual([
      4, 0,
    ]);
    await page.getByRole('button', { name: 'Idle (4)' }).click();
    await expect.poll(() => idle.getByRole('link').count()).toBe(0);
    await page.reload();
    await page.getByRole('button', { name: 'Idle (4)', expanded: false }).click();
    await expect.poll(() => idle.getByRole('link').count()).toBe(4);
    const focused = () => page.evaluate('document.activeElement.ariaLabel');
    await page.locator('body').press('j');
    await expect.poll(() => focused()).toBe('asks');
    await page.keyboard.press('j');
    await expect.poll(() => focused()).toBe('fails');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused()).toBe('runs');
    await page.keyboard.press('N');
    await expect.poll(() => focused()).toBe('asks');
    // The answer is told where the question was.
    await page.getByRole('button', { name: 'y', exact: true }).click();
    const card = page.getByRole('region', { name: 'Needs you' }).getByRole('status');
    await expect.poll(() => card.innerText()).toBe('sent ✓ y');
    await page.getByRole('link', { name: 'team=core' }).click();
    expect(page.url()).toBe(`${shown.origin}/#/?q=team%3Dcore`);
    await expect.poll(() => page.locator('.tile > a').count()).toBe(1);
    await page.locator('.tile > a').focus();
    await page.keyboard.press('Enter');
    expect(page.url()).toBe(`${shown.origin}/#/s/runs`);
    expect(shown.problems).toEqual([]);
  });

  inBrowser('show sessions as rows where the person wants that', async () => {
    await place.ok('spawn', 'runs', '--', 'sleep', '1000');
    const shown = await openPageInTab(place);
    await shown.page.locator('.tile canvas').first().waitFor();
    await shown.page.getByRole('button', { name: 'Menu' }).click();
    await shown.page.getByText('List', { exact: true }).click();
    await expect.poll(() => shown.page.locator('.tile canvas').count()).toBe(0);
    await shown.page.reload();
    await shown.page.locator('.tile').first().waitFor();
    expect(await shown.page.locator('.tile canvas').count()).toBe(0);
  });
});

describe('New in the page', () => {
  (isInstalled('git') ? inBrowser : needs('git'))(
    'starts an agent in a worktree of a branch, as vtr new does',
    async () => {
      const place = new Place();
      const own = 'git -c user.name=x -c user.email=x@y';
      const line = `mkdir api && cd api && git init -q -b main . && ${own} commit -q --allow-empty -m 1`;
      await place.shellLine(line);
      const { page } = await openPage(place);
      const start = async (fill: () => Promise<void>) => {
        await page.getByRole('button', { name: 'New', exact: true }).click();
        await fill();
        await page.getByRole('button', { name: 'Start', exact: true }).click();
      };
      const dialog = page.getByRole('dialog');
      const field = (name: string) => dialog.getByLabel(name, { exact: true });
      await start(async () => {
        await field('Agent').selectOption({ value: 'claude' });
        await field('Program').fill('cat');
        await field('Directory').fill(join(place.directory, 'api'));
        await field('Branch').fill('fix/login');
      });
      await expect
        .poll(() => page.locator('[data-terminal]').getAttribute('data-terminal'))
        .toBe('fix-login');
      const path = join(place.directory, 'api.fix-login');
      expect(await place.json('info', 'fix-login')).toMatchObject({
        cwd: path,
        labels: { agent: 'claude', worktree: path, 'worktree/from': 'main' },
      });
      // Git's own words, in the dialog.
      await page.goBack();
      await start(async () => {
        await field('Directory').fill(place.directory);
        await field('Branch').fill('other');
      });
      await dialog.getByRole('alert').getByText('not a git repository').waitFor();
    },
  );
});
