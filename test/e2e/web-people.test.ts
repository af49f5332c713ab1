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
});
