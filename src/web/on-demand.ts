// What the first view of the page does not need. The build puts it into a script of its own, which page/later.tsx loads.

export { openNewSession } from './actions/new-session.tsx';
export { downloadPicture } from './actions/picture.ts';
export { LabelDialog, RenameDialog, ShareDialog } from './actions/session-dialogs.tsx';
export { openKeys, openPalette } from './palette/palette.tsx';
export { People } from './people/people.tsx';
export { recordingOfFile, recordingOfSession } from './replay/recording-source.ts';
export { Recordings } from './replay/recordings.tsx';
export { ReplayView } from './replay/replay-view.tsx';
export { openSettings, settingsChoices } from './settings/settings-dialog.tsx';
export { Split } from './split/split.tsx';
