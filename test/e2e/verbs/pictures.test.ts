import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportRecording } from '#app/recordings';
import { CastEncoder, parseCast, type RecordedEvent } from '#recording';
import { Place } from '../../support/command/vtr-command.ts';
import { decodeGif, decodePng } from '../../support/decoded-pictures.ts';

const outputAt = (atMs: number, text: string): RecordedEvent => ({ atMs, type: 'output', text });

/** At the end, the left upper corner is red, and the rest is the default background. */
const events: readonly RecordedEvent[] = [
  outputAt(0, '\x1b[?25l$ <make>\r\n'),
  outputAt(1_000, 'one\r\ntwo\r\n'),
  outputAt(9_000, 'three\r\n┌─┐\r\n'),
  outputAt(9_500, '\x1b[H\x1b[41m \x1b[m'),
];

function recorded(): Place {
  const encoder = new CastEncoder(3);
  const header = encoder.header({ size: { cols: 20, rows: 3 }, title: 'a <build>' });
  const place = new Place();
  const cast = header + events.map((event) => encoder.event(event)).join('');
  writeFileSync(join(place.directory, 'x.cast'), cast);
  return place;
}

const bytesOf = (place: Place, name: string) => readFileSync(join(place.directory, name));
const textOf = (place: Place, name: string) => bytesOf(place, name).toString();

const red = 0xcd0000;

