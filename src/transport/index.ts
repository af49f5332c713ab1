export { openTool, reaches } from './open-tool.ts';
export { followThere, runThere } from './run-there.ts';
export { noneSelected, SelectedList, selectedAddress, selectedAddresses } from './selected.ts';
export { userPrograms } from './tool-command.ts';
