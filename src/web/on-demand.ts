// What the first view of the page does not need. The build puts it into a script of its own, which page/later.tsx loads.

import { PredictedScreen } from '#predict';
import type { App } from './page/app.ts';
import { openPalette as openPaletteWith } from './palette/palette.tsx';
import { settingsChoices } from './settings/settings-dialog.tsx';

export { openNewSession } from './actions/new-session.tsx';
export { downloadPicture } from './actions/picture.ts';
export { LabelDialog, RenameDialog, ShareDialog } from './actions/session-dialogs.tsx';
export { AlsoHere, GiveMenu } from './focus/driver-menus.tsx';
export { Focus } from './focus/focus.tsx';
export { askToPaste } from './focus/paste-dialog.tsx';
export { Transcript } from './focus/transcript.tsx';
export { openKeys } from './palette/palette.tsx';
export { People } from './people/people.tsx';
export { Recordings } from './replay/recordings.tsx';
export { FileReplay, SessionReplay } from './replay/replay-view.tsx';
export { OutputResults } from './search/output-results.tsx';
export { openSettings } from './settings/settings-dialog.tsx';
export { Split } from './split/split.tsx';
export { PredictedScreen };

/** Opens the palette, with the settings among its choices. */
export const openPalette = (app: App): void => openPaletteWith(app, settingsChoices());
