import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { Place } from '../support/command/vtr-command.ts';
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
    await expect.poll(() => card.innerText()).toContain('git push');
    expect(await card.innerText()).toContain('It asks again');
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
