import jsqr from 'jsqr';
import { describe, expect } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { inBrowser, openPage, openPageInTab, type WebPage } from '../support/web/browser.ts';

// A module of CommonJS, whose types are those of a module of ES.
const decode = jsqr as unknown as typeof jsqr.default;

/** Reads the QR code that the page shows. */
async function readCode({ page }: WebPage): Promise<string | undefined> {
  const side = 480;
  const pixels = await page.evaluate(`(async () => {
    const image = new Image();
    const copy = document.querySelector('.qr').cloneNode(true);
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('width', '${side}');
    copy.setAttribute('height', '${side}');
    image.src = 'data:image/svg+xml,' + encodeURIComponent(new XMLSerializer().serializeToString(copy));
    await image.decode();
    const canvas = new OffscreenCanvas(${side}, ${side});
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return [...context.getImageData(0, 0, ${side}, ${side}).data];
  })()`);
  const code = decode(new Uint8ClampedArray(pixels as number[]), side, side);
  return code?.data;
}

interface Icon {
  readonly src: string;
  readonly sizes: string;
  readonly purpose: string;
}

describe('[S3.32] the page as an app', () => {
  inBrowser(
    'has icons that are what the manifest says, and is one app for all addresses',
    async () => {
      const shown = await openPageInTab(new Place());
      const answer = await fetch(`${shown.origin}/manifest.webmanifest`);
      const manifest = (await answer.json()) as { readonly icons: readonly Icon[] };
      expect(manifest).toMatchObject({
        id: '/',
        scope: '/',
        start_url: '/',
        display: 'standalone',
      });
      const touch = await shown.page.locator('link[rel=apple-touch-icon]').getAttribute('href');
      const pictures = manifest.icons.filter(({ src }) => src.endsWith('.png'));
      expect(pictures.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
        '192x192 any',
        '512x512 any',
        '512x512 maskable',
      ]);
      for (const { src, sizes } of [...pictures, { src: touch ?? '', sizes: '180x180' }]) {
        const picture = await fetch(shown.origin + src);
        const bytes = Buffer.from(await picture.arrayBuffer());
        expect(picture.headers.get('content-type')).toBe('image/png');
        expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes);
      }
    },
  );

  inBrowser(
    'says that vtr does not answer, keeps no session, and continues by itself',
    async () => {
      const place = new Place();
      await place.ok('spawn', 'secret-name', '--', 'cat');
      const shown = await openPage(place);
      const keptPaths = () =>
        shown.page.evaluate<string[]>(`(async () => {
        const paths = [];
        for (const name of await caches.keys())
          for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
        return paths.sort();
      })()`);
      const files = [/^\/$/, /^\/assets\/[\w.-]+\.(css|js|woff2)$/, /^\/icon.svg$/];
      await expect.poll(async () => (await keptPaths()).length).toBeGreaterThanOrEqual(4);
      const paths = await keptPaths();
      expect(paths.filter((path) => !files.some((each) => each.test(path)))).toEqual([]);
      await expect
        .poll(() => shown.page.evaluate('navigator.serviceWorker.controller !== null'))
        .toBe(true);
      const { port } = new URL(shown.origin);
      await place.vtr(['serve', '--stop']);
      await shown.page.reload();
      await shown.page.getByText('Not connected: vtr does not answer').waitFor();
      expect(await shown.page.getByText('secret-name').count()).toBe(0);
      await place.ok('spawn', 'again', '--', 'cat');
      await place.json('web', '--port', port);
      // The login has ended with the daemon.
      await shown.page.getByText('You are not logged in').waitFor();
      expect(await keptPaths()).toEqual(paths);
    },
  );
});

describe('[S3.32] people and devices', () => {
  const place = Place.forAll();

  inBrowser('a QR code of the page logs another device in, once', async () => {
    const shown = await openPageInTab(place);
    await shown.show('#/people');
    await shown.page.getByRole('button', { name: 'Show a QR code' }).click();
    const hint = shown.page.getByText('Another device does not reach 127.0.0.1');
    await hint.waitFor();
    const url = await readCode(shown);
    expect(url).toMatch(new RegExp(`^${shown.origin}/#t=[\\w-]{43}$`));
    const phone = await openPage(place, { url: url ?? '' });
    await phone.page.locator('main.grid').waitFor();
    const again = await openPage(place, { url: url ?? '' });
    await again.page.getByText('the link was used before').waitFor();
    expect([...shown.problems, ...phone.problems]).toEqual([]);
  });

  inBrowser('have names, which others see, and can be logged out', async () => {
    await place.ok('spawn', 'seen', '--', 'cat');
    const shown = await openPageInTab(place);
    const phone = await openPage(place);
    // Another browser is logged in, so this one is asked for its name, once.
    const banner = phone.page.getByRole('region', { name: 'Your name' });
    await banner.getByRole('textbox', { name: 'Name of this browser' }).fill("Ann's phone");
    await banner.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => banner.count()).toBe(0);
    await phone.page.reload();
    await phone.page.locator('main.grid').waitFor();
    expect(await banner.count()).toBe(0);
    await phone.show('#/s/seen');
    await phone.page.locator('.keys').focus();
    await phone.page.keyboard.type('x');
    const driver = async () => (await place.json('info', 'seen')).driver?.name;
    await expect.poll(driver).toBe("Ann's phone");
    await shown.show('#/people');
    await shown.page.getByRole('button', { name: "End the login of Ann's phone" }).click();
    await phone.page.getByText('You are not logged in').waitFor();
    await expect.poll(() => shown.page.getByText("Ann's phone").count()).toBe(0);
    expect(shown.problems).toEqual([]);
  });

  inBrowser('a visitor of a share has a name for others, if the visitor gives one', async () => {
    await place.ok('spawn', 'shown', '--', 'cat');
    const { url } = await place.json('web', 'share', 'shown');
    const { page, problems } = await openPage(place, { url });
    const names = async () =>
      (await place.json('info', 'shown')).viewers?.map(({ name }: { name: string }) => name);
    await expect.poll(names).toEqual(['visitor']);
    await page.getByRole('button', { name: 'Your name' }).click();
    await page.getByRole('textbox', { name: 'Name of this browser' }).fill('Bob');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(names).toEqual(['visitor Bob']);
    expect(problems).toEqual([]);
  });
});
