import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import { defined } from '#base';
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
    ...defined({ executablePath: program }),
    // Tests run as root in containers. A site needs one process, and no spare one for the next.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--renderer-process-limit=1'],
    // Scroll bars that take room, as on most desktops.
    ignoreDefaultArgs: ['--hide-scrollbars'],
  });
  return browser;
}

/** In a browser that is started again if it has ended by itself, which says nothing about the page. */
export async function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
  const started = await sharedBrowser();
  try {
    return await started.newContext(options);
  } catch (error) {
    if (started.isConnected()) throw error;
    console.warn(`the browser has ended, and is started again: ${(error as Error).message}`);
    browser = null;
    return (await sharedBrowser()).newContext(options);
  }
}

/** The tab of {@link openPageInTab}. */
let tab: Promise<Page> | null = null;

// The files of a worker share this module: the next one starts a browser again, which ends with the worker.
afterAll(async () => {
  const started = await browser;
  browser = null;
  tab = null;
  await started?.close();
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

const viewport = { width: 1000, height: 640 };

/**
 * Serves the page of a coordinator and opens it in a new profile.
 *
 * @param text the link to open; default: a new one to all sessions
 */
export async function openPage(
  place: Place,
  { url: text, ...options }: BrowserContextOptions & { readonly url?: string } = {},
): Promise<WebPage> {
  const url = text ?? (await linkOf(place));
  const context = await newContext({ viewport, ...options });
  onTestFinished(() => context.close());
  return opened(await context.newPage(), url);
}

/**
 * As {@link openPage}, in a tab that the tests of a file share, because a new one takes a second of
 * processor time. After the test it shows nothing, and its profile is empty.
 */
export async function openPageInTab(place: Place, text?: string): Promise<WebPage> {
  const url = text ?? (await linkOf(place));
  if ((await tab)?.isClosed()) tab = null;
  tab ??= newContext({ viewport }).then((context) => context.newPage());
  const page = await tab;
  onTestFinished(async () => {
    await page.goto('about:blank');
    await page.setViewportSize(viewport);
    const session = await page.context().newCDPSession(page);
    const { origin } = new URL(url);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.detach();
    await page.context().clearCookies();
  });
  return opened(page, url);
}

/** Returns a new link to all sessions. */
const linkOf = async (place: Place): Promise<string> =>
  (await place.json('web', '--port', '0')).url;

/** Opens a link, and watches the page until the test ends. */
async function opened(page: Page, url: string): Promise<WebPage> {
  const problems: string[] = [];
  const requested: string[] = [];
  const onError = ({ message }: Error) => void problems.push(message);
  const onConsole = (message: ConsoleMessage) => {
    if (message.type() === 'error') problems.push(message.text());
  };
  const onRequest = (request: Request) => void requested.push(request.url());
  page.on('pageerror', onError).on('console', onConsole).on('request', onRequest);
  onTestFinished(() => {
    page.off('pageerror', onError).off('console', onConsole).off('request', onRequest);
  });
  await page.goto(url);
  await expect.poll(() => page.locator('main, .empty').count()).toBeGreaterThan(0);
  const origin = new URL(url).origin;
  return {
    page,
    origin,
    problems,
    requested,
    async show(path) {
      await page.goto(`${origin}/${path}`);
    },
    async rows() {
      const rows = await page.locator('[data-row]').allTextContents();
      return rows.map((row) => row.trimEnd());
    },
  };
}
