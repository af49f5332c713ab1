import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { tree } from '../support/tree.ts';
import { inBrowser, newContext, openPage, type WebPage } from '../support/web/browser.ts';
import { expectPicture, steadied } from '../support/web/pictures.ts';
import { status } from '../support/web/shown-session.ts';

const desktop = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const tablet = { width: 820, height: 1180 };

/** What axe says against WCAG 2.2, levels A and AA. */
async function violations(page: Page): Promise<string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
  const options = JSON.stringify({
    runOnly: { type: 'tag', values: tags },
    resultTypes: ['violations'],
    rules: { 'label-content-name-mismatch': { enabled: false } },
  });
  await page.evaluate(
    `globalThis.axe === undefined && void (0, eval)(${JSON.stringify(axe.source)})`,
  );
  return (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.target + ' ' + node.failureSummary)))`,
  )) as string[];
}

const rule = '─'.repeat(60);

describe('[S3.32] the page looks as it did', () => {
  const place = new Place(afterAll);
  const size = ['--cwd', '/', '--size', '80x24'];
  /** A sleep that prints, without a trace: after 5 minutes without output, a session is shown as quiet. */
  const programs = tree(
    { sleep: '#!/bin/sh\nwhile /bin/sleep 60; do printf "\\033[m"; done\n' },
    afterAll,
  );
  const spawn = (name: string, program: readonly string[], ...flags: readonly string[]) =>
    place.ok('spawn', name, ...size, ...flags, '--', ...program);

  beforeAll(async () => {
    chmodSync(join(programs, 'sleep'), 0o755);
    await spawn('deploy', [
      'sh',
      '-c',
      'printf "Deploy v2.1 to production? [y/N] "; read x; exec cat',
    ]);
    await spawn('tests', [
      'sh',
      '-c',
      'printf "\\033[32m ✓\\033[m parser\\n\\033[31m ✗ FAIL\\033[m dump\\n12 passed, 1 failed\\n"; exit 3',
    ]);
    await spawn(
      'server',
      [
        'sh',
        '-c',
        'printf "%b\\n" "$@"; exec sleep 100000',
        'sh',
        '\\033[1mready\\033[m on \\033[34;4mhttp://localhost:5173\\033[m',
        'GET / 200 3 ms',
      ],
      '--label',
      'team=core',
      '--env',
      `PATH=${programs}:${process.env['PATH']}`,
    );
    await spawn(
      'api',
      [
        'sh',
        '-c',
        'stty raw -echo; printf "%b\\r\\n" "$@"; printf "\\033]7501;state=blocked:kind=permission:app=claude\\033\\\\"; exec cat',
        'sh',
        '● I will publish the package.',
        rule,
        'Bash command',
        '',
        '  npm publish --access public',
        '',
        'Do you want to proceed?',
        '❯ 1. Yes',
        "  2. Yes, and don't ask again",
        '  3. No (esc)',
      ],
      '--agent',
      'claude',
    );
    await spawn('shell', ['bash', '--norc'], '--env', 'PS1=$ ');
    for (const line of ['echo one', 'seq 3', 'sh -c "exit 2"', 'printf "a\\tb\\n"'])
      await place.vtr(['run', 'shell', '--', line]);
  });

  /** How a view is reached, from all sessions. */
  const views: Record<string, (shown: WebPage) => Promise<unknown>> = {
    overview: ({ page }) => page.getByRole('button', { name: '1 Yes' }).waitFor(),
    list: async ({ page }) => {
      await page.getByRole('button', { name: 'Menu', exact: true }).click();
      await page.getByRole('button', { name: 'List', exact: true }).click();
    },
    search: async ({ page }) => {
      await page.getByRole('searchbox').fill('failed');
      await page.getByRole('region', { name: 'Output' }).getByText('12 passed').waitFor();
    },
    session: async ({ show, page }) => {
      await show('#/s/shell');
      // On a phone, the commands have no room beside the terminal.
      if ((page.viewportSize()?.width ?? 0) < 500)
        await page.getByRole('button', { name: 'Commands', exact: true }).click();
      await page.getByRole('navigation', { name: 'Commands' }).getByText('seq 3').waitFor();
      // vtr run drives for some seconds after its last command.
      await page.locator(status).filter({ hasText: 'Nobody drives' }).waitFor();
      await page.locator('.scroll-marks > *').first().waitFor({ state: 'attached' });
    },
    ended: ({ show }) => show('#/s/tests'),
    agent: ({ show }) => show('#/s/api'),
    split: ({ show }) => show('#/split/api,shell,server'),
    replay: async (shown) => {
      await shown.show('#/s/shell/replay');
      await expect.poll(async () => (await shown.rows()).join()).toContain('printf');
    },
    new: ({ page }) => page.keyboard.press('c'),
    palette: async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Palette' }).fill('sh');
    },
    settings: async ({ page }) => {
      await page.getByRole('button', { name: 'Menu', exact: true }).click();
      await page.getByRole('button', { name: 'Settings', exact: true }).click();
      await page.getByRole('dialog').waitFor();
    },
    keys: async ({ page }) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
    menu: ({ page }) => page.getByRole('button', { name: 'More', exact: true }).first().click(),
  };

  async function look(name: string, reach: (shown: WebPage) => Promise<unknown>): Promise<void> {
    const blank = await (await newContext({})).newPage();
    for (const device of [desktop, phone]) {
      const shown = await openPage(place, device);
      const { page } = shown;
      if (name !== 'overview') {
        await page.evaluate("localStorage.setItem('vtr-name-asked', 'yes')");
        await page.reload();
      }
      await steadied(page);
      const card = page.getByRole('group', { name: 'Answer api' });
      await card.getByText('npm publish').waitFor();
      await card.getByRole('button', { name: '3 No' }).waitFor();
      await reach(shown);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const sizes =
          device === desktop
            ? ([
                ['desktop', desktop.viewport],
                ['tablet', tablet],
              ] as const)
            : ([['phone', phone.viewport]] as const);
        for (const [kind, viewport] of sizes) {
          await page.setViewportSize(viewport);
          await expectPicture(page, blank, `${name}-${colorScheme}-${kind}`);
        }
        expect.soft(await violations(page), `${name}-${colorScheme}`).toEqual([]);
      }
      expect(shown.problems).toEqual([]);
      await page.close();
    }
  }

  for (const [name, reach] of Object.entries(views)) inBrowser(name, () => look(name, reach));
});
