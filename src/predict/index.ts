// What a person types, shown before the program has echoed it: guessed from the keys and the screen.

export { type PredictedInput, PredictedScreen } from './predicted-screen.ts';
export type { PredictableScreen } from './predictor.ts';
