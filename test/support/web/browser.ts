import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { Place } from '../command/vtr-command.ts';
import { provided } from '../run/needs.ts';

const names = ['chromium', 'chromium-headless-shell', 'google-chrome'];

/** The program of the browser: VTR_CHROMIUM, else the first that is installed. */
const program =
  process.env['VTR_CHROMIUM'] ??
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((directory) => names.map((name) => join(directory, name)))
    .find((path) => existsSync(path));

/** `it` for a test that needs a browser. */
export const inBrowser = provided(program !== undefined, 'needs chromium');

let browser: Promise<Browser> | null = null;

/** The browser that the tests of a file share. */
function sharedBrowser(): Promise<Browser> {
  browser ??= chromium.launch({
    ...(program === undefined ? {} : { executablePath: program }),
    // Tests run as root in containers.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  return browser;
}

afterAll(async () => {
  await (await browser)?.close();
});

/** A page that is logged in, and everything that went wrong in it. */
export interface WebPage {
  readonly page: Page;
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Errors of scripts, violations of the policy, and failed requests. */
  readonly problems: string[];
  /** The addresses that the page requested. */
  readonly requested: string[];
  /** Shows a view of the page, such as `#/s/NAME`. */
  show(path: string): Promise<void>;
  /** The rows of the terminal in view, without blanks at their ends. */
  rows(): Promise<string[]>;
}

/**
 * Serves the page of a coordinator and opens it in a new profile.
 *
 * @param given the link to open; default: a new one to all sessions
 */
export async function openPage(
  place: Place,
  { url: given, ...options }: BrowserContextOptions & { readonly url?: string } = {},
): Promise<WebPage> {
  const url = given ?? (await place.json('web', '--port', '0')).url;
  const context = await (await sharedBrowser()).newContext({
    viewport: { width: 1000, height: 640 },
    ...options,
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  const requested: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(url);
  await expect.poll(() => page.locator('main, .empty').count()).toBeGreaterThan(0);
  const origin = new URL(url).origin;
  return {
    ...{ page, origin, problems, requested },
    async show(path) {
      await page.goto(`${origin}/${path}`);
    },
    async rows() {
      const rows = await page.locator('[data-row]').allTextContents();
      return rows.map((row) => row.trimEnd());
    },
  };
}
