import type { Scene } from '../scene.ts';

export const top: Scene = {
  title: 'Watch top, which never stops drawing',
  needs: 'top',
  async play(stage) {
    const size = { cols: 72, rows: 12 };
    const session = await stage.spawn('top', ['top'], size);
    await session.sees('PID');
    await session.shows('its table', ({ text }) => text.some((row) => row.includes('PID')));
    await session.type('q');
    await session.ends({ code: 0, signal: null });
    stage.story.seen('It listed what runs on this machine, and ended when it was told to.');
  },
};
