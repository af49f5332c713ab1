export { openTool, reaches } from './open-tool.ts';
export { runThere } from './run-there.ts';
export { noneSelected, selectedAddress, selectedAddresses } from './selected.ts';
export { SelectedList } from './selected-list.ts';
export { userPrograms } from './tool-command.ts';
