import type { WebSocketRoute } from 'playwright-core';
import { describe, expect } from 'vitest';
import { allowedMs, report } from '../support/command/measured-daemon.ts';
import { served } from '../support/command/running-daemon.ts';
import { Place } from '../support/command/vtr-command.ts';
import { shortened } from '../support/run/durations.ts';
import { inBrowser, openPage } from '../support/web/browser.ts';

const cuts = shortened(20, 4);
const letters = 'abcdefghijklmnopqrstuvwxyz';

/** Counts in the first row, and echoes in the third. */
const script = `stty raw -echo
n=0
while n=$((n + 1)); do printf '\\0337\\033[1;1H<%d>\\0338' $n; sleep 0.1; done &
printf '\\033[3;1H'
exec cat -u`;

/** The page's connections go through this: they can be cut, and messages can be late. */
class Line {
  #delayMs = 0;
  #last: { readonly page: WebSocketRoute; readonly server: WebSocketRoute } | null = null;

  readonly onSocket = (page: WebSocketRoute): void => {
    const server = page.connectToServer();
    this.#last = { page, server };
    const [toServer, toPage] = [this.#inOrder(), this.#inOrder()];
    page.onMessage((message) => toServer(() => server.send(message)));
    server.onMessage((message) => toPage(() => page.send(message)));
  };

  /** Each message arrives this much later, in ms. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Ends the connection at both ends, as a network that was lost. */
  async cut(): Promise<void> {
    const last = this.#last;
    await last?.server.close({ code: 4999 });
    await last?.page.close({ code: 4999 });
  }

  /** One direction of a connection: no message arrives before an earlier one, also if the delay has changed. */
  #inOrder(): (run: () => void) => void {
    let [lastMs, waiting] = [0, 0];
    return (run) => {
      const nowMs = performance.now();
      lastMs = Math.max(lastMs, nowMs + this.#delayMs);
      if (waiting === 0 && lastMs <= nowMs) return run();
      waiting++;
      setTimeout(() => {
        waiting--;
        run();
      }, lastMs - nowMs);
    };
  }
}

describe('a page whose connection is cut, and delays what it carries', () => {
  inBrowser(
    'is connected again within 2 s, shows the screen, and types nothing twice',
    async () => {
      const place = new Place();
      await served(place);
      await place.ok('spawn', 'one', '--', 'sh', '-c', script);
      await place.sees('one', '<');
      const shown = await openPage(place);
      const line = new Line();
      await shown.page.context().routeWebSocket(/.*/, line.onSocket);
      await shown.page.reload();
      await shown.show('#/s/one');
      const rows = async () => {
        const [count = '', , echoed = ''] = await shown.rows();
        return { count: Number(/^<(\d+)>/.exec(count)?.[1] ?? 0), echoed };
      };
      await expect.poll(async () => (await rows()).count).toBeGreaterThan(0);
      await shown.page.locator('.keys').focus();
      let backMs = 0;
      let typed = '';
      for (let cut = 0; cut < cuts; cut++) {
        line.delay(cut % 2 === 0 ? 0 : 100);
        const letter = letters[cut] ?? '';
        await shown.page.locator('.keys').focus();
        await shown.page.keyboard.type(letter.repeat(3));
        typed += letter.repeat(3);
        // Every second connection is cut while the input is on its way.
        if (cut % 4 > 1) await expect.poll(async () => (await rows()).echoed).toContain(letter);
        const { count } = await rows();
        await line.cut();
        const begin = performance.now();
        // The program counts on meanwhile.
        const isBack = async () => (await rows()).count > count + 1;
        await expect.poll(isBack, { interval: 20, timeout: 30_000 }).toBe(true);
        backMs = Math.max(backMs, performance.now() - begin);
      }
      line.delay(0);
      const arrived = (await place.ok('screen', 'one')).split('\n')[2]?.trimEnd() ?? '';
      await expect.poll(async () => (await rows()).echoed).toBe(arrived);
      const boundMs = allowedMs(2_000);
      report({ cuts, backMs, boundMs, typed: typed.length, arrived: arrived.length });
      // In order, and nothing twice; what a lost connection carried can be missing.
      expect(arrived).toMatch(new RegExp(`^${typed.replace(/./g, '$&?')}$`));
      expect(arrived.length).toBeGreaterThan(typed.length / 4);
      expect(backMs).toBeLessThan(boundMs);
    },
  );
});
