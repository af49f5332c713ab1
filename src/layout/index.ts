// How a window is divided into panes: the tree of its cells, and layouts as text, in the format of tmux.

export { type Direction, Layout, type LayoutCell, type LayoutPane } from './layout.ts';
export { layoutText, parseLayout } from './layout-text.ts';
export { arrange, type PresetName, presetNames } from './presets.ts';
