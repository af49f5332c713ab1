// `node scripts/page-icons.mjs`: draws src/web/icons/*.png from src/web/icon.svg, with chromium (VTR_CHROMIUM, or in PATH).
// The pictures are committed: a build needs no browser.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root } from './root.mjs';

const svg = readFileSync(join(root, 'src/web/icon.svg'), 'utf8');
/** Systems cut a mask out of these: the background has no corners, and what is drawn is in the middle (80 %). */
const whole = svg.replace(' rx="12"', '').replace(/(<path[^>]*\/>\s*)+/, (paths) => {
  return `<g transform="translate(6.4 6.4) scale(0.8)">${paths}</g>`;
});
const icons = [
  { name: 'icon-192', side: 192, svg },
  { name: 'icon-512', side: 512, svg },
  { name: 'maskable-512', side: 512, svg: whole },
  { name: 'apple-touch-icon', side: 180, svg: whole },
];

const executablePath = process.env['VTR_CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
for (const { name, side, svg: drawn } of icons) {
  const page = await browser.newPage({ viewport: { width: side, height: side } });
  const style = '<style>html, body { margin: 0 } svg { display: block }</style>';
  await page.setContent(
    `${style}${drawn.replace('<svg', `<svg width="${side}" height="${side}"`)}`,
  );
  const file = join(root, 'src/web/icons', `${name}.png`);
  writeFileSync(file, await page.screenshot({ omitBackground: true }));
  await page.close();
}
await browser.close();