describe('pictures by vtr export', () => {
  it('writes documents with the text of a recording', async () => {
    const place = recorded();
    await place.ok('export', 'x.cast', '-o', 'x.html');
    const html = textOf(place, 'x.html');
    expect(html).toContain('<title>a &lt;build&gt;</title>');
    for (const text of ['$ &lt;make&gt;', 'one', 'two', '┌─┐']) expect(html).toContain(text);
    await place.ok('export', 'x.cast', '-o', 'x.svg', '--idle', '2');
    const svg = textOf(place, 'x.svg');
    for (const text of ['$ &lt;make&gt;', 'two', 'three']) expect(svg).toContain(text);
    // 1 s, 2 of 8 s and 0.5 s, then 2 s for the last picture.
    expect(svg).toContain('animation-duration:5500ms');
    await place.ok('export', 'x.cast', '-o', 'still.svg', '--select', '..0.5');
    expect(textOf(place, 'still.svg')).toContain('$ &lt;make&gt;');
    expect(textOf(place, 'still.svg')).not.toContain('animation');
  });

  it('writes bitmaps and animations', async () => {
    const place = recorded();
    await place.ok('export', 'x.cast', '-o', 'x.png', '--scale', '2');
    const [png] = decodePng(bytesOf(place, 'x.png'));
    expect([png?.width, png?.height, png?.pixels[0]]).toEqual([400, 120, red]);
    await place.ok('export', 'x.cast', '-o', 'x.gif');
    const { frames, delays } = decodeGif(bytesOf(place, 'x.gif'));
    expect(frames.length).toBe(events.length);
    expect(delays).toEqual([1_000, 8_000, 500, 2_000]);
    await place.ok('export', 'x.cast', '-o', 'x.apng', '--select', '..9.2');
    const apng = decodePng(bytesOf(place, 'x.apng'));
    expect(apng.length).toBe(events.length - 1);
    for (const frame of [...frames, ...apng]) {
      expect([frame.width, frame.height]).toEqual([200, 60]);
    }
    const isRed = (each: (typeof frames)[number] | undefined) => each?.pixels[0] === red;
    expect(frames.map(isRed)).toEqual([false, false, false, true]);
    expect(apng.map(isRed)).toEqual([false, false, false]);
  });

  it('writes the same GIF with a second thread', async () => {
    const place = new Place();
    const encoder = new CastEncoder(3);
    const header = encoder.header({ size: { cols: 120, rows: 40 } });
    const screens = Array.from({ length: 8 }, (_, at) =>
      outputAt(at * 100, `\x1b[H${`${at}`.repeat(4_800)}`),
    );
    const cast = header + screens.map((event) => encoder.event(event)).join('');
    writeFileSync(join(place.directory, 'x.cast'), cast);
    await place.ok('export', 'x.cast', '-o', 'x.gif');
    // Sources have no program of a thread.
    const here = await exportRecording(parseCast(Buffer.from(cast)), 'gif', { select: '..' });
    expect(bytesOf(place, 'x.gif').equals(here as Uint8Array)).toBe(true);
  });

  it('gives ffmpeg whole frames for mp4', async () => {
    const place = recorded();
    // Stands for ffmpeg: it writes how many bytes it was given.
    const script = '#!/bin/sh\nfor file; do :; done\nwc -c > "$file"\n';
    writeFileSync(join(place.directory, 'ffmpeg'), script, { mode: 0o755 });
    const env = { PATH: `${place.directory}:${process.env['PATH']}` };
    const words = ['export', 'x.cast', '-o', 'x.mp4', '--idle', '1'];
    expect(await place.vtr(words, { env })).toMatchObject({ status: 0, stderr: '' });
    // 1 + 1 + 0.5 + 2 s.
    expect(Number(textOf(place, 'x.mp4'))).toBe(4.5 * 30 * 200 * 60 * 3);
    writeFileSync(join(place.directory, 'ffmpeg'), '#!/bin/sh\necho no encoder >&2\nexit 1\n');
    expect(await place.vtr([...words, '--force'], { env })).toMatchObject({
      status: 10,
      stderr: 'vtr: ffmpeg failed: no encoder\n',
    });
    const without = await place.vtr([...words, '--force'], { env: { PATH: '/nowhere' } });
    expect(without).toMatchObject({ status: 8 });
    expect(without.stderr).toContain('ffmpeg, which is not in PATH; install it');
  });

  it.each([
    [['-o', 'x.mov'], /x\.mov has none of .*: .*\.html, \.svg, \.png, \.apng, \.gif, \.mp4/],
    [['-o', 'x.cast'], /x\.cast exists; --force overwrites it/],
    [['-o', 'x.png', '--idle', '1'], /--idle is for svg, apng, gif, mp4, webm, not for png/],
    [['-o', 'x.txt', '--scale', '2'], /--scale is for png, apng, gif, mp4, webm, not for txt/],
    [['-o', 'x.png', '--scale', '3'], /--scale 3: use 1 or 2/],
    [['-o', 'large.gif'], /1000x1000 cells are 200 million pixels, .*; use svg or html/],
  ])('to %j is refused', async (words, message) => {
    const place = recorded();
    if (words[1] === 'large.gif') {
      const header = JSON.stringify({ version: 2, width: 1000, height: 1000 });
      writeFileSync(join(place.directory, 'x.cast'), `${header}\n[0, "o", "x"]\n`);
    }
    const { status, stderr } = await place.vtr(['export', 'x.cast', ...words]);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('vtr screenshot', () => {
  it('writes the screen, and lines above it', async () => {
    const place = new Place();
    const print = "printf '\\033[41m \\033[m<one>\\nlong long lines\\nthree\\nfour'; cat";
    await place.ok('spawn', 'a', '--size', '10x3', '--', 'sh', '-c', print);
    await place.ok('wait', 'a', 'four', '--since', 'start');
    await place.ok('screenshot', 'a', '-o', 'a.svg');
    const svg = textOf(place, 'a.svg');
    expect(svg).toContain('four');
    expect(svg).not.toContain('one');
    await place.ok('screenshot', 'a', '-o', 'a.html', '--scrollback', '9');
    expect(textOf(place, 'a.html')).toContain('<title>a</title>');
    // A browser drops the first line feed.
    const [, pre = ''] = /<pre>\n(.*)<\/pre>/s.exec(textOf(place, 'a.html')) ?? [];
    const rows = pre
      .replace(/<[^>]*>/g, '')
      .split('\n')
      .map((row) => row.trimEnd());
    expect(rows).toEqual([' &lt;one&gt;', 'long long', 'lines', 'three', 'four']);
    await place.ok('screenshot', 'a', '-o', 'a.png', '--scrollback', '9', '--scale', '2');
    const [png] = decodePng(bytesOf(place, 'a.png'));
    expect([png?.width, png?.height, png?.pixels[0]]).toEqual([200, 200, red]);
    const html = await place.ok('screenshot', 'a', '-o', '-', '--format', 'html');
    expect(html).toMatch(/^<!doctype html>/);
  });

  it.each([
    [['a', '-o', 'a.gif'], 2, /a\.gif has none of the suffixes .*: \.svg, \.png, \.html/],
    [['a'], 2, /name the file to write with -o FILE/],
    [['a', '-o', '-'], 2, /-o - needs --format svg, png, html/],
    [['a', '-o', 'a.svg', '--scale', '2'], 2, /--scale is for png, not for svg/],
    [['b', '-o', 'b.svg'], 4, /session b not found: no coordinator is running/],
  ])('%j is refused', async (words, code, message) => {
    const place = new Place();
    const { status, stdout, stderr } = await place.vtr(['screenshot', ...words]);
    expect([status, stdout]).toEqual([code, '']);
    expect(stderr).toMatch(message);
  });
});
